"""What one call cost, took and failed with, and the model that it asked."""

import json

import pytest

from recordings.timetravel import (
    UNDEFINED,
    Recording,
    all_epoch_locations,
    decode_recording,
    read_after_call,
    read_at_call,
    tool_results,
)
from recordings.timetravel.treeerrors import tree_errors
from tests.corpus import ENVELOPES, envelope_named, needs_corpus, recording_files, recording_named
from tests.timetravel.build import commit
from tests.timetravel.runs import asks, event, facts, mounts, run, tool_call


def asked(recording: Recording) -> list:
    return [[call.id for call in fact.tool_calls] for fact in facts(recording)]


# The corpus


@needs_corpus
@pytest.mark.parametrize("name", recording_files())
def test_tokens_add_up_to_the_run_s_totals(name):
    """The calls of a lane together raise its total from what it was before them to what it is in the end."""
    recording = recording_named(name)
    lanes: dict = {}
    for location, fact in zip(all_epoch_locations(recording), facts(recording), strict=True):
        lanes.setdefault(location.lane, []).append((location, fact))
    for calls in lanes.values():
        start = read_at_call(calls[0][0], "totalOutputTokens")
        end = read_after_call(calls[-1][0], "totalOutputTokens")
        if start is not UNDEFINED:
            assert sum(fact.output_tokens or 0 for _, fact in calls) == end - start
        else:
            assert calls[0][1].output_tokens is None


@needs_corpus
@pytest.mark.parametrize("name", ENVELOPES)
def test_an_envelope_tells_the_same_and_more(name):
    """The events add the model, the duration and the stop reason, and contradict nothing in the log."""
    bare, full = recording_named(name), envelope_named(name)

    assert asked(bare) == asked(full)
    assert tool_results(bare) == tool_results(full)
    for less, more in zip(facts(bare), facts(full), strict=True):
        assert (less.model, less.provider, less.duration_ms, less.stop_reason) == (None, None, None, None)
        assert more.model in ("mock", "mock-large")
        assert more.provider == "mock"
        assert isinstance(more.duration_ms, int)
        assert more.stop_reason in ("stop", "tool_use")
        assert more.input_tokens is not None
        assert less.input_tokens in (more.input_tokens, None)
        assert less.output_tokens in (more.output_tokens, None)
        for before, after in zip(less.tool_calls, more.tool_calls, strict=True):
            assert (before.duration_ms, before.has_failed, before.result_text) == (None, None, None)
            assert isinstance(after.duration_ms, int)
            assert after.has_failed is False


@needs_corpus
def test_the_wrong_tool_story():
    fourth = facts(envelope_named("flat-wrong-tool"))[3]

    assert asked(recording_named("flat-wrong-tool")) == [["w1"], ["w2"], ["w3"], []]
    assert (fourth.model, fourth.input_tokens, fourth.output_tokens, fourth.stop_reason) == (
        "mock-large",
        160,
        34,
        "stop",
    )


@needs_corpus
@pytest.mark.parametrize(
    ("name", "position", "text", "place"),
    [
        ("flat-provider-throws-first", 1, "Error: 401 invalid key", "call-llm#18"),
        ("grouped-provider-throws-first", 1, "Error: 401 invalid key", "sf-llm-call#1"),
        ("grouped-provider-throws", 2, "Error: 503 upstream model overloaded", "sf-llm-call#25"),
    ],
)
def test_a_failed_call_says_why(name, position, text, place):
    """It cost nothing that is known, asked for nothing, and what an earlier call asked for is not its own."""
    fact = facts(recording_named(name))[position - 1]

    assert fact.has_failed
    assert (fact.error.text, fact.error.source, fact.error.runtime_stage_id) == (text, "execution-tree", place)
    assert (fact.input_tokens, fact.output_tokens, fact.model, fact.tool_calls) == (None, None, None, ())


@needs_corpus
def test_only_three_calls_of_the_corpus_failed():
    failed = {
        name: [fact.has_failed for fact in facts(recording_named(name))].count(True) for name in recording_files()
    }

    assert {name: count for name, count in failed.items() if count} == {
        "flat-provider-throws-first": 1,
        "grouped-provider-throws-first": 1,
        "grouped-provider-throws": 1,
    }


@needs_corpus
def test_a_receipt_names_the_model():
    """Where there is no event; a damaged receipt names none."""
    assert [(fact.model, fact.provider) for fact in facts(recording_named("flat-receipt-multi"))] == [
        ("mock-large", "mock")
    ] * 3
    assert [fact.model for fact in facts(recording_named("flat-receipt-damaged"))] == [None, "mock-large"]


@needs_corpus
def test_a_lost_base_leaves_the_first_call_without_a_count():
    """The total after it is known, the one before is not: that is no count from zero."""
    counts = [(fact.input_tokens, fact.output_tokens) for fact in facts(recording_named("flat-receipt-resumed-nobase"))]

    assert counts == [(None, None), (10, 5)]


# What the corpus lacks


def test_a_failed_call_leaves_the_value_of_the_call_before():
    recording = run(asks(1, tool_call("a")), commit("tool-calls", 2), commit("call-llm", 3))

    failed = facts(recording)[1]

    assert (failed.has_failed, failed.error, failed.tool_calls) == (True, None, ())


def test_counts_that_were_not_reported_are_not_zero():
    """Not in the log, and not in an event with half a usage; a reported zero is one."""
    rows = [commit("call-llm", 1, ("llmLatestContent", "set", "x")), commit("sf-route", 2)]

    bare = facts(run(*rows))[0]
    told = facts(run(*rows, events=[event("stream.llm_end", "call-llm#1", usage={"input": 0}, durationMs=0)]))[0]

    assert (bare.input_tokens, bare.output_tokens, bare.duration_ms) == (None, None, None)
    assert (told.input_tokens, told.output_tokens, told.duration_ms) == (0, None, 0)


def test_the_receipt_of_an_earlier_call_names_nobody_s_model():
    recording = run(
        commit("call-llm", 1, ("receipt", "set", {"basis": {"epoch": 1, "model": "m", "provider": "p"}})),
        commit("call-llm", 2, ("llmLatestContent", "set", "x")),
    )

    assert [(fact.model, fact.provider) for fact in facts(recording)] == [("m", "p"), (None, None)]


@pytest.mark.parametrize("stage", ["call-llm#1", "run#0", ""])
def test_a_fatal_event_comes_before_the_tree(stage):
    """Wherever it says that it happened, the one lane of the run died of it."""
    tree = {"id": "call-llm", "runtimeStageId": "call-llm#1", "errors": {"stageExecutionError": "Error: from the tree"}}
    fatal = event("error.fatal", stage, error="503 overloaded", stage="call-llm")
    recording = run(commit("call-llm", 1), events=[fatal], executionTree=tree if stage == "call-llm#1" else {})

    error = facts(recording)[0].error

    assert (error.text, error.source, error.runtime_stage_id) == ("503 overloaded", "event", stage or None)


def test_an_error_around_a_call_that_answered_is_not_its_own():
    inner = [commit("sf-llm-call/call-llm", 2, ("llmLatestContent", "set", "x")), commit("sf-llm-call/sf-thinking", 3)]
    tree = {"id": "sf-llm-call", "runtimeStageId": "sf-llm-call#1", "errors": {"subflowError": "Error: thinking"}}
    recording = run(commit("sf-llm-call", 1), executionTree=tree, subflowResults=mounts(**{"sf-llm-call__1": inner}))

    assert (facts(recording)[0].has_failed, facts(recording)[0].error) == (False, None)


def test_a_deep_tree_keeps_its_error():
    """Real trees nest seven levels for each epoch; what looks like an error inside a text or a value is none."""
    node: dict = {"runtimeStageId": "call-llm#9999", "errors": {"stageExecutionError": "Error: deep"}}
    text = json.dumps(node)
    for number in range(5000):
        stage = json.dumps(
            {"runtimeStageId": f"s#{number}", "errors": {}, "logs": {"errors": {"a": "b"}}, "c": '"errors":{"'}
        )
        text = f'{stage[:-1]}, "next": {text}, "children": [ ]}}'
    recording = decode_recording(f'{{"commitLog": [], "executionTree": {text}}}'.encode())

    assert tree_errors(recording) == {"call-llm#9999": "Error: deep"}


def test_errors_of_branches_come_in_the_order_of_execution():
    tree = {
        "runtimeStageId": "fork#0",
        "errors": {},
        "children": [
            {"runtimeStageId": "b#9", "errors": {"stageExecutionError": "B"}},
            {"runtimeStageId": "a#2", "errors": {"stageExecutionError": "A"}, "next": None},
        ],
    }

    assert list(tree_errors(run(executionTree=tree)).items()) == [("a#2", "A"), ("b#9", "B")]


def test_a_total_that_falls_counts_nothing():
    recording = run(commit("call-llm", 1, ("totalInputTokens", "set", 3)), initialState={"totalInputTokens": 9})

    assert facts(recording)[0].input_tokens is None


def test_a_call_whose_answer_changed_nothing_has_not_failed():
    """The run went on after it."""
    recording = run(commit("call-llm", 1), commit("sf-route", 2))

    assert (facts(recording)[0].has_failed, facts(recording)[0].tool_calls) == (False, ())
