"""Sessions and their occupants, for those who manage a workspace."""

from __future__ import annotations

from collections.abc import Callable
from http import HTTPStatus
from typing import Any, Final, TypeVar
from uuid import UUID

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.db import transaction
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_safe

from footprint_site.access.models import Role, Workspace
from footprint_site.access.permissions import get_workspace_for
from footprint_site.htmx import SignedInRequest
from recordings.listing.filters import url_for_id
from recordings.reads.seats import contents_of_session, get_record_for, get_session_for, seats_of, sessions_page
from recordings.seatforms import CloseForm, SeatForm, SessionDeleteForm, SessionForm
from sessions_app.models import Incarnation, Session
from sessions_app.services.errors import SessionExistsError, StaleIncarnationError
from sessions_app.services.sessions import incarnation_close, incarnation_open, session_delete

_DETAIL: Final = "seats:session-detail"
Done = TypeVar("Done")


@require_safe
def session_list(request: SignedInRequest) -> HttpResponse:
    """The sessions of the workspaces that the reader manages."""
    _need_a_workspace(request)
    page = sessions_page(request.user, request.GET.get("page"))
    return render(request, "recordings/session_list.html", {"page": page})


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def session_create(request: SignedInRequest) -> HttpResponse:
    """Seat the first occupant of a session, and show its token once."""
    _need_a_workspace(request)
    form = SessionForm(request.POST if request.method == "POST" else None, user=request.user)
    exists: Session | None = None
    if request.method == "POST" and form.is_valid():
        try:
            occupant, token = incarnation_open(
                workspace=form.cleaned_data["workspace"],
                session_id=form.cleaned_data["session_id"],
                is_first=True,
                actor=request.user,
                request=request,
            )
        except SessionExistsError as error:
            form.add_error("session_id", str(error))
            exists = error.session
        else:
            return _answer(request, occupant.session, new_occupant=occupant, token=token)
    status = HTTPStatus.UNPROCESSABLE_ENTITY if form.errors else HTTPStatus.OK
    return render(request, "recordings/session_form.html", {"form": form, "exists": exists}, status=status)


@never_cache
@require_safe
def session_detail(request: SignedInRequest, public_id: UUID) -> HttpResponse:
    """A session: its occupants, and what its admins may do."""
    return _answer(request, _managed(request, public_id))


@require_safe
def session_record(request: SignedInRequest, public_id: UUID, record_pk: int) -> HttpResponse:
    """A record of a session; the whole of it as a file for ``?file``."""
    session = _managed(request, public_id)
    record = get_record_for(request.user, session, record_pk)
    if "file" in request.GET:
        headers = {"Content-Disposition": f'attachment; filename="record-{record.pk}.json"'}
        return HttpResponse(record.body.encode("utf-8", "replace"), content_type="application/json", headers=headers)
    return render(request, "recordings/session_record.html", {"session": session, "record": record})


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def session_open(request: SignedInRequest, public_id: UUID) -> HttpResponse:
    """Give the seat to a new occupant, and show its token once."""
    session = _managed(request, public_id)
    if request.method != "POST":  # a reload of the page that answered
        return redirect(_DETAIL, public_id)
    form = SeatForm(request.POST)
    if not form.is_valid():
        return _answer(request, session, open_form=form)

    def act() -> tuple[Incarnation, str]:
        return incarnation_open(
            workspace=session.workspace, session_id=session.session_id, actor=request.user, request=request
        )

    opened = _in_turn(session, form.cleaned_data["occupant"], act)
    if opened is None:
        return _stale(request, session, form.cleaned_data["occupant"])
    # Shown by the answer itself: a redirect would have to keep the secret somewhere on the way.
    return _answer(request, session, new_occupant=opened[0], token=opened[1])


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def session_close(request: SignedInRequest, public_id: UUID) -> HttpResponse:
    """Close the occupant that sits there, for a reason."""
    session = _managed(request, public_id)
    if request.method != "POST":
        return redirect(_DETAIL, public_id)
    form = CloseForm(request.POST)
    if not form.is_valid():
        return _answer(request, session, close_form=form)
    number, reason = form.cleaned_data["occupant"], form.cleaned_data["reason"]

    def act() -> Incarnation:
        seat = session.incarnations.select_related("session", "workspace").get(number=number)
        return incarnation_close(incarnation=seat, reason=reason, actor=request.user, request=request)

    try:
        closed = _in_turn(session, number, act) if number else None
    except StaleIncarnationError:
        closed = None
    if closed is None:
        return _stale(request, session, number)
    messages.success(request, f"Occupant {number} is closed. Writes with its token are refused from now on.")
    return redirect(_DETAIL, public_id)


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def session_confirm_delete(request: SignedInRequest, public_id: UUID) -> HttpResponse:
    """Delete a session, after the reader has seen what goes and typed that they mean it."""
    session = _managed(request, public_id)
    expected = str(public_id)[: SessionDeleteForm.CONFIRM_CHARS]
    form = SessionDeleteForm(request.POST if request.method == "POST" else None, expected=expected)
    if request.method == "POST":
        form.is_valid()
        number = form.cleaned_data.get("occupant")
        if number is not None and number != _number_of(session):
            return _stale(request, session, number)
    if request.method == "POST" and form.is_valid():
        number = form.cleaned_data["occupant"]
        gone = _in_turn(session, number, lambda: session_delete(session=session, actor=request.user, request=request))
        if gone is None:
            return _stale(request, session, number)
        messages.success(request, "The session is deleted, with its occupants, their conversations and their memory.")
        return redirect("seats:session-list")
    context = {
        "session": session,
        "form": form,
        "expected": expected,
        "occupant": _number_of(session),
        "contents": contents_of_session(session),
    }
    status = HTTPStatus.UNPROCESSABLE_ENTITY if form.errors else HTTPStatus.OK
    return render(request, "recordings/session_confirm_delete.html", context, status=status)


def _need_a_workspace(request: SignedInRequest) -> None:
    """Refuse whoever manages no workspace."""
    if not Workspace.objects.where_at_least(request.user, Role.ADMIN).exists():
        raise PermissionDenied("Sessions are managed with the role admin.")


def _managed(request: SignedInRequest, public_id: UUID) -> Session:
    """Return a session of a workspace that the reader manages; nothing for strangers, a refusal for its members."""
    session = get_session_for(request.user, public_id)
    get_workspace_for(request.user, session.workspace.slug, at_least=Role.ADMIN)
    return session


def _number_of(session: Session) -> int:
    """Return the number of the newest occupant; 0 for none."""
    return session.incarnations.order_by("-number").values_list("number", flat=True).first() or 0


def _in_turn(session: Session, number: int, act: Callable[[], Done]) -> Done | None:
    """Do *act* while nobody else changes the seat. None when its newest occupant is not *number* any more."""
    with transaction.atomic():
        held = Session.objects.select_for_update(no_key=True).filter(pk=session.pk).first()
        return act() if held is not None and _number_of(held) == number else None


def _answer(request: SignedInRequest, session: Session, **extra: Any) -> HttpResponse:
    """Return the page of *session*, with 422 when a form of *extra* has errors."""
    forms = [value for name, value in extra.items() if name.endswith("_form")]
    context = {
        "session": session,
        "seats": seats_of(session, request.user, request.GET.get("page")),
        "recordings_url": url_for_id("session_id", session.session_id),
        "close_form": CloseForm(),
    }
    status = HTTPStatus.UNPROCESSABLE_ENTITY if forms else HTTPStatus.OK
    return render(request, "recordings/session_detail.html", context | extra, status=status)


def _stale(request: SignedInRequest, session: Session, number: int) -> HttpResponse:
    """Say that the page was out of date, and that nothing was done."""
    newest = session.incarnations.order_by("-number").first()
    context = {"session": session, "number": number, "newest": newest}
    return render(request, "recordings/session_stale.html", context, status=HTTPStatus.CONFLICT)
