"""The event stream, sorted by the calls that its events belong to, in one pass."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Mapping
from typing import Final, TypeAlias
from weakref import WeakKeyDictionary

import msgspec

from recordings.timetravel.document import Event
from recordings.timetravel.epochs import all_epoch_locations
from recordings.timetravel.ids import parse_runtime_stage_id
from recordings.timetravel.jsontext import read_members, read_value
from recordings.timetravel.lanes import execution_index
from recordings.timetravel.recording import Recording
from recordings.timetravel.values import UNDEFINED, Value, is_object

#: The members of an event's payload, unread.
Payload: TypeAlias = Mapping[str, msgspec.Raw]

_PREFIX: Final = "agentfootprint."
_KINDS: Final = frozenset(
    {
        "stream.llm_start",
        "stream.llm_end",
        "stream.tool_end",
        "context.evaluated",
        "context.evicted",
        "pause.request",
        "error.fatal",
    }
)


class CallEvents:
    """What the events of one recording tell about its calls. All of it is empty without an event stream."""

    def __init__(self, recording: Recording) -> None:
        #: By the call's runtime stage id.
        self.starts: dict[str, Payload] = {}
        self.ends: dict[str, Payload] = {}
        #: By the call that the injections were evaluated for.
        self.evaluations: dict[str, Payload] = {}
        #: By the call that asked and the id of the tool call, which a provider may use again.
        self.tool_ends: dict[tuple[str, str], Payload] = {}
        #: By the lane; each with the execution that it happened in.
        self.evictions: dict[str, list[tuple[str, Payload]]] = {}
        #: Why the run ended, by the execution that it is recorded at; empty text where that is not known.
        self.fatal: dict[str, str] = {}
        #: What a pause asked for, in the order of the stream.
        self.pauses: list[Payload] = []
        self._lanes: dict[str, tuple[list[float], list[str]]] = {}
        for location in all_epoch_locations(recording):
            indices, calls = self._lanes.setdefault(location.lane, ([], []))
            indices.append(execution_index(location.call_runtime_stage_id))
            calls.append(str(location.call_runtime_stage_id))
        for event in recording.events or ():
            kind = event.type.removeprefix(_PREFIX)
            if kind in _KINDS:
                self._add(kind, read_members(event.payload) or {}, _stage_of(event))

    def _add(self, kind: str, payload: Payload, stage: str) -> None:
        before, after = self._calls_around(stage)
        if kind == "stream.llm_start":
            self.starts[stage] = payload
        elif kind == "stream.llm_end":
            self.ends[stage] = payload
        elif kind == "stream.tool_end" and before is not None:
            tool_call = member(payload, "toolCallId")
            if isinstance(tool_call, str):
                self.tool_ends[before, tool_call] = payload
        elif kind == "context.evaluated" and after is not None:
            self.evaluations[after] = payload
        elif kind == "context.evicted":
            self.evictions.setdefault(self._lane_of(stage) or "", []).append((stage, payload))
        elif kind == "pause.request":
            self.pauses.append(payload)
        elif kind == "error.fatal":
            self.fatal[stage] = _reason(payload)

    def _calls_around(self, stage: str) -> tuple[str | None, str | None]:
        """Return the last call of its lane before the execution *stage*, and the first one after it."""
        lane = self._lane_of(stage)
        if lane is None or "#" not in stage:
            return None, None
        indices, calls = self._lanes[lane]
        number = bisect_left(indices, execution_index(stage))
        return calls[number - 1] if number else None, calls[number] if number < len(calls) else None

    def _lane_of(self, stage: str) -> str | None:
        path = parse_runtime_stage_id(stage).subflow_path or ""
        lanes = [lane for lane in self._lanes if not lane or path == lane or path.startswith(f"{lane}/")]
        return max(lanes, key=len) if lanes else None


_events: WeakKeyDictionary[Recording, CallEvents] = WeakKeyDictionary()


def call_events(recording: Recording) -> CallEvents:
    """Return the events of *recording* by call, sorted once."""
    if recording not in _events:
        _events[recording] = CallEvents(recording)
    return _events[recording]


def member(payload: Payload, name: str) -> Value:
    """Return the member *name* of *payload*, `UNDEFINED` when it has none."""
    return read_value(payload[name]) if name in payload else UNDEFINED


def text_or_none(value: Value) -> str | None:
    """Return *value* when it is a text, else None."""
    return value if isinstance(value, str) else None


def _stage_of(event: Event) -> str:
    return (event.meta.runtime_stage_id if event.meta is not None else None) or ""


def _reason(payload: Payload) -> str:
    error = member(payload, "error")
    text = text_or_none(error.get("message") if is_object(error) else error)
    return text or text_or_none(member(payload, "message")) or ""
