"""Whatever the bytes are, a scan answers or refuses; and it takes for JSON what is JSON, nothing else."""

import gzip
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from recordings.ingest.document import read_json
from recordings.ingest.encoding import utf8_span
from recordings.ingest.limits import Limits
from recordings.ingest.refusals import Refused
from recordings.ingest.scan import Scan, scan
from tests.recordings.scanning import envelope

SAMPLES = Path(__file__).resolve().parent.parent.parent / "recordings" / "samples"
TREE = b'{"commitLog":[{"a":"\\ud83d\\ude00"}],"executionTree":' + b'{"next":[' * 300 + b"1" + b"]}" * 300 + b"}"
BASES = [
    envelope(),
    TREE,
    b'{"commitLog":[ {"trace":[{"path":"a","verb":"set"}],"overwrite":{"a":"\\"[\\\\"},"updates":{}} , null ],'
    b'"runId":"1-2","subflowResults":{"sf-llm-call#1":{"treeContext":{"history":[{},"x",-1.5e-3]}}}}',
    *(gzip.decompress(path.read_bytes()) for path in sorted(SAMPLES.glob("refund-*.json.gz"))[:1]),
]
BITS = [b'"', b"\\", b"{", b"}", b"[", b"]", b",", b":", b"NaN", b"1e999", b"1.", b"-", b"tru", b"\\ud83d", b"\\u00"]
BITS += [b"\x00", b"\xff", b"\xc3", b"\xef\xbb\xbf", b"\n", b'"iteration":' + b"9" * 400 + b",", b'"runId":1,', b"[[[["]
never = settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=400, deadline=None)


@st.composite
def damaged(draw: Any) -> bytes:
    """A file with a few bytes flipped, put in or taken out."""
    data = bytearray(draw(st.sampled_from(BASES)))
    for _ in range(draw(st.integers(1, 4))):
        at = draw(st.integers(0, len(data) - 1)) if data else 0
        n_out = draw(st.sampled_from([0, 0, 1, 1, 5, 50]))
        data[at : at + n_out] = draw(st.sampled_from(BITS) | st.binary(max_size=2))
    return bytes(data)


@never
@given(damaged() | st.binary(max_size=64))
def test_a_scan_answers_or_refuses(data):
    found = outcome(data)

    if isinstance(found, Refused):
        assert 400 <= found.status < 500
        assert found.at is None or 0 <= found.at <= len(data)


def outcome(data: bytes) -> Scan | Refused:
    try:
        return scan(data)
    except Refused as refused:
        return refused


@never
@given(damaged())
def test_json_is_what_the_standard_library_takes_for_it(data):
    assert is_json(data) is is_json_to_the_standard_library(data)


def is_json(data: bytes) -> bool:
    try:
        read_json(data, utf8_span(data), Limits(max_depth=100_000))
    except Refused:
        return False
    return True


def is_json_to_the_standard_library(data: bytes) -> bool:
    try:
        text = data.decode("utf-8-sig")
        json.loads(text, parse_constant=refuse, parse_int=str, parse_float=str)
    except ValueError:
        return False
    return True


def refuse(name: str) -> None:
    raise ValueError(name)


@pytest.mark.parametrize("base", BASES)
def test_every_file_of_these_is_fine_undamaged(base):
    assert scan(base)
