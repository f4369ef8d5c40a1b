"""What a recording says that it wrote to memory, and what of a memory it was served."""

from __future__ import annotations

from typing import Final

from django.db import models

from footprint_site.access.models import Workspace, WorkspaceOwnedQuerySet
from recordings.fields import RecordedJson, RecordedText
from recordings.models.piece import Piece
from recordings.models.recording import Recording

#: Of a text that was written: it is there to tell one entry from another.
MAX_TEXT_CHARS: Final = 2_000


class MemoryLink(models.Model):
    """
    One entry of a memory that a recording names. Whose entry it is follows from the recording's conversation.

    A link stands on its own: the entry may be stored later, or never, and then the link is unmatched.
    """

    class Kind(models.TextChoices):
        """Which way the entry went."""

        WRITTEN = "written", "Written"
        SERVED = "served", "Served"

    workspace = models.ForeignKey(Workspace, on_delete=models.PROTECT, related_name="+")
    recording = models.ForeignKey(Recording, on_delete=models.CASCADE, related_name="memory_links")
    kind = models.CharField(max_length=7, choices=Kind)
    order = models.PositiveIntegerField(help_text="Among the links of its recording.")
    number = models.PositiveIntegerField(default=0, help_text="Of a written one: among those of its stage, from 0.")
    n_of_stage = models.PositiveIntegerField(default=0, help_text="How many its stage wrote; not all are kept.")
    store = RecordedText()
    store_key = models.CharField(max_length=64)
    entry_id = RecordedText(null=True, help_text="Null where the recording does not hold it.")
    entry_key = models.CharField(max_length=64, blank=True)
    turn = models.PositiveBigIntegerField(null=True, help_text="The turn that the entry says it is of.")
    position = models.PositiveIntegerField(null=True, help_text="The epoch that was first served it, or wrote it.")
    n_calls = models.PositiveIntegerField(default=0, help_text="How many calls were served it.")
    piece = models.ForeignKey(Piece, on_delete=models.CASCADE, null=True, related_name="memory_links")
    place = RecordedJson(null=True, help_text="The commit of the stage that wrote it, and the key.")
    texts = RecordedJson(default=list, help_text="What a written entry says, as far as it is on record.")

    objects = WorkspaceOwnedQuerySet["MemoryLink"].as_manager()

    class Meta:
        ordering = ["recording", "order"]
        indexes = [models.Index(fields=["recording", "store_key", "entry_key"], name="recordings_link_entry")]
        constraints = [
            models.UniqueConstraint(fields=["workspace", "recording", "order"], name="recordings_link_unique_order"),
            models.CheckConstraint(condition=models.Q(kind__in=["written", "served"]), name="recordings_link_kind"),
        ]

    def __str__(self) -> str:
        return f"{self.kind} {self.entry_id}"
