"""The turn rule: as the reference has it, and whatever it is given."""

import math
from itertools import count, cycle, repeat

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sessions_app.turns import (
    MAX_PAGES,
    is_expired,
    max_stored_turn,
    normalize_host_turn,
    resolve_turn_number,
    snapshot_turn,
    stored_turn,
)
from tests.corpus import golden, needs_corpus, revived
from tests.sessions.stores import IDENTITY, NOW_MS, ListStore, Page, PageStore, turn_entry

laws = settings(deadline=None, max_examples=150)

NUMBERS = st.integers() | st.floats() | st.sampled_from([2**53, 2**53 + 1, 10**308, 10**309, -(10**400), 1e300, 2.9])
NOT_NUMBERS = st.none() | st.booleans() | st.text() | st.lists(st.integers()) | st.just({"turn": 3}) | st.binary()
ANYTHING = NUMBERS | NOT_NUMBERS
TURN_NUMBERS = st.integers(1, 10**9)


def rows(table):
    """The rows of the golden table, without the one that hands out a null cursor: None is the end for us."""
    return [row for row in (golden("turns") or {}).get(table, []) if "null cursor" not in row["note"]]


def host_turn_of(value):
    """What the golden stands for: it spells the values that JSON lacks, and the text "3" is the text."""
    if value == "undefined":
        return None
    return float(value) if value in ("NaN", "Infinity", "-Infinity") else value


def pages_of(kind, entries):
    """The pages of a store whose cursor is odd; the n-th page holds turn n, unless it never moves."""
    if kind == "same":
        return (Page(entries[:2], "stuck") for _ in count())
    cursors = {"endless": map(str, count(1)), "alternating": cycle("AB"), "empty-string": repeat("")}[kind]
    return (Page([turn_entry(turn)], cursor) for turn, cursor in zip(count(1), cursors, strict=False))


def store_of(spec):
    entries = revived(spec.get("entries", []))
    if "cursor" in spec:
        return PageStore(pages_of(spec["cursor"], entries))
    return ListStore(entries, spec.get("identity", IDENTITY), spec.get("pageCap", 1000), spec.get("throwsAt"))


def stores_of(row):
    if "generated" in row:
        return [ListStore([turn_entry(turn) for turn in range(1, row["generated"]["count"] + 1)])]
    stores = [store_of(spec) for spec in row["stores"]]
    return stores * 2 if row["sharedTwice"] else stores


def outcome(function, *arguments):
    try:
        return {"out": function(*arguments)}
    except ConnectionError as error:
        return {"throws": f"Error: {error}"}


def told(calls, expected):
    """The calls as the golden tells them: all, or the first three, the last and how many."""
    return calls if isinstance(expected, list) else {"count": len(calls), "first": calls[:3], "last": calls[-1]}


@needs_corpus
@pytest.mark.parametrize("row", rows("cases"), ids=lambda row: row["note"])
def test_the_turn_is_the_one_of_the_reference(row):
    """The same number, or the same failure, after the same pages."""
    stores = stores_of(row)

    answer = outcome(resolve_turn_number, stores, row.get("identity", IDENTITY), host_turn_of(row["hostTurn"]))

    assert answer == row["resolveTurnNumber"]
    assert [told(store.calls, expected) for store, expected in zip(stores, row["listCalls"], strict=True)] == row[
        "listCalls"
    ]


@needs_corpus
@pytest.mark.parametrize("row", [row for row in rows("cases") if "perStore" in row], ids=lambda row: row["note"])
def test_the_highest_turn_of_a_store_is_the_one_of_the_reference(row):
    answers = [outcome(max_stored_turn, store_of(spec), row["identity"]) for spec in row["stores"]]

    assert answers == row["perStore"]


@needs_corpus
@pytest.mark.parametrize("row", rows("maxStoredTurnNarrowed"), ids=lambda row: row["note"])
def test_narrowed_to_snapshots_only_their_ids_count(row):
    assert max_stored_turn(ListStore(row["entries"]), IDENTITY, turn_for=snapshot_turn) == row["out"]["out"]


@needs_corpus
@pytest.mark.parametrize("row", (golden("turns") or {}).get("normalizeHostTurn", []), ids=lambda row: str(row))
def test_a_host_turn_is_read_as_the_reference_reads_it(row):
    answer = normalize_host_turn(host_turn_of(row["hostTurn"]))

    assert answer == row["out"]
    assert type(answer) is int


@needs_corpus
def test_the_null_cursor_is_the_one_row_that_is_left_out():
    notes = {row["note"] for row in golden("turns")["cases"]} - {row["note"] for row in rows("cases")}

    assert notes == {"a null cursor is NOT the end (only undefined is)"}


def test_a_page_without_a_cursor_is_the_last():
    store = PageStore(iter([Page([turn_entry(1)], "1"), Page([turn_entry(5)]), Page([turn_entry(9)])]))

    assert max_stored_turn(store, IDENTITY) == 5
    assert store.calls == [{"limit": 1000, "cursor": None}, {"limit": 1000, "cursor": "1"}]


def test_only_the_page_before_tells_that_a_cursor_stands_still():
    """A cursor that comes back later is read again."""
    pages = [Page([turn_entry(n)], cursor) for n, cursor in enumerate(["A", "B", "A", "C", "C", "D"], start=1)]

    assert max_stored_turn(PageStore(iter(pages)), IDENTITY) == 5


def test_pages_past_the_hundredth_are_not_read():
    store = PageStore(Page([turn_entry(n)], str(n)) for n in count(1))

    assert max_stored_turn(store, IDENTITY) == len(store.calls) == MAX_PAGES == 100


@pytest.mark.parametrize("fails_at", [1, 2])
def test_a_store_that_fails_gives_no_turn(fails_at):
    """On its first page or a later one, and whatever the other stores hold."""
    broken = ListStore([turn_entry(turn) for turn in range(1, 6)], page_cap=2, fails_at=fails_at)

    with pytest.raises(ConnectionError, match="store unreachable"):
        resolve_turn_number([ListStore([turn_entry(7)]), broken], IDENTITY, 50)


def test_stores_are_told_apart_by_what_they_are_not_by_what_they_hold():
    """Two equal stores, which cannot be hashed either, are two."""
    one, other = ListStore([turn_entry(3)]), ListStore([turn_entry(3)])
    assert one == other

    assert resolve_turn_number(iter([one, other, one]), IDENTITY) == 4
    assert [len(one.calls), len(other.calls)] == [1, 1]


def test_stores_are_read_one_after_the_other():
    """The second is asked when the first has no more pages."""
    calls = []
    stores = [ListStore([turn_entry(turn), turn_entry(turn)], page_cap=1, calls=calls) for turn in (1, 2)]

    assert resolve_turn_number(stores, IDENTITY) == 3
    assert [call["cursor"] for call in calls] == [None, "1", None, "1"]


@pytest.mark.parametrize("source", [None, {}, [], "turn", 3, {"turn": None}, {"turn": {"turn": 3}}])
def test_a_source_that_holds_no_turn_counts_as_none(source):
    assert stored_turn({"id": "msg-8-0", "source": source}) == 0


@pytest.mark.parametrize(
    ("id_", "turn"),
    [
        ("snap-4", 4),
        ("snap-007", 7),
        ("snap-0", 0),
        ("snap-" + "0" * 5000 + "12", 12),
        ("snap-" + "9" * 309, 0),
        ("snap-" + "9" * 5000, 0),
        ("snap-٣", 0),
        ("snap-1\n", 0),
        ("\nsnap-1", 0),
        ("snap--1", 0),
        ("snap-1.5", 0),
        ("snap- 1", 0),
        ("snap-1_0", 0),
        (None, 0),
        (7, 0),
    ],
)
def test_a_snapshot_is_told_by_the_whole_of_its_id(id_, turn):
    assert snapshot_turn({"id": id_, "source": {"turn": 3}}) == turn


def test_an_entry_without_an_id_is_no_snapshot():
    assert snapshot_turn({}) == 0


@pytest.mark.parametrize(
    ("ttl", "expired"),
    [(0, True), (NOW_MS - 1, True), (NOW_MS, True), (NOW_MS + 1, False), (NOW_MS + 0.5, False), (-math.inf, True)]
    + [(odd, False) for odd in [None, math.nan, math.inf, "0", False, True, [0]]],
)
def test_an_entry_expires_at_its_time_and_only_a_number_is_one(ttl, expired):
    assert is_expired({"ttl": ttl}, NOW_MS) is expired


def test_an_entry_without_a_time_never_expires():
    assert not is_expired({}, NOW_MS)


@laws
@given(ANYTHING)
def test_any_host_turn_gives_a_whole_number_from_one_on(value):
    turn = normalize_host_turn(value)

    assert type(turn) is int
    assert turn >= 1


@laws
@given(NOT_NUMBERS | st.sampled_from([math.nan, math.inf, -math.inf, 10**309, -(10**309)]))
def test_what_is_no_finite_number_is_turn_one_for_a_host_and_no_turn_in_a_store(value):
    """True is no 1, "3" is no 3, and an integer that no double holds is infinite."""
    assert normalize_host_turn(value) == 1
    assert stored_turn({"source": {"turn": value}}) == 0


@laws
@given(NUMBERS.filter(lambda number: -(10**308) <= number <= 10**308))
def test_a_number_is_rounded_down(number):
    assert normalize_host_turn(number) == max(1, math.floor(number))
    assert stored_turn({"source": {"turn": number}}) == max(0, math.floor(number))


@laws
@given(st.lists(st.lists(ANYTHING, max_size=8), max_size=3), ANYTHING)
def test_the_turn_is_above_all_that_are_stored_and_not_below_the_hosts(stored, host):
    """Whatever stands where a turn should; past 2**53 too, where a double has no next number."""
    stores = [ListStore([turn_entry(turn) for turn in turns], page_cap=3) for turns in stored]

    turn = resolve_turn_number(stores, IDENTITY, host)

    highest = max((stored_turn(entry) for store in stores for entry in store.entries), default=0)
    assert type(turn) is int
    assert turn > highest
    assert turn in {normalize_host_turn(host), highest + 1}


@laws
@given(st.lists(ANYTHING), st.lists(ANYTHING), ANYTHING, TURN_NUMBERS)
def test_the_turn_never_falls_when_entries_are_added_or_the_host_counts_on(stored, added, host, more):
    before = resolve_turn_number([ListStore([turn_entry(turn) for turn in stored])], IDENTITY, host)

    later = resolve_turn_number([ListStore([turn_entry(turn) for turn in stored + added])], IDENTITY, host)
    counted_on = resolve_turn_number(
        [ListStore([turn_entry(turn) for turn in stored])], IDENTITY, normalize_host_turn(host) + more
    )

    assert later >= before
    assert counted_on >= before


@laws
@given(st.lists(TURN_NUMBERS, max_size=30), st.integers(1, 5), st.randoms())
def test_neither_pages_nor_order_nor_a_split_over_stores_change_the_turn(turns, page_cap, random):
    entries = [turn_entry(turn) for turn in turns]
    expected = resolve_turn_number([ListStore(entries)], IDENTITY)

    random.shuffle(entries)
    cut = random.randint(0, len(entries))
    stores = [ListStore(entries[:cut], page_cap=page_cap), ListStore(entries[cut:], page_cap=page_cap)]

    assert resolve_turn_number(stores, IDENTITY) == expected


@laws
@given(st.lists(st.tuples(TURN_NUMBERS, st.integers(NOW_MS - 5, NOW_MS + 5))))
def test_expired_entries_are_as_good_as_gone(written):
    entries = [turn_entry(turn, ttl=ttl) for turn, ttl in written]
    live = [turn_entry(turn) for turn, ttl in written if ttl > NOW_MS]

    assert resolve_turn_number([ListStore(entries)], IDENTITY) == resolve_turn_number([ListStore(live)], IDENTITY)


@laws
@given(st.lists(ANYTHING))
def test_a_turn_that_is_written_is_followed_by_the_next(stored):
    """A conversation that stores each turn it is given counts on without a gap, and never gives one twice."""
    store = ListStore([turn_entry(turn) for turn in stored])
    given_out = []
    for _ in range(4):
        given_out.append(resolve_turn_number([store], IDENTITY))
        store.entries.append(turn_entry(given_out[-1]))

    assert given_out == list(range(given_out[0], given_out[0] + 4))
