"""How runs end: finished, paused, failed, or early."""

import json
from collections import Counter

import pytest

from recordings.timetravel import (
    UNDEFINED,
    Failure,
    StoppedEarly,
    all_epoch_locations,
    answers_of,
    decode_recording,
    identity_claimed,
    outcome_of,
    outcomes_of_lanes,
    user_message_of,
)
from tests.corpus import ENVELOPES, envelope_named, needs_corpus, recording_files, recording_named
from tests.timetravel.build import commit
from tests.timetravel.runs import asks, ended, event, mounts, run, tool_call

PAUSED = {"flat-paused": "p2", "grouped-paused": "p2", "flat-receipt-paused": "r4", "grouped-receipt-paused": "r4"}
FAILED = {"flat-provider-throws-first", "grouped-provider-throws-first", "grouped-provider-throws"}


def test_an_agent_whose_memory_refused_the_turn_failed_though_it_answered():
    tree = {
        "runtimeStageId": "seed#0",
        "next": {
            "runtimeStageId": "final#28",
            "errors": {"subflowError": "RefusedError: closed"},
            "next": {"runtimeStageId": "final/sf-memory-write-chat/write-messages#31", "errors": {"error": "closed"}},
        },
    }
    snapshot = {
        "commitLog": [commit("call-llm", 20)],
        "subflowResults": ended("", 28, "Gladly."),
        "executionTree": tree,
    }
    run = decode_recording(json.dumps(snapshot).encode())

    assert outcome_of(run).kind == "failed"
    assert outcome_of(run).failure == Failure("closed", "final/sf-memory-write-chat/write-messages#31", None)
    assert [answer.text for answer in answers_of(run)] == ["Gladly."]
    del tree["next"]["errors"], tree["next"]["next"]["errors"]
    assert outcome_of(decode_recording(json.dumps(snapshot).encode())).kind == "finished"


# The corpus


@needs_corpus
def test_outcomes_of_the_corpus():
    """Whatever has calls finished, paused or failed; a chart without an agent has no outcome."""
    kinds = {name: outcome_of(recording_named(name)).kind for name in recording_files()}

    assert {name for name, kind in kinds.items() if kind == "paused"} == set(PAUSED)
    assert {name for name, kind in kinds.items() if kind == "failed"} == FAILED
    without_calls = {name for name in kinds if not all_epoch_locations(recording_named(name))}
    assert {name for name, kind in kinds.items() if kind == "unknown"} == without_calls
    assert Counter(kinds.values())["finished"] == len(kinds) - len(PAUSED) - len(FAILED) - len(without_calls)


@needs_corpus
@pytest.mark.parametrize("name", ENVELOPES)
def test_an_envelope_has_the_outcome_of_its_snapshot(name):
    bare, full = recording_named(name), envelope_named(name)

    for question in (outcome_of, outcomes_of_lanes, answers_of, user_message_of, identity_claimed):
        assert question(bare) == question(full)


@needs_corpus
@pytest.mark.parametrize("name", PAUSED)
def test_a_paused_run_says_what_it_waits_for(name):
    outcome = outcome_of(recording_named(name))
    args = {"p2": {"question": "Refund GBP 249.00 for A-1042?"}, "r4": {"question": "ok?"}}

    assert (outcome.pause.tool_call_id, outcome.pause.tool_name) == (PAUSED[name], "ask_supervisor")
    assert outcome.pause.args == args[PAUSED[name]]
    assert outcome.pause.runtime_stage_id == recording_named(name).run_log.rows[-1].runtime_stage_id
    assert (outcome.failure, outcome.pause.request, answers_of(recording_named(name))) == (None, UNDEFINED, [])


@needs_corpus
def test_when_a_pause_began():
    assert outcome_of(recording_named("flat-paused")).pause.started_ms == 1796045927278
    assert outcome_of(recording_named("grouped-paused")).pause.started_ms == 1796045927350


@needs_corpus
def test_a_resumed_run_that_finished_is_not_paused():
    """Even where its own log was lost and the base still says that it waits."""
    for name in ("flat-resumed", "grouped-resumed", "grouped-resumed-nobase", "grouped-resumed-norunlog"):
        assert outcome_of(recording_named(name)).kind == "finished"
        assert answers_of(recording_named(name))[0].text.startswith("Your refund of GBP 249.00 was approved")


@needs_corpus
def test_failures_of_the_corpus():
    assert outcome_of(recording_named("grouped-provider-throws")).failure == Failure(
        "Error: 503 upstream model overloaded", "sf-llm-call/call-llm#44", 2
    )
    assert outcome_of(recording_named("flat-provider-throws-first")).failure == Failure(
        "Error: 401 invalid key", "call-llm#18", 1
    )


@needs_corpus
def test_stopping_early():
    early = {name: outcome_of(recording_named(name)).stopped_early for name in recording_files()}

    assert {name: stop for name, stop in early.items() if stop is not None} == {
        "flat-wrap-up": StoppedEarly("max-iterations", 3, 1, is_answer_empty=False, is_wrapped_up=True),
        "flat-receipt-wrapup": StoppedEarly("max-iterations", 2, 1, is_answer_empty=False, is_wrapped_up=True),
    }


# What the corpus lacks


def test_a_run_that_breaks_off_has_no_known_end():
    """A log that ends between two stages says nothing about the end."""
    recording = run(asks(1, tool_call("a")), commit("tool-calls", 2))

    assert outcome_of(recording).kind == "unknown"
    assert answers_of(recording) == []


def test_a_failure_without_a_reason():
    outcome = outcome_of(run(commit("seed", 0), commit("call-llm", 1)))

    assert (outcome.kind, outcome.failure) == ("failed", Failure(None, "call-llm#1", 1))


def test_a_stage_that_fails_is_no_failed_call():
    """The call answered; what failed is the stage after it."""
    tree = {"runtimeStageId": "tool-calls#2", "errors": {"stageExecutionError": "Error: disk full"}}
    outcome = outcome_of(run(asks(1, tool_call("a")), commit("tool-calls", 2), executionTree=tree))

    assert (outcome.kind, outcome.failure) == ("failed", Failure("Error: disk full", "tool-calls#2", None))


def test_a_run_that_failed_before_any_call():
    fatal = event("error.fatal", "seed#0", error={"message": "no model"})
    outcome = outcome_of(run(commit("seed", 0), events=[fatal]))

    assert (outcome.kind, outcome.failure) == ("failed", Failure("no model", "seed#0", None))


def composed(*rows: dict, a: list, b: list):
    return run(
        commit("a", 1),
        commit("b", 2),
        *rows,
        subflowResults=mounts(
            a__1=[commit("a/call-llm", 3, ("totalOutputTokens", "set", 1)), *a],
            b__2=[commit("b/call-llm", 4, ("totalOutputTokens", "set", 1)), *b],
        ),
    )


def test_a_composed_run():
    """It waits when a lane does, and has finished when a stage of its own came after all of them."""
    paused = [commit("a/tool-calls", 5, ("pausedToolCallId", "set", "p"), ("pausedToolArgs", "set", "SELECT 1"))]
    done = [commit("b/final", 6)]

    waiting = outcome_of(composed(a=paused, b=done))
    finished = outcome_of(composed(commit("merge", 9), a=[commit("a/final", 5)], b=done))
    broken_off = outcome_of(composed(a=[commit("a/final", 5)], b=done))

    assert (waiting.kind, waiting.lane, waiting.pause.args) == ("paused", "a", "SELECT 1")
    assert (finished.kind, finished.lane) == ("finished", None)
    assert broken_off.kind == "unknown"


def test_a_lane_that_failed():
    """The run failed with it, unless it went on to its end without it."""
    logs = mounts(
        a__1=[commit("a/call-llm", 3)], b__2=[commit("b/call-llm", 4, ("answer", "set", "x")), commit("b/end", 5)]
    )
    tree = {"runtimeStageId": "a#1", "errors": {"subflowError": "Error: 503"}}
    rows = [commit("a", 1), commit("b", 2, ("x", "set", 1))]

    failed = run(*rows, subflowResults=logs, executionTree=tree)
    went_on = run(*rows, commit("merge", 9), subflowResults=logs, executionTree=tree)

    assert [(outcome.lane, outcome.kind) for outcome in outcomes_of_lanes(failed)] == [
        ("a", "failed"),
        ("b", "finished"),
    ]
    assert outcome_of(failed).failure == Failure("Error: 503", "a/call-llm#3", 1)
    assert outcome_of(went_on).kind == "finished"


def test_a_pause_event_says_what_was_asked():
    rows = [asks(1, tool_call("p")), commit("tool-calls", 2, ("pausedToolCallId", "set", "p"))]
    recording = run(*rows, events=[event("pause.request", "tool-calls#2", question="May I?", severity="high")])

    pause = outcome_of(recording).pause

    assert pause.request == {"question": "May I?", "severity": "high"}
    assert (pause.tool_name, pause.args, pause.started_ms) == (None, UNDEFINED, None)


def test_an_early_stop_that_says_little():
    recording = run(commit("call-llm", 1, ("stoppedEarly", "set", {"reason": "budget"})), commit("final", 2))

    assert outcome_of(recording).stopped_early == StoppedEarly("budget", None, None, None, None)


@pytest.mark.parametrize("last", [commit("seed", 0), commit("tail", 9)])
def test_a_last_row_that_is_no_end(last):
    """One that is of a stage from before the calls, or of a mount: the composition was not through with its steps."""
    done = {lane: [commit(f"{lane}/final", number)] for lane, number in (("a", 5), ("b", 6))}
    logs = {
        **mounts(
            a__1=[commit("a/call-llm", 3, ("totalOutputTokens", "set", 1)), *done["a"]],
            b__2=[commit("b/call-llm", 4, ("totalOutputTokens", "set", 1)), *done["b"]],
        ),
        "tail#9": {"treeContext": {"history": []}},
    }

    assert outcome_of(run(commit("a", 1), commit("b", 2), last, subflowResults=logs)).kind == "unknown"
