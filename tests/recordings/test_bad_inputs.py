"""Bad input, through both doors: the right status and code, in words, and nothing left behind."""

import gzip
import json

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse

from recordings.models import Recording
from tests.corpus import CORPUS, needs_corpus
from tests.recordings.sending import RECORDINGS

pytestmark = [needs_corpus, pytest.mark.django_db]


def envelope(**changes: object) -> bytes:
    """A real envelope, with other values at dotted paths; None takes the member away."""
    content = json.loads((CORPUS / "envelopes" / "flat-wrong-tool.envelope.json").read_bytes())
    for path, value in changes.items():
        *parents, last = path.split("__")
        target = content
        for key in parents:
            target = target[key]
        if value is None:
            target.pop(last)
        else:
            target[last] = value
    return json.dumps(content).encode()


REAL = envelope()
COMMIT = (
    b'{"commitLog":[{"stage":"s","stageId":"s","runtimeStageId":"s#0","trace":[{"path":"k","verb":"set"}],'
    b'"updates":{},"redactedPaths":[],"overwrite":{"k":%b}}],"initialState":{}}'
)

REFUSED = {
    "nothing": (b"", 400, "empty_body"),
    "cut in the middle": (REAL[: len(REAL) // 2], 400, "json_truncated"),
    "cut inside an escape": (COMMIT[: COMMIT.index(b"%b")] + b'"\\uD8', 400, "json_truncated"),
    "cut inside a character": (b'{"commitLog": ["\xe2\x82', 400, "json_truncated"),
    "brackets without end": (b"[" * 100_000 + b"]" * 100_000, 400, "too_deep"),
    "a value that is too deep": (COMMIT % (b"[" * 600 + b"]" * 600), 400, "too_deep"),
    "NaN": (COMMIT % b"NaN", 400, "json_invalid_number"),
    "Infinity": (COMMIT % b"[1, Infinity]", 400, "json_invalid_number"),
    "-Infinity": (COMMIT % b'{"a": -Infinity}', 400, "json_invalid_number"),
    "a bare word": (COMMIT % b"SELECT 1", 400, "json_invalid"),
    "UTF-16": ("﻿{}".encode("utf-16-le"), 415, "utf8_only"),
    "Latin-1": ('{"commitLog": [], "a": "ä"}'.encode("latin-1"), 415, "utf8_only"),
    "raw surrogates": (b'{"commitLog": [], "a": "\xed\xa0\xbd"}', 415, "utf8_only"),
    "something after it": (REAL + b"garbage", 400, "trailing_data"),
    "a second one after it": (REAL + REAL, 400, "trailing_data"),
    "null": (b"null", 422, "not_a_recording"),
    "a number": (b"42", 422, "not_a_recording"),
    "a text": (b'"x"', 422, "not_a_recording"),
    "an empty list": (b"[]", 422, "not_a_recording"),
    "a recording in a list": (b"[" + REAL + b"]", 422, "not_a_recording"),
    "an empty object": (b"{}", 422, "not_a_recording"),
    "another object": (b'{"commits": []}', 422, "not_a_recording"),
    "a later format": (envelope(format="agentfootprint.recording.v2"), 422, "unknown_format"),
    "a format that is a number": (envelope(format=1), 422, "unknown_format"),
    "an enormous format": (envelope(format="x" * 1_000_000), 422, "unknown_format"),
    "no word on completeness": (envelope(run__complete=None), 422, "invalid_envelope"),
    "a word for completeness": (envelope(run__complete="yes"), 422, "invalid_envelope"),
    "fewer than no events dropped": (envelope(run__droppedEvents=-1), 422, "invalid_envelope"),
    "a start that is no time": (envelope(run__startedAt="yesterday"), 422, "invalid_envelope"),
    "gzip in gzip": (gzip.compress(REAL), 400, "bad_gzip"),
}


def by_api(data, sender, as_alice, people):
    is_packed = data.startswith(b"\x1f\x8b")
    response = sender.send(gzip.compress(data), Content_Encoding="gzip") if is_packed else sender.send(data)
    return response.status_code, response.json()


def by_form(data, sender, as_alice, people):
    content = gzip.compress(data) if data.startswith(b"\x1f\x8b") else data
    response = as_alice.post(
        reverse("recordings:recording-new"),
        {"workspace": people.workspace.pk, "action": "import", "recordings": SimpleUploadedFile("bad.json", content)},
    )
    (result,) = response.context["results"]
    assert response.status_code == 422
    assert result.refused.code in response.text
    return result.refused.status, {"code": result.refused.code, "message": result.refused.message}


@pytest.mark.parametrize("door", [by_api, by_form])
@pytest.mark.parametrize("case", REFUSED)
def test_it_is_refused_in_words_and_leaves_nothing(case, door, sender, as_alice, people, blobs):
    data, status, code = REFUSED[case]

    answered, body = door(data, sender, as_alice, people)

    assert (answered, body["code"]) == (status, code)
    assert body["message"].endswith(".")
    assert len(body["message"]) < 600
    assert not Recording.objects.exists()
    assert [path for path in blobs.rglob("*") if path.is_file()] == []


def test_all_that_is_wrong_with_an_envelope_is_said_at_once(sender):
    body = sender.send(envelope(run__complete="yes", run__droppedEvents=-1, run__startedAt="yesterday")).json()

    assert {problem["path"] for problem in body["problems"]} == {"run.complete", "run.droppedEvents", "run.startedAt"}


def test_the_offset_is_where_it_went_wrong(sender):
    number, cut = COMMIT % b"[1, NaN]", REAL[:1_000]

    assert sender.send(number).json()["at"] == number.index(b"NaN")
    assert sender.send(cut).json()["at"] == len(cut)
    assert sender.send(REAL + b" garbage").json()["at"] == len(REAL) + 1


@pytest.mark.parametrize(
    ("content_type", "code"),
    [
        ("application/json; charset=utf-16", "utf8_only"),
        ("application/json; charset=utf-7", "utf8_only"),
        ("application/json; charset=nope", "utf8_only"),
    ],
)
def test_another_charset_is_refused_by_name(content_type, code, sender):
    response = sender.send(REAL, content_type=content_type)

    assert (response.status_code, response.json()["code"]) == (415, code)


def test_another_encoding_is_refused_by_name(sender):
    response = sender.send(REAL, Content_Encoding="br")

    assert (response.status_code, response.json()["code"]) == (415, "unsupported_encoding")


def test_gzip_without_the_header_gets_the_hint(sender):
    body = sender.send(gzip.compress(REAL)).json()

    assert body["code"] == "bad_gzip"
    assert "Content-Encoding" in body["message"]


ACCEPTED = {
    "5,000 digits": COMMIT % (b'{"a":' + b"9" * 5_000 + b"}"),
    "a million digits": COMMIT % (b'{"a":' + b"9" * 1_000_000 + b"}"),
    "beyond a double": COMMIT % b"[1e999, -1e999, 1e-999]",
    "NUL in a value and a key": COMMIT % b'{"x\\u0000y":"a\\u0000b"}',
    "NUL in the name of a stage": COMMIT.replace(b'"stage":"s"', b'"stage":"s\\u0000"') % b"1",
    "lone surrogates": COMMIT % b'["\\ud83d", "\\ude00x", "\\ude00\\ud83d"]',
    "512 levels": COMMIT % (b"[" * 507 + b"]" * 507),
    "spaces after it": REAL + b" " * 10_000_000,
    "a byte order mark": b"\xef\xbb\xbf" + REAL,
    "incomplete": envelope(run__complete=False, run__droppedEvents=812),
    "hostile words": COMMIT % json.dumps({"<script>alert(1)</script>": "</textarea><svg onload=x>\u2028"}).encode(),
}


@pytest.mark.parametrize("case", ACCEPTED)
def test_odd_and_right_is_taken_in_and_comes_back_to_the_byte(case, sender, as_alice, settings):
    settings.RECORDING_INDEX_AT_ONCE_BYTES = 16 * 1024 * 1024
    data = ACCEPTED[case]
    body = sender.sent(data)

    assert body["status"] == "ready"
    assert sender.get(f"{RECORDINGS}{body['id']}/raw/").content == data
    assert as_alice.get(body["url"]).status_code == 200
    assert as_alice.get("/recordings/").status_code == 200
    assert sender.get(f"{RECORDINGS}{body['id']}/state/", "?key=k&commit=0").status_code == 200


def test_a_million_rows_of_two_bytes_are_taken_in_and_one_more_is_not(sender):
    rows = b"{}," * 999_999 + b"{}"

    body = sender.sent(b'{"commitLog":[' + rows + b"]}")
    over = sender.send(b'{"commitLog":[' + rows + b",{}]}")

    assert (body["status"], body["commits"], body["epochs"]) == ("ready", 1_000_000, 0)
    assert (over.status_code, over.json()["code"], over.json()["limit"]) == (413, "too_many_commits", 1_000_000)


def test_a_small_request_holds_no_more_rows_than_it_may_cost(sender):
    row = b'{"trace":[],"updates":{},"overwrite":{},"runtimeStageId":"s#0"}'
    rows = b",".join([row] * 100_000)

    packed = {"content_encoding": "gzip"}
    let_in = sender.send(gzip.compress(b'{"commitLog":[' + rows + b"]}", 1), "?dry_run=1", **packed)
    over = sender.send(gzip.compress(b'{"commitLog":[' + rows + b"," + row + b"]}", 1), **packed)
    short = sender.send(gzip.compress(b'{"commitLog":[' + b"0," * 200_000 + b"0]}", 1), "?dry_run=1", **packed)

    assert (let_in.status_code, let_in.json()["commits"]) == (200, 100_000)
    assert (over.status_code, over.json()["code"], over.json()["limit"]) == (413, "too_many_commits", 100_000)
    assert (short.status_code, short.json()["commits"]) == (200, 200_001)


def test_a_row_of_a_million_tags_is_read_no_further_than_it_is_asked_about(sender):
    row = b'{"trace":[],"updates":{},"overwrite":{},"runtimeStageId":"s#0","tags":[%b]}' % b",".join(
        [b'"k"'] * 1_000_000
    )

    body = sender.send(gzip.compress(b'{"commitLog":[' + row + b"]}", 1), "?dry_run=1", content_encoding="gzip").json()

    assert (body["commits"], body["status"], body["warnings"]) == (1, "received", [])


def test_more_redacted_paths_than_anybody_can_look_for_are_refused(sender):
    """Each would have to be masked wherever it stands: none is left out."""
    row = b'{"trace":[],"updates":{},"overwrite":{},"runtimeStageId":"s#0","redactedPaths":[%b]}'
    packed = {"content_encoding": "gzip"}

    def sent(*counts: int):
        rows = b",".join(row % b",".join([b'"k"'] * n) for n in counts)
        return sender.send(gzip.compress(b'{"commitLog":[' + rows + b"]}", 1), "?dry_run=1", **packed).json()

    assert sent(100_000)["status"] == "received"
    assert sent(*[50_000] * 40)["status"] == "received", "many rows have the same list"
    for over in ([100_001], [60_000, 40_001], [1_000_000]):
        refused = sent(*over)
        assert (refused["status"], refused["problems"][0]["code"]) == ("failed", "too_many_redacted_paths")


@pytest.mark.parametrize(
    "data",
    [
        b'{"commitLog":[{"trace":[%b],"updates":{},"overwrite":{},"runtimeStageId":"s#0"}]}',
        b'{"snapshot":{"commitLog":[]},"events":[%b]}',
    ],
    ids=["trace", "events"],
)
def test_a_small_request_holds_no_more_objects_than_it_may_cost(data, sender):
    packed = {"content_encoding": "gzip"}
    over = sender.send(gzip.compress(data % b",".join([b'{"path":"k","type":"t"}'] * 360_000), 1), **packed)
    let_in = sender.send(
        gzip.compress(data % b",".join([b'{"path":"k","type":"t"}'] * 300_000), 1), "?dry_run=1", **packed
    )

    assert (over.status_code, over.json()["code"]) == (413, "too_many_objects")
    assert let_in.json()["status"] == "received"


def test_what_is_missing_is_said(sender):
    body = sender.sent(ACCEPTED["incomplete"])

    assert (body["complete"], body["dropped_events"]) == (False, 812)
    assert {warning["code"] for warning in body["warnings"]} >= {"incomplete", "dropped_events"}


def test_lone_surrogates_are_counted(sender):
    warnings = {w["code"]: w["message"] for w in sender.sent(ACCEPTED["lone surrogates"])["warnings"]}

    assert "4" in warnings["lone_surrogate"]
