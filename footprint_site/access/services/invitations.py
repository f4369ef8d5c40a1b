"""Invitations by a link that works once."""

import hashlib
import secrets
from datetime import timedelta

from django.conf import settings
from django.contrib.auth.models import User
from django.db import transaction
from django.utils import timezone

from footprint_site.access.audit import audit
from footprint_site.access.models import Invitation, Membership, Role, Workspace
from footprint_site.access.services.errors import AlreadyMemberError, LinkSpentError
from footprint_site.access.services.workspaces import membership_create


def invitation_create(*, workspace: Workspace, role: Role, note: str, actor: User) -> tuple[Invitation, str]:
    """Make an invitation. Returns it with the token of its link, which is kept nowhere."""
    token = secrets.token_urlsafe(32)
    with transaction.atomic():
        invitation = Invitation.objects.create(
            workspace=workspace,
            role=role,
            note=note,
            token_sha256=_digest(token),
            created_by=actor,
            expires_at=timezone.now() + timedelta(seconds=settings.INVITATION_SECONDS),
        )
        audit("invitation_create", actor=actor, target=str(role), workspace=workspace)
    return invitation, token


def invitation_revoke(*, invitation: Invitation, actor: User) -> None:
    """Withdraw an invitation. One that was used or withdrawn already stays as it is."""
    with transaction.atomic():
        if Invitation.objects.open().filter(pk=invitation.pk).update(revoked_at=timezone.now()):
            audit("invitation_revoke", actor=actor, target=str(invitation.role), workspace=invitation.workspace)


def invitation_for(token: str) -> Invitation:
    """Return the open invitation whose link holds *token*. Raises `LinkSpentError` when there is none."""
    invitation = Invitation.objects.open().select_related("workspace").filter(token_sha256=_digest(token)).first()
    if invitation is None:
        raise LinkSpentError
    return invitation


def invitation_accept(*, token: str, user: User, is_new_user: bool) -> Invitation:
    """
    Let *user* into the workspace, and use the invitation up. A new user is saved only if all of it works.

    A former member comes back with the role of the invitation.

    Raises:
        LinkSpentError: The link does not work, or somebody else was faster.
        AlreadyMemberError: They are in already; the invitation still works for somebody else.
        IntegrityError: The name of the new user was taken in the meantime.
    """
    with transaction.atomic():
        invitation = invitation_for(token)
        used = Invitation.objects.open().filter(pk=invitation.pk).update(used_at=timezone.now())
        if not used:
            raise LinkSpentError
        if is_new_user:
            user.save()
        workspace, role = invitation.workspace, Role(invitation.role)
        former = Membership.objects.select_for_update().filter(workspace=workspace, user=user).first()
        if former is None:
            membership_create(workspace=workspace, user=user, role=role, actor=user)
        elif former.is_active:
            raise AlreadyMemberError(user.username, workspace.name)
        else:
            former.role, former.is_active = role, True
            former.save(update_fields=["role", "is_active"])
            audit("membership_activate", actor=user, target=f"{user.username}: {role}", workspace=workspace)
        Invitation.objects.filter(pk=invitation.pk).update(used_by=user)
        audit("invitation_accept", actor=user, target=str(role), workspace=workspace)
    return invitation


def _digest(token: str) -> str:
    return hashlib.sha256(token.encode("utf-8", "replace")).hexdigest()
