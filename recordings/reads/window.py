"""
What a page shows of one epoch: the pieces that are new there and the last of each slot; the rest in counted folds.

It reads no more for the last epoch of a long run than for the first: the numbers of the folds come from the epoch.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, TypeAlias

import msgspec
from django.db.models import Aggregate, Count, F, Q, Sum

from recordings.models import Epoch, Presence
from recordings.reads.served import presences_at
from recordings.timetravel.pieces import SLOTS

#: How many of the last pieces of a slot are shown, how many new ones before those, and how many of an opened fold.
N_LAST: Final = (30, 50, 30)
N_NEW: Final = 30
N_OPENED: Final = 50
_END: Final = 2**31 - 1


class OpenFold(msgspec.Struct, frozen=True):
    """Which stretch of a slot the reader opened: keys of order, both included."""

    slot: int
    start: int
    end: int


class Fold(msgspec.Struct, frozen=True):
    """Pieces that are not shown: all of a slot between two keys of order, both included."""

    slot: int
    start: int
    end: int
    n_pieces: int
    n_chars: int

    @property
    def address(self) -> str:
        """What stands for it in an address: ``1.0-41``."""
        return f"{self.slot}.{self.start}-{self.end}"


Item: TypeAlias = Presence | Fold


class SlotView(msgspec.Struct):
    """One slot of a context, as a page shows it."""

    name: str
    number: int
    #: ``recorded``, ``copy``, ``redacted``, ``absent``…, as the index says.
    state: str
    n_pieces: int
    n_chars: int
    items: list[Item]


def window_of(epoch: Epoch, opened: OpenFold | None = None, also: Sequence[int] = ()) -> list[SlotView]:
    """
    Return the three slots of *epoch*, in one query, or two when something old stands between what is shown.

    Args:
        opened: A fold that the reader opened.
        also: Keys of presences to show wherever they stand.
    """
    shown = list(
        presences_at(epoch)
        .filter(_is_shown(epoch, opened) | Q(pk__in=also))
        .select_related("piece__text")
        .defer("piece__text__rest")
    )
    states = (epoch.system_state, epoch.messages_state, epoch.tools_state)
    views = [
        SlotView(name, number, states[number], epoch.n_pieces[number], epoch.n_chars[number], [])
        for number, name in enumerate(SLOTS)
    ]
    folds = _folds(epoch, views, [[p for p in shown if p.slot_order == view.number] for view in views])
    for view in views:
        view.items = [p for p in shown if p.slot_order == view.number]
        view.items += [fold for fold in folds if fold.slot == view.number]
        view.items.sort(key=_order)
    return views


def fold_of(epoch: Epoch, opened: OpenFold) -> list[Item]:
    """Return what an opened fold holds: its first pieces, and a fold of the rest."""
    inside = presences_at(epoch).filter(slot_order=opened.slot, order__gte=opened.start, order__lte=opened.end)
    shown = list(inside.select_related("piece__text").defer("piece__text__rest")[:N_OPENED])
    if not shown:
        return []
    rest = inside.filter(order__gt=shown[-1].order).aggregate(n=Count("pk"), n_chars=Sum("piece__text__n_chars"))
    if not rest["n"]:
        return list(shown)
    return [*shown, Fold(opened.slot, shown[-1].order + 1, opened.end, rest["n"], rest["n_chars"] or 0)]


def _is_shown(epoch: Epoch, opened: OpenFold | None) -> Q:
    at_epoch = presences_at(epoch).order_by()
    shown = Q()
    for slot, n_last in enumerate(N_LAST):
        of_slot = at_epoch.filter(slot_order=slot)
        shown |= Q(pk__in=of_slot.order_by("-order").values("pk")[:n_last])
        shown |= Q(pk__in=of_slot.filter(first_position=epoch.position).order_by("-order").values("pk")[:N_NEW])
    if opened is not None:
        inside = at_epoch.filter(slot_order=opened.slot, order__gte=opened.start, order__lte=opened.end)
        shown |= Q(pk__in=inside.order_by("order").values("pk")[:N_OPENED])
    return shown


def _order(item: Item) -> int:
    return item.start if isinstance(item, Fold) else item.order


def _folds(epoch: Epoch, views: Sequence[SlotView], shown: Sequence[Sequence[Presence]]) -> list[Fold]:
    """Return the folds between what is shown. A slot with one hole needs no counting: the epoch knows the sums."""
    folds: list[Fold] = []
    open_holes: list[Fold] = []
    for view, presences in zip(views, shown, strict=True):
        n_hidden = view.n_pieces - len(presences)
        n_chars = view.n_chars - sum(presence.piece.text.n_chars for presence in presences)
        holes = _holes(view.number, [presence.order for presence in presences]) if n_hidden else []
        if len(holes) == 1:
            folds.append(msgspec.structs.replace(holes[0], n_pieces=n_hidden, n_chars=n_chars))
        else:
            open_holes += holes
    return folds + [hole for hole in _counted(epoch, open_holes) if hole.n_pieces]


def _holes(slot: int, orders: Sequence[int]) -> list[Fold]:
    """Return the stretches between *orders* that may hold something, uncounted."""
    starts = [0, *(order + 1 for order in orders)]
    # Nothing follows the last piece that is shown: the last ones always are.
    return [Fold(slot, start, order - 1, 0, 0) for start, order in zip(starts, orders, strict=False) if start < order]


def _counted(epoch: Epoch, holes: Sequence[Fold]) -> list[Fold]:
    if not holes:
        return []
    sums: dict[str, Aggregate] = {}
    for number, hole in enumerate(holes):
        inside = Q(slot_order=hole.slot, order__gte=hole.start, order__lte=hole.end)
        sums[f"n_{number}"] = Count("pk", filter=inside)
        sums[f"chars_{number}"] = Sum(F("piece__text__n_chars"), filter=inside)
    found = presences_at(epoch).order_by().aggregate(**sums)
    return [
        msgspec.structs.replace(hole, n_pieces=found[f"n_{number}"], n_chars=found[f"chars_{number}"] or 0)
        for number, hole in enumerate(holes)
    ]
