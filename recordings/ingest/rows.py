"""What a scan wants to know of the rows of all logs, in one pass: a log may have a million of them."""

from __future__ import annotations

from collections.abc import Iterator
from http import HTTPStatus
from typing import Final

import msgspec

from recordings.ingest.limits import Limits
from recordings.ingest.refusals import Problem, Refused
from recordings.timetravel import Log, Recording

_EMPTY_LIST_BYTES: Final = 2


class RowFacts(msgspec.Struct):
    """What there is to say about the rows of a recording."""

    #: Rows that are no commits.
    n_odd: int
    #: Delimited paths that a policy emptied, sorted; at most as many as the limits say.
    redacted_paths: list[str]
    #: Ids that are too long; at most as many as the limits say.
    problems: list[Problem]


def row_facts(recording: Recording, limits: Limits) -> RowFacts:
    """
    Return what there is to say about the rows of *recording*.

    Raises:
        Refused: They list too many redacted paths.
    """
    n_odd = n_paths = 0
    lists: set[bytes] = set()
    problems: list[Problem] = []
    for name, log in _logs_of(recording.as_recorded):
        previous, is_odd = None, False
        for number, row in enumerate(log.rows):
            # Short rows that say the same are one object.
            if row is not previous:
                previous, is_odd = row, not row.is_commit
                listed = bytes(row.raw_redacted_paths)
                if len(listed) > _EMPTY_LIST_BYTES and listed not in lists:
                    lists.add(listed)
                    n_paths += listed.count(b'"') // 2
                    if n_paths > limits.max_redacted_paths:
                        raise _too_many_paths(limits)
                for field, found in (("stageId", row.stage_id), ("runtimeStageId", row.runtime_stage_id)):
                    if isinstance(found, str) and len(found) > limits.max_id_chars:
                        problems.append(too_long(f"{name}[{number}].{field}", None, limits.max_id_chars))
            n_odd += is_odd
    redacted = sorted(recording.redacted_paths)
    return RowFacts(n_odd, redacted[: limits.max_listed_paths], problems[: limits.max_problems])


def _too_many_paths(limits: Limits) -> Refused:
    limit = limits.max_redacted_paths
    message = f"The rows list more than {limit} redacted paths. Have the policy name the keys that hold them."
    return Refused("too_many_redacted_paths", message, status=HTTPStatus.UNPROCESSABLE_ENTITY, limit=limit)


def too_long(path: str, at: int | None, limit: int) -> Problem:
    """Return the problem of the id at *path*."""
    return Problem("id_too_long", f"{path} is longer than {limit} characters.", at, path)


def _logs_of(recording: Recording) -> Iterator[tuple[str, Log]]:
    """Yield the logs of *recording*, each with its path in the snapshot."""
    yield "commitLog", recording.run_log
    for key in recording.mount_keys:
        log = recording.mount_log(key)
        if log is not None:
            yield f"subflowResults.{key[:60]}.treeContext.history", log
