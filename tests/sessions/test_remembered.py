"""Records kept while a durable write fails: one for each occupant, and none for another."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sessions_app.incarnation import (
    recalled_for_any_identity,
    recalled_for_identity,
    record_binds_incarnation,
    remember_for_identity,
)

laws = settings(deadline=None, max_examples=200)

IDS = st.sampled_from(["desk-7", "desk-9", "desk-9/a", ""])
TOKENS = st.sampled_from(["t1", "t2", "t3"])
ANY_TOKENS = TOKENS | st.none()
REMEMBERED = st.lists(st.tuples(IDS, ANY_TOKENS), max_size=12)


def stamped(record, token):
    return record if token is None else {**record, "incarnation": token}


def remembered(*kept):
    """Records by session id, remembered in this order: each says its place in it."""
    records = {}
    for place, (session_id, token) in enumerate(kept):
        remember_for_identity(records, session_id, stamped({"place": place}, token))
    return records


def test_the_first_record_of_an_occupant_wins():
    records = {}
    first = remember_for_identity(records, "a", {"note": "one", "incarnation": "t1"})

    assert remember_for_identity(records, "a", {"note": "two", "incarnation": "t1"}) is first
    assert recalled_for_identity(records, "a", "t1") == {"note": "one", "incarnation": "t1"}


def test_the_next_occupant_is_not_left_without_its_own():
    records = remembered(("a", "t1"), ("a", "t2"))

    assert recalled_for_identity(records, "a", "t1")["place"] == 0
    assert recalled_for_identity(records, "a", "t2")["place"] == 1


def test_a_missing_token_is_an_identity_of_its_own():
    """It takes no occupant's place, none takes its, and a token of None is a missing one."""
    records = remembered(("a", None), ("a", "t1"), ("a", None), ("a", "t1"))
    remember_for_identity(records, "a", {"place": 4, "incarnation": None})

    assert recalled_for_identity(records, "a", None)["place"] == 0
    assert recalled_for_identity(records, "a", "t1")["place"] == 1


@pytest.mark.parametrize(
    ("kept", "asking", "place"),
    [
        ([None, "t1"], "t1", 1),  # the exact token, though another that binds is older
        (["t1", None], None, 1),  # the record of nobody known for one who is not known
        (["t1", None], "t2", 1),  # what binds, past what does not
        (["t1", "t2"], None, 0),  # the first that binds
        (["t1", "t3"], "t2", None),
        ([], "t1", None),
        ([], None, None),
    ],
)
def test_recall_prefers_the_exact_token_then_the_first_record_that_binds(kept, asking, place):
    recalled = recalled_for_identity(remembered(*(("a", token) for token in kept)), "a", asking)

    assert (recalled and recalled["place"]) == place


def test_for_any_identity_the_first_record_is_recalled():
    records = remembered(("a", "t1"), ("a", None), ("b", "t2"))

    assert [recalled_for_any_identity(records, session_id) for session_id in ["a", "b", "c"]] == [
        {"place": 0, "incarnation": "t1"},
        {"place": 2, "incarnation": "t2"},
        None,
    ]


@laws
@given(REMEMBERED, IDS, ANY_TOKENS)
def test_recall_answers_as_a_walk_over_all_that_was_kept(kept, session_id, asking):
    """The law in its plain form: the first with that very token, else the first that binds."""
    of_id = [(place, token) for place, (kept_id, token) in enumerate(kept) if kept_id == session_id]
    exact = [place for place, token in of_id if token == asking]
    binding = [place for place, token in of_id if record_binds_incarnation(token, asking)]
    records = remembered(*kept)

    recalled = recalled_for_identity(records, session_id, asking)
    any_one = recalled_for_any_identity(records, session_id)

    assert (recalled and recalled["place"]) == next(iter([*exact, *binding]), None)
    assert (any_one and any_one["place"]) == next((place for place, _ in of_id), None)


@laws
@given(REMEMBERED, IDS, TOKENS)
def test_nothing_of_one_known_occupant_is_recalled_for_another(kept, session_id, asking):
    recalled = recalled_for_identity(remembered(*kept), session_id, asking)

    assert recalled is None or recalled.get("incarnation") in (None, asking)


@laws
@given(REMEMBERED, REMEMBERED, IDS, TOKENS)
def test_what_an_occupant_has_kept_is_its_own_whatever_came_before_and_comes_after(before, after, session_id, token):
    """Unless it kept one before: then that."""
    records = remembered(*before)
    mine = remember_for_identity(records, session_id, {"mine": True, "incarnation": token})
    for later_id, later_token in after:
        remember_for_identity(records, later_id, stamped({}, later_token))

    assert recalled_for_identity(records, session_id, token) is mine
    assert mine["incarnation"] == token


@laws
@given(REMEMBERED, IDS, ANY_TOKENS)
def test_recall_changes_nothing(kept, session_id, asking):
    records = remembered(*kept)

    recalled_for_identity(records, session_id, asking)
    recalled_for_any_identity(records, session_id)

    assert records == remembered(*kept)
