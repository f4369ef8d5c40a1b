"""How much was served at each epoch, and what came and went there: counted in one step for each presence."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence

import msgspec

from recordings.timetravel import Context
from recordings.timetravel.pieces import SLOTS
from recordings.timetravel.presence import Presence


class EpochTotals(msgspec.Struct):
    """What one epoch was served, in numbers."""

    #: Characters by source; of an unknown source under ``unknown``.
    by_source: dict[str, int]
    #: By slot, in the order of `SLOTS`.
    n_pieces: list[int]
    n_chars: list[int]
    #: Positions of the epochs around it in its lane; None at the ends.
    previous_position: int | None
    next_position: int | None
    #: Messages that the epoch before was served, and this one is not.
    n_gone: int
    #: Whether a memory entry is served here that the epoch before was not served.
    has_new_memory: bool


def totals_of(context: Context) -> dict[int, EpochTotals]:
    """Return the totals of each epoch of *context*, by position."""
    starting: defaultdict[int, list[Presence]] = defaultdict(list)
    ending: defaultdict[int, list[Presence]] = defaultdict(list)
    for presence in context.presences:
        starting[presence.first].append(presence)
        ending[presence.last].append(presence)
    lanes: defaultdict[str, list[int]] = defaultdict(list)
    for epoch in context.epochs.values():
        lanes[epoch.lane].append(epoch.position)
    found: dict[int, EpochTotals] = {}
    for positions in lanes.values():
        found |= _of_lane(sorted(positions), starting, ending)
    return found


def _of_lane(
    positions: Sequence[int], starting: Mapping[int, list[Presence]], ending: Mapping[int, list[Presence]]
) -> dict[int, EpochTotals]:
    sources: Counter[str] = Counter()
    pieces, chars = [0] * len(SLOTS), [0] * len(SLOTS)
    found: dict[int, EpochTotals] = {}

    def count(presences: Iterable[Presence], sign: int) -> None:
        for presence in presences:
            slot, length = SLOTS.index(presence.slot), len(presence.piece.text)
            sources[presence.piece.source or "unknown"] += sign * length
            pieces[slot] += sign
            chars[slot] += sign * length

    for number, position in enumerate(positions):
        previous = positions[number - 1] if number else None
        came, went = starting.get(position, ()), ending.get(previous, ()) if previous is not None else ()
        stayed = {presence.piece.id for presence in went}
        count(came, 1)
        found[position] = EpochTotals(
            by_source={source: n_chars for source, n_chars in sources.items() if n_chars},
            n_pieces=list(pieces),
            n_chars=list(chars),
            previous_position=previous,
            next_position=positions[number + 1] if number + 1 < len(positions) else None,
            n_gone=_messages_only_in(went, came),
            has_new_memory=any(p.piece.source == "memory" and p.piece.id not in stayed for p in came),
        )
        count(ending.get(position, ()), -1)
    return found


def _messages_only_in(went: Iterable[Presence], came: Iterable[Presence]) -> int:
    # One that only moved ends and begins again.
    still_there = {presence.piece.id for presence in came}
    return sum(presence.slot == "messages" and presence.piece.id not in still_there for presence in went)
