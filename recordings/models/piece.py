"""Texts, the pieces they are, and the spans in which those were served."""

from typing import Final

from django.db import models

from footprint_site.access.models import Workspace
from recordings.fields import RecordedJson, RecordedText
from recordings.models.recording import Recording

#: So much of a text is read with its piece; the rest only when somebody asks for it.
HEAD_CHARS: Final = 4_000


class Text(models.Model):
    """Content by its hash, kept once in a workspace."""

    workspace = models.ForeignKey(Workspace, on_delete=models.PROTECT, related_name="+")
    sha256 = models.CharField(max_length=64)
    head = RecordedText(help_text="The first `HEAD_CHARS` characters.")
    rest = RecordedText(null=True, help_text="What follows them; null when nothing does.")
    n_chars = models.PositiveBigIntegerField()
    media = RecordedJson(default=list, help_text="Data URLs in it: start, end, type, bytes.")

    class Meta:
        constraints = [models.UniqueConstraint(fields=["workspace", "sha256"], name="recordings_text_unique_sha256")]

    def __str__(self) -> str:
        return self.sha256

    @property
    def content(self) -> str:
        """The whole text."""
        head: str = self.head
        return head if self.rest is None else head + self.rest


class Piece(models.Model):
    """One occurrence of a text in a recording, with one origin."""

    workspace = models.ForeignKey(Workspace, on_delete=models.PROTECT, related_name="+")
    recording = models.ForeignKey(Recording, on_delete=models.CASCADE, related_name="pieces")
    piece_id = models.CharField(max_length=32)
    text = models.ForeignKey(Text, on_delete=models.PROTECT, related_name="pieces")
    slot = models.CharField(max_length=13)
    state = models.CharField(max_length=10)
    call_key = models.CharField(max_length=64, blank=True, help_text="`id_key` of the tool call it is the result of.")
    facts = RecordedJson(help_text="Everything else about the piece, as the API answers it.")

    class Meta:
        indexes = [models.Index(fields=["recording", "call_key"], name="recordings_piece_call")]
        constraints = [
            models.UniqueConstraint(fields=["workspace", "recording", "piece_id"], name="recordings_piece_unique_id")
        ]

    def __str__(self) -> str:
        return self.piece_id


class Presence(models.Model):
    """A piece, served at every epoch of its lane from the first through the last position."""

    workspace = models.ForeignKey(Workspace, on_delete=models.PROTECT, related_name="+")
    recording = models.ForeignKey(Recording, on_delete=models.CASCADE, related_name="presences")
    piece = models.ForeignKey(Piece, on_delete=models.CASCADE, related_name="presences")
    lane = models.PositiveIntegerField()
    slot_order = models.PositiveSmallIntegerField(help_text="System prompt, messages, tools.")
    first_position = models.PositiveIntegerField()
    last_position = models.PositiveIntegerField()
    order = models.PositiveIntegerField(help_text="Among all presences of its lane and slot.")
    is_moved = models.BooleanField(default=False)

    class Meta:
        ordering = ["recording", "lane", "slot_order", "order"]
        indexes = [
            # Holds all that a page of one epoch counts and picks by, so that only what it shows is read.
            models.Index(
                fields=["recording", "lane", "slot_order", "order", "first_position", "last_position"],
                name="recordings_presence_served",
            ),
            models.Index(fields=["recording", "lane", "last_position"], name="recordings_presence_last"),
            models.Index(fields=["recording", "lane", "first_position"], name="recordings_presence_first"),
        ]
        constraints = [
            models.UniqueConstraint(
                fields=["workspace", "recording", "lane", "slot_order", "order"],
                name="recordings_presence_unique_order",
            )
        ]

    def __str__(self) -> str:
        return f"{self.first_position} to {self.last_position}"
