"""Conversations: one occupant's turns, in order."""

from __future__ import annotations

from uuid import UUID

from django.http import HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from footprint_site.access.models import Role, Workspace
from footprint_site.htmx import SignedInRequest
from recordings.listing.filters import url_for_id
from recordings.reads.threads import conversations_page, get_conversation_for, thread_of


@require_safe
def conversation_list(request: SignedInRequest) -> HttpResponse:
    """The conversations that the reader may see, the newest first."""
    page = conversations_page(request.user, request.GET.get("page"))
    return render(request, "recordings/conversation_list.html", {"page": page})


@require_safe
def conversation_detail(request: SignedInRequest, public_id: UUID) -> HttpResponse:
    """One conversation: its turns, and what each was asked and answered."""
    conversation = get_conversation_for(request.user, public_id)
    thread = thread_of(conversation, request.user, request.GET.get("page"))
    managed = Workspace.objects.where_at_least(request.user, Role.ADMIN).filter(pk=conversation.workspace_id)
    context = {
        "conversation": conversation,
        "thread": thread,
        "manages": managed.exists(),
        "recordings_url": url_for_id("conversation_id", conversation.conversation_id),
    }
    return render(request, "recordings/conversation_detail.html", context)
