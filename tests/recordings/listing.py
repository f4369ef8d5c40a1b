"""Recordings for the list of recordings: with whatever their index would have found."""

import itertools
import json
from typing import Any

from recordings.models import Recording
from recordings.models.recording import id_key
from recordings.services.drafting import Stated
from recordings.services.importing import recording_import
from recordings.services.words import words_keep
from tests.recordings.material import SMALL_RUN

LIST = "/recordings/"
_numbers = itertools.count()


def bring(workspace, **fields: Any) -> Recording:
    """Import a run through the real service, then set what its index would have found."""
    data = json.dumps(SMALL_RUN | {"number": next(_numbers)}).encode()
    recording = recording_import(
        workspace=workspace, chunks=[data], is_gzip=False, stated=Stated(), actor="tests"
    ).recording
    fields = {"has_gaps": False, "has_errors": False, "is_redacted": False, "is_complete": None} | fields
    for name in ("session", "conversation"):
        if f"{name}_id" in fields:
            fields[f"{name}_key"] = id_key(fields[f"{name}_id"])
    Recording.objects.filter(pk=recording.pk).update(**fields)
    recording.refresh_from_db()
    words_keep(recording=recording)
    return recording


def said(text: str | None, *, is_redacted: bool = False) -> list[dict[str, Any]]:
    return [{"lane": "", "text": text, "is_redacted": is_redacted}]
