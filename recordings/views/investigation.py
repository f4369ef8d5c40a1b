"""The investigation screen: one recording, its epochs, and what each was served."""

from __future__ import annotations

from typing import Any, Final
from uuid import UUID

from django.http import Http404, HttpResponse
from django.shortcuts import render
from django.utils.functional import SimpleLazyObject
from django.views.decorators.http import require_safe

from footprint_site.htmx import SignedInRequest, render_partial
from recordings.cursorforms import CursorForm
from recordings.models import Recording
from recordings.reads import get_recording_with_rights
from recordings.reads.screen import fold_blocks, kin_of, screen_of

_PAGE: Final = "recordings/recording_detail.html"
#: What htmx takes as: stop asking.
_STOP_POLLING: Final = 286


@require_safe
def recording_detail(request: SignedInRequest, public_id: UUID) -> HttpResponse:
    """One recording at one epoch; while it is being indexed, how far that is."""
    recording = get_recording_with_rights(request.user, public_id)
    form = CursorForm(request.GET)
    if not form.is_valid():
        return render(request, "recordings/bad_address.html", {"recording": recording, "form": form}, status=422)
    if request.htmx.target == "progress":
        return _progress(request, recording)
    is_ready = recording.status == Recording.Status.READY and recording.n_epochs > 0
    context: dict[str, Any] = {"recording": recording}
    if is_ready and request.htmx and (request.htmx.target or "").startswith("fold-"):
        return render_partial(request, _PAGE, "unfolded", context | fold_blocks(recording, form.cleaned_data))
    if is_ready:
        try:
            context |= screen_of(recording, form.cleaned_data)
        except Http404:
            return render(request, "recordings/bad_address.html", {"recording": recording, "form": form}, status=404)
    # Beside a trail they are not shown.
    context["kin"] = SimpleLazyObject(lambda: list(kin_of(recording)))
    return render_partial(request, _PAGE, "screen" if is_ready else "progress", context)


def _progress(request: SignedInRequest, recording: Recording) -> HttpResponse:
    """Answer a page that waits for the index."""
    if recording.status == Recording.Status.RECEIVED:
        # Nothing is swapped, so that the reader's place and focus stay.
        return HttpResponse(status=204)
    return render_partial(request, _PAGE, "progress", {"recording": recording}, status=_STOP_POLLING)
