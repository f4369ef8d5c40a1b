"""What the list is narrowed by and ordered by, as addresses and as conditions."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Final
from urllib.parse import urlencode

from django.db.models import F, Q
from django.urls import reverse

from recordings.models import Recording
from recordings.models.recording import id_key
from recordings.sources import LETTERS

OUTCOMES: Final = {
    "finished": Q(outcome="finished"),
    "paused": Q(outcome="paused"),
    "failed": Q(outcome="failed"),
    "unknown": Q(outcome__in=["unknown", ""]),
}
FLAGS: Final = {
    "incomplete": Q(is_complete=False) | Q(n_dropped_events__gt=0),
    "gaps": Q(has_gaps=True),
    "errors": Q(has_errors=True),
    "redacted": Q(is_redacted=True),
    "conflict": Q(relation=Recording.Relation.CONFLICTS),
    "paused": Q(outcome="paused") | Q(is_resumed=True),
}
#: The sources by letter, which is all that the column keeps: instructions and steering share theirs.
SOURCES: Final = {letter: source for source, letter in reversed(LETTERS.items())}
NEWEST: Final = ("-created_at", "-pk")
SORTS: Final[dict[str, tuple[Any, ...]]] = {
    "newest": NEWEST,
    "oldest": ("created_at", "pk"),
    "epochs": ("-n_epochs", *NEWEST),
    "tokens": (F("input_tokens").desc(nulls_last=True), *NEWEST),
}


@dataclass(frozen=True, kw_only=True)
class Filters:
    """
    What the list was asked for.

    All flags and all sources have to hold. A source is the first of those that share its letter. An id is None when
    none was named.
    """

    phrase: str = ""
    outcome: str = ""
    flags: tuple[str, ...] = ()
    sources: tuple[str, ...] = ()
    session_id: str | None = None
    conversation_id: str | None = None
    workspace: str = ""
    sort: str = "newest"

    def pairs(self) -> list[tuple[str, str]]:
        """Return it as the parameters of an address; what is as usual is left out."""
        named = [
            ("q", self.phrase),
            ("outcome", self.outcome),
            *(("flag", flag) for flag in self.flags),
            *(("source", source) for source in self.sources),
            ("session_id", self.session_id),
            ("conversation_id", self.conversation_id),
            ("workspace", self.workspace),
            ("sort", "" if self.sort == "newest" else self.sort),
        ]
        return [(name, value) for name, value in named if value]

    def kept_pairs(self) -> list[tuple[str, str]]:
        """Return the parameters that a form for another phrase keeps."""
        return replace(self, phrase="").pairs()

    def cleared(self) -> Filters:
        """Return the same order, of everything."""
        return Filters(sort=self.sort)

    def narrowing(self) -> list[tuple[str, str, Filters]]:
        """Return each filter that is set: its name, its value, and what is asked for without it."""
        found = [(name, value, self._with(field, "")) for name, field, value in self._single() if value]
        for name, value in (("session_id", self.session_id), ("conversation_id", self.conversation_id)):
            if value is not None:
                found.append((name, value, self._with(name, None)))
        found += [("flag", flag, self.toggled("flags", flag)) for flag in self.flags]
        return found + [("source", source, self.toggled("sources", source)) for source in self.sources]

    def _single(self) -> list[tuple[str, str, str]]:
        return [
            ("q", "phrase", self.phrase),
            ("outcome", "outcome", self.outcome),
            ("workspace", "workspace", self.workspace),
        ]

    def _with(self, field: str, value: Any) -> Filters:
        changes: dict[str, Any] = {field: value}
        return replace(self, **changes)

    def toggled(self, field: str, value: str) -> Filters:
        """Return it with *value* among ``flags`` or ``sources``, or without it when it is there."""
        values = getattr(self, field)
        without = tuple(other for other in values if other != value)
        return self._with(field, without if value in values else (*values, value))

    def url(self, *, page: int = 1) -> str:
        """Return the address of *page*. Raises `UnicodeEncodeError` for an id that no address can carry."""
        pairs = self.pairs() + ([("page", str(page))] if page > 1 else [])
        return reverse("recordings:recording-list") + (f"?{urlencode(pairs)}" if pairs else "")

    def conditions(self) -> Q:
        """Return all of it that SQL can tell, but for the outcome."""
        wanted = Q()
        for flag in self.flags:
            wanted &= FLAGS[flag]
        for source in self.sources:
            wanted &= Q(sources__contains=LETTERS[source])
        if self.session_id is not None:
            wanted &= Q(session_key=id_key(self.session_id))
        if self.conversation_id is not None:
            wanted &= Q(conversation_key=id_key(self.conversation_id))
        if self.workspace:
            wanted &= Q(workspace__slug=self.workspace)
        return wanted


def url_for_id(name: str, recorded_id: str | None) -> str | None:
    """Return the address of the list with *recorded_id* as its filter *name*; None when there can be none."""
    if not recorded_id:
        return None
    asked: dict[str, Any] = {name: recorded_id}
    try:
        return Filters(**asked).url()
    except UnicodeEncodeError:
        # Half of a character stands in no address.
        return None
