"""
Recordings in which a phrase stands.

The columns of recorded text are compressed, so SQL cannot look into them: the newest recordings are read one by one.
"""

from __future__ import annotations

from typing import Final

from recordings.listing.filters import NEWEST
from recordings.models.recording import RecordingQuerySet

MAX_RECORDINGS: Final = 10_000
#: Keeps the answer under two seconds whatever the recordings hold.
MAX_CHARS: Final = 60_000_000


def find_phrase(rows: RecordingQuerySet, phrase: str) -> tuple[list[int], int | None]:
    """
    Return the keys of *rows* in which *phrase* stands, and how many were looked at when that was not all of them.

    It stands literally, letter case aside, in an answer, the question, the name of the file or an id. What was taken
    out of a recording is not there to be found.
    """
    needle, n_chars = phrase.casefold(), 0
    found: list[int] = []
    fields = ("pk", "answers", "question", "filename", "run_id", "conversation_id", "session_id")
    newest = rows.order_by(*NEWEST).values_list(*fields)[: MAX_RECORDINGS + 1]
    for n_before, (key, answers, *texts) in enumerate(newest.iterator(chunk_size=500)):
        if n_before == MAX_RECORDINGS or n_chars > MAX_CHARS:
            return found, n_before
        texts += [answer["text"] for answer in answers if not answer["is_redacted"]]
        present = [text for text in texts if text]
        n_chars += sum(map(len, present))
        if any(needle in text.casefold() for text in present):
            found.append(key)
    return found, None
