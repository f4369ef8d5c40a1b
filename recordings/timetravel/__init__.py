"""
Time travel over recordings of agent runs: what a model was served at each call, and where it came from.

A library of its own: the standard library and msgspec, no I/O, no clock, no state but what a recording remembers of
itself. Its functions answer exactly what the reference answers; where they differ on purpose, they say so.

Source: the time travel of agentfootprint, and footprintjs, which records the logs.
"""

from recordings.timetravel.epochs import (
    EpochLocation,
    all_epoch_locations,
    epoch_at,
    epoch_locations,
    llm_call_mount_keys,
    read_after_call,
    read_at_call,
    read_run_constant,
)
from recordings.timetravel.errors import TimeTravelError
from recordings.timetravel.fold import Log, SkippedRow, StateAt, Touch
from recordings.timetravel.ids import (
    Milestone,
    RuntimeStageId,
    SplitStageId,
    milestone_for,
    parse_runtime_stage_id,
    split_stage_id,
)
from recordings.timetravel.jsontext import JsonError, NumberText
from recordings.timetravel.merge import NotMergeableError, apply_smart_merge
from recordings.timetravel.recording import NoSourceError, Recording, decode_recording, keyed_fold, recording_of
from recordings.timetravel.values import UNDEFINED, UndefinedType
from recordings.timetravel.wire import NotARecordingError, Row, TraceRow, UnknownFormatError

__all__ = [
    "UNDEFINED",
    "EpochLocation",
    "JsonError",
    "Log",
    "Milestone",
    "NoSourceError",
    "NotARecordingError",
    "NotMergeableError",
    "NumberText",
    "Recording",
    "Row",
    "RuntimeStageId",
    "SkippedRow",
    "SplitStageId",
    "StateAt",
    "TimeTravelError",
    "Touch",
    "TraceRow",
    "UndefinedType",
    "UnknownFormatError",
    "all_epoch_locations",
    "apply_smart_merge",
    "decode_recording",
    "epoch_at",
    "epoch_locations",
    "keyed_fold",
    "llm_call_mount_keys",
    "milestone_for",
    "parse_runtime_stage_id",
    "read_after_call",
    "read_at_call",
    "read_run_constant",
    "recording_of",
    "split_stage_id",
]
