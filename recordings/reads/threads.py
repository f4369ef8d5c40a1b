"""What the pages of conversations show: the turns of one occupant, and what does not fit, never guessed."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from typing import Any, Final

from django.core.paginator import Page, Paginator
from django.db.models import Count, OuterRef, QuerySet, Subquery, Window
from django.db.models.functions import Coalesce, RowNumber
from django.shortcuts import get_object_or_404
from django.utils.dateparse import parse_datetime

from footprint_site.access.principals import Viewer
from recordings.models import Recording
from recordings.models.recording import id_key
from recordings.reads.memorylinks import unstored_stores_of
from sessions_app.models import Conversation, MemoryStore, Turn

PAGE_SIZE: Final = 50
IDLE_FROM: Final = timedelta(minutes=5)
#: Of one turn: a run may pause and go on, or come in several revisions.
MAX_RECORDINGS: Final = 20
_MAX_UNMATCHED: Final = 20
_MAX_STORES: Final = 50
_MAX_OTHERS: Final = 20
MAX_PRINCIPALS: Final = 10
#: What no row of a turn shows.
_UNSEEN: Final = (
    "strip",
    "by_source",
    "producer",
    "lanes",
    "redacted_paths",
    "untracked_sources",
    "outcome_reason",
    "session_id",
    "conversation_id",
    "warnings",
)


@dataclass
class Exchange:
    """One turn: who reserved it, and the recordings that say they are of it."""

    number: int
    turn: Turn | None = None
    recordings: list[Recording] = field(default_factory=list)
    n_recordings: int = 0
    #: How long nothing happened before it; None when that is not known, or not long.
    idle: timedelta | None = None

    def times(self) -> tuple[datetime, datetime] | None:
        """Return when it began and ended by its recordings; None when they do not say."""
        begun = [at for recording in self.recordings if (at := time_of(recording.started_at))]
        if not begun:
            return None
        ended = [at for recording in self.recordings if (at := time_of(recording.ended_at))]
        return min(begun), max(begun + ended)


@dataclass(frozen=True)
class Thread:
    """The page of a conversation."""

    page: Page[int]
    exchanges: list[Exchange]
    unmatched: list[Recording]
    n_unmatched: int
    #: Recordings that name this conversation and were bound to nobody's.
    n_unbound: int
    others: list[Conversation]
    n_others: int
    stores: list[MemoryStore]
    n_stores: int
    #: Memories that its recordings name and that hold nothing here, the first.
    unstored_stores: list[str]
    principals: list[str]


def time_of(text: str | None) -> datetime | None:
    """Return the moment that a recording states as *text*; None when it states none that can be read."""
    try:
        at = parse_datetime(text) if text else None
    except ValueError:
        return None
    return at.replace(tzinfo=UTC) if at is not None and at.tzinfo is None else at


def conversations_page(viewer: Viewer, number: str | None) -> Page[Conversation]:
    """Return page *number* of the conversations that *viewer* may see, with ``n_recordings``."""
    rows = Conversation.objects.visible_to(viewer).order_by("-pk")
    paginator = Paginator(rows, PAGE_SIZE)
    page = paginator.get_page(number)
    recordings = Recording.objects.filter(thread=OuterRef("pk")).order_by().values("thread").annotate(n=Count("pk"))
    # First the keys alone: only those of one page are counted.
    keys = [row.pk for row in page.object_list.only("pk")]  # type: ignore[attr-defined]
    counted = rows.filter(pk__in=keys).for_list().annotate(n_recordings=Coalesce(Subquery(recordings.values("n")), 0))
    page.object_list = list(counted)
    return page


def get_conversation_for(viewer: Viewer, public_id: Any) -> Conversation:
    """Return a conversation that *viewer* may see. Raises `Http404`."""
    rows = Conversation.objects.visible_to(viewer).select_related("workspace", "incarnation__session")
    return get_object_or_404(rows, public_id=public_id)


def thread_of(conversation: Conversation, viewer: Viewer, number: str | None) -> Thread:
    """Return the page of *conversation*, at page *number* of its turns."""
    own = Recording.objects.visible_to(viewer).filter(thread=conversation)
    page = Paginator(_numbers(conversation, own), PAGE_SIZE).get_page(number)
    lost = own.filter(turn=None)
    others = _others(conversation, viewer)
    stores = conversation.stores.visible_to(viewer)
    return Thread(
        page=page,
        exchanges=_exchanges(conversation, own, list(page)),
        unmatched=list(lost.defer(*_UNSEEN).order_by("created_at", "pk")[:_MAX_UNMATCHED]),
        n_unmatched=lost.count(),
        n_unbound=_n_unbound(conversation, viewer),
        others=list(others[:_MAX_OTHERS]),
        n_others=others.count(),
        stores=list(stores.annotate(n_entries=Count("entries"))[:_MAX_STORES]),
        n_stores=stores.count(),
        unstored_stores=unstored_stores_of(conversation),
        principals=_principals(conversation, viewer),
    )


def _numbers(conversation: Conversation, own: QuerySet[Recording]) -> list[int]:
    """Return every turn that was reserved, or that a recording says it is of."""
    said = own.order_by().values_list("turn", flat=True).distinct()
    reserved = conversation.turns.order_by().values_list("number", flat=True)
    return sorted({number for number in (*said, *reserved) if number is not None})


def _exchanges(conversation: Conversation, own: QuerySet[Recording], numbers: Sequence[int]) -> list[Exchange]:
    """Return the turns *numbers*, each with its recordings, and the idle gaps between them."""
    by_number = {number: Exchange(number) for number in numbers}
    for turn in conversation.turns.filter(number__in=numbers):
        by_number[turn.number].turn = turn
    rows = own.filter(turn__in=numbers)
    for number, n_rows in rows.order_by().values_list("turn").annotate(Count("pk")):
        by_number[number].n_recordings = n_rows
    place = Window(RowNumber(), partition_by="turn", order_by=["created_at", "pk"])
    first = rows.defer(*_UNSEEN).annotate(place=place).filter(place__lte=MAX_RECORDINGS)
    for recording in first.order_by("created_at", "pk"):
        by_number[recording.turn or 0].recordings.append(recording)
    exchanges = list(by_number.values())
    for before, after in pairwise(exchanges):
        after.idle = _idle_between(before, after)
    return exchanges


def _idle_between(before: Exchange, after: Exchange) -> timedelta | None:
    """Return how long nothing happened. Two clocks are never compared: the recordings have one, we have another."""
    by_recording = before.times(), after.times()
    if by_recording[0] and by_recording[1]:
        idle = by_recording[1][0] - by_recording[0][1]
    elif before.turn and after.turn:
        idle = after.turn.reserved_at - before.turn.reserved_at
    else:
        return None
    return idle if idle > IDLE_FROM else None


def _others(conversation: Conversation, viewer: Viewer) -> QuerySet[Conversation]:
    """Return the conversations of other occupants under the same namespace: only that they are there."""
    return (
        Conversation.objects.visible_to(viewer)
        .filter(workspace=conversation.workspace_id, namespace_key=conversation.namespace_key)
        .exclude(pk=conversation.pk)
        .select_related("incarnation")
        .only("public_id", "incarnation__number", "incarnation__closed_at")
        .order_by("-pk")
    )


def _n_unbound(conversation: Conversation, viewer: Viewer) -> int:
    if conversation.conversation_id is None:
        return 0
    rows = Recording.objects.visible_to(viewer).filter(workspace=conversation.workspace_id, thread=None)
    return rows.filter(conversation_key=id_key(conversation.conversation_id)).count()


def _principals(conversation: Conversation, viewer: Viewer) -> list[str]:
    """
    Return who is said to speak in the occupant's session: this conversation's first, then the others.

    One more than `MAX_PRINCIPALS` when there are more.
    """
    found = dict.fromkeys([conversation.principal] if conversation.principal is not None else [])
    for texts in _said(conversation, viewer):
        found |= dict.fromkeys(texts)
    return list(found)[: MAX_PRINCIPALS + 1]


def _said(conversation: Conversation, viewer: Viewer) -> Iterable[list[str]]:
    recordings = Recording.objects.visible_to(viewer).filter(principal__isnull=False)
    if conversation.incarnation_id is not None:
        threads = Conversation.objects.visible_to(viewer).filter(principal__isnull=False)
        yield _distinct(threads.filter(incarnation=conversation.incarnation_id))
        yield _distinct(recordings.filter(incarnation=conversation.incarnation_id))
        return
    # Without an occupant a session is known by its id alone, and what has an occupant is not looked at.
    keys = recordings.filter(thread=conversation, incarnation=None).exclude(session_key="").order_by()
    sessions = keys.values("session_key").distinct()
    unknown = recordings.filter(workspace=conversation.workspace_id, incarnation=None)
    yield _distinct(unknown.filter(session_key__in=sessions))


def _distinct(rows: QuerySet[Any]) -> list[str]:
    return list(rows.order_by().values_list("principal", flat=True).distinct()[: MAX_PRINCIPALS + 1])
