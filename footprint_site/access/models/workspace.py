"""The boundary of access, and the people inside it."""

from __future__ import annotations

import uuid
from typing import Self, TypeVar

from django.conf import settings
from django.contrib.auth.models import User
from django.db import models
from django.urls import reverse
from django.utils import timezone

from footprint_site.access.principals import KeyHolder, Viewer

SLUG_MAX_LENGTH = 60


class Role(models.TextChoices):
    """What a member may do; each role may do what the ones before it may."""

    VIEWER = "viewer", "Viewer"
    INVESTIGATOR = "investigator", "Investigator"
    ADMIN = "admin", "Admin"

    @property
    def includes(self) -> list[Role]:
        """The roles that this one has the rights of, itself among them."""
        roles = list(Role)
        return roles[: roles.index(self) + 1]

    @property
    def rank(self) -> int:
        """Its place among the roles, from 0."""
        return list(Role).index(self)


class WorkspaceQuerySet(models.QuerySet["Workspace"]):
    """Reads of workspaces."""

    def visible_to(self, viewer: Viewer) -> Self:
        """Those that *viewer* may know about. Everything else that is read for somebody starts here."""
        return self.where_at_least(viewer, Role.VIEWER)

    def where_at_least(self, viewer: Viewer, role: Role) -> Self:
        """Those in which *viewer* has *role* or more. A key has no role: it only ever sees its workspace."""
        if isinstance(viewer, KeyHolder):
            return self.filter(pk=viewer.key.workspace_id) if role is Role.VIEWER else self.none()
        if not viewer.is_active or viewer.pk is None:
            return self.none()
        if viewer.is_superuser:
            return self.all()
        enough = [other for other in Role if role in other.includes]
        return self.filter(
            pk__in=Membership.objects.filter(user_id=viewer.pk, is_active=True, role__in=enough).values("workspace_id")
        )

    def with_role_of(self, user: User) -> Self:
        """With the attribute ``role_here``: the role that *user* was given, null when they were given none."""
        given = Membership.objects.filter(workspace=models.OuterRef("pk"), user=user, is_active=True)
        return self.annotate(role_here=models.Subquery(given.values("role")[:1]))


class Workspace(models.Model):
    """Everything belongs to one workspace, and nothing is seen across two."""

    slug = models.SlugField(max_length=SLUG_MAX_LENGTH, unique=True)
    name = models.CharField(max_length=120)
    created_at = models.DateTimeField(default=timezone.now, editable=False)

    objects = WorkspaceQuerySet.as_manager()

    class Meta:
        ordering = ["slug"]

    def __str__(self) -> str:
        return self.name

    def get_absolute_url(self) -> str:
        return reverse("access:workspace-detail", args=[self.slug])


Owned = TypeVar("Owned", bound=models.Model)


class WorkspaceOwnedQuerySet(models.QuerySet[Owned]):
    """Reads of rows that have a ``workspace``."""

    def visible_to(self, viewer: Viewer) -> Self:
        """Those in a workspace that *viewer* may see."""
        return self.filter(workspace__in=Workspace.objects.visible_to(viewer))


class Membership(models.Model):
    """One person's role in one workspace. A former member is kept, deactivated, so that the audit stays readable."""

    public_id = models.UUIDField(default=uuid.uuid4, editable=False)
    workspace = models.ForeignKey(Workspace, on_delete=models.PROTECT, related_name="memberships")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="memberships")
    role = models.CharField(max_length=20, choices=Role)
    is_active = models.BooleanField(default=True)
    created_at = models.DateTimeField(default=timezone.now, editable=False)

    objects = WorkspaceOwnedQuerySet["Membership"].as_manager()

    class Meta:
        ordering = ["user__username"]
        constraints = [
            models.UniqueConstraint(fields=["workspace", "user"], name="access_membership_unique_user"),
            models.UniqueConstraint(fields=["workspace", "public_id"], name="access_membership_unique_public_id"),
            models.CheckConstraint(condition=models.Q(role__in=Role.values), name="access_membership_known_role"),
        ]

    def __str__(self) -> str:
        return f"{self.user} in {self.workspace}"
