"""
The system prompt of an epoch, cut into pieces.

Each record of the prompt is a piece; a record that holds entries of a memory, or passages of a corpus, is one piece for
each of them. The pieces of a record cover it exactly, whatever the framework wrapped around the entries.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final
from weakref import WeakKeyDictionary

import msgspec

from recordings.timetravel.epochs import EpochLocation
from recordings.timetravel.lanes import execution_index, lane_log, mounts_at
from recordings.timetravel.pieces import Key, MemoryEntry
from recordings.timetravel.recording import Recording
from recordings.timetravel.values import UNDEFINED, Value, is_number, is_object

_MEMORY_PREFIX: Final = "memory:"
_END: Final = float("inf")


class Entry(msgspec.Struct, frozen=True):
    """An entry of a memory or a passage of a corpus, and the text by which it is found in a record."""

    #: What is looked for: the entry's own words, or for a passage all that was rendered of it.
    needle: str
    #: The entry's own words inside.
    own: str
    memory: MemoryEntry
    document_id: str | None = None


class SystemPart(msgspec.Struct, frozen=True):
    """A part of the system prompt that will be one piece."""

    key: Key
    text: str
    own: tuple[int, int]
    record: int
    starts_record: bool
    source: str | None
    source_id: str | None
    reason: str | None
    recorded_source: str | None = None
    memory: MemoryEntry | None = None
    document_id: str | None = None


_entries: WeakKeyDictionary[Recording, dict[tuple[str, str], list[Entry]]] = WeakKeyDictionary()


def system_parts(recording: Recording, location: EpochLocation, records: Sequence[Value]) -> list[SystemPart]:
    """
    Return the parts of the system prompt that *records* make, in order.

    Args:
        records: The value of ``systemPromptInjections``. What is no record, or has no text, is not sent.
    """
    parts: list[SystemPart] = []
    for number, record in enumerate(records):
        raw = record.get("rawContent") if is_object(record) else None
        if isinstance(raw, str) and raw:
            parts += _parts_of(recording, location, record, raw, number)
    return parts


def _parts_of(recording: Recording, location: EpochLocation, record: Value, raw: str, number: int) -> list[SystemPart]:
    source, source_id = _text(record.get("source")), _text(record.get("sourceId"))
    reason = _text(record.get("reason"))
    entries: list[Entry] = []
    if source_id is not None and source_id.startswith(_MEMORY_PREFIX):
        memory_id, mark, document_id = source_id.removeprefix(_MEMORY_PREFIX).partition("#")
        entries = entries_of(recording, location, memory_id)
        if mark:
            entries = [entry for entry in entries if entry.document_id == document_id]
    spans = cut(raw, entries)
    if not spans:
        key = ("system", source or "", source_id or "")
        return [
            SystemPart(
                key, raw, (0, len(raw)), number, starts_record=True, source=source, source_id=source_id, reason=reason
            )
        ]
    return [
        SystemPart(
            key=("passage" if entry.document_id else "memory", entry.memory.memory_id, _entry_key(entry)),
            text=raw[start:end],
            own=(own[0] - start, own[1] - start),
            record=number,
            starts_record=start == 0,
            source="rag" if entry.document_id else source,
            source_id=source_id,
            reason=reason,
            recorded_source=source if entry.document_id and source != "rag" else None,
            memory=entry.memory,
            document_id=entry.document_id,
        )
        for entry, start, end, own in spans
    ]


def _entry_key(entry: Entry) -> str:
    return entry.document_id or entry.memory.entry_id or ""


def cut(raw: str, entries: Sequence[Entry]) -> list[tuple[Entry, int, int, tuple[int, int]]]:
    """
    Cut *raw* into one part for each of *entries* that is found in it, in their order.

    The text between two entries is cut after its last blank line, else after its last line break, else at its end; what
    stands in front of the first goes to it, and what follows the last to that one.

    Returns:
        For each entry that was found: the entry, where its part starts and ends, and where its own words do.
    """
    found: list[tuple[Entry, int, int]] = []
    position = 0
    for entry in entries:
        start = raw.find(entry.needle, position) if entry.needle else -1
        if start >= 0:
            position = start + len(entry.needle)
            found.append((entry, start, position))
    parts: list[tuple[Entry, int, int, tuple[int, int]]] = []
    start = 0
    for index, (entry, needle_start, needle_end) in enumerate(found):
        end = _cut_between(raw, needle_end, found[index + 1][1]) if index + 1 < len(found) else len(raw)
        own_start = raw.find(entry.own, needle_start, needle_end)
        own = (own_start, own_start + len(entry.own)) if own_start >= 0 and entry.own else (needle_start, needle_end)
        parts.append((entry, start, end, own))
        start = end
    return parts


def _cut_between(raw: str, start: int, end: int) -> int:
    for mark in ("\n\n", "\n"):
        place = raw.rfind(mark, start, end)
        if place >= 0:
            return place + len(mark)
    return end


def entries_of(recording: Recording, location: EpochLocation, memory_id: str) -> list[Entry]:
    """
    Return what the memory *memory_id* gave to the turn of *location*, in the order in which it was rendered.

    It stands in the latest read of that memory in the lane before the call; empty when the recording holds none.
    """
    front = f"{location.lane}/" if location.lane else ""
    call = execution_index(location.call_runtime_stage_id)
    started = [key for index, key in mounts_at(recording, f"{front}sf-memory-read-{memory_id}") if index < call]
    if not started:
        return []
    cache = _entries.setdefault(recording, {})
    if (started[-1], memory_id) not in cache:
        cache[started[-1], memory_id] = _read_entries(recording, location, started[-1], memory_id)
    return cache[started[-1], memory_id]


def _read_entries(recording: Recording, location: EpochLocation, mount: str, memory_id: str) -> list[Entry]:
    log = recording.mount_log(mount)
    if log is None:
        return []
    selected = log.value_at("selected", _END)
    loaded = _list(log.value_at("loaded", _END)) if selected is UNDEFINED else _list(selected)
    evidence = lane_log(recording, location).value_at(f"retrievalEvidence_{memory_id}", _END)
    if is_object(evidence):
        return _passages(memory_id, loaded, _list(evidence.get("candidates")))
    rendered = loaded or _list(log.value_at("loadedFacts", _END)) or _list(log.value_at("loadedBeats", _END))
    if rendered:
        return [entry for entry in (_entry(memory_id, value) for value in rendered) if entry is not None]
    # Causal memory keeps no ids: one part for each block.
    blocks = [block.get("content") for block in _list(log.value_at("formatted", _END)) if is_object(block)]
    unknown = MemoryEntry(memory_id, None, None, None)
    return [Entry(text, text, unknown) for text in blocks if isinstance(text, str)]


def _entry(memory_id: str, value: Value) -> Entry | None:
    if not is_object(value) or not is_object(value.get("value")):
        return None
    text = _text_of(value["value"])
    return None if text is None else Entry(text, text, _memory_entry(memory_id, value))


def _text_of(content: Value) -> str | None:
    """Return the words by which an entry stands in a prompt: a message, a beat, or the line of a fact."""
    for field in ("content", "summary"):
        if isinstance(content.get(field), str):
            return str(content[field])
    if isinstance(content.get("key"), str) and "value" in content:
        fact = content["value"]
        return f"- {content['key']}: {fact if isinstance(fact, str) else msgspec.json.encode(fact).decode()}"
    return None


def _memory_entry(memory_id: str, value: Value) -> MemoryEntry:
    source = value.get("source")
    turn = source.get("turn") if is_object(source) else None
    updated = value.get("updatedAt")
    return MemoryEntry(
        memory_id,
        _text(value.get("id")),
        int(turn) if is_number(turn) and turn > 0 else None,
        updated if is_number(updated) else None,
        value,
    )


def _passages(memory_id: str, loaded: Sequence[Value], candidates: Sequence[Value]) -> list[Entry]:
    by_id = {value.get("id"): value for value in loaded if is_object(value)}
    served = [c for c in candidates if is_object(c) and isinstance(c.get("promptFragment"), str)]
    served.sort(key=lambda c: c["promptPosition"] if is_number(c.get("promptPosition")) else 0)
    entries = []
    for candidate in served:
        document_id = _text(candidate.get("id")) or ""
        value = by_id.get(document_id)
        content = value.get("value") if is_object(value) else None
        own = _text_of(content) if is_object(content) else None
        entry = _memory_entry(memory_id, value) if is_object(value) else MemoryEntry(memory_id, document_id, None, None)
        entries.append(Entry(candidate["promptFragment"], own or "", entry, document_id))
    return entries


def _list(value: Value) -> Sequence[Value]:
    return value if isinstance(value, list) else ()


def _text(value: Value) -> str | None:
    return value if isinstance(value, str) and value is not UNDEFINED else None
