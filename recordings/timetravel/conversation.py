"""
The messages of a lane, followed through the log that they were written to.

A message is the whole of it, never its text: many turns of an assistant have no text at all. It is born where it first
stands in the lane's log; what that log does not hold is born in the log of the call that first served it.
"""

from __future__ import annotations

import json
from bisect import bisect_right
from collections.abc import Sequence
from typing import Final
from weakref import WeakKeyDictionary

import msgspec

from recordings.timetravel.align import align
from recordings.timetravel.fold import Log, Touch
from recordings.timetravel.ids import parse_runtime_stage_id
from recordings.timetravel.jsontext import read_value
from recordings.timetravel.pieces import Piece
from recordings.timetravel.places import BASE
from recordings.timetravel.sent import HISTORY
from recordings.timetravel.values import UNDEFINED, Value, is_object

COMPACT_STAGE: Final = "compact"


class Message(msgspec.Struct, eq=False):
    """One message of a conversation, and where it was born."""

    value: Value
    log: Log
    #: The name of the log, the row (−1 for the base), and which element of what was written there.
    log_name: str
    row: int
    element: int
    #: The record of the messages slot that it was read from, where the conversation itself could not be read.
    record: Value = UNDEFINED
    #: The piece it is, once it was served.
    piece: Piece | None = None
    _identity: bytes | None = None

    @property
    def identity(self) -> bytes:
        """What two messages have in common exactly when all of them is equal."""
        if self._identity is None:
            self._identity = identity_of(self.value)
        return self._identity

    @property
    def runtime_stage_id(self) -> str:
        """The execution that wrote it; empty for the base."""
        return str(self.log.rows[self.row].runtime_stage_id) if self.row != BASE else ""

    @property
    def stage(self) -> str:
        """The local id of the stage that wrote it; empty for the base."""
        return parse_runtime_stage_id(self.runtime_stage_id).stage_id


def identity_of(value: Value) -> bytes:
    """Return bytes that are equal for equal values, whatever the order of keys."""
    try:
        return msgspec.json.encode(value, order="sorted")
    except (UnicodeEncodeError, TypeError, ValueError):
        return json.dumps(value, sort_keys=True, default=repr).encode()


_tails: WeakKeyDictionary[Log, dict[int, Value]] = WeakKeyDictionary()


class LaneHistory:
    """
    The conversation in one log, element by element, as far as it was followed.

    `messages` is one list that grows and is only replaced where the log rewrites it. `n_kept` says how many messages at
    its start are those of the time when it was last asked about.
    """

    def __init__(self, log: Log, log_name: str) -> None:
        self.log = log
        self.log_name = log_name
        self._touches = log.touches(HISTORY)
        self._done = 0
        self._first_rows: dict[object, int] | None = None
        #: The value where it is no list, `UNDEFINED` before anything was written.
        self.other: Value = UNDEFINED
        self.is_list = False
        self.messages: list[Message] = []
        self.n_kept = 0
        self._replace(log.base_value(HISTORY), BASE)

    def first_row_of(self, runtime_stage_id: str | None) -> int:
        """Return the first row of that execution; 0 when the log has none."""
        if self._first_rows is None:
            self._first_rows = {}
            for number, row in enumerate(self.log.rows):
                self._first_rows.setdefault(row.runtime_stage_id, number)
        return self._first_rows.get(runtime_stage_id, 0)

    def advance(self, end_row: int) -> None:
        """Follow the log up to, and without, *end_row*."""
        self.n_kept = len(self.messages)
        while self._done < len(self._touches) and self._touches[self._done].row < end_row:
            self._follow(self._touches[self._done])
            self._done += 1

    def _follow(self, touch: Touch) -> None:
        if touch.is_whole and touch.verb == "append" and self.is_list:
            tail = self._tail(touch.row)
            if isinstance(tail, list):
                self.messages.extend(self._born(tail, touch.row))
                return
            self._replace(tail, touch.row)
        elif touch.is_whole and touch.verb == "set":
            self._replace(self.log.patch(touch.row, HISTORY, "set"), touch.row)
        else:
            self._replace(self.log.value_at(HISTORY, touch.row), touch.row)

    def _tail(self, row: int) -> Value:
        """Return what *row* appended, read once for all who follow the log: their messages share it."""
        tails = _tails.setdefault(self.log, {})
        if row not in tails:
            tails[row] = self.log.patch(row, HISTORY, "append")
        return tails[row]

    def _born(self, values: Sequence[Value], row: int) -> list[Message]:
        return [Message(value, self.log, self.log_name, row, element) for element, value in enumerate(values)]

    def _replace(self, value: Value, row: int) -> None:
        """Put *value* in the place of the conversation; what is still in it stays the message that it was."""
        self.is_list = isinstance(value, list)
        self.other = UNDEFINED if self.is_list else value
        fresh = self._born(value if isinstance(value, list) else [], row)
        left = self._not_removed(row)
        kept = align([message.identity for message in left], [message.identity for message in fresh])
        before = self.messages
        self.messages = [message if index is None else left[index] for message, index in zip(fresh, kept, strict=True)]
        same = 0
        while same < min(self.n_kept, len(self.messages)) and self.messages[same] is before[same]:
            same += 1
        self.n_kept = same

    def _not_removed(self, row: int) -> list[Message]:
        """Return the messages that the commit in *row* can have kept: a compaction lists the stages it removed."""
        if row == BASE or parse_runtime_stage_id(str(self.log.rows[row].runtime_stage_id)).stage_id != COMPACT_STAGE:
            return self.messages
        compactions = self.log.value_at("compactions", row)
        last = compactions[-1] if isinstance(compactions, list) and compactions else None
        removed = last.get("removedStageIds") if is_object(last) else None
        if not isinstance(removed, list):
            return self.messages
        return [message for message in self.messages if message.runtime_stage_id not in removed]


class Found(msgspec.Struct):
    """The conversation that one call found in a log of its own."""

    #: The list, or what stands in its place.
    value: Value
    #: How many elements at the start are those that the call before found, the same objects.
    n_same: int
    #: Where the elements were written: a row, and the index of the first element from it.
    parts: list[tuple[int, int]]

    def birth(self, index: int) -> tuple[int, int]:
        """Return the row that wrote the element at *index*, and its number there."""
        row, start = self.parts[bisect_right(self.parts, index, key=lambda part: part[1]) - 1]
        return row, index - start


class CallHistory:
    """
    The conversations that the calls of a lane found in logs of their own, read with as little work as they differ.

    In a grouped run each call's log holds all of it anew. What begins as the one before is not read again.
    """

    def __init__(self) -> None:
        self._text = b""
        self._values: list[Value] = []

    def read(self, log: Log, call_index: int) -> Found:
        """Return what the call in row *call_index* of *log* found."""
        touches = [touch for touch in log.touches(HISTORY) if touch.row < call_index]
        first = next((n for n in range(len(touches) - 1, -1, -1) if touches[n].is_anchor), None)
        if first is None or not self._is_list_and_tails(touches[first:]):
            return self._read_whole(log, call_index, touches)
        row = touches[first].row
        n_same = self._extend(bytes(log.rows[row].overwrite.get(HISTORY, b"")))
        values, parts = self._values, [(row, 0)]
        for touch in touches[first + 1 :]:
            tail = log.patch(touch.row, HISTORY, "append")
            if n_same is None or not isinstance(tail, list):
                return self._read_whole(log, call_index, touches)
            parts.append((touch.row, len(values)))
            values = values + tail
        return Found(values, n_same, parts) if n_same is not None else self._read_whole(log, call_index, touches)

    @staticmethod
    def _is_list_and_tails(touches: Sequence[Touch]) -> bool:
        tails = all(touch.is_whole and touch.verb == "append" for touch in touches[1:])
        return touches[0].verb == "set" and tails

    def _extend(self, text: bytes) -> int | None:
        """Read *text*, a list, on top of the one before. Returns how many elements stayed, None when it is no list."""
        if self._text and text.startswith(self._text[:-1]):
            rest = text[len(self._text) - 1 :]
            n_same = len(self._values)
            if rest == b"]":
                return n_same
            if rest[:1] == b"," and n_same:
                self._text, self._values = text, self._values + read_value(b"[" + rest[1:])
                return n_same
        values = read_value(text) if text else UNDEFINED
        if not isinstance(values, list):
            return None
        n_same = 0
        while n_same < min(len(values), len(self._values)) and values[n_same] == self._values[n_same]:
            values[n_same] = self._values[n_same]
            n_same += 1
        self._text, self._values = text, values
        return n_same

    def _read_whole(self, log: Log, call_index: int, touches: Sequence[Touch]) -> Found:
        self._text, self._values = b"", []
        value = log.value_at(HISTORY, call_index - 1)
        return Found(value, 0, [(touches[-1].row if touches else BASE, 0)])
