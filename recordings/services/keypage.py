"""One key of a log at one of its commits, as its page shows it: the value, and the writes around it."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from typing import Any, Final

import msgspec

from recordings.fields import dump_recorded
from recordings.services.state import StateOfKey, state_of_key
from recordings.services.verbatim import VerbatimLog, json_as_written, laid_out
from recordings.timetravel import UNDEFINED, Log, NumberText
from recordings.timetravel import Recording as Run
from recordings.timetravel.fold import Touch
from recordings.timetravel.jsonspans import first_byte
from recordings.timetravel.merge import REFUSED_SEGMENTS, SEPARATOR
from recordings.timetravel.places import BASE
from recordings.timetravel.values import REDACTED, Value

MAX_WRITES: Final = 200
MAX_CHARS: Final = 20_000
_MAX_PATHS: Final = 20
_BETWEEN: Final = " › "
#: A longer text is not laid out in lines, only cut.
_LAY_OUT_CHARS: Final = 1_000_000


class Write(msgspec.Struct, frozen=True):
    """One write to a key: which row did it, how, and where below the key."""

    row: int
    key: str
    #: The segments below the key; empty when the key itself was written.
    below: str
    #: None where the row does not say.
    verb: str | None
    #: The stage of the row; None where the row does not say.
    stage: str | None
    #: False for a path that the recorder's language never writes to.
    is_applied: bool


class KeyPage(msgspec.Struct, frozen=True):
    """One key at one commit, and its writes around it."""

    state: StateOfKey
    #: ``recorded``, ``empty``, ``redacted``, ``deleted``, ``lost`` (written, but not in the recording), ``absent``, or
    #: ``unknown`` (no row wrote it so far, and there is no base).
    standing: str
    #: The paths that are masked, their segments parted by a sign that is seen.
    paths: Sequence[str]
    #: What the value is, in a word of JSON.
    kind: str
    #: Whether the value starts from nothing because there is no base: then what was there before is not in it.
    is_partial: bool
    stage: str | None
    verb: str | None
    shown: str
    start: int
    n_shown: int
    #: How long the JSON is, not laid out.
    n_chars: int
    #: The start of a text whose JSON has escapes, without them; empty for anything else.
    readable: str
    #: The writes before and after the commit; −1 for the base, None when there is none.
    previous: int | None
    next: int | None
    writes: Sequence[Write]
    first_write: int
    n_writes: int
    #: Rows of the writes right before and after those that are listed.
    earlier: int | None
    later: int | None

    @property
    def end(self) -> int:
        """Where what is shown of the value ends."""
        return self.start + len(self.shown)


def write_of(row: int, segments: Sequence[str], verb: Value, stage: Value) -> Write:
    """Return the write of *row* to the path of *segments*."""
    is_applied = REFUSED_SEGMENTS.isdisjoint(segments)
    return Write(row, segments[0], _BETWEEN.join(segments[1:]), words_of(verb), words_of(stage), is_applied)


def words_of(value: Value) -> str | None:
    """Return what was recorded where a text belongs: the text, or the JSON of something else; None for nothing."""
    if value is UNDEFINED:
        return None
    return value if isinstance(value, str) else dump_recorded(value)


def row_of(touch: Touch) -> int:
    """Return the row of *touch*, by which touches are sorted."""
    return touch.row


def key_page(run: Run, log: Log, log_name: str, index: int, key: str, start: int) -> KeyPage:
    """
    Return what the page shows of *key* at row *index* of *log*, every number as it was written.

    Args:
        start: Where in the value to start, in characters; clamped to its last part.
    """
    log = VerbatimLog(log)
    state = state_of_key(run, log, log_name, index, key)
    touches = log.touches(key)
    done = bisect_right(touches, index, key=row_of)
    last = touches[done - 1] if done else None
    text = _text(state)
    whole = laid_out(text) if len(text) <= _LAY_OUT_CHARS else text
    start = min(start, max(len(whole) - 1, 0) // MAX_CHARS * MAX_CHARS)
    first = max(done - 1, 0) // MAX_WRITES * MAX_WRITES
    listed = touches[first : first + MAX_WRITES]
    is_anchored = any(touch.is_anchor for touch in touches[:done])
    return KeyPage(
        state=state,
        standing=_standing(log, state, last),
        paths=[_BETWEEN.join(path.split(SEPARATOR)) for path in state.redacted_paths[:_MAX_PATHS]],
        kind=_kind(state.value),
        is_partial=state.is_recorded and log.basis == "log-only" and not is_anchored,
        stage=None if last is None else words_of(log.rows[last.row].stage),
        verb=None if last is None else words_of(last.verb),
        shown=whole[start : start + MAX_CHARS],
        start=start,
        n_shown=len(whole),
        n_chars=len(text),
        readable=state.value[:MAX_CHARS] if isinstance(state.value, str) and "\\" in text else "",
        previous=_previous(log, state),
        next=touches[done].row if done < len(touches) else None,
        writes=[write_of(t.row, t.segments, t.verb, log.rows[t.row].stage) for t in listed],
        first_write=first,
        n_writes=len(touches),
        earlier=touches[first - 1].row if first else None,
        later=touches[first + MAX_WRITES].row if first + MAX_WRITES < len(touches) else None,
    )


def _text(state: StateOfKey) -> str:
    if state.text is not None:
        return state.text
    return json_as_written(state.value) if state.is_recorded else ""


def _previous(log: Log, state: StateOfKey) -> int | None:
    """Return the row that wrote the key before the last write; −1 for the base, None when nothing did."""
    if state.row == BASE:
        return None
    touches = log.touches(state.key)
    before = bisect_left(touches, state.row, key=row_of)
    if before:
        return touches[before - 1].row
    return BASE if first_byte(log.base_text(state.key)) else None


def _standing(log: Log, state: StateOfKey, last: Touch | None) -> str:
    if state.is_recorded:
        if state.value == REDACTED and state.key in state.redacted_paths:
            return "redacted"
        return "empty" if state.value in ("", [], {}) else "recorded"
    if last is not None:
        return "deleted" if last.verb == "delete" else "lost"
    return "unknown" if log.basis == "log-only" else "absent"


def _kind(value: Any) -> str:
    if isinstance(value, bool):
        return "boolean"
    if isinstance(value, int | float | NumberText):
        return "number"
    if isinstance(value, str):
        return "text"
    return "list" if isinstance(value, list) else "object" if isinstance(value, dict) else "null"
