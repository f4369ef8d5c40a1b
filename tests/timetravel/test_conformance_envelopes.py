"""Conformance: the three forms of a recording, and the checkpoints between the legs of a run, say the same."""

import json

import pytest

from recordings.timetravel import (
    UNDEFINED,
    NotARecordingError,
    UnknownFormatError,
    all_epoch_locations,
    context_of,
    decode_recording,
    epoch_locations,
    keyed_fold,
    read_after_call,
    read_at_call,
)
from tests.corpus import CORPUS, ENVELOPES, golden, matches, needs_corpus, recording_named, same
from tests.timetravel.test_conformance_tables import epoch_row

pytestmark = needs_corpus


def envelope(name: str) -> bytes:
    return (CORPUS / "envelopes" / f"{name}.envelope.json").read_bytes()


@pytest.mark.parametrize("name", ENVELOPES)
def test_an_envelope_has_the_epochs_of_the_golden(name):
    """It holds the same run: every field of every epoch, and whatever each call read."""
    recording, expected = decode_recording(envelope(name)), golden(name)

    assert recording.form == "envelope"
    assert recording.envelope["format"] == "agentfootprint.recording.v1"
    assert recording.events
    locations = epoch_locations(recording)
    assert [epoch_row(location) for location in locations] == [
        {key: row[key] for key in epoch_row(location)}
        for location, row in zip(locations, expected["epochs"], strict=True)
    ]
    for location, row in zip(locations, expected["epochs"], strict=True):
        assert all(matches(read_at_call(location, key), value) for key, value in row["readAtCall"].items())
        assert all(matches(read_after_call(location, key), value) for key, value in row["readAfterCall"].items())


@pytest.mark.parametrize("name", ENVELOPES)
def test_an_envelope_has_the_context_of_the_bare_snapshot(name):
    inside, bare = decode_recording(envelope(name)), recording_named(name)

    rows = [[row(presence) for presence in context_of(run).presences] for run in (inside, bare)]
    assert rows[0] == rows[1]


def row(presence) -> tuple:
    piece = presence.piece
    return presence.lane, presence.first, presence.last, presence.order, piece.key, piece.text, piece.origin


@pytest.mark.parametrize("name", ENVELOPES)
def test_the_recording_inside_an_envelope_is_the_second_form(name):
    whole = json.loads(envelope(name))
    inner = decode_recording(json.dumps(whole["recording"]).encode())

    assert inner.form == "recording"
    assert len(inner.events) == len(whole["recording"]["events"])
    assert [location.epoch for location in all_epoch_locations(inner)] == [
        location.epoch for location in all_epoch_locations(decode_recording(envelope(name)))
    ]


def test_a_bare_snapshot_has_no_events_which_is_not_an_empty_stream():
    assert recording_named("flat-rag").events is None
    assert decode_recording(b'{"snapshot": {"commitLog": []}, "events": []}').events == []


@pytest.mark.parametrize("shape", ["flat", "grouped"])
def test_a_resumed_leg_folds_against_the_checkpoint_of_the_paused_one(shape):
    checkpoint = json.loads((CORPUS / "checkpoints" / f"{shape}-paused.checkpoint.json").read_bytes())
    fold = keyed_fold(recording_named(f"{shape}-resumed"))
    shared = checkpoint["sharedState"]

    assert all(same(fold.value_at(key, -1), value) for key, value in shared.items())
    assert fold.value_at("no such key", -1) is UNDEFINED


@pytest.mark.parametrize(
    "data", [b"null", b"42", b'"x"', b"[]", b'[{"commitLog": []}]', b"true", b'{"snapshot": 5}', b" [ 1 ] "]
)
def test_json_of_another_kind_is_no_recording(data):
    with pytest.raises(NotARecordingError) as refusal:
        decode_recording(data)

    assert refusal.value.code == "not_a_recording"


@pytest.mark.parametrize("found", ["agentfootprint.recording.v2", "AGENTFOOTPRINT.RECORDING.V1", 1, None, "x" * 10**6])
def test_another_format_is_refused_by_name(found):
    """Half reading what may mean something else would be worse than reading nothing."""
    data = json.dumps({"format": found, "recording": {"snapshot": {"commitLog": []}}}).encode()

    with pytest.raises(UnknownFormatError) as refusal:
        decode_recording(data)

    assert refusal.value.code == "unknown_format"
    assert "agentfootprint.recording.v1" in str(refusal.value)
    assert len(str(refusal.value)) < 300


def test_an_empty_object_is_a_recording_of_nothing():
    recording = decode_recording(b"{}")

    assert epoch_locations(recording) == []
    assert context_of(recording).presences == []
