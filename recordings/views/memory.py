"""What was remembered in a conversation."""

from __future__ import annotations

from uuid import UUID

from django.http import Http404, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from footprint_site.htmx import SignedInRequest
from recordings.reads.memories import get_store_for, memory_of
from recordings.seatforms import MemoryForm


@require_safe
def memory_detail(request: SignedInRequest, public_id: UUID, store_pk: int) -> HttpResponse:
    """The entries of a store by turn, and one of them whole."""
    store = get_store_for(request.user, public_id, store_pk)
    form = MemoryForm(request.GET)
    if not form.is_valid():
        raise Http404
    memory = memory_of(store, request.user, request.GET.get("page"), form.cleaned_data["entry"])
    context = {"store": store, "conversation": store.conversation, "memory": memory}
    return render(request, "recordings/memory_detail.html", context)
