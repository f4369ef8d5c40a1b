"""What changed in the context between two epochs."""

from __future__ import annotations

import msgspec

from recordings.timetravel.align import longest_increasing
from recordings.timetravel.context import Context
from recordings.timetravel.pieces import Piece


class Change(msgspec.Struct, frozen=True):
    """A piece that has another text now: one with a name of its own, so that it is known to be the same."""

    before: Piece
    after: Piece


class Changes(msgspec.Struct, frozen=True):
    """The difference between two epochs, each list in the order of its request."""

    added: list[Piece]
    removed: list[Piece]
    changed: list[Change]
    #: Pieces of both that cannot have kept their order.
    moved: list[Piece]
    unchanged: list[Piece]


def changes_between(context: Context, before: int, after: int) -> Changes:
    """
    Return what changed from the epoch at position *before* to the one at *after*, of any lane and in any direction.

    A message has no name: one that was edited is one removed and one added.
    """
    old = [presence.piece for presence in context.at(before)]
    new = [presence.piece for presence in context.at(after)]
    old_places, new_ids = {id(piece): number for number, piece in enumerate(old)}, {id(piece) for piece in new}
    stayed = [piece for piece in new if id(piece) in old_places]
    in_order = set(longest_increasing([old_places[id(piece)] for piece in stayed]))
    gone = {_name(piece): piece for piece in old if id(piece) not in new_ids and _name(piece) is not None}
    changed = [
        Change(gone[_name(piece)], piece) for piece in new if id(piece) not in old_places and _name(piece) in gone
    ]
    replaced = {id(change.before) for change in changed} | {id(change.after) for change in changed}
    return Changes(
        added=[piece for piece in new if id(piece) not in old_places and id(piece) not in replaced],
        removed=[piece for piece in old if id(piece) not in new_ids and id(piece) not in replaced],
        changed=changed,
        moved=[piece for number, piece in enumerate(stayed) if number not in in_order],
        unchanged=[piece for number, piece in enumerate(stayed) if number in in_order],
    )


def _name(piece: Piece) -> tuple[str, ...] | None:
    """Return what *piece* goes by beside its text, None for a message."""
    return None if piece.key[0] == "message" else (piece.lane, piece.slot, *piece.key)
