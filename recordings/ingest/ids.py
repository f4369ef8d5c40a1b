"""The ids of a recording, which are opaque, and bounded because they are kept in columns."""

from __future__ import annotations

from collections.abc import Iterator

from recordings.ingest.envelope import Envelope
from recordings.ingest.limits import Limits
from recordings.ingest.refusals import Problem
from recordings.ingest.rows import too_long
from recordings.timetravel import IdentityClaim, Recording


def long_ids(
    recording: Recording, claim: IdentityClaim, envelope: Envelope | None, limits: Limits
) -> Iterator[Problem]:
    """Yield the ids of *recording* that are longer than the limit, but for those in its rows."""
    limit = limits.max_id_chars
    for path, at, found in _ids(recording, claim, envelope):
        if isinstance(found, str) and len(found) > limit:
            yield too_long(path, at, limit)


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
