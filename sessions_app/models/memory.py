"""What was remembered in a conversation: entries in named stores, with everything that was overwritten."""

from __future__ import annotations

import time
from typing import Self

from django.db import models
from django.db.models import Q
from django.utils import timezone

from footprint_site.access.models import Workspace, WorkspaceOwnedQuerySet
from footprint_site.fields import RecordedText
from sessions_app.models.conversation import Conversation


def now_ms() -> int:
    """Return the time in Unix milliseconds, as entries state it."""
    return int(time.time() * 1000)


class MemoryStore(models.Model):
    """A named set of entries in a conversation."""

    workspace = models.ForeignKey(Workspace, on_delete=models.PROTECT, related_name="+")
    conversation = models.ForeignKey(Conversation, on_delete=models.CASCADE, related_name="stores")
    name = RecordedText()
    name_key = models.CharField(max_length=64, editable=False)

    objects = WorkspaceOwnedQuerySet["MemoryStore"].as_manager()

    class Meta:
        ordering = ["pk"]
        constraints = [
            models.UniqueConstraint(
                fields=["workspace", "conversation", "name_key"], name="sessions_memorystore_unique_name"
            ),
        ]

    def __str__(self) -> str:
        return str(self.name)


class WrittenEntry(models.Model):
    """An entry's JSON as it was sent, and who wrote it. The JSON is never read and written anew: no digit changes."""

    workspace = models.ForeignKey(Workspace, on_delete=models.PROTECT, related_name="+")
    body = RecordedText(help_text="The JSON of the entry, escapes and spaces as they were sent.")
    n_chars = models.PositiveIntegerField(default=0, help_text="Of the JSON, so that it is known before it is read.")
    stored_turn = models.BigIntegerField(default=0, help_text="The turn in its source; 0 when it has none.")
    written_at = models.DateTimeField(default=timezone.now)
    written_by = models.CharField(max_length=200, help_text="The key or the person.")
    token_sha256 = models.CharField(max_length=64, blank=True, editable=False, help_text="Of the writing occupant.")

    class Meta:
        abstract = True


class MemoryEntryQuerySet(WorkspaceOwnedQuerySet["MemoryEntry"]):
    """Reads of entries."""

    def live(self) -> Self:
        """Those that have not expired."""
        return self.filter(Q(expires_at_ms=None) | Q(expires_at_ms__gt=now_ms()))

    def newest_first(self) -> Self:
        """In the order of the framework's own store: of the same moment, the first one stored first."""
        return self.order_by("-updated_at_ms", "pk")


class MemoryEntry(WrittenEntry):
    """What a store holds under an id now."""

    store = models.ForeignKey(MemoryStore, on_delete=models.CASCADE, related_name="entries")
    entry_id = RecordedText()
    entry_key = models.CharField(max_length=64, editable=False)
    updated_at_ms = models.FloatField(default=0)
    expires_at_ms = models.FloatField(null=True)
    tier_key = models.CharField(max_length=64, blank=True, help_text="`text_key` of its tier; empty when it has none.")
    n_overwritten = models.PositiveIntegerField(default=0, help_text="How many versions are kept that it replaced.")
    n_accesses = models.PositiveBigIntegerField(default=0, help_text="How often it was fetched since it was written.")
    accessed_at_ms = models.PositiveBigIntegerField(null=True, help_text="When it was fetched last.")

    objects = MemoryEntryQuerySet.as_manager()

    class Meta:
        ordering = ["store_id", "pk"]
        indexes = [
            models.Index(fields=["workspace", "store", "-updated_at_ms", "id"], name="sessions_memoryentry_newest"),
            models.Index(fields=["workspace", "store", "stored_turn"], name="sessions_memoryentry_turn"),
        ]
        constraints = [
            models.UniqueConstraint(fields=["workspace", "store", "entry_key"], name="sessions_memoryentry_unique_id"),
        ]

    def __str__(self) -> str:
        return str(self.entry_id)


class MemoryEntryVersion(WrittenEntry):
    """What stood under an id before it was overwritten."""

    entry = models.ForeignKey(MemoryEntry, on_delete=models.CASCADE, related_name="versions")
    number = models.PositiveIntegerField(help_text="1 is what was written first.")
    overwritten_at = models.DateTimeField(default=timezone.now)

    objects = WorkspaceOwnedQuerySet["MemoryEntryVersion"].as_manager()

    class Meta:
        ordering = ["entry_id", "number"]
        constraints = [
            models.UniqueConstraint(
                fields=["workspace", "entry", "number"], name="sessions_memoryentryversion_unique_number"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.entry} v{self.number}"


class MemorySignature(models.Model):
    """Something that a store was told it has seen."""

    workspace = models.ForeignKey(Workspace, on_delete=models.PROTECT, related_name="+")
    store = models.ForeignKey(MemoryStore, on_delete=models.CASCADE, related_name="signatures")
    signature = RecordedText()
    signature_key = models.CharField(max_length=64, editable=False)

    objects = WorkspaceOwnedQuerySet["MemorySignature"].as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["workspace", "store", "signature_key"], name="sessions_memorysignature_unique_signature"
            ),
        ]

    def __str__(self) -> str:
        return str(self.signature)


class MemoryFeedback(models.Model):
    """How useful an entry was found, summed up. It may be given for an id before there is an entry."""

    workspace = models.ForeignKey(Workspace, on_delete=models.PROTECT, related_name="+")
    store = models.ForeignKey(MemoryStore, on_delete=models.CASCADE, related_name="feedback")
    entry_id = RecordedText()
    entry_key = models.CharField(max_length=64, editable=False)
    total = models.FloatField(default=0)
    count = models.PositiveIntegerField(default=0)

    objects = WorkspaceOwnedQuerySet["MemoryFeedback"].as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["workspace", "store", "entry_key"], name="sessions_memoryfeedback_unique_id"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.entry_id}: {self.count}"
