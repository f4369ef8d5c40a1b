"""Laws that hold for any recording, over piles of made-up ones."""

import copy
import itertools
import json

from hypothesis import given, settings
from hypothesis import strategies as st

from recordings.timetravel import (
    UNDEFINED,
    MemoryEntry,
    TimeTravelError,
    all_epoch_locations,
    apply_smart_merge,
    changes_between,
    context_of,
    decode_recording,
    keyed_fold,
    read_at_call,
    recording_of,
)
from recordings.timetravel.align import align, longest_increasing
from recordings.timetravel.jsonspans import element_spans, member_spans
from recordings.timetravel.jsontext import read_elements, read_members, read_value
from recordings.timetravel.system import Entry, cut
from recordings.timetravel.values import clone
from tests.timetravel.build import US, commit, flat, record, recording, tool, user

settings.register_profile("laws", deadline=None, max_examples=150)
settings.load_profile("laws")

KEYS = st.sampled_from(["a", "b", "history", "constructor", "0", "", "a.b"])
SCALARS = st.none() | st.booleans() | st.integers(-3, 3) | st.floats(-2, 2) | st.text(max_size=3)
VALUES = st.recursive(
    SCALARS, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=3), max_leaves=8
)
PATHS = st.lists(KEYS, min_size=1, max_size=3).map(US.join)
WRITES = st.one_of(
    st.tuples(PATHS, st.sampled_from(["set", "append", "merge", "unheard-of"]), VALUES),
    st.tuples(PATHS, st.sampled_from(["set", "append", "delete"])),
)


def trees_fit(writes):
    """One commit holds one tree of values: two writes of it may not need a text and an object in one place."""
    try:
        commit("s", 0, *writes)
    except (AttributeError, TypeError):
        return False
    return True


ROWS = st.lists(st.lists(WRITES, max_size=3).filter(trees_fit), max_size=6)
BASES = st.dictionaries(KEYS, VALUES, max_size=3)


def log_of(rows):
    return [commit("s", number, *writes) for number, writes in enumerate(rows)]


def merged(state, rows):
    for row in rows:
        state = apply_smart_merge(state, row["updates"], row["overwrite"], row["trace"])
    return state


def plain(state):
    return {key: value for key, value in state.items() if value is not UNDEFINED}


@given(BASES, ROWS, st.data())
def test_folding_from_any_point_is_folding_from_the_start(base, rows, data):
    """What the fold says at a commit, with the rest of the log applied to it, is what it says at the end."""
    log = log_of(rows)
    at = data.draw(st.integers(-1, len(log) - 1))
    fold = keyed_fold(recording(*log, base=base))

    middle = plain(fold.state_at(at).state)

    assert same(plain(merged(middle, log[at + 1 :])), plain(fold.state_at(len(log)).state))


@given(BASES, ROWS, st.data())
def test_a_key_alone_folds_to_what_it_is_in_the_whole_state(base, rows, data):
    log = log_of(rows)
    at = data.draw(st.integers(-1, len(log)))
    fold = keyed_fold(recording(*log, base=base))
    state = merged(copy.deepcopy(base), log[: at + 1])

    for key in {"a", "b", "history", "0", "", "a.b"}:
        assert same(fold.value_at(key, at), state.get(key, UNDEFINED))


@given(BASES, ROWS, st.lists(st.integers(-2, 8), max_size=12))
def test_any_order_of_questions_gives_the_same_answers(base, rows, asks):
    run = recording(*log_of(rows), base=base)
    one = keyed_fold(run)
    answers = [clone(one.value_at("a", index)) for index in asks]

    assert all(
        same(answer, keyed_fold(recording_of(json.loads(run._data))).value_at("a", index))
        for answer, index in zip(answers, asks, strict=True)
    )
    assert all(same(answer, one.value_at("a", index)) for answer, index in zip(answers, asks, strict=True))


@given(VALUES, st.lists(WRITES, max_size=4).filter(trees_fit), BASES)
def test_merging_changes_none_of_its_arguments(value, writes, base):
    row = commit("s", 0, *writes)
    base = {**base, "b": value}
    before = copy.deepcopy((base, row))

    result = apply_smart_merge(base, row["updates"], row["overwrite"], row["trace"])
    scramble(result)

    assert same((base, row), before), "and the result shares nothing with them"


def scramble(value):
    for child in list(value.values() if isinstance(value, dict) else value):
        if isinstance(child, dict | list):
            scramble(child)
    value.clear()


def same(a, b):
    if isinstance(a, tuple):
        return len(a) == len(b) and all(map(same, a, b))
    if isinstance(a, dict) and isinstance(b, dict):
        return a.keys() == b.keys() and all(same(a[key], b[key]) for key in a)
    if isinstance(a, list) and isinstance(b, list):
        return len(a) == len(b) and all(map(same, a, b))
    return a is b or (type(a) is type(b) and a == b) or (is_float(a) and is_float(b) and a == b)


def is_float(value):
    return isinstance(value, int | float) and not isinstance(value, bool)


# Contexts: a few texts, so that equal ones, returning ones and moved ones are frequent.
LETTERS = st.sampled_from("abcd")
SYSTEM = st.lists(st.builds(lambda text, name: record(text, "fact", name), LETTERS, LETTERS), max_size=4)
MESSAGES = st.lists(LETTERS.map(user), max_size=5)
TOOLS = st.lists(st.builds(tool, LETTERS, LETTERS), max_size=3)
CONTEXTS = st.lists(
    st.fixed_dictionaries({"systemPromptInjections": SYSTEM, "history": MESSAGES, "dynamicToolSchemas": TOOLS}),
    min_size=1,
    max_size=6,
)


@given(CONTEXTS)
def test_presences_rebuild_every_epoch_whatever_was_edited(contexts):
    run = flat(*contexts)
    built = context_of(run)
    for location, context in zip(all_epoch_locations(run), contexts, strict=True):
        served = built.at(location.position)
        by_slot = {slot: [p.piece for p in served if p.slot == slot] for slot in ("system-prompt", "messages", "tools")}

        assert [p.text for p in by_slot["system-prompt"]] == [
            r["rawContent"] for r in context["systemPromptInjections"]
        ]
        assert [p.value for p in by_slot["messages"]] == context["history"]
        assert [p.value for p in by_slot["tools"]] == context["dynamicToolSchemas"]
        assert read_at_call(location, "history") == context["history"]


@given(CONTEXTS)
def test_presences_of_one_piece_do_not_overlap_and_ids_are_unique(contexts):
    built = context_of(flat(*contexts))
    spans: dict[str, list[tuple[int, int]]] = {}
    for presence in built.presences:
        spans.setdefault(presence.piece.id, []).append((presence.first, presence.last))

    assert len({piece.id for piece in built.pieces}) == len(built.pieces)
    for served in spans.values():
        served.sort()
        assert all(before[1] < after[0] for before, after in itertools.pairwise(served))


@given(CONTEXTS, st.data())
def test_the_difference_of_any_two_epochs_is_complete(contexts, data):
    built = context_of(flat(*contexts))
    before, after = (data.draw(st.integers(1, len(contexts))) for _ in range(2))
    difference = changes_between(built, before, after)
    old, new = ([p.piece.id for p in built.at(position)] for position in (before, after))

    assert sorted([p.id for p in difference.added] + [c.after.id for c in difference.changed]) == sorted(
        set(new) - set(old)
    )
    kept = [p.id for p in difference.unchanged]
    assert [i for i in old if i in kept] == [i for i in new if i in kept], "what is called unchanged kept its order"


@given(st.lists(LETTERS, max_size=12), st.lists(LETTERS, max_size=12))
def test_alignment_is_a_longest_common_subsequence(old, new):
    found = align(old, new)
    pairs = [(index, number) for number, index in enumerate(found) if index is not None]

    assert all(old[index] == new[number] for index, number in pairs)
    assert [index for index, _ in pairs] == sorted({index for index, _ in pairs})
    assert len(pairs) == lcs_length(old, new)


def lcs_length(old, new):
    row = [0] * (len(new) + 1)
    for a in old:
        above = row[:]
        for number, b in enumerate(new):
            row[number + 1] = above[number] + 1 if a == b else max(row[number], above[number + 1])
    return row[-1]


@given(st.lists(st.integers(0, 9), max_size=9))
def test_a_longest_increasing_run_is_one_and_none_is_longer(numbers):
    run = [numbers[index] for index in longest_increasing(numbers)]

    assert run == sorted(set(run))
    assert len(run) == lcs_length(numbers, sorted(set(numbers)))


@given(
    st.lists(st.text("ab\n", max_size=4), max_size=5), st.lists(st.text("ab\n<", max_size=3), min_size=6, max_size=6)
)
def test_parts_of_a_block_cover_it_exactly_wherever_its_entries_stand(needles, wrapping):
    raw = wrapping[0] + "".join(needle + wrap for needle, wrap in zip(needles, wrapping[1:], strict=False))
    entries = [Entry(needle, needle, MemoryEntry("m", str(n), None, None)) for n, needle in enumerate(needles)]
    parts = cut(raw, entries)

    if parts:
        assert "".join(raw[start:end] for _, start, end, _ in parts) == raw
    for entry, start, end, own in parts:
        assert start <= own[0] <= own[1] <= end
        assert raw[own[0] : own[1]] == entry.own


@given(st.dictionaries(st.text(max_size=4), VALUES, max_size=4), st.sampled_from([None, 1, " \n"]))
def test_json_is_taken_apart_where_it_can_be_put_together_again(value, indent):
    """The scan without recursion finds what the parser finds, with any white space."""
    text = json.dumps(value, indent=indent if indent != " \n" else 3).encode()
    members = {read_value(text[key]): read_value(text[item]) for key, item in member_spans(text)}
    elements = json.dumps(list(value.values()), indent=indent if indent != " \n" else 3).encode()

    assert same(members, json.loads(text))
    assert same([read_value(elements[item]) for item in element_spans(elements)], json.loads(elements))


HALVES = st.text('\ud83d\ude42\\u"d83a,:[]{} ', max_size=6)


@given(st.lists(st.tuples(HALVES, HALVES | st.lists(HALVES, max_size=3) | st.integers()), max_size=6), st.booleans())
def test_halves_of_characters_stay_where_they_are(pairs, has_space):
    """Also beside keys that are there twice, and beside backslashes that are no escapes."""
    gap = " \n" if has_space else ""
    members = ",".join(f"{gap}{json.dumps(key)}{gap}:{gap}{json.dumps(value)}{gap}" for key, value in pairs)
    elements = ",".join(f"{gap}{json.dumps(value)}{gap}" for _, value in pairs)
    an_object, a_list = f"{{{members}}}", f"[{elements}]"

    read = read_members(an_object.encode()) or {}
    assert {key: read_value(value) for key, value in read.items()} == json.loads(an_object)
    assert [read_value(value) for value in read_elements(a_list.encode()) or []] == json.loads(a_list)


@given(st.binary(max_size=40) | st.text('{}[]",:0123 \\u', max_size=40).map(str.encode))
def test_no_bytes_crash_the_decoder(data):
    """Anything is a recording, or one of our own refusals."""
    try:
        run = decode_recording(data)
    except TimeTravelError:
        return
    assert context_of(run).presences == []
