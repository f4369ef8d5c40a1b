"""Conformance: the stops of every recording of the corpus, and of the odd ones."""

import hashlib
import json

import pytest

from recordings.timetravel import UNDEFINED, commit_stops, decode_recording, milestone_stops
from tests.corpus import (
    golden,
    golden_names,
    needs_corpus,
    quick_stable_json,
    recording_named,
    revived,
    same,
)

pytestmark = needs_corpus

#: Where the reference throws, or stands nowhere: the places of the stops that we give.
KINDER = {"null bundle in the log (flat)": [-1, 1, 1], "commitLog is not an array": []}


def stop_row(stop) -> dict:
    """A stop as the reference spells it."""
    row = {
        "step": stop.step,
        "runtimeStageId": stop.runtime_stage_id,
        "commitIdx": stop.commit_index,
        "lastCommitIdx": stop.last_commit_index,
        "stageId": stop.stage_id,
        "label": stop.label,
        "kind": stop.kind,
    }
    if stop.subflow_path is not None:
        row["subflowPath"] = stop.subflow_path
    if stop.prologue:
        row["prologue"] = True
    if stop.meta is not None:
        row["meta"] = {"kind": stop.meta.kind, "label": stop.meta.label}
    return row


def assert_stops(stops, expected) -> None:
    rows = [stop_row(stop) for stop in stops]
    if isinstance(expected, list):
        assert same(rows, expected)
        return
    assert set(expected) <= {"count", "sha256", "first"}
    assert len(rows) == expected["count"]
    assert same(rows[: len(expected.get("first", []))], expected.get("first", []))
    assert hashlib.sha256(quick_stable_json(rows).encode()).hexdigest() == expected["sha256"]


@pytest.mark.parametrize("name", golden_names())
def test_commit_stops(name):
    assert_stops(commit_stops(recording_named(name)), golden(name)["commitStops"])


@pytest.mark.parametrize("name", golden_names())
def test_milestone_stops(name):
    assert_stops(milestone_stops(recording_named(name)), golden(name)["milestoneStops"])


@pytest.mark.parametrize("name", [name for name in golden_names() if golden(name).get("milestoneStopsInner")])
def test_milestone_stops_of_the_logs_of_mounts(name):
    """A mount's own log has no execution tree, so its mounts are told by the row after."""
    inner = golden(name)["milestoneStopsInner"]

    assert inner
    for key, expected in inner.items():
        assert_stops(milestone_stops(recording_named(name).mount_log(key)), expected)


def without_undefined(row: dict) -> dict:
    return {key: value for key, value in row.items() if value is not UNDEFINED}


@pytest.mark.parametrize("row", golden("epoch_cases") or [], ids=lambda row: row["note"])
@pytest.mark.parametrize(("column", "find"), [("commitStops", commit_stops), ("stops", milestone_stops)])
def test_odd_recordings(row, column, find):
    recording = decode_recording(json.dumps(row["recording"]).encode())
    stages = [without_undefined(stop_row(stop)) for stop in find(recording)]
    if row["note"] in KINDER:
        assert [stop["commitIdx"] for stop in stages] == KINDER[row["note"]]
        return

    assert same(stages, [without_undefined(stop) for stop in revived(row[column]["out"])])
    assert same(stages, [without_undefined(stop_row(stop)) for stop in find(row["recording"])])
