"""What a program shows to be let in."""

import uuid

from django.conf import settings
from django.db import models
from django.utils import timezone

from footprint_site.access.models.workspace import Workspace, WorkspaceOwnedQuerySet


class Scope(models.TextChoices):
    """What a key may do: send recordings and memory, or read what is there. Neither includes the other."""

    INGEST = "ingest", "Ingest"
    READ = "read", "Read"


class ApiKey(models.Model):
    """
    A key of one workspace. Shown once and stored as its SHA-256: with 256 random bits there is nothing to guess.

    The prefix is its name in lists, logs and audit lines, and finds the row.
    """

    public_id = models.UUIDField(default=uuid.uuid4, editable=False)
    workspace = models.ForeignKey(Workspace, on_delete=models.PROTECT, related_name="api_keys")
    name = models.CharField(max_length=120)
    prefix = models.CharField(max_length=16, editable=False)
    key_sha256 = models.CharField(max_length=64, editable=False)
    can_ingest = models.BooleanField(default=False)
    can_read = models.BooleanField(default=False)
    created_by = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        on_delete=models.PROTECT,
        related_name="+",
        null=True,
        blank=True,
        help_text="Empty when it was made on the command line.",
    )
    created_at = models.DateTimeField(default=timezone.now, editable=False)
    expires_at = models.DateTimeField(null=True, blank=True)
    revoked_at = models.DateTimeField(null=True, blank=True)
    last_used_at = models.DateTimeField(null=True, blank=True, help_text="To the minute.")
    leaked_at = models.DateTimeField(null=True, blank=True, help_text="When it was first seen in a URL.")

    objects = WorkspaceOwnedQuerySet["ApiKey"].as_manager()

    class Meta:
        verbose_name = "API key"
        ordering = ["-created_at", "-pk"]
        indexes = [models.Index(fields=["prefix"], name="access_apikey_prefix")]
        constraints = [
            models.UniqueConstraint(fields=["workspace", "public_id"], name="access_apikey_unique_public_id"),
            models.UniqueConstraint(fields=["workspace", "prefix"], name="access_apikey_unique_prefix"),
            models.CheckConstraint(
                condition=models.Q(can_ingest=True) | models.Q(can_read=True), name="access_apikey_some_scope"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.name} ({self.prefix})"

    @property
    def scopes(self) -> list[Scope]:
        """What it may do."""
        return [scope for scope, can in ((Scope.INGEST, self.can_ingest), (Scope.READ, self.can_read)) if can]

    @property
    def state(self) -> str:
        """``active``, ``revoked`` or ``expired``."""
        if self.revoked_at is not None:
            return "revoked"
        if self.expires_at is not None and self.expires_at <= timezone.now():
            return "expired"
        return "active"
