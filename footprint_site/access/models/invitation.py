"""A way in for somebody who has no account yet, or none of this workspace's."""

import uuid
from typing import Self

from django.conf import settings
from django.db import models
from django.utils import timezone

from footprint_site.access.models.workspace import Role, Workspace, WorkspaceOwnedQuerySet


class InvitationQuerySet(WorkspaceOwnedQuerySet["Invitation"]):
    """Reads of invitations."""

    def open(self) -> Self:
        """Those whose link still works."""
        return self.filter(used_at=None, revoked_at=None, expires_at__gt=timezone.now())


class Invitation(models.Model):
    """A link that works once. Only its hash is kept, so nobody can read it here."""

    public_id = models.UUIDField(default=uuid.uuid4, editable=False)
    workspace = models.ForeignKey(Workspace, on_delete=models.PROTECT, related_name="invitations")
    role = models.CharField(max_length=20, choices=Role)
    note = models.CharField(max_length=120, blank=True, help_text="Whom it is for, in the admin's words.")
    token_sha256 = models.CharField(max_length=64, editable=False)
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    created_at = models.DateTimeField(default=timezone.now, editable=False)
    expires_at = models.DateTimeField()
    used_at = models.DateTimeField(null=True, blank=True)
    used_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+", null=True, blank=True
    )
    revoked_at = models.DateTimeField(null=True, blank=True)

    objects = InvitationQuerySet.as_manager()

    class Meta:
        ordering = ["-created_at", "-pk"]
        indexes = [models.Index(fields=["token_sha256"], name="access_invitation_token")]
        constraints = [
            models.UniqueConstraint(fields=["workspace", "public_id"], name="access_invitation_unique_public_id"),
            models.UniqueConstraint(fields=["workspace", "token_sha256"], name="access_invitation_unique_token"),
            models.CheckConstraint(condition=models.Q(role__in=Role.values), name="access_invitation_known_role"),
        ]

    def __str__(self) -> str:
        return f"{self.role} in {self.workspace}"
