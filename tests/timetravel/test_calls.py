"""What one call asked for, cost, took and failed with; and what became of the tools it asked for."""

import json
from typing import Any

import pytest

from recordings.timetravel import (
    UNDEFINED,
    Recording,
    all_epoch_locations,
    call_facts,
    decode_recording,
    read_after_call,
    read_at_call,
    tool_results,
)
from recordings.timetravel.treeerrors import tree_errors
from tests.corpus import CORPUS, needs_corpus, recording_files, recording_named
from tests.timetravel.build import commit, user

ENVELOPES = sorted(path.name.split(".")[0] for path in (CORPUS / "envelopes").glob("*.envelope.json"))


def envelope_named(name: str) -> Recording:
    return decode_recording((CORPUS / "envelopes" / f"{name}.envelope.json").read_bytes())


def run(*rows: dict, events: list | None = None, **parts: Any) -> Recording:
    """A run with these rows in its log; *parts* are more members of its snapshot."""
    snapshot = {"initialState": {}, "commitLog": list(rows), **parts}
    return decode_recording(
        json.dumps(snapshot if events is None else {"snapshot": snapshot, "events": events}).encode()
    )


def event(kind: str, at: str, /, **payload: Any) -> dict:
    return {"type": f"agentfootprint.{kind}", "payload": payload, "meta": {"runtimeStageId": at}}


def mounts(**logs: list) -> dict:
    return {
        key.replace("__", "#").replace("_", "/"): {"treeContext": {"history": rows, "initialState": {}}}
        for key, rows in logs.items()
    }


def asks(number: int, *calls: Any, lane: str = "") -> dict:
    """The commit of a call that asked for tools."""
    return commit(
        f"{lane}call-llm", number, ("llmLatestToolCalls", "set", list(calls)), ("totalOutputTokens", "set", 1)
    )


def tool_call(id_: str, args: Any = None) -> dict:
    return {"id": id_, "name": "look_up", "args": {} if args is None else args}


def result(id_: str, text: str) -> dict:
    return {"role": "tool", "content": text, "toolCallId": id_, "toolName": "look_up"}


def facts(recording: Recording) -> list:
    return [call_facts(recording, location) for location in all_epoch_locations(recording)]


def asked(recording: Recording) -> list:
    return [[call.id for call in fact.tool_calls] for fact in facts(recording)]


# The corpus


@needs_corpus
@pytest.mark.parametrize("name", recording_files())
def test_tool_calls_are_those_of_the_log(name):
    """What a call asked for is what its own row wrote, and every healthy row that wrote nothing left an empty list."""
    recording = recording_named(name)
    for location, fact in zip(all_epoch_locations(recording), facts(recording), strict=True):
        own = any(touch.row == location.call_index for touch in location.source.touches("llmLatestToolCalls"))
        written = read_after_call(location, "llmLatestToolCalls") if own else []
        assert fact.tool_calls is not None
        assert [(call.id, call.name, call.args) for call in fact.tool_calls] == [
            (call["id"], call["name"], call["args"]) for call in written
        ]


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
@pytest.mark.parametrize("name", ENVELOPES)
def test_the_events_and_the_log_have_the_same_results(name):
    """A result that is no text is written in the event as JSON, and in the message as the text of that JSON."""
    full = envelope_named(name)
    told = {call.id: call.result_text for fact in facts(full) for call in fact.tool_calls}

    assert told == {result.tool_call_id: result.text for result in tool_results(full)}


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


@needs_corpus
def test_results_of_the_corpus():
    """Every result is served at the next call of its lane; those of a pause and of a wrap-up are not on record."""
    missing = {}
    for name in recording_files():
        for found in tool_results(recording_named(name)):
            assert not found.is_late
            if not found.is_recorded:
                missing.setdefault(name, []).append(found.tool_call_id)
                assert (found.text, found.recorded_by, found.served_at) == (None, None, None)

    assert missing == {
        "flat-paused": ["p2"],
        "grouped-paused": ["p2"],
        "flat-receipt-paused": ["r4"],
        "grouped-receipt-paused": ["r4"],
        "flat-receipt-wrapup": ["w2", "w3"],
        "flat-wrap-up": ["l3", "l4"],
    }


@needs_corpus
@pytest.mark.parametrize(
    "name", ["flat-resumed", "grouped-resumed", "grouped-resumed-nobase", "grouped-resumed-norunlog"]
)
def test_a_resumed_leg_holds_the_result_that_it_waited_for(name):
    """The call that asked for it is in the earlier leg, however much of the later one was lost."""
    found = {result.tool_call_id: result for result in tool_results(recording_named(name))}

    assert found["p2"].asked_at is None
    assert found["p2"].text == "Approved by Priya, limit GBP 300."
    assert found["p2"].served_at == 1
    assert (found["p3"].asked_at, found["p3"].served_at) == (1, 2)


@needs_corpus
def test_a_redacted_history_hides_where_a_result_was_served():
    """That it is on record is known from the batch of the tool stage."""
    found = tool_results(recording_named("flat-redacted-history"))

    assert [(result.tool_call_id, result.recorded_by) for result in found][:3] == [
        ("t1", "tool-calls#22"),
        ("t2", "tool-calls#22"),
        ("t3", "tool-calls#44"),
    ]
    assert all(result.is_recorded and result.served_at is None for result in found)


@needs_corpus
def test_lanes_keep_their_results_apart():
    found = tool_results(recording_named("parallel-grouped-agents"))

    assert [(result.lane, result.tool_call_id, result.asked_at, result.served_at) for result in found] == [
        ("legal", "legal1", 1, 3),
        ("finance", "finance1", 2, 4),
    ]


# What the corpus lacks


def test_a_result_that_is_missing_and_one_that_is_late():
    """Of three parallel calls one is answered in time, one after the next call, one never."""
    recording = run(
        commit("seed", 0, ("history", "set", [user("?")])),
        asks(1, tool_call("a"), tool_call("b"), tool_call("c")),
        commit("tool-calls", 2, ("history", "append", [result("a", "A")])),
        asks(3, tool_call("d")),
        commit("tool-calls", 4, ("history", "append", [result("b", "B"), result("d", "D")])),
        commit("call-llm", 5, ("llmLatestToolCalls", "set", [])),
    )

    found = [
        (r.tool_call_id, r.asked_at, r.is_recorded, r.text, r.served_at, r.is_late) for r in tool_results(recording)
    ]

    assert found == [
        ("a", 1, True, "A", 2, False),
        ("b", 1, True, "B", 3, True),
        ("c", 1, False, None, None, False),
        ("d", 2, True, "D", 3, False),
    ]


def test_a_result_after_the_last_call_was_served_to_none():
    recording = run(asks(1, tool_call("a")), commit("tool-calls", 2, ("history", "set", [result("a", "A")])))

    (found,) = tool_results(recording)

    assert (found.is_recorded, found.served_at) == (True, None)


def test_a_result_that_left_before_the_next_call_was_served_to_none():
    recording = run(
        asks(1, tool_call("a")),
        commit("tool-calls", 2, ("history", "set", [user("?"), result("a", "A")])),
        commit("compact", 3, ("history", "set", [user("?")])),
        asks(4, tool_call("b")),
    )

    assert [(r.tool_call_id, r.is_recorded, r.served_at) for r in tool_results(recording)] == [
        ("a", True, None),
        ("b", False, None),
    ]


def test_an_id_that_is_used_again():
    """Each call takes the first result after it, and the events of one are not those of the other."""
    recording = run(
        asks(1, tool_call("call_0")),
        commit("tool-calls", 2, ("history", "set", [result("call_0", "first")])),
        asks(3, tool_call("call_0", {"again": True})),
        commit("tool-calls", 4, ("history", "append", [result("call_0", "second")])),
        commit("call-llm", 5, ("llmLatestToolCalls", "set", [])),
        events=[
            event("stream.tool_end", "tool-calls#2", toolCallId="call_0", result="first", durationMs=1),
            event("stream.tool_end", "tool-calls#4", toolCallId="call_0", result="second", durationMs=2, error=True),
        ],
    )

    assert [(r.text, r.asked_at, r.served_at) for r in tool_results(recording)] == [("first", 1, 2), ("second", 2, 3)]
    assert [(c.duration_ms, c.has_failed) for fact in facts(recording) for c in fact.tool_calls] == [
        (1, False),
        (2, True),
    ]


@pytest.mark.parametrize("args", ["SELECT 1", None, 3, ["a"], {"order": "A-1"}, {}])
def test_arguments_are_what_was_recorded(args):
    """Whatever JSON they are; and neighbours are not touched."""
    request = {"id": "q", "name": "query", "args": args}
    recording = run(asks(1, request, tool_call("b"), {"id": "n"}, "odd"))

    calls = facts(recording)[0].tool_calls

    assert calls[0].args == args
    assert (calls[1].id, calls[1].args) == ("b", {})
    assert (calls[2].id, calls[2].name, calls[2].args) == ("n", None, UNDEFINED)
    assert (calls[3].id, calls[3].args) == (None, "odd")


def test_a_failed_tool_shows_in_events_only():
    """In the log the message of the error is a result like any other."""
    rows = [
        asks(1, tool_call("a"), tool_call("b")),
        commit("tool-calls", 2, ("history", "set", [result("a", "connection refused"), result("b", "fine")])),
        commit("call-llm", 3, ("llmLatestToolCalls", "set", [])),
    ]
    ends = [
        event("stream.tool_end", "tool-calls#2", toolCallId="a", result="connection refused", durationMs=4, error=True),
        event("stream.tool_end", "tool-calls#2", toolCallId="b", result={"stock": 18446744073709551617}, durationMs=0),
    ]

    bare, told = facts(run(*rows))[0].tool_calls, facts(run(*rows, events=ends))[0].tool_calls

    assert [call.has_failed for call in bare] == [None, None]
    assert [(call.has_failed, call.duration_ms, call.result_text) for call in told] == [
        (True, 4, "connection refused"),
        (False, 0, '{"stock":18446744073709551617}'),
    ]


def test_a_result_with_a_lone_surrogate_is_still_shown():
    ends = [event("stream.tool_end", "tool-calls#2", toolCallId="a", result={"note": "\ud83d"}, durationMs=0)]

    (call,) = facts(run(asks(1, tool_call("a")), events=ends))[0].tool_calls

    assert json.loads(call.result_text) == {"note": "\ud83d"}


def test_a_failed_call_leaves_the_value_of_the_call_before():
    recording = run(asks(1, tool_call("a")), commit("tool-calls", 2), commit("call-llm", 3))

    failed = facts(recording)[1]

    assert (failed.has_failed, failed.error, failed.tool_calls) == (True, None, ())


def test_a_value_that_did_not_change_is_not_known_to_be_empty():
    """A call that asks for the same again writes nothing; neither does one that is not known to have asked."""
    recording = run(
        asks(1, tool_call("a")), commit("call-llm", 2, ("totalOutputTokens", "set", 9)), commit("sf-route", 3)
    )

    assert facts(recording)[1].tool_calls is None


def test_redacted_tool_calls_are_not_none():
    recording = run(commit("call-llm", 1, ("llmLatestToolCalls", "set", "REDACTED")))

    assert facts(recording)[0].tool_calls is None


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


def test_events_of_one_lane_do_not_reach_another():
    """Two lanes that use one id: each call has the end of its own tool."""
    logs = {
        lane: [asks(number, tool_call("x"), lane=f"{lane}/"), commit(f"{lane}/tool-calls", number + 2)]
        for lane, number in (("a", 3), ("b", 4))
    }
    recording = run(
        commit("a", 1),
        commit("b", 2),
        subflowResults=mounts(a__1=logs["a"], b__2=logs["b"]),
        events=[
            event("stream.tool_end", "b/tool-calls#6", toolCallId="x", result="of b", durationMs=6),
            event("stream.tool_end", "a/tool-calls#5", toolCallId="x", result="of a", durationMs=5),
        ],
    )

    found = [(location.lane, fact.tool_calls[0].result_text) for location, fact in located(recording)]

    assert found == [("a", "of a"), ("b", "of b")]


def located(recording: Recording) -> list:
    return list(zip(all_epoch_locations(recording), facts(recording), strict=True))


def test_a_total_that_falls_counts_nothing():
    recording = run(commit("call-llm", 1, ("totalInputTokens", "set", 3)), initialState={"totalInputTokens": 9})

    assert facts(recording)[0].input_tokens is None


def test_a_call_whose_answer_changed_nothing_has_not_failed():
    """The run went on after it."""
    recording = run(commit("call-llm", 1), commit("sf-route", 2))

    assert (facts(recording)[0].has_failed, facts(recording)[0].tool_calls) == (False, ())


def test_an_event_belongs_to_the_innermost_lane():
    """One agent inside another's lane: what happens in it is not the outer one's."""
    recording = run(
        subflowResults={
            "a#1": {"treeContext": {"history": [asks(2, tool_call("x"), lane="a/")]}},
            "a/b#3": {"treeContext": {"history": [asks(4, tool_call("x"), lane="a/b/")]}},
        },
        events=[event("stream.tool_end", "a/b/tool-calls#5", toolCallId="x", result="inner", durationMs=1)],
    )

    found = [(location.lane, fact.tool_calls[0].result_text) for location, fact in located(recording)]

    assert found == [("a", None), ("a/b", "inner")]


def test_a_result_that_can_no_longer_be_read_is_not_known_to_be_served():
    recording = run(
        commit("x", 1, ("history", "set", "REDACTED")),
        commit("call-llm", 2, ("llmLatestContent", "set", "x")),
        initialState={"history": [result("a", "A")]},
    )

    assert [(r.tool_call_id, r.is_recorded, r.served_at) for r in tool_results(recording)] == [("a", True, None)]


def test_a_call_in_a_mount_that_left_no_row():
    """Everything in the log of the run came before it."""
    recording = run(
        commit("tool-calls", 1, ("history", "set", [result("a", "A")])),
        subflowResults=mounts(**{"sf-llm-call__2": [commit("sf-llm-call/call-llm", 3)]}),
    )

    assert [(r.recorded_by, r.served_at) for r in tool_results(recording)] == [("tool-calls#1", 1)]
