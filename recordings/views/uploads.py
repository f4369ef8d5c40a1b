"""Bringing recordings."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.core.exceptions import PermissionDenied
from django.http import HttpResponse
from django.shortcuts import render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from footprint_site.access.models import Role, Workspace
from footprint_site.htmx import SignedInRequest, render_partial
from recordings.forms import UploadForm
from recordings.services.uploads import UploadResult, upload_file


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
    files = form.cleaned_data["recordings"]
    # A browser changes quotes and line ends in the name of a file that it sends, so the page says it beside.
    said = form.cleaned_data["filename"] if len(files) == 1 else ""
    results: list[UploadResult] = [
        upload_file(
            file=file,
            workspace=form.cleaned_data["workspace"],
            stated=form.stated(incarnation=form.cleaned_data["incarnation"], filename=said or file.name or ""),
            actor=request.user,
            request=request,
            is_dry_run=is_dry_run,
        )
        for file in files
    ]
    context |= {"results": results, "is_dry_run": is_dry_run}
    status = 200 if any(result.recording for result in results) else 422
    return render_partial(request, "recordings/recording_form.html", "results", context, status=status)
