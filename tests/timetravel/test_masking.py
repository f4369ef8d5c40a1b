"""What a recorder lists as taken out is taken out, also where it was left in, and nothing else is."""

import json

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from recordings.timetravel import UNDEFINED, all_epoch_locations, decode_recording, served_at
from recordings.timetravel.masking import Masks
from recordings.timetravel.merge import SEPARATOR
from tests.corpus import needs_corpus, read_bytes, recording_files, recording_named
from tests.timetravel.build import US, commit, user

SECRET = "4711-0815"
ONE_LONG = "600"


def masked(*rows, base=None, **more):
    snapshot = {"initialState": {} if base is None else base, "commitLog": list(rows), **more}
    return decode_recording(json.dumps(snapshot).encode(), is_masked=True)


def value(key, *rows, **more):
    return masked(*rows, **more).run_log.value_at(key, len(rows))


@pytest.mark.parametrize(
    ("path", "held", "expected"),
    [
        ("customer", {"ssn": SECRET}, "REDACTED"),
        (f"customer{US}ssn", {"ssn": SECRET, "name": "D"}, {"ssn": "REDACTED", "name": "D"}),
        (f"customer{US}ssn", {"ssn": {"deep": [SECRET]}}, {"ssn": "REDACTED"}),
        (f"customer{US}1", ["a", SECRET, "b"], ["a", "REDACTED", "b"]),
        (f"customer{US}0{US}no", [{"no": SECRET}, {"no": "x"}], [{"no": "REDACTED"}, {"no": "x"}]),
        (f"customer{US}ssn", "no object", "no object"),
        (f"customer{US}ssn", {"other": 1}, {"other": 1}),
        (f"customer{US}1.5", ["a", "b"], ["a", "b"]),
        (f"customer{US}9", ["a"], ["a"]),
        (f"customer{US}", {"": SECRET}, {"": "REDACTED"}),
        ("other", {"ssn": SECRET}, {"ssn": SECRET}),
    ],
)
def test_a_listed_path_is_taken_out_of_what_a_row_writes(path, held, expected):
    assert value("customer", commit("a", 1, ("customer", "set", held), redactedPaths=[path])) == expected


def test_what_one_row_lists_is_taken_out_of_all_rows_and_of_the_base():
    rows = [
        commit("a", 1, ("other", "set", 1)),
        commit("b", 2, (f"customer{US}ssn", "set", SECRET)),
        commit("c", 3, ("customer", "merge", {"ssn": SECRET, "name": "E"})),
        commit("d", 4, redactedPaths=[f"customer{US}ssn"]),
    ]
    run = masked(*rows, base={"customer": {"ssn": SECRET, "name": "D"}})

    assert run.run_log.base_value("customer") == {"ssn": "REDACTED", "name": "D"}
    assert [run.run_log.value_at("customer", row)["ssn"] for row in range(4)] == ["REDACTED"] * 4
    assert run.run_log.value_at("customer", 3)["name"] == "E"
    assert SECRET not in json.dumps(run.run_log.state_at(3).state, default=str)


def test_of_a_tail_every_element_is_masked_as_nobody_knows_where_it_will_be():
    rows = [
        commit("a", 1, ("history", "set", [user("hello")])),
        commit("b", 2, ("history", "append", [user(SECRET)]), redactedPaths=[f"history{US}1{US}content"]),
    ]

    assert value("history", *rows) == [user("hello"), {"role": "user", "content": "REDACTED"}]


@pytest.mark.parametrize("held", [["x", SECRET], [SECRET, "x"], [{"no": SECRET}]])
def test_of_a_merged_list_every_element_is_masked(held):
    """The union of two lists puts an element where the update did not have it."""
    rows = [
        commit("a", 1, ("cards", "set", {"l": ["x"]})),
        commit("b", 2, ("cards", "merge", {"l": held}), redactedPaths=[f"cards{US}l{US}1"]),
    ]

    assert SECRET not in json.dumps(value("cards", *rows))


@pytest.mark.parametrize("verb", ["set", "append", "merge"])
@pytest.mark.parametrize("path", [f"customer{US}ssn", f"customer{US}ssn{US}no", f"customer{US}list{US}0"])
def test_a_write_below_a_masked_value_is_one_of_that_value(path, verb):
    row = commit("a", 1, (path, verb, [SECRET] if verb == "append" else {"a": SECRET}), redactedPaths=["customer"])
    field = commit("a", 1, (path, verb, [SECRET] if verb == "append" else {"a": SECRET}), redactedPaths=[path[:12]])

    assert value("customer", row) == "REDACTED"
    assert value("customer", row, base={"customer": {"ssn": SECRET, "name": "D"}}) == "REDACTED"
    if path.startswith(f"customer{US}ssn"):
        assert value("customer", field, base={"customer": {"ssn": "1", "name": "D"}}) == {
            "ssn": "REDACTED",
            "name": "D",
        }


def test_what_is_deleted_is_gone_and_below_a_mask_nothing_is():
    rows = [
        commit("a", 1, ("customer", "set", {"ssn": SECRET}), redactedPaths=["customer", f"other{US}ssn"]),
        commit("b", 2, (f"customer{US}ssn", "delete")),
        commit("c", 3, ("customer", "delete")),
    ]
    log = masked(*rows).run_log

    assert [log.value_at("customer", row) for row in range(3)] == ["REDACTED", "REDACTED", UNDEFINED]


def test_numbers_and_characters_around_a_mask_stay_as_they_were_written():
    text = b'{ "a" : {"ssn" : "%b", "n": 1.10, "u": "\\u00e9"} , "b": 1e2}' % SECRET.encode()

    assert bytes(Masks([f"a{US}ssn"]).object(msgspec.Raw(text))) == text.replace(SECRET.encode(), b"REDACTED")


def test_a_key_that_stands_twice_is_masked_twice():
    log = b'[{"trace":[],"overwrite":{},"updates":{},"redactedPaths":["a"]}]'
    run = decode_recording(b'{"commitLog":%b,"initialState":{"a":1,"\\u0061":2}}' % log, is_masked=True)

    assert run.run_log.base_value("a") == "REDACTED"


def test_what_one_log_lists_is_taken_out_of_all_logs():
    mounts = {
        f"final#{number}": {
            "treeContext": {
                "history": [commit("a", number, ("finalContent", "set", SECRET), redactedPaths=listed)],
                "initialState": {"finalContent": SECRET},
                "globalContext": {"finalContent": SECRET, "n": 1},
            }
        }
        for number, listed in ((1, ["finalContent"]), (2, []))
    }
    run = masked(subflowResults=mounts)

    assert run.mount_state("final#1") == {"finalContent": "REDACTED", "n": 1}
    assert run.mount_log("final#1").value_at("finalContent", 0) == "REDACTED"
    assert run.mount_log("final#2").value_at("finalContent", 0) == "REDACTED"
    assert run.as_recorded.mount_log("final#2").value_at("finalContent", 0) == SECRET


def test_without_asking_a_recording_is_read_as_it_is():
    row = commit("a", 1, ("customer", "set", SECRET), redactedPaths=["customer"])
    plain = decode_recording(json.dumps({"commitLog": [row]}).encode())

    assert plain.run_log.value_at("customer", 0) == SECRET


def test_of_a_very_long_path_more_is_masked_than_it_names():
    held = {"x": SECRET}
    for _ in range(300):
        held = {"x": held}
    path = US.join(["deep", *["x"] * 301])

    shown = json.dumps(value("deep", commit("a", 1, ("deep", "set", held), redactedPaths=[path])))

    assert SECRET not in shown
    assert "REDACTED" in shown


@needs_corpus
@pytest.mark.parametrize("name", [name for name in recording_files() if ONE_LONG not in name])
def test_real_recordings_need_no_mask(name):
    """Their recorder did its work: what they serve is the same, masked or not."""
    plain, run = recording_named(name), decode_recording(read_bytes(recording_files()[name]), is_masked=True)

    for one, other in zip(all_epoch_locations(plain), all_epoch_locations(run), strict=True):
        assert served_at(plain, one) == served_at(run, other)


KEYS = st.sampled_from(["a", "b", "0", "1", ""])
VALUES = st.recursive(
    st.integers() | st.text(max_size=3) | st.booleans() | st.none(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=3),
    max_leaves=12,
)
PATHS = st.lists(st.lists(KEYS, min_size=1, max_size=4), min_size=1, max_size=4)


def without(held, paths):
    """The same by another way: on values, path by path."""
    root = json.loads(json.dumps(held))
    for path in sorted(paths, key=len):
        target = root
        for place, segment in enumerate(path):
            if isinstance(target, list) and segment.isdecimal() and int(segment) < len(target):
                segment = int(segment)
            elif not isinstance(target, dict) or segment not in target:
                break
            if place == len(path) - 1:
                target[segment] = "REDACTED"
            else:
                target = target[segment]
    return root


@settings(deadline=None, max_examples=300)
@given(st.dictionaries(KEYS, VALUES, max_size=4), PATHS)
def test_exactly_the_listed_paths_are_masked(held, paths):
    listed = [SEPARATOR.join(path) for path in paths]
    run = masked(commit("x", 1, redactedPaths=listed), base=held)
    found = {key: run.run_log.base_value(key) for key in held}

    assert found == without(held, paths)
    assert UNDEFINED not in found.values()


def test_thousands_of_paths_over_many_members_are_each_masked_once():
    held = {f"k{number}": {"x": number} for number in range(50_000)}
    row = commit("a", 1, ("big", "set", held), redactedPaths=[f"big{US}k{number}{US}x" for number in range(9_000)])

    found = value("big", row)

    assert found["k8999"] == {"x": "REDACTED"}
    assert found["k9000"] == {"x": 9000}


def test_the_last_of_a_very_long_list_counts():
    listed = [f"a path that is of some length, number {number}" for number in range(60_000)]

    assert value("secret", commit("a", 1, ("secret", "set", SECRET), redactedPaths=[*listed, "secret"])) == "REDACTED"


@pytest.mark.parametrize("odd", ['"\\ud83d"', "1e999", "9" * 5_000])
def test_odd_values_beside_a_masked_one_stay(odd):
    """A correctly redacted row is never rewritten, whatever stands beside."""
    row = json.dumps(
        commit("a", 1, (f"c{US}ssn", "set", "REDACTED"), (f"c{US}n", "set", 0), redactedPaths=[f"c{US}ssn"])
    )
    text = '{"commitLog":[ROW],"initialState":{}}'.replace("ROW", row.replace('"n": 0', f'"n": {odd}'))
    plain, run = (decode_recording(text.encode(), is_masked=is_masked) for is_masked in (False, True))

    assert run.run_log.value_at("c", 0) == plain.run_log.value_at("c", 0)
    assert run.run_log.rows[0].trace == plain.run_log.rows[0].trace


def test_a_list_on_the_way_to_a_masked_value_stays_a_list():
    held = [{"ssn": SECRET, "n": 5}, {"n": 6}]
    row = commit("a", 1, ("l", "set", held), redactedPaths=[f"l{US}0{US}ssn"])
    row["trace"].append({"path": f"l{US}0{US}ssn", "verb": "set"})

    assert value("l", row) == [{"ssn": "REDACTED", "n": 5}, {"n": 6}]


def test_a_value_that_is_not_there_is_not_made_up():
    row = commit("a", 1, ("finalContent", "set"), redactedPaths=["finalContent"])

    assert value("finalContent", row) is UNDEFINED


@needs_corpus
@pytest.mark.parametrize("name", [name for name in recording_files() if ONE_LONG not in name])
def test_the_rows_of_real_recordings_stay_as_they_were_recorded(name):
    run = decode_recording(read_bytes(recording_files()[name]), is_masked=True)

    assert [row.trace for row in run.run_log.rows] == [row.trace for row in run.as_recorded.run_log.rows]
