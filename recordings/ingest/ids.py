"""The ids of a recording, which are opaque, and bounded because they are kept in columns."""

from __future__ import annotations

from collections.abc import Iterator

from recordings.ingest.envelope import Envelope
from recordings.ingest.limits import Limits
from recordings.ingest.refusals import Problem
from recordings.timetravel import IdentityClaim, Log, Recording


def logs_of(recording: Recording) -> Iterator[tuple[str, Log]]:
    """Yield the logs of *recording*, each with its path in the snapshot."""
    yield "commitLog", recording.run_log
    for key in recording.mount_keys:
        log = recording.mount_log(key)
        if log is not None:
            yield f"subflowResults.{key[:60]}.treeContext.history", log


def long_ids(
    recording: Recording, claim: IdentityClaim, envelope: Envelope | None, limits: Limits
) -> Iterator[Problem]:
    """Yield the ids of *recording* that are longer than the limit."""
    limit = limits.max_id_chars

    def is_long(found: object) -> bool:
        return isinstance(found, str) and len(found) > limit

    for path, at, found in _ids(recording, claim, envelope):
        if is_long(found):
            yield _too_long(path, at, limit)
    for name, log in logs_of(recording):
        for number, row in enumerate(log.rows):
            if is_long(row.stage_id):
                yield _too_long(f"{name}[{number}].stageId", None, limit)
            if is_long(row.runtime_stage_id):
                yield _too_long(f"{name}[{number}].runtimeStageId", None, limit)


def _too_long(path: str, at: int | None, limit: int) -> Problem:
    return Problem("id_too_long", f"{path} is longer than {limit} characters.", at, path)


def _ids(
    recording: Recording, claim: IdentityClaim, envelope: Envelope | None
) -> Iterator[tuple[str, int | None, object]]:
    if envelope is not None:
        for path, text in envelope.ids():
            yield ".".join(path), envelope.position(*path), text
    yield "runId", None, recording.engine_run_id
    yield "runIdentity.tenant", None, claim.tenant
    yield "runIdentity.principal", None, claim.principal
    yield "runIdentity.conversationId", None, claim.conversation_id
    for key in recording.mount_keys:
        yield f"subflowResults.{key[:60]}", None, key
