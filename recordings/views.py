"""Pages of recordings."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django.conf import settings
from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.core.paginator import Paginator
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_safe

from footprint_site.access.models import Role, Workspace
from footprint_site.access.permissions import get_workspace_for
from footprint_site.htmx import SignedInRequest, render_partial
from recordings.forms import DeleteForm, UploadForm
from recordings.models import Recording
from recordings.reads import get_recording_for
from recordings.services.deleting import contents_of, recording_delete
from recordings.services.uploads import UploadResult, upload_file

PAGE_SIZE = 50
#: What htmx takes as: stop asking.
_STOP_POLLING = 286


@require_safe
def recording_list(request: SignedInRequest) -> HttpResponse:
    """The recordings that the reader may see, the newest first."""
    rows = Recording.objects.visible_to(request.user).select_related("workspace")
    page = Paginator(rows, PAGE_SIZE).get_page(request.GET.get("page"))
    return render(request, "recordings/recording_list.html", {"page": page})


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def recording_new(request: SignedInRequest) -> HttpResponse:
    """Look at files first, then take them in: one result for each, whatever becomes of the others."""
    if not Workspace.objects.where_at_least(request.user, Role.INVESTIGATOR).exists():
        raise PermissionDenied("Uploading recordings needs the role investigator.")
    form = UploadForm(request.POST or None, request.FILES or None, user=request.user)
    context: dict[str, Any] = {"form": form, "results": [], "max_bytes": settings.RECORDING_MAX_BYTES}
    if request.method != "POST":
        return render(request, "recordings/recording_form.html", context)
    if not form.is_valid():
        return render_partial(request, "recordings/recording_form.html", "results", context, status=422)
    is_dry_run = request.POST.get("action") != "import"
    results: list[UploadResult] = [
        upload_file(
            file=file,
            workspace=form.cleaned_data["workspace"],
            stated=form.stated(incarnation=form.cleaned_data["incarnation"], filename=file.name or ""),
            actor=request.user,
            request=request,
            is_dry_run=is_dry_run,
        )
        for file in form.cleaned_data["recordings"]
    ]
    context |= {"results": results, "is_dry_run": is_dry_run}
    status = 200 if any(result.recording for result in results) else 422
    return render_partial(request, "recordings/recording_form.html", "results", context, status=status)


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
