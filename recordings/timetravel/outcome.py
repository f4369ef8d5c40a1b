"""How a run ended, and what it answered: as a whole, and lane by lane."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, Literal, TypeAlias

import msgspec

from recordings.timetravel.callevents import call_events, text_or_none
from recordings.timetravel.calls import call_facts
from recordings.timetravel.epochs import all_epoch_locations
from recordings.timetravel.fold import Log
from recordings.timetravel.ids import local_of, parse_runtime_stage_id
from recordings.timetravel.jsontext import read_value
from recordings.timetravel.lanes import epochs_of_lane, execution_index, lane_log, lanes, mounts_below
from recordings.timetravel.recording import Recording
from recordings.timetravel.treeerrors import tree_errors
from recordings.timetravel.values import REDACTED, UNDEFINED, Value, is_number, is_object

OutcomeKind: TypeAlias = Literal["finished", "paused", "failed", "unknown"]
#: Where an answer was read: in the stage that ends an agent, in the last content of the model, in the answer of a
#: single call, or in what a sequence or a parallel composition passed on.
AnswerSource: TypeAlias = Literal["final", "llmLatestContent", "answer", "current", "branchResults"]

_FINAL: Final = "final"


class Pause(msgspec.Struct, frozen=True):
    """The tool call that a run waits for the result of."""

    tool_call_id: str
    tool_name: str | None
    #: As recorded, `UNDEFINED` where they are not.
    args: Value
    #: Unix milliseconds; None where it is not on record.
    started_ms: int | float | None
    #: The execution that paused, None when the run paused before this recording.
    runtime_stage_id: str | None
    #: What the pause asked for, as its event has it; `UNDEFINED` without one. The arguments say it too.
    request: Value = UNDEFINED


class Failure(msgspec.Struct, frozen=True):
    """Why and where a run broke off."""

    #: None when the reason is not on record.
    reason: str | None
    #: The execution that failed, None where that is not on record.
    runtime_stage_id: str | None
    #: The position of the epoch whose call failed; None when it was no call.
    position: int | None


class StoppedEarly(msgspec.Struct, frozen=True):
    """Why an agent was made to answer before it was done. None where the recording does not say."""

    #: For example ``max-iterations``.
    reason: str | None
    iteration: int | float | None
    n_pending_tool_calls: int | float | None
    is_answer_empty: bool | None
    #: Whether the model was asked for a last answer without tools.
    is_wrapped_up: bool | None


class Outcome(msgspec.Struct, frozen=True):
    """How a run, or one lane of it, ended."""

    #: ``unknown`` when the recording shows no end: it broke off, is still going on, or is not of an agent.
    kind: OutcomeKind
    #: The lane that decided it; None for a composed run as a whole.
    lane: str | None = None
    pause: Pause | None = None
    failure: Failure | None = None
    stopped_early: StoppedEarly | None = None


class Answer(msgspec.Struct, frozen=True):
    """What one lane answered."""

    lane: str
    #: None when a policy took it out.
    text: str | None
    source: AnswerSource
    is_redacted: bool = False


def outcome_of(recording: Recording) -> Outcome:
    """
    Return how the run ended.

    Of a composed run: paused when a lane is; finished when a stage of its own came after all its calls, whatever its
    lanes did; else failed when a lane or a stage has. `outcomes_of_lanes` tells of each.
    """
    found = outcomes_of_lanes(recording)
    if len(found) == 1 and found[0].lane == "":
        return found[0]
    by_kind = {outcome.kind: outcome for outcome in reversed(found)}
    if "paused" in by_kind:
        return by_kind["paused"]
    if found and _has_ended(recording):
        early = next((outcome.stopped_early for outcome in found if outcome.stopped_early), None)
        return Outcome("finished", stopped_early=early)
    if "failed" in by_kind:
        return by_kind["failed"]
    failure = _failure_outside_calls(recording, "")
    return Outcome("unknown") if failure is None else Outcome("failed", failure=failure)


def outcomes_of_lanes(recording: Recording) -> list[Outcome]:
    """Return how each lane ended, in the order of their first epochs."""
    return [_outcome_of_lane(recording, lane) for lane in lanes(recording)]


def _outcome_of_lane(recording: Recording, lane: str) -> Outcome:
    last = epochs_of_lane(recording, lane)[-1]
    log = lane_log(recording, last)
    early = _stopped_early(log.value_at("stoppedEarly", log.length))
    if _has_final(recording, lane, log) or _has_answer(log):
        failure = _failure_at_the_end(recording, lane)
        return Outcome("failed" if failure else "finished", lane, failure=failure, stopped_early=early)
    pause = _pause(recording, log)
    if pause is not None:
        return Outcome("paused", lane, pause=pause, stopped_early=early)
    facts = call_facts(recording, last)
    if facts.has_failed:
        reason = facts.error.text if facts.error is not None else None
        failure = Failure(reason, str(last.call_runtime_stage_id), last.position)
    else:
        other = _failure_outside_calls(recording, lane)
        if other is None:
            return Outcome("unknown", lane, stopped_early=early)
        failure = other
    return Outcome("failed", lane, failure=failure, stopped_early=early)


def _has_final(recording: Recording, lane: str, log: Log) -> bool:
    """Whether the stage that ends an agent ran: there is its mount, or its row where mounts were not kept."""
    stage = f"{lane}/{_FINAL}" if lane else _FINAL
    return bool(final_mounts(recording, lane)) or any(row.stage_id == stage for row in log.rows)


def final_mounts(recording: Recording, lane: str) -> list[str]:
    """Return the mounts of the stage that ends the agent of *lane*, in the order of execution."""
    return [key for _, key in mounts_below(recording, lane, _FINAL) if local_of(key.partition("#")[0]) == _FINAL]


def _failure_at_the_end(recording: Recording, lane: str) -> Failure | None:
    """Return the error of the stage that ends the agent of *lane*: it answered, and its memory refused the turn."""
    mounts = final_mounts(recording, lane)
    errors = tree_errors(recording)
    if not mounts or mounts[-1] not in errors:
        return None
    within, start = f"{mounts[-1].rpartition('#')[0]}/", execution_index(mounts[-1])
    # The innermost comes last; those around it only pass its error on.
    stage = [mounts[-1], *(id_ for id_ in errors if id_.startswith(within) and execution_index(id_) > start)][-1]
    return Failure(errors[stage] or None, stage, None)


def _has_answer(log: Log) -> bool:
    """Whether the lane is a single call that was answered."""
    return isinstance(log.value_at("answer", log.length), str)


def _has_ended(recording: Recording) -> bool:
    """Whether the run's last row is of a stage of its own that came after every call."""
    rows = recording.run_log.rows
    last = rows[-1].runtime_stage_id if rows else None
    calls = [execution_index(location.call_runtime_stage_id) for location in all_epoch_locations(recording)]
    return isinstance(last, str) and last not in recording.mount_keys and execution_index(last) > max(calls)


def _pause(recording: Recording, log: Log) -> Pause | None:
    tool_call = log.value_at("pausedToolCallId", log.length)
    if not isinstance(tool_call, str) or not tool_call:
        return None
    started = log.value_at("pausedToolStartMs", log.length)
    row = log.last_row("pausedToolCallId", log.length)
    pauses = call_events(recording).pauses
    request = {name: read_value(raw) for name, raw in pauses[-1].items()} if pauses else UNDEFINED
    return Pause(
        tool_call,
        text_or_none(log.value_at("pausedToolName", log.length)),
        log.value_at("pausedToolArgs", log.length),
        started if is_number(started) else None,
        text_or_none(log.rows[row].runtime_stage_id) if row >= 0 else None,
        request,
    )


def _failure_outside_calls(recording: Recording, lane: str) -> Failure | None:
    """Return the error of another stage of *lane*; for the lane without a name, of any."""
    for errors in (call_events(recording).fatal, tree_errors(recording)):
        # The innermost stage comes last, those that only pass its error on before.
        for stage, reason in reversed(list(errors.items())):
            path = parse_runtime_stage_id(stage).subflow_path or ""
            if not lane or path == lane or path.startswith(f"{lane}/") or stage.rpartition("#")[0] == lane:
                return Failure(reason or None, stage or None, None)
    return None


def _stopped_early(value: Value) -> StoppedEarly | None:
    if not is_object(value):
        return None
    iteration, pending = value.get("iteration"), value.get("pendingToolCalls")
    empty, wrapped = value.get("answerWasEmpty"), value.get("wrappedUp")
    return StoppedEarly(
        text_or_none(value.get("reason")),
        iteration if is_number(iteration) else None,
        pending if is_number(pending) else None,
        empty if isinstance(empty, bool) else None,
        wrapped if isinstance(wrapped, bool) else None,
    )


def answers_of(recording: Recording) -> list[Answer]:
    """
    Return what the run answered, lane by lane; empty when it did not.

    An agent's answer is in the stage that ends it, and only where that stage's state was not kept in the last content
    of the model: of a run that paused or failed that content is no answer. The exported ``finalContent`` is not looked
    at; it is empty or absent.
    """
    found = [answer for lane in lanes(recording) for answer in _answers_of_lane(recording, lane)]
    return found or list(_passed_on(recording))


def _answers_of_lane(recording: Recording, lane: str) -> Iterator[Answer]:
    mounts = final_mounts(recording, lane)
    state = recording.mount_state(mounts[-1]) if mounts else None
    if is_object(state) and isinstance(state.get("finalContent"), str):
        yield _answer(lane, state["finalContent"], "final")
        return
    log = lane_log(recording, epochs_of_lane(recording, lane)[-1])
    sources: list[AnswerSource] = ["llmLatestContent", "answer"] if _has_final(recording, lane, log) else ["answer"]
    texts = ((source, log.value_at(source, log.length)) for source in sources)
    yield from [_answer(lane, text, source) for source, text in texts if isinstance(text, str)][:1]


def _passed_on(recording: Recording) -> Iterator[Answer]:
    """Yield what a composition kept of its steps, where the logs of the steps are not on record."""
    log = recording.run_log
    # The first value of a sequence is what it was asked.
    if len({touch.row for touch in log.touches("current")}) > 1:
        current = log.value_at("current", log.length)
        if isinstance(current, str):
            yield _answer("", current, "current")
    branches = log.value_at("branchResults", log.length)
    for lane, text in branches.items() if is_object(branches) else ():
        if isinstance(text, str):
            yield _answer(lane, text, "branchResults")


def _answer(lane: str, text: str, source: AnswerSource) -> Answer:
    is_redacted = text == REDACTED
    return Answer(lane, None if is_redacted else text, source, is_redacted)
