"""From what a run wrote to memory, and was served of it, to the links of the index."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Mapping
from typing import Final

from recordings.models import MemoryLink, Recording
from recordings.models.memorylink import MAX_TEXT_CHARS
from recordings.models.recording import id_key, turn_or_none
from recordings.services.rows import place_fields
from recordings.timetravel import Context, epochs_of_lane, lanes, memory_writes
from recordings.timetravel import Recording as Run

#: A run writes a few entries for each of its turns.
MAX_OF_STAGE: Final = 1_000
MAX_WRITTEN: Final = 5_000


def memory_links(
    recording: Recording, run: Run, context: Context, piece_keys: Mapping[str, int]
) -> Iterator[MemoryLink]:
    """
    Yield the links of *recording* to entries of memory: first those it was served, then those it wrote.

    Args:
        piece_keys: The keys of the rows of the pieces, by their ids.
    """
    links = [*_served(run, context, piece_keys), *_written(run)]
    for order, link in enumerate(links):
        link.workspace_id, link.recording, link.order = recording.workspace_id, recording, order
        yield link


def _served(run: Run, context: Context, piece_keys: Mapping[str, int]) -> Iterator[MemoryLink]:
    links: dict[str, MemoryLink] = {}
    # Of several lanes the calls stand among each other, so a span is counted in its own.
    calls = {lane: [location.position for location in epochs_of_lane(run, lane)] for lane in lanes(run)}
    for presence in context.presences:
        piece, entry = presence.piece, presence.piece.memory
        # A passage of a corpus is retrieved, not remembered.
        if entry is None or piece.document_id:
            continue
        link = links.get(piece.id)
        if link is None:
            link = links[piece.id] = _link(MemoryLink.Kind.SERVED, entry.memory_id, entry.entry_id, entry.turn)
            link.piece_id, link.position = piece_keys[piece.id], presence.first
        link.position = min(link.position or presence.first, presence.first)
        of_lane = calls[presence.lane]
        link.n_calls += bisect_right(of_lane, presence.last) - bisect_left(of_lane, presence.first)
    yield from links.values()


def _written(run: Run) -> Iterator[MemoryLink]:
    n_left = MAX_WRITTEN
    for write in memory_writes(run):
        # Of each stage one at least, so that it is told of.
        for number, entry in enumerate(write.entries[: max(1, min(MAX_OF_STAGE, n_left))]):
            link = _link(MemoryLink.Kind.WRITTEN, write.memory_id, entry.entry_id, entry.turn)
            link.number, link.n_of_stage = number, len(write.entries)
            link.position = write.place.epoch_position
            link.place = place_fields(write.place) | {"key": write.key}
            link.texts = [text[:MAX_TEXT_CHARS] for text in entry.texts]
            n_left -= 1
            yield link


def _link(kind: MemoryLink.Kind, store: str, entry_id: str | None, turn: int | None) -> MemoryLink:
    return MemoryLink(
        kind=kind,
        store=store,
        store_key=id_key(store),
        entry_id=entry_id,
        entry_key=id_key(entry_id),
        turn=turn_or_none(turn),
    )
