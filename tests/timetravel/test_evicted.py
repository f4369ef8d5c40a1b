"""Messages that left the window and were not served any more."""

import pytest

from recordings.timetravel import all_epoch_locations, read_at_call
from tests.corpus import needs_corpus, recording_named
from tests.timetravel.build import commit, user
from tests.timetravel.runs import asks, event, mounts, result, run, tool_call
from tests.timetravel.unserved import missing, summary

# The corpus


@needs_corpus
def test_a_sliding_window():
    """Each turn that left is named from then on, with its text, though the strategy keeps none."""
    epochs = missing(recording_named("flat-window-sliding"))

    assert [(item.id, item.role, item.since) for item in epochs[5]] == [
        (None, "assistant", 4),
        ("c1", "tool", 4),
        (None, "assistant", 5),
        ("c2", "tool", 5),
        (None, "assistant", 6),
        ("c3", "tool", 6),
    ]
    assert {item.reason for item in epochs[5]} == {"sliding-window"}
    assert epochs[3][0].text == "reading 1"
    assert epochs[3][1].text.startswith("DEPLOY d1\n")
    assert epochs[3][1].origin.runtime_stage_id == "tool-calls#23"


@needs_corpus
def test_a_compacted_window():
    """A summary that is itself folded away leaves like any other message."""
    epochs = missing(recording_named("grouped-window-compaction"))

    assert [(item.id, item.since) for item in epochs[4] if item.role == "tool"] == [("c1", 5), ("c2", 5), ("c3", 5)]
    assert epochs[5][:6] == epochs[4]
    summary_message = epochs[5][-1]
    assert summary_message.text.startswith("[compacted history — 6 earlier message(s) were folded out")
    assert (summary_message.origin.runtime_stage_id, summary_message.since) == ("compact#101", 6)
    assert {item.reason for item in epochs[5]} == {"summarize-oldest"}


@needs_corpus
@pytest.mark.parametrize("name", ["flat-window-sliding", "grouped-window-compaction"])
def test_what_left_is_what_was_served_and_is_no_more(name):
    """The texts not served and those served are together all that the lane ever held."""
    recording = recording_named(name)
    seen: set = set()
    for location, items in zip(all_epoch_locations(recording), missing(recording), strict=True):
        served = {message["content"] for message in read_at_call(location, "history")}
        seen |= served
        assert {item.text for item in items} == seen - served


# What the corpus lacks


def test_a_message_that_is_dropped_without_a_word():
    """It left the window, and the recording gives no reason."""
    recording = run(
        commit("seed", 0, ("history", "set", [user("a"), user("b"), user("b"), user("c")])),
        asks(1),
        commit("trim", 2, ("history", "set", [user("b"), user("c")])),
        asks(3),
    )

    first, second = missing(recording)

    assert first == []
    assert summary(second) == [("evicted", None, None, "a", 2), ("evicted", None, None, "b", 2)]


def test_a_conversation_that_is_set_whole_loses_nothing():
    """Agents in composed runs write all of it again each time."""
    lane = [
        commit("a/seed", 2, ("history", "set", [user("a")])),
        asks(3, tool_call("t"), lane="a/"),
        commit("a/tool-calls", 4, ("history", "set", [user("a"), result("t", "x")])),
        asks(5, lane="a/"),
    ]

    assert missing(run(commit("a", 1), subflowResults=mounts(a__1=lane))) == [[], []]


def test_a_redacted_history_has_not_left():
    """What cannot be read any more is not said to be gone."""
    recording = run(
        commit("seed", 0, ("history", "set", [user("a")])),
        commit("x", 1, ("history", "set", "REDACTED"), redactedPaths=["history"]),
        asks(2),
        commit("y", 3, ("history", "set", [user("b")])),
        asks(4),
    )

    assert missing(recording) == [[], []]


def compaction(**fields) -> dict:
    return {"strategy": "summarize-oldest", "iteration": 2, "removedStageIds": ["tool-calls#1"], **fields}


def test_folded_messages_keep_their_texts_where_the_history_cannot_be_read():
    span = {"iteration": 2, "removedStageIds": ["tool-calls#1"], "messages": [user("kept"), result("t", "too")]}
    recording = run(
        commit("seed", 0, ("history", "set", "REDACTED")),
        asks(1),
        commit(
            "compact", 2, ("compactions", "set", [compaction(removedMessageCount=2)]), ("foldedSpans", "set", [span])
        ),
        asks(3),
    )

    assert summary(missing(recording)[1]) == [
        ("evicted", None, "summarize-oldest", "kept", 2),
        ("evicted", "t", "summarize-oldest", "too", 2),
    ]


@pytest.mark.parametrize(("count", "n_messages"), [({"removedMessageCount": 5}, 5), ({}, None)])
def test_messages_that_are_only_counted(count, n_messages):
    """They stand in one entry without a text; where they are not even counted, so does that."""
    recording = run(asks(1), commit("compact", 2, ("compactions", "set", [compaction(**count)])), asks(3))

    ((), (item,)) = missing(recording)

    assert (item.text, item.n_messages, item.reason, item.since) == (None, n_messages, "summarize-oldest", 2)
    assert item.origin.runtime_stage_id == "compact#2"


def test_what_left_in_an_earlier_leg():
    """It was missing from the start; its text is in the earlier leg."""
    base = {"history": [user("a")], "compactions": [compaction(removedMessageCount=3)]}
    recording = run(asks(5), initialState=base)

    ((item,),) = missing(recording)

    assert (item.n_messages, item.text, item.since, item.origin.commit_index) == (3, None, None, -1)


def test_a_window_of_which_only_a_part_is_known():
    """Two messages left, one of them was in the base that is lost."""
    recording = run(
        commit("tool-calls", 1, ("history", "append", [user("a")])),
        asks(2),
        commit(
            "compact", 3, ("history", "set", [user("s")]), ("compactions", "set", [compaction(removedMessageCount=2)])
        ),
        asks(4),
        initialState=None,
    )

    found = missing(recording)[1]

    assert [(item.text, item.n_messages) for item in found] == [("a", 1), (None, 1)]


def test_an_eviction_that_only_an_event_tells_of():
    evicted = event("context.evicted", "sf-system-prompt/compose#3", contentHash="ab", reason="budget", slot="x")
    recording = run(asks(1), asks(5), events=[evicted])

    assert [summary(items) for items in missing(recording)] == [[], [("evicted", "ab", "budget", None, 2)]]


def test_what_leaves_with_a_call_was_served_to_it():
    """The row of a mount comes after the call in it."""
    inner = {
        f"sf-llm-call__{number}": [commit("sf-llm-call/call-llm", number + 1, ("llmLatestContent", "set", str(number)))]
        for number in (1, 3)
    }
    recording = run(
        commit("seed", 0, ("history", "set", [user("a"), user("b")])),
        commit("sf-llm-call", 1, ("history", "set", [user("b")])),
        commit("sf-llm-call", 3),
        subflowResults=mounts(**inner),
    )

    assert [summary(items) for items in missing(recording)] == [[], [("evicted", None, None, "a", 2)]]
