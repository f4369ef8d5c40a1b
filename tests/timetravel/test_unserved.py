"""What calls were not served although it was there, and why: passages, deferred messages, inactive injections."""

import math

import pytest

from recordings.timetravel import (
    all_epoch_locations,
    call_facts,
    decode_recording,
    not_served_at,
    outcome_of,
    tool_results,
)
from tests.corpus import ENVELOPES, envelope_named, needs_corpus, read_bytes, recording_files, recording_named
from tests.timetravel.build import US, commit, user
from tests.timetravel.runs import asks, event, mounts, run
from tests.timetravel.unserved import missing, summary

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
