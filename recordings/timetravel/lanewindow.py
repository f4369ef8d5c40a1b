"""The window of a lane: every message that ever stood in its history, when it came and when it left."""

from __future__ import annotations

from collections.abc import Iterator
from weakref import WeakKeyDictionary

import msgspec

from recordings.timetravel.conversation import LaneHistory, Message
from recordings.timetravel.epochs import EpochLocation
from recordings.timetravel.fold import Log
from recordings.timetravel.lanes import execution_index, lane_log, lane_mount
from recordings.timetravel.places import RUN_LOG
from recordings.timetravel.recording import Recording
from recordings.timetravel.sent import HISTORY
from recordings.timetravel.values import is_object


class WindowMessage(msgspec.Struct, eq=False):
    """A message of the history, which its row brought."""

    message: Message
    #: The row that took it out again, None when none is known to have.
    left_at: int | None = None
    #: The row from which on nobody can tell, because the history is no list any more.
    hidden_at: int | None = None

    def text(self, member: str) -> str | None:
        """Return the text that the message has under *member*, None when it has none."""
        value = self.message.value.get(member) if is_object(self.message.value) else None
        return value if isinstance(value, str) else None

    def is_served_before(self, row: int) -> bool:
        """Whether it is known to be in the history that stands before *row*."""
        ends = (end for end in (self.left_at, self.hidden_at) if end is not None)
        return self.message.row < row and all(end >= row for end in ends)


class LaneWindow:
    """
    The history in the log of one lane, from end to end.

    A history that is no list, a redacted one for instance, holds no messages; what it held before has not left then.
    """

    def __init__(self, log: Log, log_name: str) -> None:
        self.log = log
        self.log_name = log_name
        self.messages: list[WindowMessage] = list(self._follow())
        self._first_rows: dict[object, int] = {}
        for number, row in enumerate(log.rows):
            self._first_rows.setdefault(row.runtime_stage_id, number)

    def row_of(self, location: EpochLocation) -> int | None:
        """Return the row before which the call at *location* was made; None when the log does not tell."""
        if location.source is self.log:
            return location.call_index
        if location.subflow_scope in self._first_rows:
            return self._first_rows[location.subflow_scope]
        # The mount has no row when the run ended in it: then everything in the log came before.
        call = execution_index(location.call_runtime_stage_id)
        is_after_all = all(execution_index(row.runtime_stage_id or "#0") < call for row in self.log.rows)
        return self.log.length if self.log.rows and is_after_all else None

    def _follow(self) -> Iterator[WindowMessage]:
        history = LaneHistory(self.log, self.log_name)
        window: list[WindowMessage] = [WindowMessage(message) for message in history.messages]
        yield from window
        for row in dict.fromkeys(touch.row for touch in self.log.touches(HISTORY)):
            history.advance(row + 1)
            n_same = history.n_kept
            gone = {id(known.message): known for known in window[n_same:]}
            after = [gone.pop(id(message), WindowMessage(message)) for message in history.messages[n_same:]]
            for known in gone.values():
                if history.is_list:
                    known.left_at = row
                else:
                    known.hidden_at = row
            window[n_same:] = after
            yield from (known for known in after if known.message.row == row)


_windows: WeakKeyDictionary[Recording, dict[Log, LaneWindow]] = WeakKeyDictionary()


def lane_window(recording: Recording, location: EpochLocation) -> LaneWindow:
    """Return the window of the lane of *location*, followed once per log."""
    windows = _windows.setdefault(recording, {})
    log = lane_log(recording, location)
    if log not in windows:
        windows[log] = LaneWindow(log, lane_mount(recording, location) or RUN_LOG)
    return windows[log]
