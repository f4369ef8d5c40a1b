"""Workspaces and their members."""

from django.contrib.auth.models import User
from django.db import transaction

from footprint_site.access.audit import audit
from footprint_site.access.models import Membership, Role, Workspace
from footprint_site.access.principals import Viewer
from footprint_site.access.services.errors import LastAdminError


def workspace_create(*, slug: str, name: str, actor: Viewer | str) -> Workspace:
    """Make a workspace. Raises `IntegrityError` when *slug* is taken."""
    with transaction.atomic():
        workspace = Workspace.objects.create(slug=slug, name=name)
        audit("workspace_create", actor=actor, target=slug, workspace=workspace)
    return workspace


def membership_set_role(*, membership: Membership, role: Role, actor: Viewer) -> None:
    """
    Give a member another role, from their next request on.

    Raises:
        LastAdminError: Nobody else could manage the workspace.
    """
    with transaction.atomic():
        _change(membership, role=role, is_active=membership.is_active)
        target = f"{membership.user.username}: {role}"
        audit("membership_set_role", actor=actor, target=target, workspace=membership.workspace)


def membership_set_active(*, membership: Membership, is_active: bool, actor: Viewer) -> None:
    """
    Let a member in again, or no longer, from their next request on.

    Raises:
        LastAdminError: Nobody else could manage the workspace.
    """
    with transaction.atomic():
        _change(membership, role=Role(membership.role), is_active=is_active)
        action = "membership_activate" if is_active else "membership_deactivate"
        audit(action, actor=actor, target=membership.user.username, workspace=membership.workspace)


def membership_create(*, workspace: Workspace, user: User, role: Role, actor: Viewer | str) -> Membership:
    """Make *user* a member. Raises `IntegrityError` when they are one, active or not."""
    with transaction.atomic():
        membership = Membership.objects.create(workspace=workspace, user=user, role=role)
        audit("membership_create", actor=actor, target=f"{user.username}: {role}", workspace=workspace)
    return membership


def _change(membership: Membership, *, role: Role, is_active: bool) -> None:
    # The lock is the workspace's: two admins who demote each other at once would lock different memberships.
    Workspace.objects.select_for_update().get(pk=membership.workspace_id)
    stays_admin = role is Role.ADMIN and is_active
    others = Membership.objects.filter(
        workspace_id=membership.workspace_id, role=Role.ADMIN, is_active=True, user__is_active=True
    ).exclude(pk=membership.pk)
    membership.refresh_from_db()
    was_admin = membership.role == Role.ADMIN and membership.is_active
    if was_admin and not stays_admin and not others.exists():
        raise LastAdminError
    membership.role = role
    membership.is_active = is_active
    membership.save(update_fields=["role", "is_active"])
