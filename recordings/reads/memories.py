"""What the page of a memory store shows: its entries by turn, and one of them whole."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Final

from django.core.paginator import Page, Paginator
from django.db.models import Max, Q, QuerySet
from django.shortcuts import get_object_or_404

from footprint_site.access.principals import Viewer
from recordings.models import Recording
from recordings.reads.entries import Said, moment, said_of
from recordings.reads.memorylinks import (
    ServedIn,
    Unstored,
    WrittenIn,
    n_calls_served,
    n_served_unnamed,
    served_of,
    unstored_of,
    writers_of,
)
from sessions_app.models import Conversation, MemoryEntry, MemoryEntryVersion, MemoryFeedback, MemoryStore
from sessions_app.models.memory import now_ms

PAGE_SIZE: Final = 24
MAX_COLUMNS: Final = 24
MAX_VERSIONS: Final = 20
_SORTED: Final = ("stored_turn", "pk")


@dataclass(frozen=True)
class Cell:
    """One entry in one turn."""

    turn: int
    #: ``written``, ``overwritten`` for an earlier version, ``served``, or empty.
    mark: str
    #: What says so; else a recording of the turn, if there is one.
    recording: Recording | None
    is_after: bool
    is_before: bool


@dataclass
class Row:
    """One entry of the grid."""

    entry: MemoryEntry
    said: Said
    expires_at: datetime | None
    is_expired: bool
    #: ``own``, ``foreign`` for another occupant's, ``none``.
    stamp: str
    feedback: MemoryFeedback | None = None
    #: Of the versions that it replaced.
    earlier_turns: set[int] = field(default_factory=set)
    #: In the turns of the page.
    served: list[ServedIn] = field(default_factory=list)
    cells: list[Cell] = field(default_factory=list)

    @property
    def rating(self) -> float | None:
        """The mean of its feedback."""
        return self.feedback.total / self.feedback.count if self.feedback and self.feedback.count else None


@dataclass(frozen=True)
class Version:
    """What stood under an id: now, or before it was overwritten."""

    number: int
    row: MemoryEntry | MemoryEntryVersion
    said: Said
    stamp: str
    #: None where no recording says that it wrote it.
    written: WrittenIn | None
    #: A recording of the turn that it is of, where none says that it wrote it.
    of_turn: Recording | None

    @property
    def is_current(self) -> bool:
        """Whether it stands there now."""
        return isinstance(self.row, MemoryEntry)


@dataclass(frozen=True)
class Memory:
    """The page of a store."""

    page: Page[MemoryEntry]
    turns: list[int]
    n_turns: int
    rows: list[Row]
    selected: Row | None
    versions: list[Version]
    #: How many calls were served the selected entry, in all turns.
    n_calls_served: int
    #: How many recordings were served entries whose ids they do not say, and how many nobody has read yet.
    n_unnamed: int
    n_unread: int
    #: Entries that recordings name and that are not stored, the first, and how many there are.
    unstored: list[Unstored]
    n_unstored: int


def get_store_for(viewer: Viewer, public_id: Any, store_pk: int) -> MemoryStore:
    """Return a store of a conversation that *viewer* may see. Raises `Http404`."""
    conversations = Conversation.objects.visible_to(viewer).filter(public_id=public_id)
    rows = MemoryStore.objects.visible_to(viewer).filter(conversation__in=conversations)
    return get_object_or_404(rows.select_related("conversation__incarnation__session"), pk=store_pk)


def memory_of(store: MemoryStore, viewer: Viewer, number: str | None, selected: int | None) -> Memory:
    """
    Return the page of *store* with the entry *selected*, or the first one, whole.

    Raises:
        Http404: It has no entry *selected*.
    """
    entries = store.entries.visible_to(viewer).order_by(*_SORTED)
    chosen = None if selected is None else get_object_or_404(entries, pk=selected)
    if chosen is not None:
        number = number or str(_place_of(chosen, entries) // PAGE_SIZE + 1)
    page = Paginator(entries, PAGE_SIZE).get_page(number)
    rows = [_row_of(entry, store) for entry in page]
    on_page = [row for row in rows if chosen is None or row.entry.pk == chosen.pk][:1]
    every = rows if on_page or chosen is None else [*rows, _row_of(chosen, store)]
    shown = on_page[0] if on_page else every[-1] if every else None
    recordings = Recording.objects.visible_to(viewer).filter(thread=store.conversation_id)
    _add_versions(every)
    _add_feedback(store, every)
    known = _turns_of(store.conversation, recordings, every)
    turns = _columns(every, known)
    writers = writers_of(store, [row.entry.entry_key for row in every])
    served = served_of(store, [row.entry.entry_key for row in every], turns)
    of_turns = _newest_of_turns(recordings, {*turns, *(row.entry.stored_turn for row in every)})
    for row in every:
        row.served = served.get(row.entry.entry_key, [])
        row.cells = _cells(row, turns, writers, of_turns)
    unstored, n_unstored = unstored_of(store)
    return Memory(
        page=page,
        turns=turns,
        n_turns=len(known),
        rows=rows,
        selected=shown,
        versions=[] if shown is None else _versions(shown, store, writers, recordings),
        n_calls_served=0 if shown is None else n_calls_served(store, shown.entry.entry_key),
        n_unnamed=n_served_unnamed(store),
        n_unread=recordings.exclude(status=Recording.Status.READY).count(),
        unstored=unstored,
        n_unstored=n_unstored,
    )


def _row_of(entry: MemoryEntry, store: MemoryStore) -> Row:
    expires = entry.expires_at_ms
    return Row(
        entry=entry,
        said=said_of(entry.body),
        expires_at=None if expires is None else moment(expires),
        is_expired=expires is not None and expires <= now_ms(),
        stamp=_stamp(entry, store),
    )


def _stamp(row: MemoryEntry | MemoryEntryVersion, store: MemoryStore) -> str:
    if not row.token_sha256:
        return "none"
    seat = store.conversation.incarnation
    return "own" if seat is not None and seat.token_sha256 == row.token_sha256 else "foreign"


def _place_of(entry: MemoryEntry, entries: QuerySet[MemoryEntry]) -> int:
    """Return how many of *entries* stand before *entry*."""
    before = Q(stored_turn__lt=entry.stored_turn) | Q(stored_turn=entry.stored_turn, pk__lt=entry.pk)
    return entries.filter(before).count()


def _add_versions(rows: Iterable[Row]) -> None:
    by_pk = {row.entry.pk: row for row in rows}
    replaced = MemoryEntryVersion.objects.filter(entry__in=by_pk).order_by().values_list("entry", "stored_turn")
    for pk, turn in replaced.distinct():
        by_pk[pk].earlier_turns.add(turn)


def _add_feedback(store: MemoryStore, rows: Iterable[Row]) -> None:
    by_key = {row.entry.entry_key: row for row in rows}
    for feedback in MemoryFeedback.objects.filter(store=store, entry_key__in=by_key):
        by_key[feedback.entry_key].feedback = feedback


def _turns_of(conversation: Conversation, recordings: QuerySet[Recording], rows: Iterable[Row]) -> list[int]:
    """Return every turn that was reserved, recorded, or written in by one of *rows*."""
    known: set[int | None] = {*conversation.turns.order_by().values_list("number", flat=True)}
    known |= {*recordings.order_by().values_list("turn", flat=True).distinct()}
    for row in rows:
        known |= {row.entry.stored_turn, *row.earlier_turns}
    return sorted(turn for turn in known if turn is not None and turn > 0)


def _columns(rows: Iterable[Row], known: Sequence[int]) -> list[int]:
    """Return at most `MAX_COLUMNS` of the turns *known*: first those in which something was written, then the next."""
    if len(known) <= MAX_COLUMNS:
        return list(known)
    written = {row.entry.stored_turn for row in rows if row.entry.stored_turn > 0}
    first = min(written, default=known[0])
    earlier = {turn for row in rows for turn in row.earlier_turns if turn > 0}
    wanted = [*sorted(written), *sorted(earlier - written), *(turn for turn in known if turn > first)]
    return sorted(list(dict.fromkeys(wanted))[:MAX_COLUMNS])


def _newest_of_turns(recordings: QuerySet[Recording], turns: Iterable[int]) -> dict[int, Recording]:
    """Return the newest recording of each of *turns*, of those that were read."""
    read = recordings.filter(status=Recording.Status.READY, turn__in=turns)
    newest = read.order_by().values("turn").annotate(newest=Max("pk")).values("newest")
    return {row.turn or 0: row for row in Recording.objects.filter(pk__in=newest).only("public_id", "turn")}


def _cells(
    row: Row, turns: Sequence[int], writers: Mapping[tuple[str, int], WrittenIn], of_turns: Mapping[int, Recording]
) -> list[Cell]:
    served = {one.turn: one.recording for one in row.served}
    marks = dict.fromkeys(served, "served") | dict.fromkeys(row.earlier_turns, "overwritten")
    marks[row.entry.stored_turn] = "written"
    marked = [turn for turn in turns if turn in marks]
    cells = []
    for turn in turns:
        mark = marks.get(turn, "")
        written = writers.get((row.entry.entry_key, turn))
        says_so = served.get(turn) if mark == "served" else written.recording if written else None
        is_within = bool(marked) and marked[0] <= turn <= marked[-1]
        cells.append(
            Cell(
                turn,
                mark,
                says_so or of_turns.get(turn),
                is_after=is_within and turn != marked[0],
                is_before=is_within and turn != marked[-1],
            )
        )
    return cells


def _versions(
    shown: Row, store: MemoryStore, writers: Mapping[tuple[str, int], WrittenIn], recordings: QuerySet[Recording]
) -> list[Version]:
    """Return what stands under the id of *shown* and what stood there before, the newest first."""
    earlier = list(shown.entry.versions.order_by("-number")[:MAX_VERSIONS])
    found: list[tuple[int, MemoryEntry | MemoryEntryVersion]] = [(shown.entry.n_overwritten + 1, shown.entry)]
    found += [(version.number, version) for version in earlier]
    of_turns = _newest_of_turns(recordings, {row.stored_turn for _, row in found if row.stored_turn > 0})
    return [
        Version(
            number,
            row,
            said_of(row.body),
            _stamp(row, store),
            writers.get((shown.entry.entry_key, row.stored_turn)),
            of_turns.get(row.stored_turn),
        )
        for number, row in found
    ]
