"""Making pieces: what one is called, where it was written, and where it was put into the context."""

from __future__ import annotations

import json
from typing import Final

import msgspec

from recordings.timetravel.conversation import COMPACT_STAGE, LaneHistory, Message
from recordings.timetravel.epochs import CALL_MOUNT, EpochLocation
from recordings.timetravel.lanemessages import Served
from recordings.timetravel.lanes import lane_log, lane_mount
from recordings.timetravel.offered import tool_name_of
from recordings.timetravel.pieces import Birth, Piece, piece_id
from recordings.timetravel.places import BASE, RUN_LOG, Place, Places, log_name_of
from recordings.timetravel.recording import Recording
from recordings.timetravel.sent import message_as_sent
from recordings.timetravel.system import SystemPart
from recordings.timetravel.values import UNDEFINED, Value, is_object

_ROLE_SOURCES: Final = {"user": "user", "assistant": "assistant", "tool": "tool-result"}
#: Stages that write messages in the name of a role: nobody typed those.
_STAGES_THAT_SPEAK: Final = frozenset({COMPACT_STAGE, "wrap-up"})


class PieceMaker:
    """Makes the pieces of one lane of a recording."""

    def __init__(self, recording: Recording, places: Places, lane: str) -> None:
        self._recording = recording
        self._places = places
        self._lane = lane
        self._results: dict[str, int] | None = None

    def place(self, location: EpochLocation, row: int) -> Place:
        """Return the place of *row* of the log that the call of *location* is in."""
        return self._places.place(location.source, log_name_of(location), row, self._lane)

    def system_piece(self, part: SystemPart, number: int, location: EpochLocation, landed: Place) -> Piece:
        """Return the piece that *part* is, the one with *number* in the prompt of *location*; its id is still empty."""
        active = location.source.last_row("activeInjections", location.call_index)
        is_injected = part.memory is None and part.source not in (None, "base") and active != BASE
        return Piece(
            id="",
            birth=(landed.log, landed.commit_index, number),
            lane=self._lane,
            slot="system-prompt",
            key=part.key,
            text=part.text,
            own=part.own,
            source=part.source,
            source_id=part.source_id,
            recorded_source=part.recorded_source,
            reason=part.reason,
            role=None,
            value=UNDEFINED,
            origin=landed if part.memory is None else self._memory_origin(part.memory.memory_id, location, landed),
            landed=landed,
            let_in=self.place(location, active) if is_injected else None,
            record=part.record,
            starts_record=part.starts_record,
            memory=part.memory,
            document_id=part.document_id,
        )

    def _memory_origin(self, memory_id: str, location: EpochLocation, landed: Place) -> Place:
        """Return the commit of the lane's log that brought the memory in."""
        log = lane_log(self._recording, location)
        name = lane_mount(self._recording, location) or RUN_LOG
        end = location.call_index if log is location.source else log.length
        row = log.last_row(f"memoryInjection_{memory_id}", end)
        return landed if row == BASE else self._places.place(log, name, row, self._lane)

    def message_piece(self, message: Message, served: Served, location: EpochLocation) -> Piece:
        """Return the piece that *message* is, which *location* is the first to be served."""
        sent = message_as_sent(message.value)
        fields = sent if is_object(sent) else {}
        content = fields.get("content")
        text = content if isinstance(content, str) else _json(content if is_object(sent) else sent)
        source, source_id, reason, recorded = _source_of(message)
        call_id = fields.get("toolCallId") if message.record is UNDEFINED else source_id
        is_result = source == "tool-result" and isinstance(call_id, str)
        key = ("result", str(call_id)) if is_result else ("message",)
        birth: Birth = (message.log_name, message.row, message.element)
        return Piece(
            id=piece_id(self._recording.sha256, self._lane, key, birth),
            birth=birth,
            lane=self._lane,
            slot="messages",
            key=key,
            text=text,
            own=(0, len(text)),
            source=source,
            source_id=source_id,
            recorded_source=recorded,
            reason=reason,
            role=_text(fields.get("role")),
            value=sent,
            origin=self._message_origin(message, call_id if is_result else None, location),
            landed=self.place(location, served.row),
            tool_call_id=str(call_id) if is_result else None,
            tool_name=_text(fields.get("toolName")),
            folded=_folded(message),
        )

    def _message_origin(self, message: Message, call_id: Value, location: EpochLocation) -> Place:
        if message.record is not UNDEFINED:
            return self._result_origin(call_id, location) or self.place(location, message.row)
        if message.stage == CALL_MOUNT:
            # The row of a mount only copies what the log inside wrote.
            inner = self._recording.mount_log(message.runtime_stage_id)
            history = LaneHistory(inner, message.runtime_stage_id) if inner is not None else None
            if history is not None:
                history.advance(history.log.length)
                written = [m for m in history.messages if m.identity == message.identity]
                if written:
                    return self._places.place(history.log, history.log_name, written[-1].row, self._lane)
        return self._places.place(message.log, message.log_name, message.row, self._lane)

    def _result_origin(self, call_id: Value, location: EpochLocation) -> Place | None:
        """Return the commit whose ``toolResults`` holds the call, for a conversation that was taken out."""
        log = lane_log(self._recording, location)
        if self._results is None:
            self._results = {}
            for touch in log.touches("toolResults"):
                results = log.value_at("toolResults", touch.row)
                for result in results if isinstance(results, list) else ():
                    if is_object(result) and isinstance(result.get("toolCallId"), str):
                        self._results.setdefault(result["toolCallId"], touch.row)
        row = self._results.get(call_id) if isinstance(call_id, str) else None
        name = lane_mount(self._recording, location) or RUN_LOG
        return None if row is None else self._places.place(log, name, row, self._lane)

    def tool_piece(self, schema: Value, number: int, landed: Place) -> Piece:
        """Return the piece that *schema* is, the one with *number* among the tools; its id is still empty."""
        name, text = tool_name_of(schema), _json(schema)
        return Piece(
            id="",
            birth=(landed.log, landed.commit_index, number),
            lane=self._lane,
            slot="tools",
            key=("tool", name),
            text=text,
            own=(0, len(text)),
            source=None,
            source_id=None,
            recorded_source=None,
            reason=None,
            role=None,
            value=schema,
            origin=landed,
            landed=landed,
            tool_name=name or None,
        )


def _source_of(message: Message) -> tuple[str | None, str | None, str | None, str | None]:
    """Return source, id, reason, and what the recording calls the source where we know better."""
    if is_object(message.record):
        record = message.record
        return _text(record.get("source")), _text(record.get("sourceId")), _text(record.get("reason")), None
    fields = message.value if is_object(message.value) else {}
    injected = fields.get("injectedBy")
    if is_object(injected):
        flavor, injection = _text(injected.get("flavor")), _text(injected.get("injectionId"))
        return flavor, injection, _text(injected.get("reason")), None
    role = fields.get("role")
    source = _ROLE_SOURCES.get(role) if isinstance(role, str) else None
    if message.stage in _STAGES_THAT_SPEAK:
        # Nobody typed it: the framework did.
        return "custom", message.stage, None, source
    return source, _text(fields.get("toolCallId")) if source == "tool-result" else None, None, None


def _folded(message: Message) -> list[Value]:
    """Return the messages that a compaction put *message* in the place of."""
    if message.stage != COMPACT_STAGE:
        return []
    spans = message.log.value_at("foldedSpans", message.row)
    last = spans[-1] if isinstance(spans, list) and spans else None
    folded = last.get("messages") if is_object(last) else None
    return folded if isinstance(folded, list) else []


def _json(value: Value) -> str:
    try:
        return msgspec.json.encode(value).decode()
    except (UnicodeEncodeError, TypeError, ValueError):
        return json.dumps(value, ensure_ascii=False, default=repr)


def _text(value: Value) -> str | None:
    return value if isinstance(value, str) else None
