"""
Reading a recording from its file, whatever of the framework's shape it has or lacks.

Source: the snapshot of footprintjs (``getSnapshot``), the recording and the envelope of agentfootprint.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping
from typing import Any, Final

import msgspec

from recordings.timetravel.document import (
    Document,
    Event,
    EventMeta,
    Mount,
    Row,
    Snapshot,
    TraceRow,
    TreeContext,
    type_name,
)
from recordings.timetravel.errors import TimeTravelError
from recordings.timetravel.jsonspans import first_byte
from recordings.timetravel.jsontext import NOTHING, read_elements, read_members, read_value
from recordings.timetravel.values import UNDEFINED, Value, is_object

ENVELOPE_FORMAT: Final = "agentfootprint.recording.v1"


class NotARecordingError(TimeTravelError):
    """The document is none of the three forms of a recording."""

    code = "not_a_recording"

    def __init__(self, found: str) -> None:
        super().__init__(
            f"This is {found}. A recording is a snapshot (an object with “commitLog”), a snapshot with its events "
            f"(“snapshot”), or an envelope (“format”)."
        )


class UnknownFormatError(TimeTravelError):
    """The envelope names a format that this library does not read."""

    code = "unknown_format"

    def __init__(self, found: Value) -> None:
        self.found = found
        shown = repr(found) if isinstance(found, str) and len(found) <= 100 else f"a {type(found).__name__}"
        super().__init__(f"The format is {shown}. This library reads {ENVELOPE_FORMAT!r}.")


_decode_rows = msgspec.json.Decoder(list[Row]).decode
_decode_row = msgspec.json.Decoder(Row).decode
_decode_mounts = msgspec.json.Decoder(dict[str, Mount]).decode
_decode_events = msgspec.json.Decoder(list[Event]).decode
_decode_trace = msgspec.json.Decoder(list[TraceRow]).decode
#: Rows of so few bytes are shared: what says the same is the same row.
SHORT_ROW_BYTES: Final = 16
#: What msgspec raises for JSON of another shape, and for JSON that it cannot read.
_NOT_TYPED: Final = (msgspec.DecodeError, RecursionError)


def read_document(data: bytes) -> Document:
    """
    Take *data*, UTF-8 JSON without transport compression, apart.

    Raises:
        JsonError: It is not JSON.
        NotARecordingError: It is JSON of another kind.
        UnknownFormatError: It is an envelope of a format that is not read here.
    """
    members = read_members(data)
    if members is None:
        raise NotARecordingError(_kind_of(data))
    if "format" in members:
        found = read_value(members["format"])
        if found != ENVELOPE_FORMAT:
            raise UnknownFormatError(found)
        inner = read_members(members.get("recording", msgspec.Raw(b"null")))
        if inner is None:
            raise NotARecordingError("an envelope without a recording in it")
        document = _read_recording(inner)
        document.form, document.envelope = "envelope", members
        document.boundary_detail = document.boundary_detail or _boundary_detail(members)
        return document
    if "snapshot" in members:
        return _read_recording(members)
    return Document("snapshot", _read_snapshot(members), None, {}, _boundary_detail(members))


def _kind_of(data: bytes) -> str:
    value = read_value(data) if first_byte(data) != b"[" else []
    return {"list": "a list", "str": "a text", "bool": "a boolean", "NoneType": "null"}.get(
        type(value).__name__, "a number"
    )


def _read_recording(members: Mapping[str, msgspec.Raw]) -> Document:
    snapshot = read_members(members.get("snapshot", msgspec.Raw(b"null")))
    if snapshot is None:
        raise NotARecordingError("a recording without a snapshot in it")
    events = members.get("events")
    detail = _boundary_detail(members) or _boundary_detail(snapshot)
    return Document("recording", _read_snapshot(snapshot), None if events is None else _read_events(events), {}, detail)


def _boundary_detail(members: Mapping[str, msgspec.Raw]) -> str | None:
    return _text_or_none(_peek(members.get("boundaryDetail")))


def _read_snapshot(members: Mapping[str, msgspec.Raw]) -> Snapshot:
    nothing = msgspec.Raw()
    rows = _read_rows(members.get("commitLog", nothing))
    run_id = read_value(members["runId"]) if "runId" in members else None
    return Snapshot(
        rows=rows or [],
        has_log=rows is not None,
        initial_state=members.get("initialState", nothing),
        shared_state=members.get("sharedState", nothing),
        execution_tree=members.get("executionTree", nothing),
        mounts=_read_mounts(members.get("subflowResults", nothing)),
        run_id=run_id if isinstance(run_id, str) else None,
    )


def _read_rows(text: msgspec.Raw) -> list[Row] | None:
    if first_byte(text) != b"[":
        return None
    try:
        return _decode_rows(text)
    except _NOT_TYPED:
        rows: list[Any] = read_elements(text) or []
        # In their places, so that the texts of a million rows go as the rows come.
        for number, element in enumerate(rows):
            rows[number] = _read_one_row(element)
        return rows


def _read_one_row(text: msgspec.Raw) -> Row:
    """Read a row, the same one again for the same few bytes: a log may be a million times ``0``."""
    if len(memoryview(text)) <= SHORT_ROW_BYTES:
        return _read_short_row(bytes(text))
    try:
        return _decode_row(text)
    except _NOT_TYPED:
        return _read_row(text)


@functools.lru_cache(maxsize=256)
def _read_short_row(text: bytes) -> Row:
    return _read_row(msgspec.Raw(text))


def _read_row(text: msgspec.Raw) -> Row:
    """Read a row that is not as the framework writes it, keeping whatever part of it can be used."""
    members = read_members(text)
    if members is None:
        value = read_value(text) if first_byte(text) != b"[" else [None]
        flaw = f"not an object ({type_name(value)})"
        return Row((), {}, {}, flaw=flaw, is_there=bool(value) or isinstance(value, list))
    row = Row(
        trace=_read_trace(members.get("trace")),
        overwrite=_read_patch(members.get("overwrite")),
        updates=_read_patch(members.get("updates")),
        raw_redacted_paths=members.get("redactedPaths", NOTHING),
        raw_tags=members.get("tags", NOTHING),
        raw_untracked_sources=members.get("untrackedSources", NOTHING),
    )
    for field in ("stage", "stageId", "runtimeStageId"):
        if field in members:
            setattr(row, _FIELDS[field], read_value(members[field]))
    if isinstance(row.runtime_stage_id, str):
        row.flaw = _flaw_of(members)
    return row


_FIELDS: Final = {"stage": "stage", "stageId": "stage_id", "runtimeStageId": "runtime_stage_id"}


def _flaw_of(members: Mapping[str, msgspec.Raw]) -> str | None:
    if "trace" not in members or first_byte(members["trace"]) != b"[":
        return f"trace is {type_name(_peek(members.get('trace')))}, not an array"
    for field in ("updates", "overwrite"):
        if field in members and first_byte(members[field]) != b"{":
            return f"{field} is {type_name(_peek(members[field]))}, not an object"
    return None


def _peek(text: msgspec.Raw | None) -> Value:
    return UNDEFINED if text is None else read_value(text)


def _read_trace(text: msgspec.Raw | None) -> tuple[TraceRow, ...]:
    rows = []
    for element in read_elements(text) or [] if text is not None else []:
        members = read_members(element) or {}
        path = read_value(members["path"]) if "path" in members else None
        # A row without a path touches nothing.
        if isinstance(path, str):
            rows.append(TraceRow(path, _peek(members.get("verb"))))
    return tuple(rows)


def _read_patch(text: msgspec.Raw | None) -> dict[str, msgspec.Raw]:
    return (read_members(text) or {}) if text is not None else {}


def _read_mounts(text: msgspec.Raw) -> dict[str, Mount]:
    try:
        return _decode_mounts(text)
    except _NOT_TYPED:
        return {key: _read_mount(value) for key, value in (read_members(text) or {}).items()}


def _read_mount(text: msgspec.Raw) -> Mount:
    tree = read_members((read_members(text) or {}).get("treeContext", msgspec.Raw(b"null")))
    rows = _read_rows(tree.get("history", msgspec.Raw())) if tree else None
    if tree is None or rows is None:
        return Mount()
    nothing = msgspec.Raw()
    return Mount(TreeContext(rows, tree.get("initialState", nothing), tree.get("globalContext", nothing)))


def _read_events(text: msgspec.Raw) -> list[Event]:
    try:
        return _decode_events(text)
    except _NOT_TYPED:
        return [event for event in map(_read_event, read_elements(text) or []) if event is not None]


def _read_event(text: msgspec.Raw) -> Event | None:
    members = read_members(text) or {}
    kind = _peek(members.get("type"))
    if not isinstance(kind, str):
        return None
    meta = _peek(members.get("meta"))
    known = meta if is_object(meta) else {}
    clock = known.get("wallClockMs")
    return Event(
        kind,
        members.get("payload", msgspec.Raw()),
        EventMeta(
            _text_or_none(known.get("runtimeStageId")),
            clock if isinstance(clock, int | float) and not isinstance(clock, bool) else None,
            _text_or_none(known.get("runId")),
        ),
    )


def _text_or_none(value: Value) -> str | None:
    return value if isinstance(value, str) else None
