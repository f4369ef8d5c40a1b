"""Conformance: the tables of inputs and outputs, row by row."""

import json

import pytest

from recordings.timetravel import (
    UNDEFINED,
    NotMergeableError,
    apply_smart_merge,
    decode_recording,
    epoch_at,
    epoch_locations,
    keyed_fold,
    llm_call_mount_keys,
    milestone_for,
    parse_runtime_stage_id,
    read_after_call,
    read_at_call,
    read_run_constant,
    split_stage_id,
)
from tests.corpus import golden, needs_corpus, revived, same

pytestmark = needs_corpus


def rows(table: str) -> list:
    return golden(table) or []


def undefined_for_none(value: object) -> object:
    return UNDEFINED if value is None else value


@pytest.mark.parametrize("row", rows("ids"), ids=lambda row: row["id"])
def test_ids(row):
    parsed, split, milestone = parse_runtime_stage_id(row["id"]), split_stage_id(row["id"]), milestone_for(row["id"])

    assert same(
        {
            "stageId": parsed.stage_id,
            "executionIndex": float(parsed.execution_index),
            "subflowPath": undefined_for_none(parsed.subflow_path),
        },
        {**revived(row["parse"]), "executionIndex": float(revived(row["parse"]["executionIndex"]))},
    )
    assert same(
        {"localStageId": split.local_stage_id, "subflowPath": undefined_for_none(split.subflow_path)},
        revived(row["split"]),
    )
    assert row["milestoneFor"] == (milestone and {"kind": milestone.kind, "label": milestone.label})


@pytest.mark.parametrize("row", rows("merge_cases"), ids=lambda row: row["note"])
def test_merge(row):
    """The answer, in its order of keys; and the arguments stay as they were."""
    arguments = [row["base"], row["updates"], row["overwrite"], row["trace"]]
    before = json.dumps(arguments)
    if "throws" in row:
        with pytest.raises(NotMergeableError):
            apply_smart_merge(*arguments)
        return

    merged = apply_smart_merge(*arguments)

    assert same(merged, revived(row["out"]))
    if isinstance(merged, dict):
        assert list(merged) == list(row["out"])
    assert json.dumps(arguments) == before


def epoch_row(location) -> dict:
    return {
        "epoch": location.epoch,
        "callRuntimeStageId": location.call_runtime_stage_id,
        "callIdx": location.call_index,
        "logLength": len(location.log),
        "runLogLength": len(location.run_log),
        "subflowScope": location.subflow_scope,
        "basis": location.basis,
        "runBasis": location.run_basis,
        "hasRunLog": location.has_run_log,
    }


@pytest.mark.parametrize("row", rows("epoch_cases"), ids=lambda row: row["note"])
def test_odd_recordings(row):
    """Where the reference throws we pass the odd row over; everything else is the same."""
    recording = decode_recording(json.dumps(row["recording"]).encode())

    assert llm_call_mount_keys(recording) == row["mountKeys"]["out"]
    locations = epoch_locations(recording)
    if "out" in row["epochs"]:
        assert len(locations) == len(row["epochs"]["out"])
        for location, expected in zip(locations, row["epochs"]["out"], strict=True):
            wanted = revived(expected)
            for name, read in READS.items():
                assert same({key: read(location, key) for key in wanted[name]}, wanted.pop(name))
            assert same(epoch_row(location), wanted)
        first = epoch_at(recording, 1)
        assert same(first.call_runtime_stage_id if first else UNDEFINED, revived(row["epochAt1"]["out"]))
    state = keyed_fold(recording).state_at(keyed_fold(recording).length - 1)
    assert same(state_row(state), revived(row["stateEnd"]["out"]))


READS = {"readAtCall": read_at_call, "readAfterCall": read_after_call, "runConstant": read_run_constant}


def state_row(state) -> dict:
    skipped = state.skipped
    return {
        "basis": state.basis,
        "through": state.through_commit_index,
        "state": state.state,
        "redacted": state.redacted,
        "redactedPaths": list(state.redacted_paths),
        "skipped": UNDEFINED if skipped is None else [{"index": s.index, "reason": s.reason} for s in skipped],
    }


def test_clamping():
    table = golden("clamp_cases")
    for row in table["clamp"]:
        fold = keyed_fold(table["recording"])
        assert same(fold.value_at(table["key"], float(row["idx"])), row["out"]), row


def test_questions_in_any_order():
    table = golden("clamp_cases")
    fold = keyed_fold(table["recording"])

    answers = [fold.value_at(table["key"], index) for index in table["outOfOrder"]["asks"]]

    assert same(answers, table["outOfOrder"]["out"])
