"""The list of recordings."""

from __future__ import annotations

from typing import Final

from django.core.paginator import Paginator
from django.http import HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from footprint_site.htmx import SignedInRequest
from recordings.models import Recording

PAGE_SIZE: Final = 50


@require_safe
def recording_list(request: SignedInRequest) -> HttpResponse:
    """The recordings that the reader may see, the newest first."""
    rows = Recording.objects.visible_to(request.user).select_related("workspace")
    page = Paginator(rows, PAGE_SIZE).get_page(request.GET.get("page"))
    return render(request, "recordings/recording_list.html", {"page": page})
