"""
One call of a model: what it asked for, what it cost, how long it took, and how it failed.

What only the event stream tells (the model's name, durations, whether a tool failed) is None where there is none.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, Literal

import msgspec

from recordings.timetravel.callevents import CallEvents, call_events, member, text_or_none
from recordings.timetravel.epochs import EpochLocation, read_after_call, read_at_call
from recordings.timetravel.jsontext import read_value
from recordings.timetravel.lanes import lane_mount
from recordings.timetravel.merge import SEPARATOR
from recordings.timetravel.recording import Recording
from recordings.timetravel.treeerrors import tree_errors
from recordings.timetravel.values import UNDEFINED, Value, is_number, is_object

#: Keys that a call writes once the model has answered. A key whose value stays the same is not written.
_ANSWER_KEYS: Final = frozenset(
    {"totalInputTokens", "totalOutputTokens", "llmLatestContent", "llmLatestToolCalls", "answer"}
)


class ToolCall(msgspec.Struct, frozen=True):
    """One use of a tool that the model asked for."""

    #: None where the recording names none.
    id: str | None
    name: str | None
    #: As recorded: an object in healthy runs, but it may be any JSON. `UNDEFINED` where there are none.
    args: Value
    #: None unless the event stream holds the end of the execution.
    duration_ms: int | float | None
    #: Whether the tool failed; None without that event. In the log a failure is a result like any other.
    has_failed: bool | None
    #: What the tool gave back by that event, as JSON where it is no text. `tool_results` has what the log holds.
    result_text: str | None


class CallError(msgspec.Struct, frozen=True):
    """Why a call failed."""

    text: str
    source: Literal["event", "execution-tree"]
    #: The execution that the error is recorded at: the call, a mount around it, or another; None when at none.
    runtime_stage_id: str | None


class CallFacts(msgspec.Struct, frozen=True):
    """What is on record about one call. None always means that it is not."""

    model: str | None
    provider: str | None
    #: As the provider counted them.
    input_tokens: int | float | None
    output_tokens: int | float | None
    duration_ms: int | float | None
    stop_reason: str | None
    #: Whether the call gave no answer.
    has_failed: bool
    #: The reason of a failed call.
    error: CallError | None
    #: In the order of the answer; empty when it asked for none, or failed. None when the record does not tell: the
    #: value is redacted, or stayed the same as that of an earlier call.
    tool_calls: tuple[ToolCall, ...] | None
    #: What it answered in words; None when the record does not tell, or the call failed.
    said: str | None = None


def call_facts(recording: Recording, location: EpochLocation) -> CallFacts:
    """Return what *recording* tells about the call at *location*, which is one of `all_epoch_locations`."""
    events = call_events(recording)
    call = str(location.call_runtime_stage_id)
    start, end = events.starts.get(call, {}), events.ends.get(call, {})
    usage = member(end, "usage")
    usage = usage if is_object(usage) else {}
    served_by = _receipt_basis(location)
    duration = member(end, "durationMs")
    is_unanswered = not end and _gave_no_answer(location)
    error = _error_of(recording, location, events, is_unanswered=is_unanswered)
    has_failed = is_unanswered or error is not None
    return CallFacts(
        model=text_or_none(member(start, "model")) or text_or_none(served_by.get("model")),
        provider=text_or_none(member(start, "provider")) or text_or_none(served_by.get("provider")),
        input_tokens=_tokens(location, usage.get("input"), "totalInputTokens"),
        output_tokens=_tokens(location, usage.get("output"), "totalOutputTokens"),
        duration_ms=duration if is_number(duration) else None,
        stop_reason=text_or_none(member(end, "stopReason")),
        has_failed=has_failed,
        error=error,
        tool_calls=_tool_calls(location, events, has_failed=has_failed),
        said=None if has_failed else _said(location),
    )


def _written_by(location: EpochLocation) -> set[str]:
    """Return the keys that the call's own row writes."""
    return {entry.path.partition(SEPARATOR)[0] for entry in location.log[location.call_index].trace}


def _said(location: EpochLocation) -> str | None:
    """Return the words of the answer; those of an earlier call stay where this one wrote none."""
    said = read_after_call(location, "llmLatestContent") if "llmLatestContent" in _written_by(location) else UNDEFINED
    return text_or_none(said)


def _gave_no_answer(location: EpochLocation) -> bool:
    """Whether the call wrote nothing of an answer and nothing came after it."""
    is_last = location.log[-1].runtime_stage_id == location.call_runtime_stage_id
    return is_last and not _ANSWER_KEYS & _written_by(location)


def _error_of(
    recording: Recording, location: EpochLocation, events: CallEvents, *, is_unanswered: bool
) -> CallError | None:
    places: list[str | None] = [str(location.call_runtime_stage_id)]
    if is_unanswered:
        # A mount around the call may fail for another reason: its error is that of a call without an answer only.
        places += [location.subflow_scope, lane_mount(recording, location)]
    for place in places:
        if place is not None and events.fatal.get(place):
            return CallError(events.fatal[place], "event", place)
    for place in places:
        if place is not None and place in tree_errors(recording):
            return CallError(tree_errors(recording)[place], "execution-tree", place)
    if is_unanswered and not location.lane:
        # The one lane of the run died of what the run died of, wherever the event says that it happened.
        return next((CallError(text, "event", place or None) for place, text in events.fatal.items() if text), None)
    return None


def _receipt_basis(location: EpochLocation) -> Mapping[str, Value]:
    """Return what the call's own receipt says about who served it; that of an earlier call does not count."""
    receipt = read_after_call(location, "receipt") if "receipt" in _written_by(location) else UNDEFINED
    basis = receipt.get("basis") if is_object(receipt) else None
    return basis if is_object(basis) else {}


def _tokens(location: EpochLocation, reported: Value, key: str) -> int | float | None:
    """Return what the event *reported*, else by how much the call raised the running total *key*."""
    if is_number(reported):
        return reported
    if key not in _written_by(location):
        return None
    before, after = read_at_call(location, key), read_after_call(location, key)
    return after - before if is_number(before) and is_number(after) and after >= before else None


def _tool_calls(location: EpochLocation, events: CallEvents, *, has_failed: bool) -> tuple[ToolCall, ...] | None:
    if has_failed:
        return ()
    asked = read_after_call(location, "llmLatestToolCalls")
    if "llmLatestToolCalls" not in _written_by(location):
        # Nothing, and so no change; unless an earlier call left its own there: this one may have asked for the same.
        return () if asked in ([], UNDEFINED) else None
    if not isinstance(asked, list):
        return None
    call = str(location.call_runtime_stage_id)
    return tuple(_tool_call(request, call, events) for request in asked)


def _tool_call(request: Value, call: str, events: CallEvents) -> ToolCall:
    members = request if is_object(request) else {"args": request}
    tool_call = text_or_none(members.get("id"))
    end = None if tool_call is None else events.tool_ends.get((call, tool_call))
    duration = UNDEFINED if end is None else member(end, "durationMs")
    return ToolCall(
        id=tool_call,
        name=text_or_none(members.get("name")),
        args=members.get("args", UNDEFINED),
        duration_ms=duration if is_number(duration) else None,
        has_failed=None if end is None else member(end, "error") not in (UNDEFINED, None, False, ""),
        result_text=None if end is None else _result_text(end.get("result")),
    )


def _result_text(result: msgspec.Raw | None) -> str | None:
    """Return *result* as the tool message has it: a text as it is, else JSON with its numbers as written."""
    if result is None:
        return None
    value = read_value(result)
    if isinstance(value, str):
        return value
    try:
        return msgspec.json.format(bytes(result), indent=-1).decode()
    except (msgspec.DecodeError, RecursionError):
        # JSON that msgspec does not read, a lone surrogate in it for one: as it stands in the file.
        return bytes(result).decode()
