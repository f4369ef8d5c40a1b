"""What recordings say about themselves: their conversation, what they were asked, and how complete they are."""

import json
from typing import Any

import pytest

from recordings.timetravel import (
    IdentityClaim,
    UserMessage,
    all_epoch_locations,
    completeness_of,
    decode_recording,
    identity_claimed,
    user_message_of,
)
from tests.corpus import ENVELOPES, envelope_named, needs_corpus, recording_files, recording_named
from tests.timetravel.build import commit
from tests.timetravel.runs import event, run


def envelope(*rows: dict, run_fields: dict[str, Any], **members: Any):
    snapshot = {"initialState": {}, "commitLog": list(rows)}
    document = {
        "format": "agentfootprint.recording.v1",
        "run": run_fields,
        "recording": {"snapshot": snapshot, "events": []},
        **members,
    }
    return decode_recording(json.dumps(document).encode())


# The corpus


@needs_corpus
@pytest.mark.parametrize("name", ENVELOPES)
def test_only_an_envelope_says_how_complete_it_is(name):
    found, nothing = completeness_of(envelope_named(name)), completeness_of(recording_named(name))

    assert (found.is_complete, found.n_dropped_events, found.session_id) == (True, 0, None)
    assert (found.agentfootprint_version, found.footprintjs_version) == ("9.62.0", "9.24.0")
    assert found.started_at < found.ended_at
    assert found.run_id.startswith("run-")
    assert {getattr(nothing, field) for field in nothing.__struct_fields__} == {None}


@needs_corpus
def test_what_runs_were_asked():
    """Also where base and log were lost but a stage still holds it; of a sequence it is what its first step was."""
    messages = {name: user_message_of(recording_named(name)) for name in recording_files()}

    assert messages["flat-wrong-tool"].text.startswith("My espresso machine, order A-1042, arrived on 3 February")
    assert messages["sequence-llmcall-agent"] == UserMessage("What did A-1042 cost?")
    assert messages["flat-receipt-resumed-nobase"] == UserMessage("Refund please.")
    assert messages["grouped-redacted-keys"] == UserMessage(None, is_redacted=True)
    assert {name for name, message in messages.items() if message is None} == {
        name for name in messages if not all_epoch_locations(recording_named(name))
    }


@needs_corpus
def test_identities_of_the_corpus():
    """The id of the run itself is no conversation, nor is the placeholder of a composed run; redacted is not absent."""
    claims = {name: identity_claimed(recording_named(name)) for name in recording_files()}

    assert claims["flat-memory-turn4"] == IdentityClaim("brew", "dana@example.org", "chat-501", 4)
    assert claims["grouped-resumed-nobase"] == IdentityClaim(None, "dana", "case-77", 1)
    assert claims["flat-multi-tools"] == IdentityClaim(None, None, None, 1)
    assert claims["flat-receipt-resumed"] == IdentityClaim(None, None, None, 1)
    assert claims["sequence-llmcall-agent"] == IdentityClaim(None, None, None, 1)
    assert claims["grouped-redacted-keys"] == IdentityClaim(
        None, None, None, 1, ("tenant", "principal", "conversation_id")
    )
    assert claims["llmcall"] is None
    conversations = {claim.conversation_id for claim in claims.values() if claim} - {None}
    assert conversations == {"case-77", "chat-501", "chat-502", "chat-601", "chat-602", "chat-603", "loan-88"}


@needs_corpus
def test_turns_of_the_corpus():
    turns = [identity_claimed(recording_named(f"flat-memory-turn{turn}")).turn_number for turn in (1, 2, 3, 4)]

    assert turns == [1, 2, 3, 4]


# What the corpus lacks


def test_an_envelope_that_is_not_complete():
    recording = envelope(
        run_fields={"runId": "r", "complete": False, "droppedEvents": 12, "sessionId": "desk-7", "startedAt": "then"}
    )

    found = completeness_of(recording)

    assert (found.is_complete, found.n_dropped_events, found.session_id) == (False, 12, "desk-7")
    assert (found.started_at, found.ended_at, found.agentfootprint_version) == ("then", None, None)


def test_a_count_that_is_no_number_is_not_recorded():
    found = completeness_of(envelope(run_fields={"droppedEvents": True, "complete": "yes"}))

    assert (found.n_dropped_events, found.is_complete) == (None, None)


def claim(identity: Any, run_id: str = "mine", **run_fields: Any) -> IdentityClaim | None:
    row = commit("seed", 0, ("runIdentity", "set", identity))
    return identity_claimed(envelope(row, run_fields={"runId": run_id, **run_fields}))


def test_what_is_a_conversation():
    """Anything but the run's own id: the one in the envelope, or the kind that agents give."""
    assert claim({"conversationId": "chat"}).conversation_id == "chat"
    assert claim({"conversationId": "pending"}).conversation_id == "pending"
    assert claim({"conversationId": "run-home"}).conversation_id == "run-home"
    assert claim({"conversationId": "mine"}) is None
    assert claim({"conversationId": "run-17-4"}) is None
    assert claim({"conversationId": ""}) is None
    assert claim({"conversationId": "REDACTED"}).redacted == ("conversation_id",)


def test_the_envelope_names_who_the_log_does_not():
    assert claim({"conversationId": "chat"}, principal="p", tenant="t") == IdentityClaim("t", "p", "chat", None)
    assert claim({"principal": "in the log"}, principal="p").principal == "in the log"


def test_a_redacted_principal_is_not_read_from_elsewhere():
    assert claim({"principal": "REDACTED"}, principal="p") == IdentityClaim(None, None, None, None, ("principal",))


def test_the_first_turn_event_has_the_message_when_no_log_does():
    start = event("agent.turn_start", "seed#0", userPrompt="Hello?", turnIndex=0)

    assert user_message_of(run(events=[start])) == UserMessage("Hello?")
    assert user_message_of(run(events=[])) is None
