"""What changed from one epoch to another: the presences that start or end between them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from django.db.models import Q

from recordings.models import Epoch, Presence
from recordings.reads.served import presences_at, served_at_epoch
from recordings.timetravel.align import longest_increasing


class Difference:
    """What changed between the contexts of two epochs, each list in the order of the request."""

    def __init__(self, went: Sequence[Presence], came: Sequence[Presence], moved: Sequence[Presence]) -> None:
        """
        Take in what is served at one of the two only, and what changed its place.

        Pieces of one name, of which one went and one came, are one that changed.
        """
        names = {name_of(presence): presence for presence in went if name_of(presence)}
        self.changed = [(names[name_of(p)], p) for p in came if name_of(p) in names]
        replaced = {presence.piece_id for pair in self.changed for presence in pair}
        self.added = [presence for presence in came if presence.piece_id not in replaced]
        self.removed = [presence for presence in went if presence.piece_id not in replaced]
        self.moved = list(moved)


def name_of(presence: Presence) -> tuple[Any, ...] | None:
    """Return what a piece goes by beside its text; None for a message, which has no name."""
    key = presence.piece.facts["key"]
    return None if key[0] == "message" else (presence.lane, presence.slot_order, *key)


def difference_of(before: Epoch, after: Epoch, *, has_heads_only: bool = False) -> Difference:
    """Return what changed from *before* to *after*; with whole texts, or with what pages show of them."""
    left_out = ["piece__text__rest"] if has_heads_only else []
    if before.lane != after.lane:
        went, came = (list(served_at_epoch(epoch).defer(*left_out)) for epoch in (before, after))
    else:
        went, came = _between(before, after, left_out)
    return _compared(before, after, went, came)


def _between(before: Epoch, after: Epoch, left_out: list[str]) -> tuple[list[Presence], list[Presence]]:
    """Return the presences of *before* alone and of *after* alone, two epochs of one lane."""
    low, high = sorted((before.position, after.position))
    only_low = Q(first_position__lte=low, last_position__gte=low, last_position__lt=high)
    only_high = Q(first_position__gt=low, first_position__lte=high, last_position__gte=high)
    rows = (
        Presence.objects.filter(only_low | only_high, recording_id=before.recording_id, lane=before.lane)
        .select_related("piece__text")
        .defer(*left_out)
        .order_by("slot_order", "order")
    )
    at_low = [presence for presence in rows if presence.last_position < high]
    at_high = [presence for presence in rows if presence.last_position >= high]
    return (at_low, at_high) if before.position <= after.position else (at_high, at_low)


def _compared(before: Epoch, after: Epoch, went: Sequence[Presence], came: Sequence[Presence]) -> Difference:
    """Return the difference of presences that may hold a piece on both sides: such a one stayed, or moved."""
    both = {presence.piece_id for presence in went} & {presence.piece_id for presence in came}
    moved = _moved(before, after, both) if both else set()
    return Difference(
        [presence for presence in went if presence.piece_id not in both],
        [presence for presence in came if presence.piece_id not in both],
        [presence for presence in came if presence.piece_id in moved],
    )


def _moved(before: Epoch, after: Epoch, candidates: set[int]) -> set[int]:
    """Return the pieces that stayed but are not in their order any more, by key; only of *candidates*."""
    places = {piece: number for number, piece in enumerate(_pieces_at(before))}
    stayed = [piece for piece in _pieces_at(after) if piece in places]
    in_order = set(longest_increasing([places[piece] for piece in stayed]))
    return {piece for number, piece in enumerate(stayed) if number not in in_order} & candidates


def _pieces_at(epoch: Epoch) -> Iterator[int]:
    return iter(presences_at(epoch).values_list("piece_id", flat=True))
