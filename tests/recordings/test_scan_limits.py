"""The limits of a scan: exact, wherever in a file, and cheap to refuse."""

import json
import tracemalloc

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from recordings.ingest.document import read_json
from recordings.ingest.limits import Limits
from recordings.ingest.refusals import Refused
from recordings.ingest.scan import scan
from tests.recordings.scanning import refusal

#: Places for a value, and how many brackets are open there.
PLACES = [
    (b"%b", 0),
    (b'{"commitLog":[],"sharedState":%b}', 1),
    (b'{"commitLog":[],"more":%b}', 1),
    (b'{"commitLog":[{"trace":[],"overwrite":{"a":%b},"updates":{}}]}', 4),
    (b'{"commitLog":[{"trace":[],"overwrite":{"a":%b,"a":1},"updates":{}}]}', 4),
    (b'{"commitLog":[%b]}', 2),
    (b'{"commitLog":[],"recorders":[{"data":%b}]}', 3),
    (b'{"commitLog":[],"subflowResults":{"a#1":{"treeContext":{"globalContext":%b}}}}', 4),
    (b'{"commitLog":[],"subflowResults":{"a#1":{"treeContext":{"stageContexts":%b}}}}', 4),
    (b'{"commitLog":[],"subflowResults":{"a#1":{"treeContext":{"history":[{"updates":{"b":%b}}]}}}}', 7),
    (b'{"snapshot":{"commitLog":[]},"executionTree":%b}', 1),
    (b'{"snapshot":{"commitLog":[],"executionTree":{"a":[]},"z":%b},"events":[]}', 2),
    (b'{"snapshot":{"commitLog":[]},"events":[{"type":"a","payload":%b}]}', 3),
]


def nested(levels: int) -> bytes:
    """A value of so many levels, with brackets in its strings, which do not count."""
    return (
        b'{"[[[{":[' * (levels // 2) + b"[]" * (levels % 2) + (b'"]]}\\"[["' * (1 - levels % 2)) + b"]}" * (levels // 2)
    )


def level_at(data: bytes, at: int) -> int:
    """The level that the bracket at *at* opens, counted byte by byte."""
    level, is_in_string, is_escaped = 0, False, False
    for byte in data[: at + 1].decode():
        if is_escaped or (is_in_string and byte == "\\"):
            is_escaped = not is_escaped
        elif byte == '"':
            is_in_string = not is_in_string
        elif not is_in_string:
            level += (byte in "[{") - (byte in "]}")
    return level


@pytest.mark.parametrize(("place", "depth"), PLACES)
def test_512_levels_are_let_in_and_513_are_not(place, depth):
    whole, over = (place % nested(levels - depth) for levels in (512, 513))
    refused = refusal(over)

    assert (refused.code, refused.status, refused.limit) == ("too_deep", 400, 512)
    assert level_at(over, refused.at) == 513
    if depth:
        assert scan(whole)


@pytest.mark.parametrize("levels", [513, 1_000, 5_000, 100_000])
@pytest.mark.parametrize(
    "form",
    [
        b'{"executionTree":%b,"commitLog":[]}',
        b'{"snapshot":{"commitLog":[],"executionTree":%b}}',
        b'{"commitLog":[],"executionTree":%b,"executionTree":%b}',
    ],
)
def test_the_execution_tree_may_be_of_any_depth(levels, form):
    tree = nested(levels)

    assert scan(form.replace(b"%b", tree)).n_commits == 0


def test_a_tree_that_is_not_the_snapshots_counts_like_everything():
    data = b'{"snapshot":{"commitLog":[],"sharedState":{"executionTree":%b}}}'

    assert refusal(data % nested(600)).code == "too_deep"


@pytest.mark.parametrize(
    "data", [b"[" * 100_000 + b"]" * 100_000, b"[" * 100_000, b'{"a":' * 100_000, b'{"snapshot":' * 100_000]
)
def test_a_hundred_thousand_brackets_cost_nothing(data):
    tracemalloc.start()
    refused = refusal(data)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()

    assert (refused.code, refused.limit) == ("too_deep", 512)
    assert peak < 5 * 1024 * 1024


@pytest.mark.parametrize(
    "where", [b'{"commitLog":[],"a":["%b"]}', b'{"commitLog":[{"a":"%b"}]}', b'{"commitLog":["%b"]}']
)
@pytest.mark.parametrize("text", [b"x" * 100, b"\\n" * 50, b'\\"' * 50, b"\\\\" * 50, "é".encode() * 50])
def test_strings_have_a_limit_to_the_byte(where, text):
    data = where % text
    refused = refusal(data, max_string_bytes=99)

    assert (refused.code, refused.status, refused.limit) == ("string_too_long", 413, 99)
    assert data[refused.at + 1 :].startswith(text)
    assert scan(data, limits=Limits(max_string_bytes=100))


def test_keys_have_a_limit_to_the_byte():
    data = b'{"commitLog":[],"a":{"%b" :"%b"}}' % (b"k" * (1 << 20), b"v" * (1 << 21))
    refused = refusal(data.replace(b"kkk", b"kkkk", 1))

    assert (refused.code, refused.status, refused.limit) == ("key_too_long", 422, 1 << 20)
    assert scan(data)


@pytest.mark.parametrize(
    "where",
    [
        b"%b",
        b'{"snapshot":%b}',
        b'{"commitLog":[],"a":[0,%b]}',
        b'{"commitLog":[],"subflowResults":%b}',
        b'{"commitLog":[{"trace":[],"overwrite":%b,"updates":{}}]}',
        b'{"commitLog":[],"executionTree":{"a":%b}}',
    ],
)
def test_objects_have_a_limit_of_keys(where):
    members = b",".join(b'"%d":{"a":[0,1]}' % number for number in range(998))
    whole = where % (b'{"commitLog":[],"x":0,' + members + b"}")
    over = where % (b'{"commitLog":[],"x":0,"y":0,' + members + b"}")
    refused = refusal(over, max_keys_per_object=1_000)

    assert (refused.code, refused.status, refused.limit) == ("too_many_keys", 422, 1_000)
    assert over[refused.at :].startswith(b'{"commitLog"')
    assert scan(whole, limits=Limits(max_keys_per_object=1_000))


def test_a_million_keys_and_one_more():
    members = b",".join(b'"%x":0' % number for number in range(1_000_001))

    assert refusal(b'{"commitLog":[],"a":{' + members + b"}}").code == "too_many_keys"
    assert scan(b'{"commitLog":[],"a":{' + members[members.index(b",") + 1 :] + b"}}")


@pytest.mark.parametrize("row", [b"0", b"{}", b"null", b'"a"', b'{"trace":[],"overwrite":{},"updates":{}}'])
def test_commits_have_a_limit_over_all_logs(row):
    data = b'{"commitLog":[%b],"subflowResults":{"a#1":{"treeContext":{"history":[%b , %b]}}}}'
    inside = b",".join([row] * 7)
    refused = refusal(data % (inside, row, row), max_commits=8)

    assert (refused.code, refused.status, refused.limit) == ("too_many_commits", 413, 8)
    assert scan(data % (inside, row, row), limits=Limits(max_commits=9)).n_commits == 7


def test_more_than_a_million_commits_are_refused():
    assert refusal(b'{"commitLog":[' + b"{}," * 1_000_000 + b"{}]}").code == "too_many_commits"


def test_the_whole_has_a_limit_to_the_byte():
    data = b'{"commitLog":[]}'

    assert (refusal(data, max_bytes=15).code, refusal(data, max_bytes=15).status) == ("too_large", 413)
    assert scan(data, limits=Limits(max_bytes=16))


texts = st.text(alphabet='ab"\\[]{}:,\n\u0000é', max_size=8)
values = st.recursive(
    st.none() | st.integers(0, 99) | texts,
    lambda children: st.lists(children, max_size=4) | st.dictionaries(texts, children, max_size=5),
    max_leaves=40,
)


def measured(value: object) -> tuple[int, int, int, int]:
    """How deep *value* is nested, and its longest string, longest key and largest object."""
    children = list(value.values()) if isinstance(value, dict) else value if isinstance(value, list) else []
    inside = [measured(child) for child in children] or [(0, 0, 0, 0)]
    depth, string, key, keys = (max(column) for column in zip(*inside, strict=True))
    if isinstance(value, dict):
        key = max([key, *(len(json.dumps(name)) - 2 for name in value)])
        keys = max(keys, len(value))
    string = len(json.dumps(value)) - 2 if isinstance(value, str) else string
    return depth + isinstance(value, dict | list), string, key, keys


def is_let_in(data: bytes, limits: Limits) -> bool:
    try:
        read_json(data, slice(0, len(data)), limits)
    except Refused:
        return False
    return True


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=300, deadline=None)
@given(value=values, indent=st.none() | st.integers(0, 2))
def test_every_limit_is_what_a_reader_would_measure(value, indent):
    """However the text is cut into pieces to measure it: a small limit makes small pieces."""
    data = json.dumps(value, indent=indent).encode()
    depth, string, key, keys = measured(value)

    for name, size in (
        ("max_depth", depth),
        ("max_string_bytes", max(string, key)),
        ("max_key_bytes", key),
        ("max_keys_per_object", keys),
    ):
        assert is_let_in(data, Limits(**{name: size})), name
        if size:
            assert not is_let_in(data, Limits(**{name: size - 1})), name
