"""Conformance: every recording of the corpus against what the reference answers for it."""

import hashlib

import pytest

from recordings.timetravel import (
    UNDEFINED,
    epoch_at,
    epoch_locations,
    keyed_fold,
    llm_call_mount_keys,
    read_after_call,
    read_at_call,
    read_run_constant,
)
from tests.corpus import golden, golden_names, matches, needs_corpus, recording_named, stable_json, utf16
from tests.timetravel.test_conformance_tables import epoch_row

pytestmark = [needs_corpus, pytest.mark.parametrize("name", golden_names())]

EPOCH_FIELDS = {
    "epoch",
    "callRuntimeStageId",
    "callIdx",
    "logLength",
    "runLogLength",
    "subflowScope",
    "basis",
    "runBasis",
    "hasRunLog",
    "readAtCall",
    "readAfterCall",
    "epochAtIsThis",
}
FILE_FIELDS = {
    "name",
    "recordingSha256",
    "recordingBytes",
    "commitCount",
    "hasInitialState",
    "runFoldBasis",
    "llmCallMountKeys",
    "subflowResultKeys",
    "epochs",
    "runConstants",
    "milestoneStops",
    "commitStops",
    "milestoneStopsInner",
    "stateAt",
    "foldVersusStateAtChecks",
}


def test_no_field_of_the_golden_is_left_out(name):
    """A field that these tests do not know would be one that nobody compares."""
    expected = golden(name)

    assert set(expected) <= FILE_FIELDS
    for epoch in expected["epochs"]:
        assert set(epoch) <= EPOCH_FIELDS


def test_file(name):
    recording, expected = recording_named(name), golden(name)

    assert recording.sha256 == expected["recordingSha256"]
    assert recording.run_log.length == expected["commitCount"]
    assert (recording.run_log.basis == "initial+log") == expected["hasInitialState"]
    assert recording.run_log.basis == expected["runFoldBasis"]
    keys = expected["subflowResultKeys"]
    assert (len(recording.mount_keys) if isinstance(keys, int) else recording.mount_keys) == keys
    assert llm_call_mount_keys(recording) == expected["llmCallMountKeys"]


def test_epochs(name):
    recording, expected = recording_named(name), golden(name)
    locations = epoch_locations(recording)

    assert len(locations) == len(expected["epochs"])
    for location, row in zip(locations, expected["epochs"], strict=True):
        assert epoch_row(location) == {key: row[key] for key in epoch_row(location)}
        assert (epoch_at(recording, location.epoch) is location) == row["epochAtIsThis"]
        for key, value in row["readAtCall"].items():
            assert matches(read_at_call(location, key), value), key
        for key, value in row["readAfterCall"].items():
            assert matches(read_after_call(location, key), value), key


def test_run_constants(name):
    locations = epoch_locations(recording_named(name))
    expected = golden(name).get("runConstants") or {}

    assert not expected or locations
    for key, value in expected.items():
        assert matches(read_run_constant(locations[0], key), value), key


def test_whole_states(name):
    fold = keyed_fold(recording_named(name))
    for row in golden(name).get("stateAt") or []:
        state = fold.state_at(row["idx"])
        held = {key: value for key, value in state.state.items() if value is not UNDEFINED}
        assert state.basis == row["basis"]
        assert state.through_commit_index == row["throughCommitIdx"]
        assert state.redacted == row["redacted"]
        assert list(state.redacted_paths) == row["redactedPaths"]
        assert sorted(state.state, key=utf16) == row["keys"]
        assert sorted(set(state.state) - set(held), key=utf16) == row["undefinedKeys"]
        assert hashlib.sha256(stable_json(held).encode()).hexdigest() == row["stateSha256"]
