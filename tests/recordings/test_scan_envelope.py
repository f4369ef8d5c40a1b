"""What an envelope must say, and what a refusal of it lists."""

import pytest

from recordings.ingest.scan import scan
from tests.recordings.scanning import RUN, envelope, refusal


def bad_paths(data: bytes) -> list[str]:
    refused = refusal(data)
    assert (refused.code, refused.status) == ("invalid_envelope", 422)
    return [problem.path for problem in refused.problems]


def test_all_bad_paths_are_listed_at_once():
    run = {"runId": 5, "complete": "yes", "droppedEvents": -1, "startedAt": "yesterday", "endedAt": 3}
    data = envelope(run=run, producer={"agentfootprintVersion": 9}, privacy={"mode": "redacted"})

    assert bad_paths(data) == [
        "run.runId",
        "run.startedAt",
        "run.endedAt",
        "run.complete",
        "run.droppedEvents",
        "producer.agentfootprintVersion",
        "privacy.mode",
    ]
    values = [data[problem.at :].split(b",")[0].split(b"\n")[0] for problem in refusal(data).problems]
    assert values == [b"5", b'"yesterday"', b"3", b'"yes"', b"-1", b"9", b'"redacted"']


@pytest.mark.parametrize("name", sorted(RUN))
def test_what_is_missing_is_listed(name):
    assert bad_paths(envelope(run={key: value for key, value in RUN.items() if key != name})) == [f"run.{name}"]


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("runId", ""),
        ("runId", None),
        ("runId", ["a"]),
        ("sessionId", 7),
        ("principal", {}),
        ("tenant", True),
        ("complete", None),
        ("complete", 1),
        ("droppedEvents", True),
        ("droppedEvents", 1.5),
        ("droppedEvents", "0"),
        ("droppedEvents", 2**53),
        ("startedAt", "2026-11-30"),
        ("startedAt", "2026-02-30T00:00:00Z"),
        ("startedAt", 1796045926880),
        ("endedAt", "soon"),
    ],
)
def test_what_cannot_be_is_listed(name, value):
    assert bad_paths(envelope(run=RUN | {name: value})) == [f"run.{name}"]


@pytest.mark.parametrize(
    ("members", "paths"),
    [
        ({"run": None}, ["run"]),
        ({"run": []}, ["run"]),
        ({"producer": "me"}, ["producer"]),
        ({"privacy": {"mode": 1}}, ["privacy.mode"]),
        ({"recording": None}, ["recording"]),
        ({"recording": {}}, ["recording.snapshot"]),
        ({"recording": {"snapshot": []}}, ["recording.snapshot"]),
        ({"recording": 1, "run": 1, "producer": 1, "privacy": 1}, ["run", "producer", "privacy", "recording"]),
    ],
)
def test_parts_that_are_no_objects_are_listed(members, paths):
    assert bad_paths(envelope(**members)) == paths


@pytest.mark.parametrize(
    "run",
    [
        {"sessionId": None, "principal": None, "tenant": None, "endedAt": None},
        {"startedAt": "2026-11-30T13:38:47+05:30", "endedAt": "2026-11-30T13:38:47.123456789Z"},
        {"droppedEvents": 2**53 - 1, "firstRetainedEventIndex": 7, "else": [1]},
    ],
)
def test_what_may_be_absent_or_spelled_otherwise_is_fine(run):
    assert scan(envelope(run=RUN | run)).run_id == "run-1"


def test_an_envelope_without_producer_and_privacy_is_fine():
    data = envelope().replace(b'"producer"', b'"maker"').replace(b'"privacy"', b'"secrecy"')

    assert scan(data).producer == {}


def test_redacted_means_that_nothing_raw_is_there():
    row = {"trace": [], "overwrite": {}, "updates": {}, "runtimeStageId": "a#1", "redactedPaths": ["ssn", "a\x1fb"]}
    raw = {"commitLog": [row], "sharedState": {"ssn": "123", "a": {"b": "REDACTED"}}}
    masked = {"commitLog": [row], "sharedState": {"ssn": "REDACTED"}}

    assert bad_paths(envelope(privacy={"mode": "redacted"}, recording={"snapshot": raw})) == [
        "recording.snapshot.sharedState.ssn"
    ]
    assert scan(envelope(privacy={"mode": "redacted"}, recording={"snapshot": masked})).redacted_paths


def test_a_list_of_problems_has_an_end():
    row = {"trace": [], "overwrite": {}, "updates": {}, "redactedPaths": [str(n) for n in range(80)]}
    raw = {"commitLog": [row], "sharedState": {str(n): "raw" for n in range(80)}}

    assert len(bad_paths(envelope(privacy={"mode": "redacted"}, recording={"snapshot": raw}))) == 50


@pytest.mark.parametrize(
    ("old", "new", "path"),
    [
        (b'"run":', b'"run":{},"run":', "run"),
        (b'"run":', b'"r\\u0075n":{},"run":', "run"),
        (b'"format":', b'"format":"agentfootprint.recording.v1","format":', "format"),
        (b'"complete":', b'"complete":true,"complete":', "run.complete"),
    ],
)
def test_a_key_that_is_there_twice_leaves_doubt(old, new, path):
    data = envelope().replace(old, new, 1)
    refused = refusal(data)

    assert (refused.code, refused.status) == ("duplicate_key", 422)
    assert [problem.path for problem in refused.problems] == [path]
    assert data[refused.at :].startswith(old[:-1])


@pytest.mark.parametrize(
    ("make", "path"),
    [
        (lambda text: envelope(run=RUN | {"runId": text}), "run.runId"),
        (lambda text: envelope(run=RUN | {"sessionId": text}), "run.sessionId"),
        (lambda text: envelope(producer={"footprintjsVersion": text}), "producer.footprintjsVersion"),
        (lambda text: envelope(recording={"snapshot": {"runId": text}}), "runId"),
        (lambda text: envelope(recording={"snapshot": {"commitLog": [{"stageId": text}]}}), "commitLog[0].stageId"),
    ],
)
def test_ids_have_a_limit_to_the_character(make, path):
    refused = refusal(make("é" * 1_001))

    assert (refused.code, refused.status, refused.limit) == ("id_too_long", 422, 1_000)
    assert [problem.path for problem in refused.problems] == [path]
    assert scan(make("é" * 1_000))


def test_a_conversation_id_has_the_same_limit():
    row = b'{"trace":[{"path":"runIdentity","verb":"set"}],"overwrite":{"runIdentity":{"conversationId":"%b"}},'
    row += b'"updates":{},"runtimeStageId":"seed#0"}'

    assert refusal(b'{"commitLog":[' + row % (b"c" * 1_001) + b"]}").code == "id_too_long"
    assert scan(b'{"commitLog":[' + row % (b"c" * 1_000) + b"]}").conversation_id == "c" * 1_000
