"""Which messages each call of a lane was served, as the same objects for as long as they are the same messages."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, TypeAlias

import msgspec

from recordings.timetravel.align import align
from recordings.timetravel.conversation import CallHistory, Found, LaneHistory, Message
from recordings.timetravel.epochs import EpochLocation
from recordings.timetravel.keyreader import KeyReader
from recordings.timetravel.lanes import lane_log, lane_mount
from recordings.timetravel.places import RUN_LOG, log_name_of
from recordings.timetravel.recording import Recording
from recordings.timetravel.sent import HISTORY, MESSAGES_INJECTIONS, message_of_record
from recordings.timetravel.values import REDACTED, Value, is_object

#: How a slot of an epoch was read: from what the call was handed; from a copy of it, because a policy had taken the
#: original out; not at all, because it was taken out; or not at all, because it is not on record.
SlotState: TypeAlias = Literal["recorded", "copy", "redacted", "absent"]


class Served(msgspec.Struct):
    """The messages of one epoch."""

    messages: Sequence[Message]
    #: How many at the start are those of the epoch before.
    n_same: int
    state: SlotState
    #: The key that they were read from, and the row of the call's log that wrote it last.
    key: str
    row: int


class LaneMessages:
    """Follows the messages of one lane from call to call."""

    def __init__(self, recording: Recording) -> None:
        self._recording = recording
        self._lane: LaneHistory | None = None
        self._calls = CallHistory()
        self._injections = KeyReader(MESSAGES_INJECTIONS)
        self._served: Sequence[Message] = []
        #: The history whose own list was served last; it changes that list in place.
        self._lane_served: LaneHistory | None = None
        #: Messages of the lane's log that no call was seen to be served, and how many of the lane's were looked at.
        self._unused: list[Message] = []
        self._n_looked_at = 0

    def at(self, location: EpochLocation) -> Served:
        """Return the messages of *location*; to be asked in the order of execution."""
        lane = self._followed(location)
        if location.source is lane.log:
            lane.advance(location.call_index)
            if lane.is_list:
                n_same = lane.n_kept if self._lane_served is lane else 0
                self._served, self._lane_served = lane.messages, lane
                return self._recorded(location, n_same)
            return self._from_copy(location, lane.other)
        # What stands before the mount is what the call was handed.
        lane.advance(lane.first_row_of(location.subflow_scope))
        found = self._calls.read(location.source, location.call_index)
        if isinstance(found.value, list):
            return self._recorded(location, self._match(found, lane, location))
        return self._from_copy(location, found.value)

    def _recorded(self, location: EpochLocation, n_same: int) -> Served:
        row = location.source.last_row(HISTORY, location.call_index)
        return Served(self._served, n_same, "recorded", HISTORY, row)

    def _followed(self, location: EpochLocation) -> LaneHistory:
        log = lane_log(self._recording, location)
        if self._lane is None or self._lane.log is not log:
            self._lane = LaneHistory(log, lane_mount(self._recording, location) or RUN_LOG)
            self._unused, self._n_looked_at = [], 0
        return self._lane

    def _match(self, found: Found, lane: LaneHistory, location: EpochLocation) -> int:
        """Find the messages of *found* among those that are known, and keep them. Returns how many stay in place."""
        n_same = min(found.n_same, len(self._served))
        kept, gone = list(self._served[:n_same]), self._served[n_same:]
        name = log_name_of(location)
        fresh = [
            Message(value, location.source, name, *found.birth(n_same + number))
            for number, value in enumerate(found.value[n_same:])
        ]
        # First those that only calls were seen to have, then those that the lane's log holds.
        _adopt(fresh, [message for message in gone if message.log is not lane.log])
        candidates = self._not_served(lane, kept, is_longer=not gone)
        _adopt(fresh, candidates)
        taken = {id(message) for message in fresh}
        self._unused = [message for message in candidates if id(message) not in taken]
        self._n_looked_at = len(lane.messages)
        self._served, self._lane_served = kept + fresh, None
        return n_same

    def _not_served(self, lane: LaneHistory, kept: list[Message], *, is_longer: bool) -> list[Message]:
        if is_longer and lane.n_kept == self._n_looked_at:
            return self._unused + lane.messages[self._n_looked_at :]
        served = {id(message) for message in kept}
        return [message for message in lane.messages if id(message) not in served]

    def _from_copy(self, location: EpochLocation, history: Value) -> Served:
        """Read the messages slot instead of the conversation, which is not there or was taken out."""
        self._lane_served = None
        records, is_same = self._injections.read(location.source, location.call_index)
        row = self._injections.row
        is_redacted = history == REDACTED
        if not isinstance(records, list):
            self._served = []
            state: SlotState = "redacted" if is_redacted or records == REDACTED else "absent"
            return Served([], 0, state, MESSAGES_INJECTIONS, row)
        state = "copy" if is_redacted else "recorded"
        if is_same:
            return Served(self._served, len(self._served), state, MESSAGES_INJECTIONS, row)
        name = log_name_of(location)
        fresh = [
            Message(value, location.source, name, row, number, record=record)
            for number, (record, value) in enumerate(_messages_of(records))
        ]
        _adopt(fresh, self._served)
        self._served = fresh
        return Served(fresh, 0, state, MESSAGES_INJECTIONS, row)


def _adopt(fresh: list[Message], known: Sequence[Message]) -> None:
    """Put messages of *known* in the place of equal ones of *fresh*, in their order."""
    open_places = [number for number, message in enumerate(fresh) if message.piece is None]
    if not open_places or not known:
        return
    found = align([m.identity for m in known], [fresh[number].identity for number in open_places])
    for number, index in zip(open_places, found, strict=True):
        if index is not None:
            fresh[number] = known[index]


def _messages_of(records: Sequence[Value]) -> list[tuple[Value, Value]]:
    """Return the records of the messages slot that were sent, each with the message it stands for."""
    found = [(record, message_of_record(record)) for record in records if is_object(record)]
    return [(record, message) for record, message in found if message is not None]
