"""A session id names a seat; its occupants come and go."""

from __future__ import annotations

import uuid
from typing import Self

from django.db import models
from django.db.models import Q
from django.utils import timezone

from footprint_site.access.models import Workspace, WorkspaceOwnedQuerySet
from footprint_site.fields import RecordedText


class SessionQuerySet(WorkspaceOwnedQuerySet["Session"]):
    """Reads of sessions."""

    def for_list(self) -> Self:
        """With their workspaces, the attribute ``n_incarnations``, and a list ``holders`` of who holds the seat."""
        holders = models.Prefetch("incarnations", Incarnation.objects.open(), to_attr="holders")
        counted = Incarnation.objects.filter(session=models.OuterRef("pk")).order_by().values("session_id")
        n_incarnations = models.Subquery(counted.annotate(n=models.Count("pk")).values("n"))
        return self.select_related("workspace").prefetch_related(holders).annotate(n_incarnations=n_incarnations)


class Session(models.Model):
    """A session id. It says who sits there only through its incarnations."""

    public_id = models.UUIDField(default=uuid.uuid4, editable=False)
    workspace = models.ForeignKey(Workspace, on_delete=models.PROTECT, related_name="sessions")
    session_id = RecordedText()
    session_key = models.CharField(max_length=64, editable=False)
    created_at = models.DateTimeField(default=timezone.now, editable=False)

    objects = SessionQuerySet.as_manager()

    class Meta:
        ordering = ["-pk"]
        constraints = [
            models.UniqueConstraint(fields=["workspace", "session_key"], name="sessions_session_unique_key"),
            models.UniqueConstraint(fields=["workspace", "public_id"], name="sessions_session_unique_public_id"),
        ]

    def __str__(self) -> str:
        return str(self.session_id)


class IncarnationQuerySet(WorkspaceOwnedQuerySet["Incarnation"]):
    """Reads of occupants."""

    def open(self) -> Self:
        """Those who still hold their seat."""
        return self.filter(closed_at=None)

    def for_list(self) -> Self:
        """With whom they go on from, and the attributes ``n_conversations`` and ``n_principals``."""
        given = models.Case(models.When(~Q(conversations__principal=""), then="conversations__principal"))
        return (
            self.select_related("session", "forked_from__session")
            .prefetch_related("lineage__ancestor")
            .annotate(
                n_conversations=models.Count("conversations", distinct=True),
                n_principals=models.Count(given, distinct=True),
            )
        )


class Incarnation(models.Model):
    """
    One occupant of a session, known by a token that nobody can guess.

    The token is shown once and stored as its SHA-256. A session has at most one open incarnation.
    """

    public_id = models.UUIDField(default=uuid.uuid4, editable=False)
    workspace = models.ForeignKey(Workspace, on_delete=models.PROTECT, related_name="incarnations")
    session = models.ForeignKey(Session, on_delete=models.CASCADE, related_name="incarnations")
    number = models.PositiveIntegerField(help_text="Its place among the occupants of the session, from 1.")
    token_sha256 = models.CharField(max_length=64, editable=False)
    forked_from = models.ForeignKey("self", on_delete=models.SET_NULL, null=True, blank=True, related_name="forks")
    opened_at = models.DateTimeField(default=timezone.now, editable=False)
    opened_by = models.CharField(max_length=200)
    closed_at = models.DateTimeField(null=True, blank=True)
    closed_by = models.CharField(max_length=200, blank=True)
    closed_reason = RecordedText(null=True)

    objects = IncarnationQuerySet.as_manager()

    class Meta:
        # Columns, not rows: an order by “session” would join its table, and lock its row where this one is locked.
        ordering = ["session_id", "number"]
        constraints = [
            models.UniqueConstraint(fields=["workspace", "public_id"], name="sessions_incarnation_unique_public_id"),
            models.UniqueConstraint(fields=["workspace", "token_sha256"], name="sessions_incarnation_unique_token"),
            models.UniqueConstraint(
                fields=["workspace", "session", "number"], name="sessions_incarnation_unique_number"
            ),
            models.UniqueConstraint(
                fields=["workspace", "session"],
                condition=Q(closed_at=None),
                name="sessions_incarnation_one_open",
            ),
            models.CheckConstraint(condition=Q(number__gte=1), name="sessions_incarnation_number_from_1"),
        ]

    def __str__(self) -> str:
        return f"{self.session} #{self.number}"

    @property
    def is_open(self) -> bool:
        """Whether it still holds its seat."""
        return self.closed_at is None


class LineageLink(models.Model):
    """
    One ancestor of a forked occupant, as it was when the fork was made.

    An ancestor's session id is answered with this occupant, never with whoever holds that id now.
    """

    workspace = models.ForeignKey(Workspace, on_delete=models.PROTECT, related_name="+")
    incarnation = models.ForeignKey(Incarnation, on_delete=models.CASCADE, related_name="lineage")
    position = models.PositiveIntegerField(help_text="1 is the parent, 2 its parent, and so on.")
    session_id = RecordedText()
    session_key = models.CharField(max_length=64, editable=False)
    ancestor = models.ForeignKey(Incarnation, on_delete=models.SET_NULL, null=True, related_name="descendants")
    ancestor_token_sha256 = models.CharField(max_length=64, editable=False)

    objects = WorkspaceOwnedQuerySet["LineageLink"].as_manager()

    class Meta:
        ordering = ["incarnation_id", "position"]
        constraints = [
            models.UniqueConstraint(
                fields=["workspace", "incarnation", "position"], name="sessions_lineagelink_unique_position"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.incarnation} ← {self.session_id}"
