"""Read-only lists of sessions and conversations. Tokens are not shown, not even as their hashes."""

from django.contrib import admin

from footprint_site.admin import ReadOnlyAdmin
from sessions_app.models import Conversation, Incarnation, Session


@admin.register(Session)
class SessionAdmin(ReadOnlyAdmin):
    """Session ids."""

    list_display = ["public_id", "session_id", "workspace", "created_at"]
    list_filter = ["workspace"]
    list_select_related = ["workspace"]
    fields = ["public_id", "workspace", "created_at"]


@admin.register(Incarnation)
class IncarnationAdmin(ReadOnlyAdmin):
    """Their occupants."""

    list_display = ["public_id", "session", "number", "workspace", "opened_at", "opened_by", "closed_at", "closed_by"]
    list_filter = ["workspace"]
    list_select_related = ["workspace", "session"]
    fields = ["public_id", "workspace", "session", "number", "opened_at", "opened_by", "closed_at", "closed_by"]


@admin.register(Conversation)
class ConversationAdmin(ReadOnlyAdmin):
    """Conversations, without what was said in them."""

    list_display = ["public_id", "namespace", "incarnation", "workspace", "highest_turn", "created_at"]
    list_filter = ["workspace"]
    list_select_related = ["workspace", "incarnation__session"]
    fields = ["public_id", "workspace", "incarnation", "highest_turn", "created_at"]
