"""
Time travel over recordings of agent runs: what a model was served at each call, and where it came from.

A library of its own: the standard library and msgspec, no I/O, no clock, no state but what a recording remembers of
itself. Its functions answer exactly what the reference answers; where they differ on purpose, they say so.

Source: the time travel of agentfootprint, and footprintjs, which records the logs.
"""

from recordings.timetravel.calls import CallError, CallFacts, ToolCall, call_facts
from recordings.timetravel.changes import Change, Changes, changes_between
from recordings.timetravel.context import Context, EpochSlots, context_of
from recordings.timetravel.document import Row, TraceRow
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
from recordings.timetravel.identity import (
    Completeness,
    IdentityClaim,
    UserMessage,
    completeness_of,
    identity_claimed,
    user_message_of,
)
from recordings.timetravel.ids import (
    Milestone,
    RuntimeStageId,
    SplitStageId,
    milestone_for,
    parse_runtime_stage_id,
    split_stage_id,
)
from recordings.timetravel.jsonspans import JsonError
from recordings.timetravel.jsontext import NumberText
from recordings.timetravel.jstext import stable_json
from recordings.timetravel.lanes import epochs_of_lane, lane_log, lanes
from recordings.timetravel.legs import ResumePoint, is_next_leg, resume_point
from recordings.timetravel.memorywrites import MemoryWrite, WrittenEntry, memory_writes
from recordings.timetravel.merge import NotMergeableError, apply_smart_merge
from recordings.timetravel.outcome import (
    Answer,
    Failure,
    Outcome,
    Pause,
    StoppedEarly,
    answers_of,
    outcome_of,
    outcomes_of_lanes,
)
from recordings.timetravel.pieces import MemoryEntry, Piece, ToolSource
from recordings.timetravel.places import Place
from recordings.timetravel.presence import Presence
from recordings.timetravel.receipts import (
    Check,
    EpochNotFoundError,
    Receipt,
    message_digest_input,
    receipt_at,
    receipt_hash,
    tool_digest_input,
    verify,
)
from recordings.timetravel.recording import NoSourceError, Recording, decode_recording, keyed_fold, recording_of
from recordings.timetravel.served import (
    Gap,
    ServedBasis,
    ServedContext,
    ServedSystem,
    ServedTools,
    SystemPiece,
    gaps_at,
    served_at,
)
from recordings.timetravel.stops import Stop, commit_stops, filter_stops, milestone_stops
from recordings.timetravel.toolresults import ToolResult, tool_results
from recordings.timetravel.trail import (
    Candidate,
    Claim,
    ClaimSpan,
    Evidence,
    Hop,
    Match,
    Served,
    candidates_for,
    claims,
    claims_in,
    find_matches,
    hops_of,
    influence_in_any_script,
    lexical_influence,
    ranking_confidence,
    served_evidence,
    trace_back,
)
from recordings.timetravel.unserved import NotServed, not_served_at
from recordings.timetravel.values import UNDEFINED, UndefinedType
from recordings.timetravel.wire import NotARecordingError, UnknownFormatError

__all__ = [
    "UNDEFINED",
    "Answer",
    "CallError",
    "CallFacts",
    "Candidate",
    "Change",
    "Changes",
    "Check",
    "Claim",
    "ClaimSpan",
    "Completeness",
    "Context",
    "EpochLocation",
    "EpochNotFoundError",
    "EpochSlots",
    "Evidence",
    "Failure",
    "Gap",
    "Hop",
    "IdentityClaim",
    "JsonError",
    "Log",
    "Match",
    "MemoryEntry",
    "MemoryWrite",
    "Milestone",
    "NoSourceError",
    "NotARecordingError",
    "NotMergeableError",
    "NotServed",
    "NumberText",
    "Outcome",
    "Pause",
    "Piece",
    "Place",
    "Presence",
    "Receipt",
    "Recording",
    "ResumePoint",
    "Row",
    "RuntimeStageId",
    "Served",
    "ServedBasis",
    "ServedContext",
    "ServedSystem",
    "ServedTools",
    "SkippedRow",
    "SplitStageId",
    "StateAt",
    "Stop",
    "StoppedEarly",
    "SystemPiece",
    "TimeTravelError",
    "ToolCall",
    "ToolResult",
    "ToolSource",
    "Touch",
    "TraceRow",
    "UndefinedType",
    "UnknownFormatError",
    "UserMessage",
    "WrittenEntry",
    "all_epoch_locations",
    "answers_of",
    "apply_smart_merge",
    "call_facts",
    "candidates_for",
    "changes_between",
    "claims",
    "claims_in",
    "commit_stops",
    "completeness_of",
    "context_of",
    "decode_recording",
    "epoch_at",
    "epoch_locations",
    "epochs_of_lane",
    "filter_stops",
    "find_matches",
    "gaps_at",
    "hops_of",
    "identity_claimed",
    "influence_in_any_script",
    "is_next_leg",
    "keyed_fold",
    "lane_log",
    "lanes",
    "lexical_influence",
    "llm_call_mount_keys",
    "memory_writes",
    "message_digest_input",
    "milestone_for",
    "milestone_stops",
    "not_served_at",
    "outcome_of",
    "outcomes_of_lanes",
    "parse_runtime_stage_id",
    "ranking_confidence",
    "read_after_call",
    "read_at_call",
    "read_run_constant",
    "receipt_at",
    "receipt_hash",
    "recording_of",
    "resume_point",
    "served_at",
    "served_evidence",
    "split_stage_id",
    "stable_json",
    "tool_digest_input",
    "tool_results",
    "trace_back",
    "user_message_of",
    "verify",
]
