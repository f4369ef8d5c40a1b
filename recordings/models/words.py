"""What a recording is found by."""

from __future__ import annotations

from typing import Any, Final

from django.db import models
from django.db.models.expressions import Combinable

from footprint_site.access.models import Workspace, WorkspaceOwnedQuerySet
from recordings.models.recording import Recording

#: Between two texts: no text in UTF-8 has this byte, so nothing is found across them.
_BETWEEN: Final = b"\xff"
#: Of one recording: an answer may be of any length, and a search goes through all of them.
MAX_BYTES: Final = 65_536


class ByteIndex(models.Func):
    """The place of some bytes in others, from 1; 0 where they do not stand."""

    function = "INSTR"
    output_field = models.IntegerField()

    def __init__(self, data: Combinable | str, needle: bytes, **extra: Any) -> None:
        super().__init__(data, models.Value(needle, output_field=models.BinaryField()), **extra)

    def as_postgresql(self, compiler: Any, connection: Any, **context: Any) -> Any:
        """Return it as PostgreSQL writes it, which names the needle first."""
        data, needle = self.get_source_expressions()
        turned = self.copy()
        turned.set_source_expressions([needle, data])
        return super(ByteIndex, turned).as_sql(
            compiler,
            connection,
            template="POSITION(%(expressions)s)",
            arg_joiner=" IN ",
            **context,
        )


class Words(models.Model):
    """
    The texts of a recording that the list looks for a phrase in, letter case aside.

    They are bytes, because no database takes every character as text, and plain, because SQL has to look into them.
    They stand beside the recording, because whatever counts recordings would have to read past them.
    """

    recording = models.OneToOneField(Recording, on_delete=models.CASCADE, primary_key=True, related_name="words")
    workspace = models.ForeignKey(Workspace, on_delete=models.PROTECT, related_name="+")
    is_cut = models.BooleanField(default=False, help_text="Whether there are more than `MAX_BYTES`.")
    data = models.BinaryField()

    objects = WorkspaceOwnedQuerySet["Words"].as_manager()

    class Meta:
        indexes = [
            models.Index(fields=["workspace"], condition=models.Q(is_cut=True), name="recordings_words_cut"),
        ]

    def __str__(self) -> str:
        return f"words of {self.recording}"


def searchable(text: str) -> bytes:
    """Return *text* as it is looked for: without letter case, lone surrogates included."""
    return text.casefold().encode("utf-8", "surrogatepass")


def words_of(recording: Recording) -> tuple[bytes, bool]:
    """
    Return what *recording* is found by, at most `MAX_BYTES`, and whether that is cut.

    It is the name of its file, its ids, its question and its answers. What was taken out is not there to be found.
    """
    answers = [answer["text"] for answer in recording.answers if not answer["is_redacted"]]
    ids = [recording.run_id, recording.conversation_id, recording.session_id]
    # The short ones first: they are never cut.
    texts = [recording.filename, *ids, recording.question, *answers]
    words = _BETWEEN.join(searchable(text) for text in texts if text)
    return words[:MAX_BYTES], len(words) > MAX_BYTES
