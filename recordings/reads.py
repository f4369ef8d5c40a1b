"""Reads of the index: what pages and the API show of a recording, in a number of queries that does not grow."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.db.models import QuerySet
from django.http import Http404
from django.shortcuts import get_object_or_404

from footprint_site.access.principals import Viewer
from recordings.models import Epoch, NotServed, Presence, Recording
from recordings.timetravel.align import longest_increasing


def get_recording_for(viewer: Viewer, public_id: Any) -> Recording:
    """Return the recording with *public_id*. Raises `Http404` when there is none that *viewer* may see."""
    return get_object_or_404(
        Recording.objects.visible_to(viewer).select_related("workspace", "earlier_leg"), public_id=public_id
    )


def get_epoch(recording: Recording, position: int) -> Epoch:
    """Return the epoch at *position*. Raises `Http404`."""
    try:
        return recording.epochs.get(position=position)
    except (Epoch.DoesNotExist, OverflowError) as error:
        raise Http404 from error


def served_at_epoch(epoch: Epoch) -> QuerySet[Presence]:
    """Return what was served at *epoch*, in the order of the request, with pieces and texts."""
    return (
        Presence.objects.filter(
            recording_id=epoch.recording_id,
            lane=epoch.lane,
            first_position__lte=epoch.position,
            last_position__gte=epoch.position,
        )
        .select_related("piece__text")
        .order_by("slot_order", "order")
    )


def not_served_at_epoch(epoch: Epoch) -> QuerySet[NotServed]:
    """Return what was there and did not reach *epoch*."""
    return NotServed.objects.filter(
        recording_id=epoch.recording_id,
        lane=epoch.lane,
        first_position__lte=epoch.position,
        last_position__gte=epoch.position,
    ).order_by("order")


class Difference:
    """What changed between the contexts of two epochs."""

    def __init__(self, before: Sequence[Presence], after: Sequence[Presence]) -> None:
        places = {presence.piece_id: number for number, presence in enumerate(before)}
        now = {presence.piece_id for presence in after}
        came = [presence for presence in after if presence.piece_id not in places]
        went = [presence for presence in before if presence.piece_id not in now]
        names = {name_of(presence): presence for presence in went if name_of(presence)}
        self.changed = [(names[name_of(p)], p) for p in came if name_of(p) in names]
        replaced = {presence.piece_id for pair in self.changed for presence in pair}
        self.added = [presence for presence in came if presence.piece_id not in replaced]
        self.removed = [presence for presence in went if presence.piece_id not in replaced]
        stayed = [presence for presence in after if presence.piece_id in places]
        in_order = set(longest_increasing([places[presence.piece_id] for presence in stayed]))
        self.moved = [presence for number, presence in enumerate(stayed) if number not in in_order]


def name_of(presence: Presence) -> tuple[Any, ...] | None:
    """Return what a piece goes by beside its text; None for a message, which has no name."""
    key = presence.piece.facts["key"]
    return None if key[0] == "message" else (presence.lane, presence.slot_order, *key)


def difference_of(before: Epoch, after: Epoch) -> Difference:
    """Return what changed from *before* to *after*."""
    return Difference(list(served_at_epoch(before)), list(served_at_epoch(after)))
