"""
Lanes: which agent of a run an epoch belongs to, and the log that its conversation is in.

In most recordings there is one lane, with the empty name. A run that is composed of several agents has one for each.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final
from weakref import WeakKeyDictionary

from recordings.timetravel.epochs import EpochLocation, all_epoch_locations
from recordings.timetravel.fold import Log
from recordings.timetravel.ids import parse_int, parse_runtime_stage_id
from recordings.timetravel.jsontext import NOTHING
from recordings.timetravel.recording import Recording

_EMPTY: Final = Log([], NOTHING)
_mounts: WeakKeyDictionary[Recording, dict[str, list[tuple[float, str]]]] = WeakKeyDictionary()


def lanes(recording: Recording) -> list[str]:
    """Return the names of the lanes in the order of their first epochs."""
    return list(dict.fromkeys(location.lane for location in all_epoch_locations(recording)))


def epochs_of_lane(recording: Recording, lane: str) -> list[EpochLocation]:
    """Return the epochs of *lane* in the order of execution."""
    return [location for location in all_epoch_locations(recording) if location.lane == lane]


def lane_log(recording: Recording, location: EpochLocation) -> Log:
    """
    Return the log in which the conversation of *location*'s lane is kept.

    For the lane without a name that is the run's own log. For any other it is the log of the latest mount whose path is
    the lane and that started before the call; empty when the recording holds none.
    """
    key = lane_mount(recording, location)
    if key is None:
        return recording.run_log if not location.lane else _EMPTY
    return recording.mount_log(key) or _EMPTY


def lane_mount(recording: Recording, location: EpochLocation) -> str | None:
    """Return the key of the mount whose log `lane_log` is; None for the run's own log, or when there is no mount."""
    if not location.lane:
        return None
    call = execution_index(location.call_runtime_stage_id)
    started = [key for index, key in mounts_at(recording, location.lane) if index < call]
    return started[-1] if started else None


def mounts_at(recording: Recording, path: str) -> Sequence[tuple[float, str]]:
    """Return the mounts at *path*, each with its execution index, in the order of execution."""
    if recording not in _mounts:
        by_path: dict[str, list[tuple[float, str]]] = {}
        for key in recording.mount_keys:
            front, mark, number = key.rpartition("#")
            if mark:
                by_path.setdefault(front, []).append((parse_int(number), key))
        for mounts in by_path.values():
            mounts.sort(key=lambda mount: (math.isnan(mount[0]), mount[0]))
        _mounts[recording] = by_path
    return _mounts[recording].get(path, ())


def mounts_below(recording: Recording, lane: str, stage_prefix: str) -> list[tuple[float, str]]:
    """Return the mounts directly in *lane* whose stage starts with *stage_prefix*, in the order of execution."""
    mounts_at(recording, lane)
    front = f"{lane}/" if lane else ""
    found = [
        mount
        for path, mounts in _mounts[recording].items()
        if path.startswith(front + stage_prefix) and "/" not in path[len(front) :]
        for mount in mounts
    ]
    return sorted(found, key=lambda mount: (math.isnan(mount[0]), mount[0]))


def execution_index(runtime_stage_id: object) -> float:
    """Return the execution index in *runtime_stage_id*; infinity where it has none."""
    index = parse_runtime_stage_id(str(runtime_stage_id)).execution_index
    return math.inf if math.isnan(index) else index
