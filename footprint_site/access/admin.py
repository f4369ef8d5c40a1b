"""Read-only lists: every change goes through a service, which also writes the audit line. Accounts are Django's."""

from typing import Any

from django.contrib import admin
from django.contrib.auth.admin import UserAdmin
from django.contrib.auth.models import Group, User
from django.http import HttpRequest

from footprint_site.access.audit import audit
from footprint_site.access.models import ApiKey, AuditLine, Invitation, Membership, Workspace
from footprint_site.admin import ReadOnlyAdmin


@admin.register(Workspace)
class WorkspaceAdmin(ReadOnlyAdmin):
    """Workspaces."""

    list_display = ["slug", "name", "created_at"]
    search_fields = ["slug", "name"]


@admin.register(Membership)
class MembershipAdmin(ReadOnlyAdmin):
    """Who belongs where."""

    list_display = ["user", "workspace", "role", "is_active", "created_at"]
    list_filter = ["workspace", "role", "is_active"]
    list_select_related = ["user", "workspace"]


@admin.register(Invitation)
class InvitationAdmin(ReadOnlyAdmin):
    """Invitations, without their links."""

    list_display = ["workspace", "role", "note", "created_by", "created_at", "expires_at", "used_by", "revoked_at"]
    list_select_related = ["workspace", "created_by", "used_by"]
    exclude = ["token_sha256"]


@admin.register(ApiKey)
class ApiKeyAdmin(ReadOnlyAdmin):
    """Keys, by their prefix."""

    list_display = ["prefix", "name", "workspace", "state", "created_by", "last_used_at", "leaked_at"]
    list_filter = ["workspace"]
    list_select_related = ["workspace", "created_by"]
    exclude = ["key_sha256"]


@admin.register(AuditLine)
class AuditLineAdmin(ReadOnlyAdmin):
    """The audit trail of the whole installation."""

    list_display = ["at", "workspace", "actor", "action", "target", "outcome", "address"]
    list_filter = ["action", "outcome", "workspace"]
    list_select_related = ["workspace"]
    search_fields = ["actor", "target"]


# Roles are memberships; a group would grant nothing and only confuse.
admin.site.unregister(Group)
admin.site.unregister(User)


@admin.register(User)
class AuditedUserAdmin(UserAdmin[User]):
    """Django's own page for accounts, with an audit line for what is done there. Deactivate instead of deleting."""

    def has_delete_permission(self, request: HttpRequest, obj: User | None = None) -> bool:
        return False

    def log_addition(self, request: HttpRequest, obj: User, message: Any) -> Any:
        audit("user_create", actor=request.user, target=obj.username, request=request)
        return super().log_addition(request, obj, message)

    def log_change(self, request: HttpRequest, obj: User, message: Any) -> Any:
        state = "active" if obj.is_active else "deactivated"
        kind = "superuser" if obj.is_superuser else "person"
        audit("user_change", actor=request.user, target=f"{obj.username}: {state} {kind}", request=request)
        return super().log_change(request, obj, message)
