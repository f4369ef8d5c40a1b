"""What is kept for a session, and what went wrong in it."""

from __future__ import annotations

from django.db import models
from django.db.models import Q
from django.utils import timezone

from footprint_site.access.models import Workspace, WorkspaceOwnedQuerySet
from footprint_site.fields import RecordedText
from sessions_app.models.session import Incarnation, Session


class SessionRecord(models.Model):
    """
    A record of a session, of one occupant or of an unknown one. The first of each stays.

    It is JSON under a name of the writer's choice.
    """

    workspace = models.ForeignKey(Workspace, on_delete=models.PROTECT, related_name="+")
    session = models.ForeignKey(Session, on_delete=models.CASCADE, related_name="records")
    incarnation = models.ForeignKey(
        Incarnation, on_delete=models.CASCADE, null=True, blank=True, related_name="records"
    )
    name = RecordedText()
    name_key = models.CharField(max_length=64, editable=False)
    body = RecordedText(help_text="The JSON, as it was sent.")
    n_chars = models.PositiveIntegerField(default=0, help_text="Of the body.")
    written_at = models.DateTimeField(default=timezone.now)
    written_by = models.CharField(max_length=200)

    objects = WorkspaceOwnedQuerySet["SessionRecord"].as_manager()

    class Meta:
        ordering = ["pk"]
        constraints = [
            models.UniqueConstraint(
                fields=["workspace", "session", "name_key", "incarnation"],
                condition=Q(incarnation__isnull=False),
                name="sessions_sessionrecord_unique_occupant",
            ),
            models.UniqueConstraint(
                fields=["workspace", "session", "name_key"],
                condition=Q(incarnation=None),
                name="sessions_sessionrecord_unique_unknown",
            ),
        ]

    def __str__(self) -> str:
        return str(self.name)


class Incident(models.Model):
    """Something about a session that somebody has to know: counted, so that a repetition adds no row."""

    class Kind(models.TextChoices):
        """What happened."""

        STALE_WRITE = "stale_write", "A closed occupant tried to write"
        TAKEOVER = "takeover", "A new occupant took the seat of an open one"
        SEPARATED = "separated", "A record of another occupant was kept apart"
        RESOLVER_FAILED = "resolver_failed", "Who sits there could not be found out"

    workspace = models.ForeignKey(Workspace, on_delete=models.PROTECT, related_name="+")
    session = models.ForeignKey(Session, on_delete=models.CASCADE, related_name="incidents")
    incarnation = models.ForeignKey(Incarnation, on_delete=models.CASCADE, related_name="incidents")
    kind = models.CharField(max_length=20, choices=Kind)
    n_times = models.PositiveBigIntegerField(default=1)
    first_at = models.DateTimeField(default=timezone.now)
    last_at = models.DateTimeField(default=timezone.now)
    last_by = models.CharField(max_length=200, blank=True)

    objects = WorkspaceOwnedQuerySet["Incident"].as_manager()

    class Meta:
        ordering = ["-last_at", "-pk"]
        constraints = [
            models.UniqueConstraint(fields=["workspace", "incarnation", "kind"], name="sessions_incident_unique_kind"),
            models.CheckConstraint(
                condition=Q(
                    kind__in=["stale_write", "takeover", "separated", "resolver_failed"],
                ),
                name="sessions_incident_known_kind",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.get_kind_display()} ×{self.n_times}"
