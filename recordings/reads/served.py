"""One recording, one epoch of it, and what that was served."""

from __future__ import annotations

from typing import Any

from django.db.models import Exists, OuterRef, QuerySet
from django.http import Http404
from django.shortcuts import get_object_or_404

from footprint_site.access.models import Role, Workspace
from footprint_site.access.principals import Viewer
from recordings.models import Epoch, NotServed, Presence, Recording


def get_recording_for(viewer: Viewer, public_id: Any) -> Recording:
    """Return the recording with *public_id*. Raises `Http404` when there is none that *viewer* may see."""
    return get_object_or_404(_recordings_for(viewer), public_id=public_id)


def get_recording_with_rights(viewer: Viewer, public_id: Any) -> Recording:
    """Return the same with the attribute ``may_delete``: whether *viewer* may. Raises `Http404`."""
    administered = Workspace.objects.where_at_least(viewer, Role.ADMIN).filter(pk=OuterRef("workspace_id"))
    return get_object_or_404(_recordings_for(viewer).annotate(may_delete=Exists(administered)), public_id=public_id)


def _recordings_for(viewer: Viewer) -> QuerySet[Recording]:
    return Recording.objects.visible_to(viewer).select_related(
        "workspace", "earlier_leg", "incarnation__session", "thread"
    )


def get_epoch(recording: Recording, position: int) -> Epoch:
    """Return the epoch at *position*. Raises `Http404`."""
    try:
        return recording.epochs.get(position=position)
    except (Epoch.DoesNotExist, OverflowError) as error:
        raise Http404 from error


def presences_at(epoch: Epoch) -> QuerySet[Presence]:
    """Return the presences of *epoch*, in the order of the request, with nothing else read."""
    return Presence.objects.filter(
        recording_id=epoch.recording_id,
        lane=epoch.lane,
        first_position__lte=epoch.position,
        last_position__gte=epoch.position,
    ).order_by("slot_order", "order")


def served_at_epoch(epoch: Epoch) -> QuerySet[Presence]:
    """Return what was served at *epoch*, in the order of the request, with pieces and whole texts."""
    return presences_at(epoch).select_related("piece__text")


def not_served_at_epoch(epoch: Epoch) -> QuerySet[NotServed]:
    """Return what was there and did not reach *epoch*."""
    return NotServed.objects.filter(
        recording_id=epoch.recording_id,
        lane=epoch.lane,
        first_position__lte=epoch.position,
        last_position__gte=epoch.position,
    ).order_by("order")
