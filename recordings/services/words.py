"""Keeping what a recording is found by."""

from __future__ import annotations

from recordings.models import Recording, Words
from recordings.models.words import words_of


def words_keep(*, recording: Recording) -> None:
    """Keep what *recording* is found by, in the place of what was kept."""
    data, is_cut = words_of(recording)
    Words.objects.update_or_create(
        recording=recording, defaults={"workspace_id": recording.workspace_id, "data": data, "is_cut": is_cut}
    )
