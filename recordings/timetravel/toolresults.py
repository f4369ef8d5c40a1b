"""Results of tool calls: which are on record, and which epoch they were first served at."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence

import msgspec

from recordings.timetravel.callevents import text_or_none
from recordings.timetravel.calls import call_facts
from recordings.timetravel.epochs import EpochLocation, all_epoch_locations, read_at_call
from recordings.timetravel.lanewindow import LaneWindow, lane_window
from recordings.timetravel.places import BASE
from recordings.timetravel.recording import Recording
from recordings.timetravel.sent import HISTORY
from recordings.timetravel.values import Value, is_object


class ToolResult(msgspec.Struct, frozen=True):
    """One tool call of a lane, and what became of it."""

    lane: str
    tool_call_id: str
    name: str | None
    #: The position of the epoch that asked; None when no call of this recording did.
    asked_at: int | None
    #: Whether a message of the lane, or the batch of a tool stage, holds a result.
    is_recorded: bool = False
    #: The result; None when it is not on record, or is no text.
    text: str | None = None
    #: The execution that wrote it; None when that is not on record, or before this recording.
    recorded_by: str | None = None
    #: The position of the first epoch whose messages hold it; None when none is known to.
    served_at: int | None = None
    #: Whether the lane made another call after the one that asked, and before the one that was served the result.
    is_late: bool = False


class _Arrival(msgspec.Struct, frozen=True):
    """A result, where it comes up."""

    tool_call_id: str
    name: str | None
    text: str | None
    recorded_by: str | None
    #: The index of the first epoch of the lane after it, and that epoch when its messages are known to hold it.
    epoch_index: int
    served_at: int | None


def tool_results(recording: Recording) -> list[ToolResult]:
    """
    Return every tool call that the recording knows of: lane by lane, in the order they came up.

    Of several calls with one id each takes the first result after it.
    """
    lanes: dict[LaneWindow, list[EpochLocation]] = {}
    for location in all_epoch_locations(recording):
        lanes.setdefault(lane_window(recording, location), []).append(location)
    return [result for window, locations in lanes.items() for result in _Ledger(recording, window, locations).results()]


class _Ledger:
    """What a lane asked for and what it was answered."""

    def __init__(self, recording: Recording, window: LaneWindow, locations: Sequence[EpochLocation]) -> None:
        self._recording = recording
        self._locations = locations
        rows = [row for location in locations if (row := window.row_of(location)) is not None]
        is_known = len(rows) == len(locations)
        self._arrivals: list[list[_Arrival]] = [[] for _ in range(len(locations) + 1)]
        for arrival in _from_lane(window, locations, rows) if is_known else _from_calls(locations):
            self._arrivals[arrival.epoch_index].append(arrival)
        self._found: list[ToolResult] = []
        self._latest: dict[str, int] = {}

    def results(self) -> list[ToolResult]:
        for index, location in enumerate(self._locations):
            self._answer(self._arrivals[index])
            for call in call_facts(self._recording, location).tool_calls or ():
                if call.id is not None:
                    self._ask(call.id, call.name, location.position)
        self._answer(self._arrivals[-1])
        return self._found

    def _ask(self, tool_call_id: str, name: str | None, asked_at: int | None) -> None:
        self._latest[tool_call_id] = len(self._found)
        self._found.append(ToolResult(self._locations[0].lane, tool_call_id, name, asked_at))

    def _answer(self, arrivals: Iterable[_Arrival]) -> None:
        for arrival in arrivals:
            if arrival.tool_call_id not in self._latest:
                self._ask(arrival.tool_call_id, arrival.name, None)
            number = self._latest[arrival.tool_call_id]
            asked = self._found[number]
            if not asked.is_recorded:
                self._found[number] = msgspec.structs.replace(
                    asked,
                    name=asked.name or arrival.name,
                    is_recorded=True,
                    text=arrival.text,
                    recorded_by=arrival.recorded_by,
                    served_at=arrival.served_at,
                    is_late=self._is_late(asked.asked_at, arrival),
                )

    def _is_late(self, asked_at: int | None, arrival: _Arrival) -> bool:
        if asked_at is None or arrival.served_at is None or not arrival.epoch_index:
            return False
        return self._locations[arrival.epoch_index - 1].position > asked_at


def _from_lane(window: LaneWindow, locations: Sequence[EpochLocation], rows: Sequence[int]) -> Iterator[_Arrival]:
    """Yield the results in the lane's log: its tool messages first, then the batches of its tool stages."""
    for known in window.messages:
        tool_call = known.text("toolCallId")
        if known.text("role") != "tool" or tool_call is None:
            continue
        row = known.message.row
        index = bisect_right(rows, row)
        is_served = index < len(rows) and known.is_served_before(rows[index])
        yield _Arrival(
            tool_call,
            known.text("toolName"),
            known.text("content"),
            known.message.runtime_stage_id or None,
            index,
            locations[index].position if is_served else None,
        )
    for row in dict.fromkeys([BASE, *(touch.row for touch in window.log.touches("toolResults"))]):
        batch = window.log.value_at("toolResults", row)
        writer = window.log.rows[row].runtime_stage_id if row != BASE else None
        for result in batch if isinstance(batch, list) else ():
            yield from _arrival_in_batch(result, writer if isinstance(writer, str) else None, bisect_right(rows, row))


def _arrival_in_batch(result: Value, writer: str | None, index: int) -> Iterator[_Arrival]:
    members = result if is_object(result) else {}
    tool_call = text_or_none(members.get("toolCallId"))
    if tool_call is not None:
        yield _Arrival(
            tool_call,
            text_or_none(members.get("toolName")),
            text_or_none(members.get("result")),
            writer or None,
            index,
            None,
        )


def _from_calls(locations: Sequence[EpochLocation]) -> Iterator[_Arrival]:
    """Yield the results that the calls themselves were served: the lane's log does not hold the calls."""
    known: set[str] = set()
    for index, location in enumerate(locations):
        history = read_at_call(location, HISTORY)
        for message in history if isinstance(history, list) else ():
            members = message if is_object(message) else {}
            tool_call = text_or_none(members.get("toolCallId"))
            if members.get("role") != "tool" or tool_call is None or tool_call in known:
                continue
            known.add(tool_call)
            yield _Arrival(
                tool_call,
                text_or_none(members.get("toolName")),
                text_or_none(members.get("content")),
                None,
                index,
                location.position,
            )
