"""
Epochs: one per call of a language model, wherever its log is.

Source: ``epochs.ts`` of agentfootprint's time travel. `all_epoch_locations` goes beyond it.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from functools import cmp_to_key
from typing import Final
from weakref import WeakKeyDictionary

import msgspec

from recordings.timetravel.document import Row
from recordings.timetravel.fold import Basis, Log
from recordings.timetravel.ids import local_of, parse_int, parse_runtime_stage_id
from recordings.timetravel.recording import Recording, recording_of
from recordings.timetravel.values import UNDEFINED, Value, is_number

CALL_STAGE: Final = "call-llm"
CALL_MOUNT: Final = "sf-llm-call"


class EpochLocation(msgspec.Struct, frozen=True, eq=False, weakref=True):
    """Where one call of the model stands in a recording."""

    #: The number as the run named it. Neither unique nor a position: it may be 0, negative or a fraction.
    epoch: int | float
    #: The execution of the call; `UNDEFINED` when its row has no id.
    call_runtime_stage_id: Value
    #: The log that the call is in, and the place of its first row there.
    log: Sequence[Row]
    call_index: int
    #: The run's own log.
    run_log: Sequence[Row]
    #: The key of the mount whose log the call is in; None when it is in the run's own log.
    subflow_scope: str | None
    #: The folds of the two logs.
    source: Log
    run_source: Log
    #: What they fold against: without a base, what no row writes is unknown.
    basis: Basis
    run_basis: Basis
    #: Whether the run's own log has any row.
    has_run_log: bool
    #: Beyond the reference: which agent the call belongs to (empty in most recordings), and the place of the epoch
    #: among all calls of the recording, from 1.
    lane: str = ""
    position: int = 0


_located: WeakKeyDictionary[Recording, list[EpochLocation]] = WeakKeyDictionary()
_located_all: WeakKeyDictionary[Recording, list[EpochLocation]] = WeakKeyDictionary()
_calls: WeakKeyDictionary[Log, list[int]] = WeakKeyDictionary()


def llm_call_mount_keys(source: Recording | Mapping[str, Value]) -> list[str]:
    """Return the keys of the mounts that hold one call each, in the order of their execution."""
    keys = [
        key for key in recording_of(source).mount_keys if "#" in key and local_of(key.partition("#")[0]) == CALL_MOUNT
    ]
    return sorted(keys, key=cmp_to_key(_by_execution_index))


def _by_execution_index(a: str, b: str) -> int:
    difference = parse_int(a.rpartition("#")[2]) - parse_int(b.rpartition("#")[2])
    # What is no number compares as equal to everything, as in JavaScript's sort.
    return 0 if math.isnan(difference) else (difference > 0) - (difference < 0)


def epoch_locations(source: Recording | Mapping[str, Value]) -> list[EpochLocation]:
    """
    Return the epochs as the reference finds them, located once per recording.

    When there are mounts of calls, only they are looked at, even if they hold none. Where the reference throws (a row
    of the run's log that is null or has no stage id), such a row is passed over.
    """
    recording = recording_of(source)
    if recording not in _located:
        keys = llm_call_mount_keys(recording)
        _located[recording] = list(_in_mounts(recording, keys) if keys else _in_run_log(recording))
    return _located[recording]


def epoch_at(source: Recording | Mapping[str, Value], number: float) -> EpochLocation | None:
    """Return the first epoch whose number is *number*; others with that number are reached by their location only."""
    return next((location for location in epoch_locations(source) if location.epoch == number), None)


def all_epoch_locations(source: Recording | Mapping[str, Value]) -> list[EpochLocation]:
    """
    Return every call of the recording in the order of execution, with its lane and position.

    Unlike `epoch_locations` this also finds calls in the logs of nested runs: an agent that is a step of a sequence,
    for one. A call that stands in two logs is found once.
    """
    recording = recording_of(source)
    if recording not in _located_all:
        known = {location.call_runtime_stage_id: location for location in epoch_locations(recording)}
        found = dict(known)
        for location in _everywhere(recording):
            found.setdefault(location.call_runtime_stage_id, location)
        in_order = sorted(found.values(), key=_execution_order)
        _located_all[recording] = [
            msgspec.structs.replace(location, lane=_lane_of(location), position=position)
            for position, location in enumerate(in_order, 1)
        ]
    return _located_all[recording]


def read_at_call(location: EpochLocation, key: str) -> Value:
    """Return what the call read under *key*: the fold up to the row before it."""
    return location.source.value_at(key, location.call_index - 1)


def read_after_call(location: EpochLocation, key: str) -> Value:
    """Return what stood under *key* once the call's own row was in: for what the call itself writes."""
    return location.source.value_at(key, location.call_index)


def read_run_constant(location: EpochLocation, key: str) -> Value:
    """Return *key* at the end of the run's log; `UNDEFINED` without such a log, even if the base has the key."""
    if not location.has_run_log:
        return UNDEFINED
    return location.run_source.value_at(key, location.run_source.length - 1)


def _in_mounts(recording: Recording, keys: Sequence[str]) -> Iterator[EpochLocation]:
    for ordinal, key in enumerate(keys, 1):
        log = recording.mount_log(key)
        if log is None:
            continue
        index = next((n for n, row in enumerate(log.rows) if is_call(row)), None)
        if index is not None:
            yield _location(recording, log, index, key, fallback=ordinal)


def _in_run_log(recording: Recording) -> Iterator[EpochLocation]:
    yield from _in_log(recording, recording.run_log, None)


def _everywhere(recording: Recording) -> Iterator[EpochLocation]:
    yield from _in_log(recording, recording.run_log, None)
    for key in recording.mount_keys:
        log = recording.mount_log(key) if "#" in key else None
        if log is not None:
            yield from _in_log(recording, log, key)


def _in_log(recording: Recording, log: Log, scope: str | None) -> Iterator[EpochLocation]:
    seen: set[str] = set()
    for index in _calls_of(log):
        identity = str(log.rows[index].runtime_stage_id)
        if identity in seen:
            continue
        seen.add(identity)
        yield _location(recording, log, index, scope, fallback=len(seen))


def is_call(row: Row) -> bool:
    """Whether *row* is of a stage that calls the model."""
    stage_id = row.stage_id
    return isinstance(stage_id, str) and stage_id.endswith(CALL_STAGE) and local_of(stage_id) == CALL_STAGE


def _calls_of(log: Log) -> list[int]:
    """Return the places of the rows in *log* that are of calls, looked for once."""
    if log not in _calls:
        _calls[log] = [index for index, row in enumerate(log.rows) if is_call(row)]
    return _calls[log]


def _location(recording: Recording, log: Log, index: int, scope: str | None, *, fallback: int) -> EpochLocation:
    run_log = recording.run_log
    iteration = log.value_at("iteration", index)
    return EpochLocation(
        epoch=iteration if is_number(iteration) else fallback,
        call_runtime_stage_id=log.rows[index].runtime_stage_id,
        log=log.rows,
        call_index=index,
        run_log=run_log.rows,
        subflow_scope=scope,
        source=log,
        run_source=run_log,
        basis=log.basis,
        run_basis=run_log.basis,
        has_run_log=run_log.length > 0,
    )


def _execution_order(location: EpochLocation) -> float:
    index = parse_runtime_stage_id(str(location.call_runtime_stage_id)).execution_index
    return math.inf if math.isnan(index) else index


def _lane_of(location: EpochLocation) -> str:
    """Return the path in front of the call's stage or of the mount around it."""
    path = parse_runtime_stage_id(str(location.call_runtime_stage_id)).subflow_path or ""
    if location.subflow_scope is not None:
        # The mount's key knows the whole path; the ids inside a log need not.
        scope = location.subflow_scope.rpartition("#")[0]
        path = scope if len(scope) > len(path) else path
    front, _, last = path.rpartition("/")
    return front if last == CALL_MOUNT else path
