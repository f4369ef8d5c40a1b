"""Reads of the index: what pages and the API show of a recording, in a number of queries that does not grow."""

from recordings.reads.difference import Difference, difference_of
from recordings.reads.served import (
    get_epoch,
    get_recording_for,
    get_recording_with_rights,
    not_served_at_epoch,
    served_at_epoch,
)

__all__ = [
    "Difference",
    "difference_of",
    "get_epoch",
    "get_recording_for",
    "get_recording_with_rights",
    "not_served_at_epoch",
    "served_at_epoch",
]
