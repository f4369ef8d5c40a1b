"""The list of recordings."""

from __future__ import annotations

from http import HTTPStatus
from typing import Final

from django.http import HttpResponse
from django.views.decorators.http import require_safe

from footprint_site.htmx import SignedInRequest, render_partial
from recordings.listforms import PHRASE_MAX_LENGTH, BrowseForm
from recordings.listing import PAGE_SIZE, list_recordings

__all__ = ["PAGE_SIZE", "recording_list"]

_TEMPLATE: Final = "recordings/recording_list.html"


@require_safe
def recording_list(request: SignedInRequest) -> HttpResponse:
    """The recordings that the reader may see, narrowed and ordered as the address says."""
    form = BrowseForm(request.GET, user=request.user)
    problems = form.problems()
    if problems:
        return render_partial(request, _TEMPLATE, "results", {"problems": problems}, status=HTTPStatus.BAD_REQUEST)
    listing = list_recordings(request.user, form.filters(), form.cleaned_data["page"])
    context = {
        "listing": listing,
        "filters": listing.filters,
        "max_length": PHRASE_MAX_LENGTH,
        # A click in the drawer leaves it as it is.
        "is_drawer_open": (request.htmx.trigger or "").startswith("facet-"),
    }
    return render_partial(request, _TEMPLATE, "results", context)
