"""What became of the tools that calls asked for: which results are on record, and where they were served."""

import pytest

from recordings.timetravel import tool_results
from tests.corpus import ENVELOPES, envelope_named, needs_corpus, recording_files, recording_named
from tests.timetravel.build import commit, user
from tests.timetravel.runs import asks, event, facts, mounts, result, run, tool_call

# The corpus


@needs_corpus
@pytest.mark.parametrize("name", ENVELOPES)
def test_the_events_and_the_log_have_the_same_results(name):
    """A result that is no text is written in the event as JSON, and in the message as the text of that JSON."""
    full = envelope_named(name)
    told = {call.id: call.result_text for fact in facts(full) for call in fact.tool_calls}

    assert told == {result.tool_call_id: result.text for result in tool_results(full)}


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
