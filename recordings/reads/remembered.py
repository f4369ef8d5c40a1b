"""What a run wrote to memory, stage by stage, as its page tells it."""

from __future__ import annotations

from itertools import groupby
from typing import Final

from recordings.models import MemoryLink, Recording
from recordings.reads.pieceview import Links, PlaceView, place_view
from recordings.reads.viewed import Viewed
from recordings.timetravel.ids import local_of

#: So many entries of each stage are named, and so many stages told of.
MAX_NAMED: Final = 12
MAX_STAGES: Final = 40


class RememberedEntry(Viewed, frozen=True):
    """One entry: its id, None where that is not on record, and where it is stored, None where no thread is known."""

    entry_id: str | None
    url: str | None


class Remembered(Viewed, frozen=True):
    """What one stage wrote to one memory."""

    store: str
    #: The execution of the memory's subflow that the stage is in.
    mount: str
    place: PlaceView
    #: The first of them, and how many there are.
    entries: list[RememberedEntry]
    n_entries: int
    #: Whether a read wrote it, on the way to the call: a summary of what it found.
    is_summary: bool


def remembered_in(recording: Recording, first: int, last: int, links: Links) -> dict[int, list[Remembered]]:
    """Return by epoch what *recording* wrote to memory in the epochs *first* to *last*: one query."""
    rows = recording.memory_links.filter(
        kind=MemoryLink.Kind.WRITTEN, position__gte=first, position__lte=last, number__lt=MAX_NAMED
    )
    found: dict[int, list[Remembered]] = {}
    for _, group in groupby(rows.order_by("order")[: MAX_NAMED * MAX_STAGES], key=lambda link: link.place):
        stage = list(group)
        found.setdefault(stage[0].position or first, []).append(_remembered(stage, links))
    return found


def _remembered(stage: list[MemoryLink], links: Links) -> Remembered:
    store, place = stage[0].store, stage[0].place
    return Remembered(
        store=store,
        mount=local_of(place["log"]),
        place=place_view("written", place, links, place["key"]),
        entries=[RememberedEntry(link.entry_id, _url(link, links)) for link in stage],
        n_entries=stage[0].n_of_stage,
        is_summary="sf-memory-read-" in place["log"],
    )


def _url(link: MemoryLink, links: Links) -> str | None:
    return links.memory(link.store, link.entry_id) if links.has_thread and link.entry_id and link.store else None
