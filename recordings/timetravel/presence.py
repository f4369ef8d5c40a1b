"""
Presences: which piece was served from which epoch through which.

A context changes little from call to call, so one row per piece and span says what was served at every epoch. The rows
of a lane and slot stand in one order, in which the rows of any epoch are the order of its request.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import msgspec

from recordings.timetravel.align import longest_increasing
from recordings.timetravel.pieces import Piece, Slot


class Presence(msgspec.Struct, eq=False):
    """A piece, served at every epoch of its lane from *first* through *last*."""

    piece: Piece
    lane: str
    slot: Slot
    #: Positions of epochs, both included.
    first: int
    last: int
    #: Its place among all presences of its lane and slot.
    order: int = 0
    #: Whether it was served before as well, at another place among its neighbours.
    moved: bool = False


class _Link:
    """A presence in the list of all of its lane and slot, and what follows it there."""

    __slots__ = ("next", "presence")

    def __init__(self, presence: Presence) -> None:
        self.presence = presence
        self.next: _Link | None = None


class SlotPresences:
    """
    Follows one slot of one lane from epoch to epoch.

    A new presence is put right behind its left neighbour in the epoch where it begins. Survivors that cannot keep their
    order begin anew, as moved. So each epoch is found in the list in the order in which it was served.
    """

    def __init__(self, lane: str, slot: Slot) -> None:
        self._lane = lane
        self._slot = slot
        self._first: _Link | None = None
        self._current: list[_Link] = []
        self._position = 0

    def serve(self, pieces: Sequence[Piece], position: int, n_same: int = 0) -> list[Piece]:
        """
        Note what was served at *position*: the first *n_same* pieces of the epoch before, then *pieces*, in this order.

        Args:
            pieces: One object for one piece, the same as long as it is the same piece.
            position: Greater than that of the call before.
            n_same: At most as many as were served before.

        Returns:
            The pieces that begin here, without those that only moved.
        """
        kept = self._current[:n_same] if n_same < len(self._current) else self._current
        before = self._current[n_same:]
        places = {id(link.presence.piece): index for index, link in enumerate(before)}
        old = [places.get(id(piece)) for piece in pieces]
        staying = _in_order(old)
        current, born = kept, []
        for number, piece in enumerate(pieces):
            index = old[number]
            if index is not None and number in staying:
                current.append(before[index])
                continue
            is_moved = index is not None
            current.append(self._begin(piece, position, current[-1] if current else None, is_moved=is_moved))
            if not is_moved:
                born.append(piece)
        stayed = {old[number] for number in staying}
        for index, link in enumerate(before):
            if index not in stayed:
                link.presence.last = self._position
        self._current, self._position = current, position
        return born

    def _begin(self, piece: Piece, position: int, left: _Link | None, *, is_moved: bool) -> _Link:
        link = _Link(Presence(piece, self._lane, self._slot, position, position, moved=is_moved))
        if left is None:
            link.next, self._first = self._first, link
        else:
            link.next, left.next = left.next, link
        return link

    @property
    def n_current(self) -> int:
        """How many pieces were served at the epoch that was noted last."""
        return len(self._current)

    @property
    def current(self) -> Iterator[Piece]:
        """The pieces of the epoch that was noted last, in order."""
        return (link.presence.piece for link in self._current)

    def finish(self) -> list[Presence]:
        """End what is still served, and return all presences in their order."""
        for served in self._current:
            served.presence.last = self._position
        found: list[Presence] = []
        link = self._first
        while link is not None:
            link.presence.order = len(found)
            found.append(link.presence)
            link = link.next
        return found


def _in_order(places: Sequence[int | None]) -> set[int]:
    """Return which elements of *places* can stay where they are: a longest run that grows."""
    known = [(number, place) for number, place in enumerate(places) if place is not None]
    return {known[index][0] for index in longest_increasing([place for _, place in known])}
