"""One file, kept byte for byte, and what it says about itself."""

from __future__ import annotations

import uuid
from typing import Any, Self

from django.db import models
from django.urls import reverse
from django.utils import timezone

from footprint_site.access.models import Workspace, WorkspaceOwnedQuerySet
from footprint_site.fields import text_key
from recordings.fields import RecordedJson, RecordedText
from recordings.timetravel.values import is_number
from sessions_app.models import Conversation, Incarnation
from sessions_app.models.conversation import MAX_TURN

#: Raised whenever the index is built in another way: rows of another version are built again.
INDEX_VERSION = 3


def id_key(recorded_id: str | None) -> str:
    """
    Return what *recorded_id* is found by: its SHA-256 in hex, empty for none.

    Ids are opaque and up to 1,000 characters long, which is more than an index of PostgreSQL holds.
    """
    return text_key(recorded_id) if recorded_id is not None else ""


def turn_or_none(claimed: Any) -> int | None:
    """Return *claimed*, which a recording holds, if it is a turn: a whole number from 1 that a column takes."""
    is_whole = is_number(claimed) and claimed == int(claimed)
    return int(claimed) if is_whole and 1 <= claimed <= MAX_TURN else None


class RecordingQuerySet(WorkspaceOwnedQuerySet["Recording"]):
    """Reads of recordings."""

    def of_run(self, recording: Recording) -> Self:
        """All revisions of the run of *recording*, itself among them, in order."""
        if not recording.engine_run_key:
            return self.filter(pk=recording.pk)
        same_run = self.filter(workspace_id=recording.workspace_id, engine_run_key=recording.engine_run_key)
        return same_run.order_by("revision")


class Recording(models.Model):
    """
    One recording of a run. The bytes are never changed; the rest is read from them and can be read again.

    What the file claims (tenant, principal, conversation) is shown as a claim and decides nothing. None means that the
    file does not say.
    """

    class Status(models.TextChoices):
        """``received``: stored, not indexed yet. ``ready``: indexed. ``failed``: stored, and why it is not indexed."""

        RECEIVED = "received", "Received"
        READY = "ready", "Ready"
        FAILED = "failed", "Failed"

    class Relation(models.TextChoices):
        """What a revision is to the one before it of the same run."""

        FIRST = "first", "First"
        EXTENDS = "extends", "Extends"
        EARLIER = "earlier", "An earlier part"
        SAME_RUN = "same_run", "The same run in another form"
        CONFLICTS = "conflicts", "Conflicts"

    public_id = models.UUIDField(default=uuid.uuid4, editable=False, unique=True)
    workspace = models.ForeignKey(Workspace, on_delete=models.PROTECT, related_name="recordings")
    sha256 = models.CharField(max_length=64, help_text="Of the JSON as sent, transport compression removed.")
    n_bytes = models.PositiveBigIntegerField()
    filename = models.CharField(max_length=300, blank=True)
    uploaded_by = models.CharField(max_length=200)
    created_at = models.DateTimeField(default=timezone.now, editable=False)

    status = models.CharField(max_length=10, choices=Status, default=Status.RECEIVED)
    error = models.CharField(max_length=500, blank=True)
    index_version = models.PositiveSmallIntegerField(default=0, help_text="0 as long as there is no index.")

    form = models.CharField(max_length=10)
    producer = RecordedJson(default=dict)
    n_commits = models.PositiveIntegerField()
    n_epochs = models.PositiveIntegerField()
    lanes = RecordedJson(default=list)
    run_id = RecordedText(null=True)
    run_key = models.CharField(max_length=64, blank=True)
    engine_run_id = RecordedText(null=True)
    engine_run_key = models.CharField(max_length=64, blank=True, help_text="`id_key` of it; empty when there is none.")
    revision = models.PositiveIntegerField(default=1)
    relation = models.CharField(max_length=10, choices=Relation, default=Relation.FIRST)
    earlier_leg = models.ForeignKey("self", on_delete=models.SET_NULL, null=True, related_name="later_legs")
    is_resumed = models.BooleanField(default=False, help_text="Whether it goes on from a pause.")
    is_complete = models.BooleanField(null=True)
    n_dropped_events = models.PositiveBigIntegerField(null=True)
    started_at = RecordedText(null=True)
    ended_at = RecordedText(null=True)

    tenant = RecordedText(null=True)
    principal = RecordedText(null=True)
    conversation_id = RecordedText(null=True)
    conversation_key = models.CharField(max_length=64, blank=True)
    turn = models.PositiveBigIntegerField(null=True)
    session_id = RecordedText(null=True)
    session_key = models.CharField(max_length=64, blank=True)
    incarnation_sha256 = models.CharField(max_length=64, blank=True, editable=False)
    #: Who sat in the session, and whose thread it belongs to; null when that is not known, or not given.
    incarnation = models.ForeignKey(Incarnation, on_delete=models.SET_NULL, null=True, related_name="recordings")
    thread = models.ForeignKey(Conversation, on_delete=models.SET_NULL, null=True, related_name="recordings")
    is_late = models.BooleanField(default=False, help_text="Whether its occupant was closed when it came.")

    outcome = models.CharField(max_length=10, blank=True)
    outcome_reason = RecordedText(null=True)
    question = RecordedText(null=True)
    answers = RecordedJson(default=list)
    warnings = RecordedJson(default=list)

    # Of the index, for lists and heads of pages. A sum is of what was reported, null when nothing was.
    sources = models.CharField(max_length=20, blank=True, help_text="The letters of the sources that were served.")
    by_source = RecordedJson(default=dict, help_text="Characters served in all epochs, by source.")
    strip = RecordedJson(default=list, help_text="Epochs in groups: first, last, by_source, marks.")
    input_tokens = models.FloatField(null=True)
    output_tokens = models.FloatField(null=True)
    n_counted_epochs = models.PositiveIntegerField(default=0, help_text="Those that reported their tokens.")
    duration_ms = models.FloatField(null=True)
    has_gaps = models.BooleanField(default=False, help_text="Whether a context is not wholly on record.")
    has_errors = models.BooleanField(default=False)
    is_redacted = models.BooleanField(default=False)
    redacted_paths = RecordedJson(default=list)
    untracked_sources = RecordedJson(default=list)
    boundary_detail = models.CharField(max_length=40, blank=True)
    privacy_mode = models.CharField(max_length=40, blank=True)

    objects = RecordingQuerySet.as_manager()

    class Meta:
        ordering = ["-created_at", "-pk"]
        indexes = [
            models.Index(fields=["workspace", "-created_at", "-id"], name="recordings_recording_newest"),
            models.Index(fields=["workspace", "conversation_key", "turn"], name="recordings_recording_talk"),
            models.Index(fields=["workspace", "session_key"], name="recordings_recording_session"),
            models.Index(fields=["workspace", "run_key"], name="recordings_recording_run"),
            models.Index(fields=["status"], name="recordings_recording_status"),
            # All that the list counts, so that it counts without reading what the recordings say.
            models.Index(
                fields=[
                    "workspace",
                    "outcome",
                    "sources",
                    "is_complete",
                    "n_dropped_events",
                    "has_gaps",
                    "has_errors",
                    "is_redacted",
                    "relation",
                    "is_resumed",
                ],
                name="recordings_recording_counted",
            ),
        ]
        constraints = [
            models.UniqueConstraint(fields=["workspace", "sha256"], name="recordings_recording_unique_sha256"),
            models.UniqueConstraint(
                fields=["workspace", "engine_run_key", "revision"],
                condition=~models.Q(engine_run_key=""),
                name="recordings_recording_unique_revision",
            ),
        ]

    def __str__(self) -> str:
        return self.filename or str(self.public_id)

    def get_absolute_url(self) -> str:
        return reverse("recordings:recording-detail", args=[self.public_id])
