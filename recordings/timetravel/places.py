"""Places in a recording: a commit of one of its logs, and the epoch that it belongs to."""

from __future__ import annotations

import math
from bisect import bisect_right
from typing import Final

import msgspec

from recordings.timetravel.epochs import EpochLocation, all_epoch_locations
from recordings.timetravel.fold import Log
from recordings.timetravel.ids import local_of, parse_int
from recordings.timetravel.lanes import execution_index
from recordings.timetravel.recording import Recording

#: The name of the run's own log. Every other log goes by the key of its mount.
RUN_LOG: Final = ""
#: The index of the base that a log folds against.
BASE: Final = -1
#: Stages that come after the call of their epoch; all others prepare the next one.
_AFTER_THE_CALL: Final = frozenset({"call-llm", "sf-route", "tool-calls", "final"})


class Place(msgspec.Struct, frozen=True):
    """A commit of a log, or the base of one."""

    #: The key of the mount whose log it is; empty for the run's own log.
    log: str
    #: The row; −1 for the base.
    commit_index: int
    #: The execution that committed; None for the base, and for a row without an id.
    runtime_stage_id: str | None
    #: The position of the epoch that the commit belongs to; None for the base, after the last call, and for what an
    #: earlier leg's call led to.
    epoch_position: int | None


class Places:
    """Makes the places of one recording."""

    def __init__(self, recording: Recording) -> None:
        self._calls: dict[str, tuple[list[float], list[int]]] = {}
        for location in all_epoch_locations(recording):
            indices, positions = self._calls.setdefault(location.lane, ([], []))
            indices.append(execution_index(location.call_runtime_stage_id))
            positions.append(location.position)

    def place(self, log: Log, log_name: str, commit_index: int, lane: str) -> Place:
        """Return the place of row *commit_index* of *log*, which is a log of *lane*."""
        if commit_index == BASE:
            return Place(log_name, BASE, None, None)
        row_id = log.rows[commit_index].runtime_stage_id
        known = row_id if isinstance(row_id, str) and row_id else None
        return Place(log_name, commit_index, known, self._epoch_position(known, log, log_name, commit_index, lane))

    def _epoch_position(self, row_id: str | None, log: Log, log_name: str, commit_index: int, lane: str) -> int | None:
        indices, positions = self._calls.get(lane, ([], []))
        # The first row of a mount has no id of its own: it belongs to the mount.
        index = execution_index(row_id) if row_id is not None else parse_int(log_name.rpartition("#")[2])
        if math.isnan(index):
            return None
        number = bisect_right(indices, index)
        if _is_after_the_call(str(log.rows[commit_index].stage_id), log_name, lane):
            return positions[number - 1] if number else None
        return positions[number] if number < len(positions) else None


def _is_after_the_call(stage_id: str, log_name: str, lane: str) -> bool:
    """Return whether a stage of a log comes after the call of its epoch: by itself, or with the mount that it is in."""
    path = log_name.rpartition("#")[0]
    # The log of the lane itself is no mount in it, whatever the lane is called.
    mounts = path.removeprefix(f"{lane}/").split("/") if path != lane else []
    return not _AFTER_THE_CALL.isdisjoint([local_of(stage_id), *mounts])


def log_name_of(location: EpochLocation) -> str:
    """Return the name of the log that the call of *location* is in."""
    return location.subflow_scope or RUN_LOG
