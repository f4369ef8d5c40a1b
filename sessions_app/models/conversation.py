"""One occupant's thread, and the turns that were reserved in it."""

from __future__ import annotations

import uuid
from typing import Any, Final, Self

from django.db import models
from django.db.models import Count, OuterRef, Q, Subquery, Sum
from django.db.models.functions import Coalesce
from django.utils import timezone

from footprint_site.access.models import Workspace, WorkspaceOwnedQuerySet
from footprint_site.fields import RecordedText
from sessions_app.models.session import Incarnation

MAX_TURN: Final = 2**63 - 1


class ConversationQuerySet(WorkspaceOwnedQuerySet["Conversation"]):
    """Reads of conversations."""

    def for_list(self) -> Self:
        """With their occupants, and the attributes ``n_turns``, ``n_entries`` and ``n_overwritten``."""
        from sessions_app.models.memory import MemoryEntry

        entries = MemoryEntry.objects.filter(store__conversation=OuterRef("pk"))
        turns = Turn.objects.filter(conversation=OuterRef("pk"))
        return self.select_related("workspace", "incarnation__session").annotate(
            n_turns=_of_all(turns, Count("pk")),
            n_entries=_of_all(entries, Count("pk")),
            n_overwritten=_of_all(entries, Sum("n_overwritten")),
        )


def _of_all(rows: models.QuerySet[Any], figure: models.Aggregate) -> Coalesce:
    """Return *figure* over *rows* as a subquery: 0 over none."""
    figures = rows.order_by().values(one=models.Value(1)).annotate(figure=figure).values("figure")
    return Coalesce(Subquery(figures, output_field=models.IntegerField()), 0)


class Conversation(models.Model):
    """
    A namespace as one occupant uses it. Without an occupant it is nobody's in particular: marked as unknown.

    Its turns and entries are its own: the next occupant of the session has a conversation of its own under the
    same namespace.
    """

    public_id = models.UUIDField(default=uuid.uuid4, editable=False)
    workspace = models.ForeignKey(Workspace, on_delete=models.PROTECT, related_name="conversations")
    namespace = RecordedText()
    namespace_key = models.CharField(max_length=64, editable=False)
    tenant = RecordedText(null=True)
    principal = RecordedText(null=True)
    conversation_id = RecordedText(null=True)
    incarnation = models.ForeignKey(
        Incarnation, on_delete=models.CASCADE, null=True, blank=True, related_name="conversations"
    )
    highest_turn = models.PositiveBigIntegerField(default=0, help_text="The highest that was ever reserved.")
    created_at = models.DateTimeField(default=timezone.now, editable=False)

    objects = ConversationQuerySet.as_manager()

    class Meta:
        ordering = ["-pk"]
        constraints = [
            models.UniqueConstraint(fields=["workspace", "public_id"], name="sessions_conversation_unique_public_id"),
            models.UniqueConstraint(
                fields=["workspace", "namespace_key", "incarnation"],
                condition=Q(incarnation__isnull=False),
                name="sessions_conversation_unique_occupant",
            ),
            models.UniqueConstraint(
                fields=["workspace", "namespace_key"],
                condition=Q(incarnation=None),
                name="sessions_conversation_unique_unknown",
            ),
        ]

    def __str__(self) -> str:
        return str(self.namespace)


class Turn(models.Model):
    """A number that was given to one exchange, and to no other, whatever became of it."""

    workspace = models.ForeignKey(Workspace, on_delete=models.PROTECT, related_name="+")
    conversation = models.ForeignKey(Conversation, on_delete=models.CASCADE, related_name="turns")
    number = models.PositiveBigIntegerField()
    run_id = RecordedText(null=True)
    run_key = models.CharField(max_length=64, blank=True, editable=False)
    reserved_at = models.DateTimeField(default=timezone.now, editable=False)
    reserved_by = models.CharField(max_length=200)

    objects = WorkspaceOwnedQuerySet["Turn"].as_manager()

    class Meta:
        ordering = ["conversation_id", "number"]
        constraints = [
            models.UniqueConstraint(fields=["workspace", "conversation", "number"], name="sessions_turn_unique_number"),
            models.UniqueConstraint(
                fields=["workspace", "conversation", "run_key"],
                condition=~Q(run_key=""),
                name="sessions_turn_unique_run",
            ),
            models.CheckConstraint(condition=Q(number__gte=1), name="sessions_turn_number_from_1"),
        ]

    def __str__(self) -> str:
        return f"turn {self.number}"
