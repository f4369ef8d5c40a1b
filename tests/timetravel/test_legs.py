"""Which recordings are legs of one run, and where a leg goes on."""

import json
from typing import Any

import pytest

from recordings.timetravel import (
    UNDEFINED,
    Recording,
    decode_recording,
    is_next_leg,
    outcome_of,
    resume_point,
)
from tests.corpus import needs_corpus, read_bytes, recording_files, recording_named
from tests.timetravel.build import commit
from tests.timetravel.runs import run

PAUSE = {"pausedToolCallId": "p", "pausedToolName": "ask", "pausedToolStartMs": 5, "history": [{"content": "a"}]}


def paused(**fields: Any) -> Recording:
    row = commit("tool-calls", 4, *((key, "set", value) for key, value in PAUSE.items()), **fields)
    return run(commit("call-llm", 3), row)


def resumed(number: int = 5, base: Any = PAUSE) -> Recording:
    return run(commit("tool-calls", number, ("pausedToolCallId", "set", "")), initialState=base)


@needs_corpus
def test_legs_of_the_corpus():
    """Of all pairs only those of one run; a leg that lost its base is proven to be nobody's."""
    names = [name for name, path in recording_files().items() if path.parent.name == "recordings"]
    pairs = {(a, b) for a in names for b in names if is_next_leg(recording_named(a), recording_named(b))}

    assert pairs == {
        ("flat-paused", "flat-resumed"),
        ("grouped-paused", "grouped-resumed"),
        ("grouped-paused", "grouped-resumed-norunlog"),
        ("flat-receipt-paused", "flat-receipt-resumed"),
        ("flat-receipt-paused", "flat-receipt-nocache"),
        ("flat-receipt-paused", "flat-receipt-damaged"),
        ("grouped-receipt-paused", "grouped-receipt-resumed"),
        ("grouped-receipt-paused", "grouped-receipt-nocache"),
    }


@needs_corpus
@pytest.mark.parametrize("path", ["iteration", "history", "messagesInjections", "runIdentity"])
def test_a_base_that_differs_in_one_value_is_another_run_s(path):
    later = json.loads(read_bytes(recording_files()["flat-resumed"]))
    later["initialState"][path] = [later["initialState"][path]]

    assert not is_next_leg(recording_named("flat-paused"), decode_recording(json.dumps(later).encode()))


@needs_corpus
@pytest.mark.parametrize("name", recording_files())
def test_a_leg_resumes_what_the_earlier_one_waits_for(name):
    point = resume_point(recording_named(name))
    earlier = {
        "flat-resumed": "flat-paused",
        "grouped-resumed": "grouped-paused",
        "grouped-resumed-norunlog": "grouped-paused",
        "flat-receipt-resumed": "flat-receipt-paused",
        "flat-receipt-nocache": "flat-receipt-paused",
        "flat-receipt-damaged": "flat-receipt-paused",
        "grouped-receipt-resumed": "grouped-receipt-paused",
        "grouped-receipt-nocache": "grouped-receipt-paused",
    }.get(name)
    if earlier is None:
        assert point is None
        return

    pause = outcome_of(recording_named(earlier)).pause

    assert (point.tool_call_id, point.tool_name, point.args, point.started_ms) == (
        pause.tool_call_id,
        pause.tool_name,
        pause.args,
        pause.started_ms,
    )


@needs_corpus
def test_who_resumed():
    assert resume_point(recording_named("flat-resumed")).resumed_by == "tool-calls#45"
    assert resume_point(recording_named("grouped-resumed")).resumed_by == "tool-calls#49"
    assert resume_point(recording_named("grouped-resumed-norunlog")).resumed_by is None


def test_a_leg_comes_after_the_last_execution():
    """An execution that both hold would have happened twice."""
    assert is_next_leg(paused(), resumed(5))
    assert not is_next_leg(paused(), resumed(4))
    assert not is_next_leg(resumed(5), paused())


def test_mounts_count_as_executions():
    """The last one of a leg can be inside a subflow."""
    mount = {"tool#9": {"treeContext": {"history": []}}}
    earlier = run(commit("tool-calls", 4, *((key, "set", value) for key, value in PAUSE.items())), subflowResults=mount)

    assert not is_next_leg(earlier, resumed(5))
    assert is_next_leg(earlier, resumed(10))


@pytest.mark.parametrize(
    "base", [None, {}, [], {"pausedToolCallId": "p"}, {**PAUSE, "more": 1}, {**PAUSE, "more": None}]
)
def test_without_the_same_state_nothing_is_proven(base):
    assert not is_next_leg(paused(), resumed(base=base))


@pytest.mark.parametrize("other", ["5", True, 5.5, None])
def test_values_are_compared_as_json(other):
    assert not is_next_leg(paused(), resumed(base={**PAUSE, "pausedToolStartMs": other}))
    assert is_next_leg(paused(), resumed(base={**PAUSE, "pausedToolStartMs": 5.0}))


def test_true_is_not_one():
    earlier = run(commit("x", 1, ("flag", "set", True)))

    assert not is_next_leg(earlier, run(commit("y", 2), initialState={"flag": 1}))
    assert is_next_leg(earlier, run(commit("y", 2), initialState={"flag": True}))


def test_a_value_that_json_lost_is_absent():
    """The engine drops it from the base as it dropped it from the log."""
    earlier = run(commit("x", 1, ("a", "set", 1), ("lost", "set")))

    assert is_next_leg(earlier, run(commit("y", 2), initialState={"a": 1}))


def test_what_a_policy_took_out_cannot_be_compared():
    """The log has the word REDACTED where the base has the value; all else still has to be equal."""
    rows = [("secret", "set", "REDACTED"), ("user", "set", {"name": "REDACTED", "id": 7}), ("a", "set", 1)]
    earlier = run(commit("x", 1, *rows, redactedPaths=["secret", "user\x1fname"]))
    base = {"secret": {"key": 1}, "user": {"name": "Dana", "id": 7}, "a": 1}

    assert is_next_leg(earlier, run(commit("y", 2), initialState=base))
    assert not is_next_leg(earlier, run(commit("y", 2), initialState={**base, "user": {"name": "Dana", "id": 8}}))
    assert not is_next_leg(earlier, run(commit("y", 2), initialState={**base, "a": 2}))
    assert not is_next_leg(earlier, run(commit("y", 2), initialState={"user": base["user"], "a": 1}))


def test_a_word_is_not_a_redaction():
    """Without the policy's note, REDACTED is what somebody wrote."""
    earlier = run(commit("x", 1, ("a", "set", 1), ("note", "set", "REDACTED")))

    assert not is_next_leg(earlier, run(commit("y", 2), initialState={"a": 1, "note": "hello"}))


def test_a_state_that_is_redacted_throughout_proves_nothing():
    earlier = run(commit("x", 1, ("secret", "set", "REDACTED"), redactedPaths=["secret"]))

    assert not is_next_leg(earlier, run(commit("y", 2), initialState={"secret": 1}))


def test_deep_values_are_compared():
    """As deep as a recording may be."""
    deep = '{"a":' * 500 + "1" + "}" * 500
    row = commit("x", 1, ("v", "set", json.loads(deep)))

    assert is_next_leg(run(row), run(commit("y", 2), initialState={"v": json.loads(deep)}))
    assert not is_next_leg(run(row), run(commit("y", 2), initialState={"v": json.loads(deep.replace("1", "2"))}))


@pytest.mark.parametrize("name", [{}, {"commitLog": []}, {"commitLog": [None, {"trace": []}]}])
def test_a_recording_without_executions_is_no_leg(name):
    empty = decode_recording(json.dumps(name).encode())

    assert not is_next_leg(empty, resumed())
    assert not is_next_leg(paused(), empty)
    assert resume_point(empty) is None


def test_a_pause_that_says_little():
    point = resume_point(resumed(base={"pausedToolCallId": "p"}))

    assert (point.tool_name, point.args, point.started_ms) == (None, UNDEFINED, None)
    assert point.resumed_by == "tool-calls#5"


@pytest.mark.parametrize("id_", ["", None, 3])
def test_a_base_without_a_pause(id_):
    assert resume_point(resumed(base={"pausedToolCallId": id_})) is None
