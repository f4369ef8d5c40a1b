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
from collections.abc import Iterator, Sequence
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
#: By the stage that writes: the key of what it writes where entries have their ids on record.
_NEW_ENTRIES: Final = {"write-beats": "newBeats", "write-facts": "newFacts"}


class MemoryWrite(msgspec.Struct, frozen=True):
    """One entry that a run wrote."""

    memory_id: str
    #: None where the recording does not hold what was written: it was redacted, or is damaged.
    entry_id: str | None
    #: The turn it was written for: of a summary the last one that it covers. None where it says none.
    turn: int | None
    lane: str
    place: Place
    #: What the entry says, as far as it is on record: a message's text, and of a snapshot the question and the answer.
    texts: list[str] = []


def memory_writes(recording: Recording) -> list[MemoryWrite]:
    """
    Return what *recording* wrote to memory, in the order of execution.

    A write that began and did not get to the end of its last stage wrote nothing.
    """
    places, names = Places(recording), lanes(recording)
    return [
        write
        for key in sorted((key for key in recording.mount_keys if "#" in key), key=execution_index)
        for write in _writes_of(recording, key, names, places)
    ]


def _writes_of(recording: Recording, key: str, names: Sequence[str], places: Places) -> Iterator[MemoryWrite]:
    path = key.rpartition("#")[0]
    stage = local_of(path)
    log = recording.mount_log(key) if stage.startswith((_WRITE, _READ)) else None
    if log is None:
        return
    owners = [name for name in names if name and path.startswith(f"{name}/")]
    lane = max(owners, key=len, default="")
    found = _written(log) if stage.startswith(_WRITE) else _summarised(log)
    memory_id = stage.removeprefix(_WRITE).removeprefix(_READ)
    for row, entry_id, turn, texts in found:
        if _has_thrown(recording, path, str(log.rows[row].runtime_stage_id)):
            continue
        yield MemoryWrite(memory_id, entry_id, turn, lane, places.place(log, key, row, lane), texts)


def _has_thrown(recording: Recording, path: str, stage: str) -> bool:
    """Return whether *stage* of a mount at *path* failed: the tree says so, or what the mount is in did not go on."""
    if stage in tree_errors(recording):
        return True
    index, parent = execution_index(stage), path.rpartition("/")[0]
    started = [key for number, key in mounts_at(recording, parent) if number < index]
    around = recording.mount_log(started[-1]) if started else recording.run_log if not parent else None
    if around is None or not math.isfinite(index):
        return False
    return not any(index < execution_index(row.runtime_stage_id) < math.inf for row in around.rows)


def _written(log: Log) -> Iterator[tuple[int, str | None, int | None, list[str]]]:
    """Yield what the last stage of a write found to write: its row, and id, turn and texts of each entry."""
    for row, stage in _stages(log):
        turn = _turn(log.value_at("turnNumber", row))
        if stage == "write-messages":
            messages = _objects(log.value_at("newMessages", row))
            if messages is None or turn is None:
                yield row, None, turn, []
            for index, message in enumerate(messages or () if turn is not None else ()):
                yield row, f"msg-{turn}-{index}", turn, _contents([message])
        elif stage == "write-snapshot":
            messages = _objects(log.value_at("newMessages", row))
            yield row, None if turn is None else f"snap-{turn}", turn, _contents(messages or ())
        elif stage in _NEW_ENTRIES:
            entries = _objects(log.value_at(_NEW_ENTRIES[stage], row))
            if entries is None:
                yield row, None, turn, []
            for entry in entries or ():
                yield row, _text(entry.get("id")), _turn_of(entry) or turn, []


def _summarised(log: Log) -> Iterator[tuple[int, str | None, int | None, list[str]]]:
    """Yield the summaries that a read wrote: those in ``loaded`` after the stage that were not there before."""
    for row, stage in _stages(log):
        if stage == "summarize":
            before = {_text(entry.get("id")) for entry in _objects(log.value_at("loaded", row - 1)) or ()}
            for entry in _objects(log.value_at("loaded", row)) or ():
                metadata = entry.get("metadata")
                is_summary = is_object(metadata) and is_object(metadata.get("summarizes"))
                if is_summary and _text(entry.get("id")) not in before:
                    yield row, _text(entry.get("id")), _turn_of(entry), []


def _stages(log: Log) -> Iterator[tuple[int, str]]:
    for number, row in enumerate(log.rows):
        # The first row of a mount only hands over its input. It goes by the name of the first stage, without an id.
        if row.runtime_stage_id:
            yield number, local_of(str(row.stage_id))


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
