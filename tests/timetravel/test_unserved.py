"""What calls were not served although it was there, and why."""

import math

import pytest

from recordings.timetravel import (
    NotServed,
    all_epoch_locations,
    call_facts,
    decode_recording,
    not_served_at,
    outcome_of,
    read_at_call,
    tool_results,
)
from tests.corpus import ENVELOPES, envelope_named, needs_corpus, read_bytes, recording_files, recording_named
from tests.timetravel.build import US, commit, user
from tests.timetravel.runs import asks, event, mounts, result, run, tool_call


def missing(recording) -> list[list[NotServed]]:
    return [not_served_at(recording, location) for location in all_epoch_locations(recording)]


def summary(items) -> list[tuple]:
    return [(item.kind, item.id, item.reason, item.text, item.since) for item in items]


# The corpus


@needs_corpus
def test_where_the_corpus_has_anything_unserved():
    counts = {name: [len(items) for items in missing(recording_named(name))] for name in recording_files()}

    assert {name: count for name, count in counts.items() if any(count)} == {
        "flat-rag": [2],
        "flat-messages-delivery": [1, 1],
        "flat-window-sliding": [0, 0, 0, 2, 4, 6],
        "grouped-window-compaction": [0, 0, 0, 0, 6, 9],
    }


@needs_corpus
@pytest.mark.parametrize("name", ENVELOPES)
def test_an_envelope_adds_only_what_events_tell(name):
    """Injections that were inactive, and the reason an eviction was reported with."""
    for bare, full in zip(missing(recording_named(name)), missing(envelope_named(name)), strict=True):
        assert summary(bare) == [row for row in summary(full) if row[0] != "inactive"]
        assert all(item.note == "budget" for item in full if item.kind == "evicted")


@needs_corpus
def test_rejected_passages():
    """They have a score, a rank and a reason, and no text: the recording holds none."""
    ((newer, other),) = missing(recording_named("flat-rag"))

    assert (newer.kind, newer.id, newer.reason, newer.text) == ("retrieved", "refunds-2026", "over-max-entries", None)
    assert (newer.score, newer.rank, newer.threshold) == (0.9149706425567435, 3, 0.1)
    assert (other.id, other.score, other.rank) == ("descale", 0.853917783647522, 4)
    assert newer.memory_id == "policy-docs"
    assert newer.origin.runtime_stage_id == "sf-memory-read-policy-docs#1"


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


@needs_corpus
def test_a_deferred_message():
    """Its text stands in the injection, not in the record of the delivery; what was delivered is not named."""
    first, second = missing(recording_named("flat-messages-delivery"))

    assert summary(first) == summary(second)
    assert summary(first) == [
        ("deferred", "nudge", "role-collision", "PS: please be quick, I am between meetings.", None)
    ]
    assert first[0].note.startswith("'nudge' was held back this iteration")
    assert (first[0].role, first[0].origin.runtime_stage_id) == ("user", "sf-injection-engine#1")


@needs_corpus
def test_inactive_injections():
    """The skill that would have been right was there all along; its text is not recorded."""
    epochs = missing(envelope_named("flat-wrong-skill"))

    assert [[item.id for item in items] for items in epochs] == [["billing", "shipping"], ["billing"], ["billing"]]
    billing = epochs[2][0]
    assert (billing.kind, billing.reason, billing.text, billing.origin) == ("inactive", None, None, None)
    assert billing.note == "Invoices, refunds and charges."


@needs_corpus
def test_a_long_run_is_read_for_what_is_asked():
    """The messages slot of a long run is nearly all of the file: no question here reads it."""
    recording = decode_recording(read_bytes(recording_files()["flat-100"]))

    for location in all_epoch_locations(recording):
        assert not_served_at(recording, location) == []
        assert not call_facts(recording, location).has_failed
    assert len(tool_results(recording)) == 99
    assert outcome_of(recording).kind == "finished"

    assert "history" not in recording.run_log._tracks
    assert "messagesInjections" not in recording.run_log._tracks


# What the corpus lacks


def candidates(*rows: dict) -> dict:
    return {"threshold": 0.5, "candidates": list(rows)}


def test_passages_whose_admission_is_not_recorded_are_not_said_to_be_rejected():
    found = missing(
        run(
            commit(
                "sf-memory-read-docs",
                1,
                (
                    "retrievalEvidence_docs",
                    "set",
                    candidates(
                        {"id": "in", "admitted": True}, {"id": "unknown"}, {"id": "out", "admitted": False}, "odd"
                    ),
                ),
            ),
            commit("call-llm", 2, ("llmLatestContent", "set", "x")),
        )
    )

    ((item,),) = found
    assert (item.id, item.reason, item.score, item.rank, item.threshold) == ("out", None, None, None, 0.5)


def test_retrieval_is_read_from_the_log_of_the_lane():
    """One agent's rejected passages are not another's, and one that comes later is not yet there."""
    rejected = candidates({"id": "out", "admitted": False})
    lane = [
        commit("a/call-llm", 3),
        commit("a/sf-memory-read-docs", 4, (f"retrievalEvidence_docs{US}candidates", "set", rejected["candidates"])),
        commit("a/call-llm", 6),
    ]
    recording = run(commit("a", 1), commit("b", 2), subflowResults=mounts(a__1=lane, b__2=[commit("b/call-llm", 5)]))

    found = {location.position: not_served_at(recording, location) for location in all_epoch_locations(recording)}

    assert {position: [item.id for item in items] for position, items in found.items()} == {1: [], 2: [], 3: ["out"]}
    assert (found[3][0].origin.log, found[3][0].threshold) == ("a#1", None)


def test_the_delivery_is_read_from_the_log_of_the_call():
    """The copy that a grouped run's own log holds is another's."""
    deferred = {"deferred": [{"injectionId": "i", "reason": "role-collision", "role": "user"}]}
    inner = [commit("sf-llm-call/deliver", 2, ("messagesDelivery", "set", deferred)), commit("sf-llm-call/call-llm", 3)]
    stale = {"deferred": [{"injectionId": "stale"}]}
    recording = run(
        commit("seed", 0, ("messagesDelivery", "set", stale)),
        commit("sf-llm-call", 1),
        subflowResults=mounts(**{"sf-llm-call__1": inner}),
    )

    ((item,),) = missing(recording)

    assert (item.id, item.text, item.role) == ("i", None, "user")
    assert (item.origin.log, item.origin.commit_index) == ("sf-llm-call#1", 0)


def test_a_deferred_injection_of_several_messages():
    """Those of the role that was held back; without a role all of them."""
    messages = [user("one"), {"role": "assistant", "content": "two"}, user("three"), {"role": "user", "content": 4}]

    def texts(**entry):
        recording = run(
            commit(
                "sf-injection-engine", 1, ("activeInjections", "set", [{"id": "i", "inject": {"messages": messages}}])
            ),
            commit("deliver", 2, ("messagesDelivery", "set", {"deferred": [{"injectionId": "i", **entry}]})),
            commit("call-llm", 3),
        )
        return [item.text for item in missing(recording)[0]]

    assert texts(role="user") == ["one", "three"]
    assert texts() == ["one", "two", "three"]
    assert texts(role="system") == [None]


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


def test_injections_that_were_skipped_with_a_reason():
    evaluated = event(
        "context.evaluated",
        "sf-injection-engine/evaluate#1",
        activeIds=["on"],
        skippedDetails=[{"id": "bad", "reason": "predicate-threw", "error": "x is undefined"}, "odd"],
        skillCatalog=[{"id": "on"}, {"id": "bad"}, {"id": "off"}],
    )

    (first, second) = missing(run(asks(2), asks(4), events=[evaluated]))

    assert [(item.id, item.reason, item.note) for item in first] == [
        ("bad", "predicate-threw", "x is undefined"),
        ("off", None, None),
    ]
    assert second == []


def test_a_catalogue_without_the_active_ones_says_nothing():
    evaluated = event("context.evaluated", "sf-injection-engine/evaluate#1", skillCatalog=[{"id": "a"}])

    assert missing(run(asks(2), events=[evaluated])) == [[]]


def test_odd_values_are_passed_over():
    """Values of other shapes are no records, and no reason to fail."""
    recording = run(
        commit(
            "seed",
            0,
            ("retrievalEvidence_x", "set", "REDACTED"),
            ("messagesDelivery", "set", {"deferred": [None, "x"]}),
            ("compactions", "set", ["x", {"removedMessageCount": 0}]),
            ("foldedSpans", "set", "REDACTED"),
            ("history", "set", ["x", None, 3]),
        ),
        asks(1),
    )

    assert missing(recording) == [[]]
    assert outcome_of(recording).kind == "unknown"
    assert not math.isnan(all_epoch_locations(recording)[0].position)


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
