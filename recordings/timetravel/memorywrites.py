"""
What a run wrote to memory, by its own account.

The last stage of a write commits nothing: that it ran is in the log, and what it wrote is in the state that it found.
A stage that threw, as it does when the store refuses, is in the log too; but nothing follows it.
Messages and snapshots get their ids from the turn; beats and facts are on record with theirs. A summary is written by
the read that replaced what it covers with it.

Source: the memory subflows of agentfootprint.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from typing import Final

import msgspec

from recordings.timetravel.fold import Log
from recordings.timetravel.ids import local_of
from recordings.timetravel.lanes import execution_index, lanes, mounts_at
from recordings.timetravel.places import Place, Places
from recordings.timetravel.recording import Recording
from recordings.timetravel.treeerrors import tree_errors
from recordings.timetravel.values import Value, is_number, is_object

_WRITE: Final = "sf-memory-write-"
_READ: Final = "sf-memory-read-"
#: By the stage that writes: the key of what it writes. Messages have no ids there, new entries do.
_NEW_MESSAGES: Final = {"write-messages": "newMessages", "write-snapshot": "newMessages"}
_NEW_ENTRIES: Final = {"write-beats": "newBeats", "write-facts": "newFacts"}
_KEYS: Final = {**_NEW_MESSAGES, **_NEW_ENTRIES, "summarize": "loaded"}


class WrittenEntry(msgspec.Struct, frozen=True):
    """One entry that a stage wrote."""

    #: None where the recording does not hold what was written: it was redacted, or is damaged.
    entry_id: str | None
    #: The turn it was written for: of a summary the last one that it covers. None where it says none.
    turn: int | None
    #: What it says, as far as that is on record: a message's text, and of a snapshot the question and the answer.
    texts: list[str] = []


class MemoryWrite(msgspec.Struct, frozen=True):
    """What one stage wrote to one memory."""

    memory_id: str
    lane: str
    place: Place
    #: Where the state at that place holds what was written.
    key: str
    entries: list[WrittenEntry]
    #: Whether a read wrote it, in the place of what it covers.
    is_summary: bool


def memory_writes(recording: Recording) -> list[MemoryWrite]:
    """
    Return what *recording* wrote to memory, in the order of execution. What wrote nothing is left out.

    A write that began and did not get to the end of its last stage wrote nothing.
    """
    places, names, ends = Places(recording), lanes(recording), _Ends(recording)
    found = []
    for key in sorted((key for key in recording.mount_keys if "#" in key), key=execution_index):
        path = key.rpartition("#")[0]
        stage = local_of(path)
        log = recording.mount_log(key) if stage.startswith((_WRITE, _READ)) else None
        if log is None:
            continue
        is_summary = stage.startswith(_READ)
        row, entries = _summarised(log) if is_summary else _written(log)
        if not entries or ends.has_thrown(path, str(log.rows[row].runtime_stage_id)):
            continue
        lane = max((name for name in names if name and path.startswith(f"{name}/")), key=len, default="")
        memory_id = stage.removeprefix(_WRITE).removeprefix(_READ)
        place = places.place(log, key, row, lane)
        key_written = _KEYS[local_of(str(log.rows[row].stage_id))]
        found.append(MemoryWrite(memory_id, lane, place, key_written, entries, is_summary))
    return found


class _Ends:
    """Where the logs of a recording end, by execution."""

    def __init__(self, recording: Recording) -> None:
        self._recording = recording
        self._errors = tree_errors(recording)
        self._last: dict[str, float] = {}

    def has_thrown(self, path: str, stage: str) -> bool:
        """Return whether *stage* of a mount at *path* failed: the tree says so, or what it is in did not go on."""
        if stage in self._errors:
            return True
        index, parent = execution_index(stage), path.rpartition("/")[0]
        started = [key for number, key in mounts_at(self._recording, parent) if number < index]
        if not math.isfinite(index) or (parent and not started):
            return False
        return self._last_of(started[-1] if started else "") <= index

    def _last_of(self, name: str) -> float:
        """Return the highest execution index of the log *name*, empty for the run's own; infinity for no log."""
        if name not in self._last:
            log = self._recording.mount_log(name) if name else self._recording.run_log
            indices = (execution_index(row.runtime_stage_id) for row in log.rows) if log is not None else ()
            self._last[name] = max(filter(math.isfinite, indices), default=math.inf)
        return self._last[name]


def _written(log: Log) -> tuple[int, list[WrittenEntry]]:
    """Return the row of the last stage of a write, and what it found to write."""
    row, stage = _last_stage(log, {*_NEW_MESSAGES, *_NEW_ENTRIES})
    turn = _turn(log.value_at("turnNumber", row))
    unknown = [WrittenEntry(None, turn)]
    if stage in _NEW_ENTRIES:
        entries = _objects(log.value_at(_NEW_ENTRIES[stage], row))
        if entries is None:
            return row, unknown
        return row, [WrittenEntry(_text(entry.get("id")), _turn_of(entry) or turn) for entry in entries]
    if not stage:
        return row, []
    messages = log.value_at("newMessages", row)
    if turn is None or (stage == "write-messages" and not isinstance(messages, list)):
        return row, unknown
    if stage == "write-snapshot":
        return row, [WrittenEntry(f"snap-{turn}", turn, _contents(_objects(messages) or ()))]
    return row, [
        WrittenEntry(f"msg-{turn}-{index}", turn, _contents([message]) if is_object(message) else [])
        for index, message in enumerate(messages)
    ]


def _summarised(log: Log) -> tuple[int, list[WrittenEntry]]:
    """Return the row of the stage that summarised what a read had loaded, and the summaries that it made."""
    row, stage = _last_stage(log, {"summarize"})
    if not stage:
        return row, []
    before = {_text(entry.get("id")) for entry in _objects(log.value_at("loaded", row - 1)) or ()}
    found = []
    for entry in _objects(log.value_at("loaded", row)) or ():
        metadata = entry.get("metadata")
        is_summary = is_object(metadata) and is_object(metadata.get("summarizes"))
        if is_summary and _text(entry.get("id")) not in before:
            found.append(WrittenEntry(_text(entry.get("id")), _turn_of(entry)))
    return row, found


def _last_stage(log: Log, names: Collection[str]) -> tuple[int, str]:
    """Return the last row of one of the stages *names*, and which; −1 and an empty name when none ran."""
    for number in range(log.length - 1, -1, -1):
        row = log.rows[number]
        # The first row of a mount only hands over its input. It goes by the name of the first stage, without an id.
        if row.runtime_stage_id and local_of(str(row.stage_id)) in names:
            return number, local_of(str(row.stage_id))
    return -1, ""


def _turn_of(entry: Value) -> int | None:
    source = entry.get("source")
    return _turn(source.get("turn")) if is_object(source) else None


def _turn(value: Value) -> int | None:
    return int(value) if is_number(value) and value > 0 and value == int(value) else None


def _contents(messages: Sequence[Value]) -> list[str]:
    texts = (_text(message.get("content")) for message in messages)
    return [text for text in texts if text is not None]


def _objects(value: Value) -> list[Value] | None:
    """Return the objects in the list *value*; None when it is no list."""
    return [item for item in value if is_object(item)] if isinstance(value, list) else None


def _text(value: Value) -> str | None:
    return value if isinstance(value, str) else None
