"""Recordings as they are stored, and the index of what is in them."""

from recordings.models.epoch import Epoch, NotServed
from recordings.models.memorylink import MemoryLink
from recordings.models.piece import Piece, Presence, Text
from recordings.models.recording import INDEX_VERSION, Recording
from recordings.models.words import Words

__all__ = ["INDEX_VERSION", "Epoch", "MemoryLink", "NotServed", "Piece", "Presence", "Recording", "Text", "Words"]
