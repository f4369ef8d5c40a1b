"""Legs: the recordings of one run that paused and was resumed."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Final

import msgspec

from recordings.timetravel.callevents import text_or_none
from recordings.timetravel.ids import parse_runtime_stage_id
from recordings.timetravel.merge import SEPARATOR
from recordings.timetravel.recording import Recording
from recordings.timetravel.values import REDACTED, UNDEFINED, Value, is_number, is_object

#: What tells most legs apart, so that of those that do not fit little is read.
_TELLING: Final = ("pausedToolCallId", "pausedToolStartMs", "turnStartMs", "runIdentity", "iteration")


class ResumePoint(msgspec.Struct, frozen=True):
    """The tool call that a leg goes on with."""

    tool_call_id: str
    tool_name: str | None
    #: As recorded, `UNDEFINED` where they are not.
    args: Value
    #: Unix milliseconds; None where it is not on record.
    started_ms: int | float | None
    #: The execution that ended the pause; None when the leg's log shows none.
    resumed_by: str | None


def resume_point(recording: Recording) -> ResumePoint | None:
    """
    Return the tool call that *recording* resumes.

    None when it starts from no pause. A resumed leg whose base was lost says nothing about it, so it gives None too.
    """
    log = recording.run_log
    tool_call = log.base_value("pausedToolCallId")
    if not isinstance(tool_call, str) or not tool_call:
        return None
    started = log.base_value("pausedToolStartMs")
    touches = log.touches("pausedToolCallId")
    return ResumePoint(
        tool_call,
        text_or_none(log.base_value("pausedToolName")),
        log.base_value("pausedToolArgs"),
        started if is_number(started) else None,
        text_or_none(log.rows[touches[0].row].runtime_stage_id) if touches else None,
    )


def is_next_leg(earlier: Recording, later: Recording) -> bool:
    """
    Return whether *later* goes on where *earlier* paused.

    It does when its first execution comes after the last one of *earlier*, and it starts from exactly the state that
    *earlier* folds to. That is proven or it is False: a recording that lost its base, or starts from an empty one, is
    the next leg of none, and an *earlier* that lost its own folds to less than its run had. What a redaction policy
    took out of the log of *earlier* cannot be compared; there anything will do, and everything else has to be equal.
    """
    firsts, lasts = list(_executions(later)), list(_executions(earlier))
    if not firsts or not lasts or min(firsts) <= max(lasts):
        return False
    start, end = later.run_log, earlier.run_log
    keys = {*start.key_names(), *end.key_names()}
    redacted = {path.partition(SEPARATOR)[0] for row in end.rows for path in row.redacted_paths}
    n_equal = 0
    for key in sorted(keys, key=lambda key: (key not in _TELLING, key)):
        before, after = end.value_at(key, end.length), start.base_value(key)
        if not _is_same(before, after, has_gaps=key in redacted):
            return False
        n_equal += after is not UNDEFINED and key not in redacted
    return n_equal > 0


def _executions(recording: Recording) -> Iterator[float]:
    ids = [row.runtime_stage_id for row in recording.run_log.rows]
    for runtime_stage_id in [*ids, *recording.mount_keys]:
        if isinstance(runtime_stage_id, str) and "#" in runtime_stage_id:
            index = parse_runtime_stage_id(runtime_stage_id).execution_index
            if not math.isnan(index):
                yield index


def _is_same(before: Value, after: Value, *, has_gaps: bool) -> bool:
    """
    Return whether two values are the same JSON: ``true`` is not 1, and the order of keys says nothing.

    Not recursive: recorded values may be nested deeper than Python's stack.
    """
    pending = [(before, after)]
    while pending:
        a, b = pending.pop()
        if has_gaps and a == REDACTED and b is not UNDEFINED:
            continue
        if is_object(a) and is_object(b):
            if a.keys() != b.keys():
                return False
            pending += [(a[key], b[key]) for key in a]
        elif isinstance(a, list) and isinstance(b, list):
            if len(a) != len(b):
                return False
            pending += zip(a, b, strict=True)
        elif isinstance(a, bool) or isinstance(b, bool):
            if a is not b:
                return False
        elif a != b or isinstance(a, str) != isinstance(b, str):
            return False
    return True
