"""From a memory piece to the entry that it was rendered from."""

from __future__ import annotations

from uuid import UUID

from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_safe

from footprint_site.fields import text_key
from footprint_site.htmx import SignedInRequest
from recordings.cursorforms import EntryForm
from recordings.reads import get_recording_for
from sessions_app.models import MemoryEntry


@require_safe
def recording_memory(request: SignedInRequest, public_id: UUID) -> HttpResponse:
    """Go to the stored entry that a piece of the recording names; of the recording's own conversation, or none."""
    recording = get_recording_for(request.user, public_id)
    form = EntryForm(request.GET)
    if not form.is_valid():
        return render(request, "recordings/bad_address.html", {"recording": recording, "form": form}, status=422)
    entries = MemoryEntry.objects.select_related("store__conversation").filter(
        store__name_key=text_key(form.cleaned_data["store"]), entry_key=text_key(form.cleaned_data["entry"])
    )
    thread = recording.thread_id
    found = None if thread is None else entries.filter(store__conversation_id=thread).first()
    if found is None:
        context = {"recording": recording} | form.cleaned_data
        return render(request, "recordings/entry_unmatched.html", context, status=404)
    conversation = found.store.conversation
    page = reverse("seats:memory-detail", args=[conversation.public_id, found.store.pk])
    return redirect(f"{page}?entry={found.pk}")
