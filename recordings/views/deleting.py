"""The end of a recording."""

from __future__ import annotations

from uuid import UUID

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods

from footprint_site.access.models import Role
from footprint_site.access.permissions import get_workspace_for
from footprint_site.htmx import SignedInRequest
from recordings.forms import DeleteForm
from recordings.reads import get_recording_for
from recordings.services.deleting import contents_of, recording_delete


@require_http_methods(["GET", "HEAD", "POST"])
def recording_confirm_delete(request: SignedInRequest, public_id: UUID) -> HttpResponse:
    """Delete a recording, after the reader has seen what goes and typed that they mean it."""
    recording = get_recording_for(request.user, public_id)
    get_workspace_for(request.user, recording.workspace.slug, at_least=Role.ADMIN)
    expected = str(public_id)[: DeleteForm.CONFIRM_CHARS]
    form = DeleteForm(request.POST if request.method == "POST" else None, expected=expected)
    if request.method == "POST" and form.is_valid():
        recording_delete(recording=recording, actor=request.user, request=request)
        messages.success(request, "The recording is deleted, with everything that was read from it.")
        return redirect("recordings:recording-list")
    context = {"recording": recording, "form": form, "expected": expected, "contents": contents_of(recording)}
    status = 422 if form.errors else 200
    return render(request, "recordings/recording_confirm_delete.html", context, status=status)
