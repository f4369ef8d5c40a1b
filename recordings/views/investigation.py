"""The investigation screen: one recording, its epochs, and what each was served."""

from __future__ import annotations

from typing import Final
from uuid import UUID

from django.http import HttpResponse
from django.views.decorators.http import require_safe

from footprint_site.access.models import Role, Workspace
from footprint_site.htmx import SignedInRequest, render_partial
from recordings.models import Recording
from recordings.reads import get_recording_for
from recordings.views.lists import PAGE_SIZE

#: What htmx takes as: stop asking.
_STOP_POLLING: Final = 286


@require_safe
def recording_detail(request: SignedInRequest, public_id: UUID) -> HttpResponse:
    """One recording; while it is being indexed, how far that is."""
    recording = get_recording_for(request.user, public_id)
    administered = Workspace.objects.where_at_least(request.user, Role.ADMIN)
    context = {
        "recording": recording,
        "revisions": Recording.objects.of_run(recording),
        "later_legs": recording.later_legs.all(),
        "epochs": recording.epochs.order_by("position")[:PAGE_SIZE],
        "may_delete": administered.filter(pk=recording.workspace_id).exists(),
    }
    is_poll = request.htmx.target == "progress"
    is_done = recording.status != Recording.Status.RECEIVED
    if is_poll and not is_done:
        # Nothing is swapped, so that the reader's place and focus stay.
        return HttpResponse(status=204)
    status = _STOP_POLLING if is_poll else 200
    return render_partial(request, "recordings/recording_detail.html", "progress", context, status=status)
