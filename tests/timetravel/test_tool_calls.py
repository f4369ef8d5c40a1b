"""What one call asked for, and what the events tell of the tools that did it."""

import json

import pytest

from recordings.timetravel import UNDEFINED, Recording, all_epoch_locations, read_after_call
from tests.corpus import needs_corpus, recording_files, recording_named
from tests.timetravel.build import commit
from tests.timetravel.runs import asks, event, facts, mounts, result, run, tool_call

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


# What the corpus lacks


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


def test_a_value_that_did_not_change_is_not_known_to_be_empty():
    """A call that asks for the same again writes nothing; neither does one that is not known to have asked."""
    recording = run(
        asks(1, tool_call("a")), commit("call-llm", 2, ("totalOutputTokens", "set", 9)), commit("sf-route", 3)
    )

    assert facts(recording)[1].tool_calls is None


def test_redacted_tool_calls_are_not_none():
    recording = run(commit("call-llm", 1, ("llmLatestToolCalls", "set", "REDACTED")))

    assert facts(recording)[0].tool_calls is None


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
