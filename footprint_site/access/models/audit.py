"""What was done, by whom."""

from typing import Any, Self

from django.db import models
from django.utils import timezone

from footprint_site.access.models.workspace import Workspace, WorkspaceOwnedQuerySet


class AuditLineQuerySet(WorkspaceOwnedQuerySet["AuditLine"]):
    """Reads of the trail, newest first."""

    def latest_lines(self, n_lines: int) -> Self:
        """The *n_lines* newest."""
        return self.order_by("-at", "-pk")[:n_lines]


class AuditLine(models.Model):
    """Who did what, when, to what, and how it ended. Written once; nothing here is ever edited."""

    at = models.DateTimeField(default=timezone.now, editable=False)
    workspace = models.ForeignKey(
        Workspace, on_delete=models.PROTECT, related_name="audit_lines", null=True, blank=True
    )
    actor = models.CharField(max_length=200)
    action = models.CharField(max_length=60)
    target = models.CharField(max_length=300, blank=True)
    outcome = models.CharField(max_length=20)
    address = models.GenericIPAddressField(null=True, blank=True)

    objects = AuditLineQuerySet.as_manager()

    class Meta:
        ordering = ["-at", "-pk"]
        indexes = [models.Index(fields=["workspace", "-at", "-id"], name="access_auditline_newest")]

    def __str__(self) -> str:
        return f"{self.at:%Y-%m-%d %H:%M:%S} {self.actor} {self.action} {self.outcome}"

    def save(self, *args: Any, **kwargs: Any) -> None:
        """Insert the line. Raises `TypeError` for one that is stored already."""
        if not self._state.adding:
            raise TypeError("An audit line is written once.")
        super().save(*args, **kwargs)
