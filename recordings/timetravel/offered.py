"""The tools that a call was offered, and why each of them was."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TypeAlias

import msgspec

from recordings.timetravel.epochs import EpochLocation
from recordings.timetravel.keyreader import KeyReader
from recordings.timetravel.lanemessages import SlotState
from recordings.timetravel.pieces import ToolSource
from recordings.timetravel.sent import TOOL_KEYS, WRAP_UP, are_tools_withheld
from recordings.timetravel.values import Value, is_object

#: Source, id, and words.
Reason: TypeAlias = tuple[str, str | None, str | None]


class OfferedTools(msgspec.Struct):
    """The tools of one epoch."""

    schemas: Sequence[Value]
    #: ``recorded``, ``redacted`` or ``absent``, as for messages.
    state: SlotState
    #: The row of the call's log that wrote them last; −1 for the base.
    row: int
    #: Whether they are those of the epoch before, reasons included.
    is_same: bool = False
    #: Why each tool was offered, by its name.
    reasons: dict[str, list[Reason]] = {}


class LaneTools:
    """Follows the tools of one lane from call to call."""

    def __init__(self) -> None:
        self._schemas = {key: KeyReader(key) for key in TOOL_KEYS}
        self._injections = KeyReader("toolsInjections")
        self._active = KeyReader("activeInjections")
        self._last: OfferedTools | None = None

    def at(self, location: EpochLocation) -> OfferedTools:
        """Return the tools of *location*; to be asked in the order of execution."""
        injections, same_injections = self._injections.read(location.source, location.call_index)
        active, same_active = self._active.read(location.source, location.call_index)
        is_explained = same_injections and same_active and self._last is not None
        if are_tools_withheld(location):
            found = OfferedTools([], "recorded", location.source.last_row(WRAP_UP, location.call_index))
        else:
            found = self._read(location)
        found.is_same = found.is_same and is_explained
        found.reasons = self._last.reasons if is_explained and self._last else _reasons(injections, active)
        self._last = found
        return found

    def _read(self, location: EpochLocation) -> OfferedTools:
        state: SlotState = "absent"
        for key in TOOL_KEYS:
            schemas, is_same = self._schemas[key].read(location.source, location.call_index)
            if isinstance(schemas, list):
                return OfferedTools(schemas, "recorded", self._schemas[key].row, is_same=is_same)
            if isinstance(schemas, str):
                state = "redacted"
        return OfferedTools([], state, -1)


def tool_name_of(schema: Value) -> str:
    """Return the name of the tool; empty when it has none."""
    name = schema.get("name") if is_object(schema) else None
    return name if isinstance(name, str) else ""


def _reasons(injections: Value, active: Value) -> dict[str, list[Reason]]:
    reasons: dict[str, list[Reason]] = {}
    for record in injections if isinstance(injections, list) else ():
        if not is_object(record):
            continue
        source, source_id, reason = record.get("source"), record.get("sourceId"), record.get("reason")
        if isinstance(source, str) and isinstance(source_id, str):
            for name in _named_by(record, source_id, active):
                reasons.setdefault(name, []).append((source, source_id, reason if isinstance(reason, str) else None))
    return reasons


def _named_by(record: Mapping[str, Value], source_id: str, active: Value) -> list[str]:
    """Return the tools that *record* is about: a skill's record goes by the skill, any other by the tool."""
    if record["source"] != "skill":
        return [source_id]
    of_skill = [name for skill, name in _tools_of_skills(active) if skill == source_id]
    # The text of a record is the tool's name, a colon and its description.
    raw = record.get("rawContent")
    said = raw.partition(":")[0] if isinstance(raw, str) else ""
    return [said] if said in of_skill or (said and not of_skill) else of_skill


def _tools_of_skills(active: Value) -> Iterator[tuple[str, str]]:
    for injection in active if isinstance(active, list) else ():
        inject = injection.get("inject") if is_object(injection) else None
        for tool in inject.get("tools", ()) if is_object(inject) and isinstance(inject.get("tools"), list) else ():
            name = tool_name_of(tool.get("schema")) if is_object(tool) else ""
            if name and isinstance(injection.get("id"), str):
                yield injection["id"], name


def note_reasons(sources: list[ToolSource], reasons: Sequence[Reason], position: int) -> None:
    """Note in *sources*, those of one tool, that it was offered at *position* for *reasons*."""
    for source, source_id, reason in reasons:
        known = next((s for s in sources if (s.source, s.source_id) == (source, source_id)), None)
        if known is None:
            sources.append(ToolSource(source, source_id, reason, position, position))
        else:
            known.last_position = position
