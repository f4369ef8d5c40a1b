"""
The scan of an uploaded recording: whatever has to be refused is refused here, before anything is stored.

It reads the bytes once as UTF-8, once as JSON and once for their structure, decodes the recording, and says what is
in it.
"""

from __future__ import annotations

from http import HTTPStatus
from itertools import islice
from typing import Final

import msgspec

from recordings.ingest.document import Document, read_json
from recordings.ingest.encoding import utf8_span
from recordings.ingest.envelope import Envelope, raw_content
from recordings.ingest.ids import long_ids
from recordings.ingest.limits import Limits
from recordings.ingest.notices import Warning, warnings_of  # noqa: A004  # the word that the answer uses
from recordings.ingest.recognition import recognise
from recordings.ingest.refusals import Problem, Refused
from recordings.ingest.rows import row_facts
from recordings.timetravel import (
    IdentityClaim,
    Recording,
    TimeTravelError,
    all_epoch_locations,
    decode_recording,
    identity_claimed,
    lanes,
)

__all__ = ["Scan", "Warning", "scan"]

_DEFAULT_LIMITS: Final = Limits()
_NO_CLAIM: Final = IdentityClaim(None, None, None, None)


class Scan(msgspec.Struct, frozen=True):
    """What a scan found in a recording. None stands for what the file does not say."""

    #: Decoded; what it remembers saves its next reader the work.
    recording: Recording
    n_bytes: int
    #: How many bytes of a byte order mark precede the JSON: 0 or 3. The recording is what follows.
    bom_bytes: int
    #: ``snapshot``, ``recording`` or ``envelope``.
    form: str
    #: The format that an envelope names.
    format: str | None
    #: Rows in the run's own log, odd ones included.
    n_commits: int
    n_epochs: int
    #: In the order of their first epochs.
    lanes: list[str]
    #: The envelope's; the snapshot's own is `engine_run_id`.
    run_id: str | None
    engine_run_id: str | None
    session_id: str | None
    #: Claims of the file about whose conversation it is, and the turn as it was written.
    tenant: str | None
    principal: str | None
    conversation_id: str | None
    turn: int | float | None
    complete: bool | None
    dropped_events: int | None
    #: The versions of what made it, under the envelope's names; empty where it names none.
    producer: dict[str, str]
    #: ISO 8601, as written.
    started_at: str | None
    ended_at: str | None
    #: Delimited paths that a policy emptied in any log, sorted, for show. At most as many as the limits say: for what
    #: has to be masked, ask the logs.
    redacted_paths: list[str]
    warnings: list[Warning]


def scan(data: bytes, *, limits: Limits = _DEFAULT_LIMITS) -> Scan:
    """
    Return what is in the recording *data*.

    Args:
        data: A file as it was sent, transport compression removed.
        limits: How much of anything it may hold.

    Raises:
        Refused: The file must not come in. No other exception is raised, whatever *data* is.
    """
    if len(data) > limits.max_bytes:
        message = f"The recording is larger than {limits.max_bytes} bytes. Send the run in shorter recordings."
        raise Refused("too_large", message, status=HTTPStatus.REQUEST_ENTITY_TOO_LARGE, limit=limits.max_bytes)
    span = utf8_span(data)
    document = read_json(data, span, limits)
    _check_objects(data, document, limits)
    envelope = recognise(data, span, document.skeleton)
    try:
        return _scan(data[span.start :], data, document, envelope, limits)
    except (TimeTravelError, RecursionError, ArithmeticError) as error:
        message = f"The recording cannot be read: {error}. Send it as the recorder wrote it."
        raise Refused("unreadable", message, status=HTTPStatus.UNPROCESSABLE_ENTITY) from error


def _check_objects(data: bytes, document: Document, limits: Limits) -> None:
    """Raise `Refused` when *data* holds too many objects. Braces in texts count as well; they are few."""
    if len(data) <= limits.max_objects:
        # It has fewer bytes than that.
        return
    n_objects = data.count(b"{")
    if n_objects <= limits.max_objects:
        return
    # Short rows are shared, whatever they hold.
    n_objects -= document.skeleton.n_commits - document.skeleton.n_long_commits
    n_objects -= sum(data.count(b"{", tree.start, tree.stop) for tree in document.skeleton.execution_trees())
    if n_objects > limits.max_objects:
        message = f"The file holds more than {limits.max_objects} objects, more than a request of its size may hold."
        status = HTTPStatus.REQUEST_ENTITY_TOO_LARGE
        raise Refused("too_many_objects", message, status=status, limit=limits.max_objects)


def _scan(text: bytes, data: bytes, document: Document, envelope: Envelope | None, limits: Limits) -> Scan:
    problems = list(envelope.problems()) if envelope else []
    if any(problem.path in ("recording", "recording.snapshot") for problem in problems):
        raise _refused(problems, limits)
    recording = decode_recording(text, is_masked=True)
    rows = row_facts(recording, limits)
    claim = identity_claimed(recording) or _NO_CLAIM
    problems += islice(raw_content(recording, rows.redacted_paths, envelope), limits.max_problems)
    problems += islice(long_ids(recording, claim, envelope, limits), limits.max_problems)
    problems += rows.problems
    if problems:
        raise _refused(problems, limits)
    return Scan(
        recording=recording,
        n_bytes=len(data),
        bom_bytes=len(data) - len(text),
        form=recording.form,
        format=envelope.text("format") if envelope else None,
        n_commits=recording.run_log.length,
        n_epochs=len(all_epoch_locations(recording)),
        lanes=lanes(recording),
        run_id=envelope.text("run", "runId") if envelope else None,
        engine_run_id=recording.engine_run_id,
        session_id=envelope.text("run", "sessionId") if envelope else None,
        tenant=claim.tenant,
        principal=claim.principal,
        conversation_id=claim.conversation_id,
        turn=claim.turn_number,
        complete=envelope.is_complete if envelope else None,
        dropped_events=envelope.n_dropped_events if envelope else None,
        producer=envelope.producer if envelope else {},
        started_at=envelope.text("run", "startedAt") if envelope else None,
        ended_at=envelope.text("run", "endedAt") if envelope else None,
        redacted_paths=rows.redacted_paths,
        warnings=list(warnings_of(recording, document, envelope, rows, has_mark=len(data) > len(text))),
    )


def _refused(problems: list[Problem], limits: Limits) -> Refused:
    """Return the refusal for all of *problems*."""
    shown = problems[: limits.max_problems]
    status = HTTPStatus.UNPROCESSABLE_ENTITY
    more = f" There are {len(problems)} problems in all." if len(problems) > 1 else ""
    message = f"{problems[0].message}{more}"
    if all(problem.code == "id_too_long" for problem in problems):
        limit = limits.max_id_chars
        return Refused("id_too_long", message, status=status, at=problems[0].at, limit=limit, problems=shown)
    return Refused("invalid_envelope", message, status=status, at=problems[0].at, problems=shown)
