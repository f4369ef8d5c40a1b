"""
The value of a key at a commit: the fold of a log over its base.

Source: ``keyedFold`` and ``stateAt`` of agentfootprint's time travel.
"""

from __future__ import annotations

import math
from bisect import bisect_left, bisect_right
from collections.abc import Mapping, Sequence
from typing import Final, Literal, TypeAlias

import msgspec

from recordings.timetravel.document import Row
from recordings.timetravel.jsonspans import first_byte
from recordings.timetravel.jsontext import NOTHING, read_members, read_value
from recordings.timetravel.merge import REFUSED_SEGMENTS, SEPARATOR, apply_write
from recordings.timetravel.values import UNDEFINED, Value, clone

Basis: TypeAlias = Literal["initial+log", "log-only"]

_ANCHORING: Final = ("set", "delete")


class Touch(msgspec.Struct, frozen=True):
    """One write to a root key: the row it stands in, where below the key it writes, and how."""

    row: int
    segments: tuple[str, ...]
    verb: Value

    @property
    def is_whole(self) -> bool:
        """Whether it writes the key itself, not something inside its value."""
        return len(self.segments) == 1

    @property
    def is_anchor(self) -> bool:
        """Whether the value after it depends on nothing before it."""
        return len(self.segments) == 1 and self.verb in _ANCHORING


class SkippedRow(msgspec.Struct, frozen=True):
    """A row of a log that is no commit."""

    index: int
    reason: str


class StateAt(msgspec.Struct, frozen=True):
    """A whole state, and what it was made from."""

    basis: Basis
    #: The last row that was folded in: the index that was asked for, floored and clamped.
    through_commit_index: int
    #: An object, or a list where the base is one.
    state: Value
    #: Paths that a redaction policy emptied up to here, sorted as the recorder's language sorts text.
    redacted_paths: Sequence[str]
    #: Rows up to here that are no commits; None when there are none.
    skipped: Sequence[SkippedRow] | None

    @property
    def redacted(self) -> bool:
        """Whether anything was taken out up to here."""
        return bool(self.redacted_paths)


class Log:
    """
    The rows of one log, and the base they fold against.

    Values are read when they are asked for. They are shared between answers, so they are not to be changed.
    """

    def __init__(self, rows: Sequence[Row], base: msgspec.Raw) -> None:
        self.rows = rows
        # A list counts as a base too; null, a text or a number does not. An empty object is one.
        self._base = base if first_byte(base) in (b"{", b"[") else None
        self._base_members: dict[str, msgspec.Raw] | None = None
        self._touches: dict[str, list[Touch]] | None = None
        self._tracks: dict[str, _Track] = {}
        self._without_odd_rows: Log | None = None

    @property
    def basis(self) -> Basis:
        """Whether there is a base. Without one, a value that no row writes is unknown, not absent."""
        return "log-only" if self._base is None else "initial+log"

    @property
    def length(self) -> int:
        """How many rows there are."""
        return len(self.rows)

    def touches(self, key: str) -> Sequence[Touch]:
        """Return every write to *key* or inside its value, in order."""
        if self._touches is None:
            self._touches = _index(self.rows)
        return self._touches.get(key, ())

    def last_row(self, key: str, end: int) -> int:
        """Return the last row before *end* that wrote *key* or inside its value; −1 when none did."""
        touches = self.touches(key)
        count = bisect_left(touches, end, key=lambda touch: touch.row)
        return touches[count - 1].row if count else -1

    def base_text(self, key: str) -> msgspec.Raw:
        """Return what *key* is before the first row, unread; empty when it is nothing there."""
        if self._base is None:
            return NOTHING
        if self._base_members is None:
            self._base_members = read_members(self._base) or {}
        return self._base_members.get(key, NOTHING)

    def base_value(self, key: str) -> Value:
        """Return what *key* is before the first row."""
        text = self.base_text(key)
        return read_value(text) if first_byte(text) else UNDEFINED

    def key_names(self) -> Sequence[str]:
        """Return every key of the base and of the rows, in the order they first appear."""
        if self._touches is None:
            self._touches = _index(self.rows)
        if self._base is not None and self._base_members is None:
            self._base_members = read_members(self._base) or {}
        return list(dict.fromkeys([*(self._base_members or ()), *self._touches]))

    def value_at(self, key: str, index: float) -> Value:
        """
        Return what *key* is after row *index*.

        Args:
            key: A root key, by its exact name.
            index: 0 for the first row. Floored; below 0, and NaN, give the base; past the end gives the end.

        Returns:
            The value, not to be changed; `UNDEFINED` when the key has none.
        """
        track = self._tracks.get(key)
        if track is None:
            track = self._tracks[key] = _Track(self, key)
        return track.value_after(self._clamp(index))

    def patch(self, row: int, key: str, verb: Value) -> Value:
        """Return what the commit in *row* holds for *key*: the value, the tail, or the update that *verb* uses."""
        commit = self.rows[row]
        if verb == "delete":
            return UNDEFINED
        raw = (commit.overwrite if verb in ("set", "append") else commit.updates).get(key)
        return UNDEFINED if raw is None else read_value(raw)

    def state_at(self, index: float) -> StateAt:
        """Return the whole state after row *index*; a key that holds `UNDEFINED` is in it."""
        last = self._clamp(index)
        commits = self._commits()
        rows = self.rows[: last + 1]
        paths = {path for row in commits.rows[: last + 1] for path in row.redacted_paths}
        skipped = [SkippedRow(number, row.problem) for number, row in enumerate(rows) if row.problem is not None]
        return StateAt(self.basis, last, commits.whole_value(last), sorted(paths, key=_utf16), skipped or None)

    def whole_value(self, last: int) -> Value:
        """Return the state after row *last*, with every row taken for a commit."""
        if self._base is not None and first_byte(self._base) == b"[":
            # A base that is a list has no keys to fold one by one, and no run of the framework has one.
            state = read_value(self._base)
            for row in self.rows[: last + 1]:
                updates, overwrite = _read(row.updates), _read(row.overwrite)
                for entry in row.trace:
                    apply_write(state, entry.path.split(SEPARATOR), entry.verb, updates, overwrite)
            return state
        held = ((key, self.value_at(key, last)) for key in self.key_names())
        return {key: value for key, value in held if value is not UNDEFINED or self._is_held(key, last)}

    def _commits(self) -> Log:
        """Return this log with its odd rows emptied: the whole state skips them, where the value of a key does not."""
        if all(row.is_commit for row in self.rows):
            return self
        if self._without_odd_rows is None:
            rows = [row if row.is_commit else Row((), {}, {}) for row in self.rows]
            self._without_odd_rows = Log(rows, self._base or msgspec.Raw())
        return self._without_odd_rows

    def _is_held(self, key: str, last: int) -> bool:
        """Whether *key* was written up to row *last* and not deleted again, even if its value was lost in JSON."""
        before = [touch for touch in self.touches(key) if touch.row <= last]
        return bool(before) and before[-1].verb != "delete"

    def _clamp(self, index: float) -> int:
        if math.isnan(index):
            return -1
        return int(max(-1, min(math.floor(index) if math.isfinite(index) else index, len(self.rows) - 1)))


def _index(rows: Sequence[Row]) -> dict[str, list[Touch]]:
    touches: dict[str, list[Touch]] = {}
    for number, row in enumerate(rows):
        for entry in row.trace:
            segments = tuple(entry.path.split(SEPARATOR))
            if not REFUSED_SEGMENTS.isdisjoint(segments):
                # Such a write does nothing; as an anchor it would hide the base.
                continue
            touches.setdefault(segments[0], []).append(Touch(number, segments, entry.verb))
    return touches


def _read(patch: Mapping[str, msgspec.Raw]) -> dict[str, Value]:
    return {key: read_value(raw) for key, raw in patch.items()}


def _utf16(text: str) -> bytes:
    return text.encode("utf-16-be", "surrogatepass")


class _Track:
    """
    The values of one key along a log.

    It keeps one private value and how far it got. A list that only grows is grown in place, and an earlier length of it
    is a slice; so a conversation costs what it holds, whatever is asked in whatever order.
    """

    def __init__(self, log: Log, key: str) -> None:
        self._log = log
        self._key = key
        self._touches = log.touches(key)
        self._rows = [touch.row for touch in self._touches]
        #: How many touches are in `_value`; -1 before the first question.
        self._done = -1
        self._value: Value = UNDEFINED
        self._holds_copy = False
        self._is_private_list = False
        #: Lengths of the private list after each of its touches.
        self._lengths: dict[int, int] = {}
        self._answers: dict[int, Value] = {}

    def value_after(self, row: int) -> Value:
        return self._after(bisect_right(self._rows, row))

    def _after(self, count: int) -> Value:
        """Return the value after the first *count* touches."""
        if count in self._answers:
            return self._answers[count]
        if count in self._lengths:
            return self._value[: self._lengths[count]]
        self._go_to(count)
        if self._is_private_list:
            return self._value[:]
        if self._holds_copy:
            # The next nested write goes on changing the private value.
            self._answers[count] = clone(self._value)
            return self._answers[count]
        self._answers[count] = self._value
        return self._value

    def _go_to(self, count: int) -> None:
        anchor = next((n for n in range(count - 1, -1, -1) if self._touches[n].is_anchor), None)
        if self._done < 0 or count < self._done or (anchor is not None and anchor >= self._done):
            self._done = 0 if anchor is None else anchor
            self._forget(self._log.base_value(self._key) if anchor is None else UNDEFINED)
        while self._done < count:
            self._apply(self._touches[self._done])
            self._done += 1
            if self._is_private_list:
                self._lengths[self._done] = len(self._value)

    def _forget(self, value: Value) -> None:
        self._value, self._holds_copy, self._is_private_list = value, False, False
        self._lengths = {}

    def _apply(self, touch: Touch) -> None:
        patch = self._log.patch(touch.row, self._key, touch.verb)
        if touch.is_anchor:
            self._forget(patch if touch.verb == "set" else UNDEFINED)
        elif touch.is_whole and touch.verb == "append":
            self._append(patch)
        else:
            self._write(touch, patch)

    def _append(self, tail: Value) -> None:
        if not (isinstance(self._value, list) and isinstance(tail, list)):
            self._forget(tail)
            return
        if not self._is_private_list and not self._holds_copy:
            # The elements stay shared: they are never changed in place.
            self._value, self._is_private_list = self._value[:], True
            self._lengths[self._done] = len(self._value)
        self._value.extend(tail)

    def _write(self, touch: Touch, patch: Value) -> None:
        if not self._holds_copy:
            self._forget(clone(self._value))
            self._holds_copy = True
        state = {} if self._value is UNDEFINED else {self._key: self._value}
        values = {} if patch is UNDEFINED else {self._key: patch}
        apply_write(state, touch.segments, touch.verb, values, values)
        self._value = state.get(self._key, UNDEFINED)
