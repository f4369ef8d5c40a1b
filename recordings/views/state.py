"""The state behind an epoch: any key at any commit of any log, and the commit that last wrote it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final
from urllib.parse import urlencode
from uuid import UUID

import msgspec
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.views.decorators.http import require_safe

from footprint_site.htmx import SignedInRequest, render_partial
from recordings.blobs import DamagedBlobError
from recordings.forms import StateForm
from recordings.reads import get_recording_for
from recordings.services.keypage import MAX_CHARS, KeyPage, Write
from recordings.services.statepage import MAX_KEYS, StatePage, state_page

#: Servers and proxies refuse longer addresses.
_MAX_ADDRESS: Final = 3_500
_PAGE: Final = "recordings/recording_state.html"


class Address(msgspec.Struct, frozen=True):
    """A place on this page, as a link leads to it."""

    path: str
    log: str = ""
    commit: int | None = None
    key: str | None = None
    filter: str = ""
    skip: int = 0

    def to(self, **changes: Any) -> str | None:
        """Return the address with *changes*; None when no address can be that long."""
        url = f"{self.path}?{self.rest(**changes)}"
        return url if len(url) <= _MAX_ADDRESS else None

    def rest(self, **changes: Any) -> str:
        """Return its query string with *changes*. What is not said is left out."""
        said = msgspec.structs.asdict(self) | changes
        del said["path"]
        kept = {
            name: value for name, value in said.items() if value is not None and (value or name in ("commit", "key"))
        }
        return urlencode(kept, errors="surrogatepass")


@require_safe
def recording_state(request: SignedInRequest, public_id: UUID) -> HttpResponse:
    """What a key was at a commit, in the characters in which it was recorded."""
    recording = get_recording_for(request.user, public_id)
    form = StateForm.of_query(_query_of(request))
    context: dict[str, Any] = {"recording": recording, "form": form}
    if not form.is_valid():
        return render_partial(request, _PAGE, "state", context, status=422)
    asked = form.cleaned_data
    here = Address(
        path=reverse("recordings:recording-state", args=[public_id]),
        log=asked["log"] or "",
        commit=asked["commit"],
        key=asked["key"],
        filter=asked["filter"],
        skip=asked["skip"] or 0,
    )
    if form.is_from_form:
        return redirect(here.to() or here.path)
    try:
        page = state_page(
            recording,
            here.log,
            here.commit,
            here.key,
            filter_text=here.filter,
            skip=here.skip,
            start=asked["from"] or 0,
        )
    except DamagedBlobError:
        return render_partial(request, _PAGE, "state", context | {"is_damaged": True}, status=409)
    if page is None:
        raise Http404
    here = msgspec.structs.replace(here, commit=page.commit_index)
    return render_partial(request, _PAGE, "state", context | {"page": page} | _links(page, here, public_id))


def _query_of(request: HttpRequest) -> str:
    """Return the query string as it was sent, which `request.GET` has decoded without halves of characters."""
    return str(request.META.get("QUERY_STRING", "")).encode("latin-1").decode("utf-8", "replace")


def _links(page: StatePage, here: Address, public_id: UUID) -> dict[str, Any]:
    """Return the links of *page*: those that stand alone by name, those of rows beside their row."""
    index, last = page.commit_index, page.last_index
    links: dict[str, Any] = {
        "base": here.to(commit=-1) if index > -1 else None,
        "previous": here.to(commit=index - 1) if index > -1 else None,
        "next": here.to(commit=index + 1) if index < last else None,
        "end": here.to(commit=last) if index < last else None,
        "no_key": here.to(key=None),
        "no_filter": here.to(filter="", skip=0),
        "more_keys": here.to(skip=page.first_key + MAX_KEYS) if page.n_keys > page.first_key + MAX_KEYS else None,
        "fewer_keys": here.to(skip=max(page.first_key - MAX_KEYS, 0)) if page.first_key else None,
    }
    return {
        "links": links,
        "here": here,
        "rest_of_commit": here.rest(commit=None),
        "rest_of_filter": here.rest(filter="", skip=0),
        "logs": [(log, here.to(log=log.name, commit=None)) for log in page.logs],
        "keys": [
            (row, here.to(key=row.name), None if row.row < 0 else here.to(key=row.name, commit=row.row))
            for row in page.keys
        ],
        "wrote": [] if page.commit is None else _linked(page.commit.writes, here),
        "key_links": {} if page.key is None else _key_links(page.key, here, public_id),
        "key_writes": [] if page.key is None else _linked(page.key.writes, here),
    }


def _linked(writes: Iterable[Write], here: Address) -> list[tuple[Write, str | None]]:
    return [(write, here.to(commit=write.row, key=write.key)) for write in writes]


def _key_links(key: KeyPage, here: Address, public_id: UUID) -> dict[str, str | None]:
    state = key.state
    rest = here.rest()
    path = reverse("recordings-api:state", args=[public_id])
    query = {"lane": here.log, "commit": state.commit, "key": state.key}
    rows = {
        "written": state.row,
        "previous": key.previous,
        "next": key.next,
        "earlier": key.earlier,
        "later": key.later,
    }
    if state.written_by is None:
        del rows["written"]
    links = {name: here.to(commit=row) for name, row in rows.items() if row is not None}
    if key.start:
        links["text_before"] = f"{here.path}?{rest}&from={max(key.start - MAX_CHARS, 0)}"
    if key.end < key.n_shown:
        links["text_after"] = f"{here.path}?{rest}&from={key.end}"
    try:
        links["json"] = f"{path}?{urlencode(query)}"
    except UnicodeEncodeError:
        # Half a character: the API reads its parameters as UTF-8, where there is none.
        links["json"] = None
    return links
