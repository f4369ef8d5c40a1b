"""What a scan refuses, what it accepts, and what it says of either."""

import gzip

import pytest

from recordings.ingest.scan import scan
from tests.corpus import CORPUS, needs_corpus, read_bytes, recording_files, recording_named
from tests.recordings.scanning import envelope, labels, refusal, snapshot

SNAPSHOT = b'{"commitLog":[]}'


@pytest.mark.parametrize("data", [b"", b" \r\n\t ", b"\xef\xbb\xbf", b"\xef\xbb\xbf  "])
def test_nothing_is_no_recording(data):
    refused = refusal(data)

    assert (refused.code, refused.status, refused.message) == ("empty_body", 400, "No recording in the request.")


@pytest.mark.parametrize(
    "data", [snapshot(b'"\\ud83d\\ude00 \xf0\x9f\x98\x80 \\ud83d"'), snapshot(b"[true,-1.5e3,null]")]
)
def test_a_cut_is_a_cut_wherever_it_is(data):
    """Inside an escape, a character, a literal and a number too."""
    for length in range(1, len(data)):
        refused = refusal(data[:length])

        assert (refused.code, refused.status, refused.at) == ("json_truncated", 400, length)


def test_a_cut_inside_an_execution_tree_is_a_cut():
    """However deep the cut is, the tree is not called too deep."""
    data = b'{"commitLog":[],"executionTree":' + b'{"next":' * 2_000

    assert (refusal(data).code, refusal(data).at) == ("json_truncated", len(data))


@pytest.mark.parametrize("name", ["NaN", "Infinity", "-Infinity", "-NaN"])
@pytest.mark.parametrize("around", [b"%b", b"[%b]", b'{"a":[1, %b ]}', b"[" * 400 + b"%b" + b"]" * 400])
def test_what_is_no_number_is_named(name, around):
    data = snapshot(around % name.encode())
    refused = refusal(data)

    assert (refused.code, refused.status) == ("json_invalid_number", 400)
    assert data[refused.at :].startswith(name.encode())
    assert name in refused.message


def test_it_is_named_inside_a_commit_and_a_deep_tree_too():
    commit = b'{"commitLog":[{"stage":"a"},{"overwrite":{"a":NaN}}]}'
    tree = b'{"commitLog":[],"executionTree":' + b"[" * 1_500 + b"NaN" + b"]" * 1_500 + b"}"

    for data in (commit, tree):
        assert (refusal(data).code, data[refusal(data).at :][:3]) == ("json_invalid_number", b"NaN")


@pytest.mark.parametrize(
    ("wrong", "at"),
    [
        (b"01", 1),
        (b"1.", 2),
        (b".5", 0),
        (b"+1", 0),
        (b"1e", 2),
        (b"0x10", 1),
        (b"tru3", 3),
        (b"nan", 1),
        (b"undefined", 0),
        (b"'a'", 0),
        (b'"\x01"', 1),
        (b'"a\nb"', 2),
        (b'"\\x41"', 2),
        (b'"\\u12G4"', 1),
        (b"[1,]", 3),
        (b"[1 2]", 3),
        (b"[1}", 2),
        (b'{"a":1,}', 7),
        (b'{"a" 1}', 5),
        (b"{1:1}", 1),
        (b"/* no */1", 0),
    ],
)
def test_what_is_no_json_is_refused_where_it_goes_wrong(wrong, at):
    data = snapshot(wrong)
    refused = refusal(data)

    assert (refused.code, refused.status) == ("json_invalid", 400)
    # The escape that is wrong is named from its backslash on.
    assert refused.at - data.index(wrong) in (at, at - 1 if wrong.startswith(b'"\\') else at)


@pytest.mark.parametrize("wrong", [b"1.", b"tru ", b'"\\x"', b"0 0", b'{"a"}', b"[}"])
def test_what_is_no_json_is_refused_in_a_tree_of_any_depth(wrong):
    """Next to a place where the tree is cut up to be checked too."""
    for depth in (198, 199, 200, 201, 1_500):
        tree = b"[" * depth + wrong + b"[" * 1_500 + b"]" * 1_500 + b"]" * depth

        assert refusal(b'{"commitLog":[],"executionTree":' + tree + b"}").code == "json_invalid"


@pytest.mark.parametrize("rest", [b"garbage", SNAPSHOT, b"\0", b",", b"}", b" \n\xc3"])
def test_one_file_holds_one_recording(rest):
    refused = refusal(SNAPSHOT + rest)

    assert (refused.code, refused.status) == ("trailing_data", 400)
    assert refused.at == len(SNAPSHOT) + len(rest) - len(rest.lstrip())


def test_white_space_around_it_is_fine():
    assert scan(b"\n" + SNAPSHOT + b" " * 10_000_000).n_bytes == 10_000_017


@pytest.mark.parametrize(
    "data",
    [
        '{"commitLog":[]}'.encode("utf-16"),
        '{"commitLog":[]}'.encode("utf-32"),
        snapshot('"caf\xe9"'.encode("latin-1")),
        snapshot(b'"\xed\xa0\x80"'),
        snapshot(b'"\xff"'),
        snapshot(b'"' + "é".encode() * 40_000 + b'\xc3"'),
    ],
)
def test_a_recording_is_utf_8(data):
    refused = refusal(data)

    assert (refused.code, refused.status) == ("utf8_only", 415)
    data[: refused.at].decode()
    with pytest.raises(UnicodeDecodeError):
        data[refused.at :].decode()


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be", "utf-32-le", "utf-32-be"])
def test_other_encodings_are_recognised_without_a_mark(encoding):
    assert refusal('{"commitLog":[]}'.encode(encoding)).code == "utf8_only"


def test_a_byte_order_mark_is_counted_and_offsets_include_it():
    found = scan(b"\xef\xbb\xbf" + snapshot(b"1"))
    bad = b"\xef\xbb\xbf" + snapshot(b"NaN")

    assert (found.bom_bytes, labels(found)) == (3, ["utf8_bom"])
    assert found.n_bytes == 3 + len(snapshot(b"1"))
    assert bad[refusal(bad).at :].startswith(b"NaN")


def test_compressed_bytes_are_told_to_say_so():
    refused = refusal(gzip.compress(SNAPSHOT))

    assert (refused.code, refused.status) == ("bad_gzip", 400)
    assert "Content-Encoding: gzip" in refused.message


@pytest.mark.parametrize(
    ("data", "found"),
    [
        (b"null", "null"),
        (b"42", "a number"),
        (b"-0.5", "a number"),
        (b"true", "a boolean"),
        (b'"x"', "a text"),
        (b"[]", "a list"),
        (b"[" + SNAPSHOT + b"]", "a list"),
        (b"{}", "an empty object"),
        (b'{"identity":1,"stores":2}', "“identity”, “stores”"),
        (b'{"snapshot":5}', "“snapshot” is no object"),
    ],
)
def test_other_json_is_no_recording(data, found):
    refused = refusal(data)

    assert (refused.code, refused.status) == ("not_a_recording", 422)
    assert found in refused.message
    assert "“commitLog”" in refused.message


@pytest.mark.parametrize("name", ['"agentfootprint.recording.v2"', '"V1"', "3", "null", "[]", f'"{"x" * 1_000_000}"'])
def test_other_formats_are_refused_by_name(name):
    data = b'{"recording":{"snapshot":{"commitLog":[]}},"format":' + name.encode() + b"}"
    refused = refusal(data)

    assert (refused.code, refused.status) == ("unknown_format", 422)
    assert "This server reads agentfootprint.recording.v1." in refused.message
    assert len(refused.message) < 200
    assert data[refused.at :].startswith(name.encode())


@pytest.mark.parametrize("number", ["1e999", "-1e999", "1e-999", "-0", "9" * 5_000, "-" + "9" * 1_000_000])
def test_numbers_that_nothing_holds_are_accepted(number):
    """In the state and in a commit, where readers show them as they were written."""
    in_commit = b'{"commitLog":[{"trace":[],"overwrite":{"a":%b},"updates":{},"runtimeStageId":"a#1"}]}'

    assert labels(scan(snapshot(number.encode()))) == []
    assert labels(scan(in_commit % number.encode())) == []


@pytest.mark.parametrize(
    ("text", "count"),
    [
        (rb'"\ud83d"', 1),
        (rb'"\ude00x"', 1),
        (rb'"\ude00\ud83d"', 2),
        (rb'"\ud83d\ud83d\ude00"', 1),
        (rb'"\uD83D\uDE00"', 0),
        (rb'"\\ud83d"', 0),
        (rb'"\\\ud83d"', 1),
        (rb'"\\\\ud83d \\\\\ud83d"', 1),
        (rb'"\\ud83d\ude00"', 1),
        (rb'"\n\ud83d\n"', 1),
        (rb'{"\udc00":{"\ud83d":"\ud83d"}}', 3),
    ],
)
def test_lone_surrogates_are_accepted_and_counted(text, count):
    expected = [] if not count else ["lone_surrogate"] if count == 1 else [f"lone_surrogate ×{count}"]

    assert labels(scan(snapshot(text))) == expected


def test_what_is_wrong_beside_a_lone_surrogate_is_still_found():
    data = snapshot(rb'["\ud83d",NaN]')

    assert data[refusal(data).at :].startswith(b"NaN")


@pytest.mark.parametrize(
    ("text", "count"), [(rb'"x\u0000y"', 1), (rb'{"\u0000":"\u0000"}', 2), (rb'"\\u0000"', 0), (rb'"\\\u0000"', 1)]
)
def test_nul_is_accepted_and_counted(text, count):
    assert labels(scan(snapshot(text))) == ([] if not count else ["nul"] if count == 1 else [f"nul ×{count}"])


def test_nul_is_counted_once_wherever_it_stands():
    """Also where the text is cut for its structure."""
    for shift in range(12):
        text = b'"' + b"x" * (65_536 - 40 - shift) + rb"\u0000" * 3 + rb'\\u0000"'

        assert labels(scan(snapshot(text))) == ["nul ×3"]


def test_odd_parts_are_accepted_with_a_warning():
    assert labels(scan(b'{"commitLog":5}')) == ["no_commit_log"]
    assert labels(scan(b'{"snapshot":{}}')) == ["no_commit_log"]
    assert labels(scan(b'{"commitLog":[null,{"stage":1}],"subflowResults":[],"runId":5}')) == ["odd_row ×2"]
    assert labels(scan(b'{"commitLog":[],"commitLog":[]}')) == ["duplicate_key"]


def test_redactions_are_listed_from_every_log():
    row = b'{"trace":[],"overwrite":{},"updates":{},"runtimeStageId":"a#1","redactedPaths":["%b"]}'
    data = b'{"commitLog":[%b],"subflowResults":{"a#1":{"treeContext":{"history":[%b]}}}}' % (
        row % b"z",
        row % b"customer\\u001fssn",
    )
    found = scan(data)

    assert found.redacted_paths == ["customer\x1fssn", "z"]
    assert labels(found) == ["redacted ×2"]


@needs_corpus
@pytest.mark.parametrize("name", sorted(recording_files().keys() - {"empty-object"}))
def test_every_real_recording_comes_in(name):
    found = scan(read_bytes(recording_files()[name]))

    assert found.form == "snapshot"
    assert found.n_commits == recording_named(name).run_log.length
    assert {label.split()[0] for label in labels(found)} <= {"lone_surrogate", "nul", "odd_row", "redacted"}


@needs_corpus
@pytest.mark.parametrize("path", sorted((CORPUS / "envelopes").glob("*.json")), ids=lambda path: path.name)
def test_every_real_envelope_comes_in(path):
    found = scan(path.read_bytes())

    assert (found.form, found.format, found.complete, found.dropped_events) == (
        "envelope",
        "agentfootprint.recording.v1",
        True,
        0,
    )
    assert found.producer == {"agentfootprintVersion": "9.62.0", "footprintjsVersion": "9.24.0"}
    assert found.run_id.startswith("run-")
    assert found.run_id != found.engine_run_id
    assert found.started_at < found.ended_at


def test_an_envelope_that_lacks_events_says_so():
    run = {"runId": "r", "startedAt": "2026-11-30T13:38:47Z", "complete": False, "droppedEvents": 812, "sessionId": "s"}
    found = scan(envelope(run=run))

    assert labels(found) == ["incomplete", "dropped_events ×812"]
    assert (found.complete, found.dropped_events, found.session_id, found.run_id) == (False, 812, "s", "r")
