"""What is worth saying about a recording that is accepted all the same."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from recordings.ingest.document import Document
from recordings.ingest.envelope import Envelope
from recordings.ingest.rows import RowFacts
from recordings.timetravel import Recording


class Warning(msgspec.Struct, frozen=True):  # noqa: A001  # the word that the answer uses
    """Something about a recording that was accepted all the same."""

    code: str
    #: A sentence.
    message: str
    count: int = 1

    @property
    def label(self) -> str:
        """The code, and how often where that is more than once: ``nul ×3``."""
        return self.code if self.count == 1 else f"{self.code} ×{self.count}"


def warnings_of(
    recording: Recording,
    document: Document,
    envelope: Envelope | None,
    rows: RowFacts,
    *,
    has_mark: bool,
) -> Iterator[Warning]:
    """Yield what is worth saying, about the text first, then about what it says."""
    if has_mark:
        yield Warning("utf8_bom", "The file begins with a byte order mark. It is kept, and not read.")
    yield from _about_text(document)
    if envelope is not None:
        yield from _about_envelope(envelope)
    if not recording.has_commit_log:
        yield Warning("no_commit_log", "There is no list of commits: nothing can be shown commit by commit.")
    n_odd, n_paths = rows.n_odd, len(rows.redacted_paths)
    if n_odd:
        yield Warning("odd_row", f"Rows that are no commits: {n_odd}. They are skipped, and keep their places.", n_odd)
    if n_paths:
        yield Warning("redacted", f"Paths that a policy took out: {n_paths}. Copies elsewhere are not.", n_paths)


def _about_text(document: Document) -> Iterator[Warning]:
    n_lone, n_nuls, repeated = document.n_lone_surrogates, document.n_nuls, document.skeleton.repeated
    if n_lone:
        message = f"Halves of a surrogate pair: {n_lone}. They are shown as U+FFFD; the file keeps them."
        yield Warning("lone_surrogate", message, n_lone)
    if n_nuls:
        yield Warning("nul", f"NUL characters: {n_nuls}. They are shown as ␀; the file keeps them.", n_nuls)
    if repeated:
        n_twice = len(repeated)
        yield Warning("duplicate_key", f"Keys that an object has twice: {n_twice}. The last one counts.", n_twice)


def _about_envelope(envelope: Envelope) -> Iterator[Warning]:
    n_dropped = envelope.n_dropped_events
    if envelope.is_complete is False:
        yield Warning("incomplete", "The recording says that it is not complete: the run went on after it.")
    if n_dropped:
        yield Warning("dropped_events", f"Events that were not recorded: {n_dropped}.", n_dropped)
