"""Whose record a session id stands for, once occupants are stored."""

import pytest

from sessions_app.services.seats import seat_of
from sessions_app.services.sessions import incarnation_open


@pytest.fixture
def seats(workspace):
    def take(session_id, forked_from=None):
        return incarnation_open(workspace=workspace, session_id=session_id, actor="tests", forked_from=forked_from)[0]

    return take


def test_an_ancestor_s_id_stands_for_the_ancestor_never_for_who_sits_there_now(seats):
    parent = seats("desk-7")
    fork = seats("desk-9", parent)
    now = seats("desk-7")

    seat = seat_of(fork, by="tests")

    assert seat.incarnation_of("desk-9") == fork.token_sha256
    assert seat.incarnation_of("desk-7") == parent.token_sha256 != now.token_sha256
    assert seat.incarnation_of("desk-8") is None


def test_of_two_ancestors_on_one_seat_the_nearer_one_counts(seats):
    oldest = seats("desk-7")
    nearer = seats("desk-7", seats("desk-8", oldest))

    assert seat_of(seats("desk-9", nearer), by="tests").incarnation_of("desk-7") == nearer.token_sha256


def test_an_own_session_wins_over_an_ancestor_of_the_same_id(seats):
    again = seats("desk-7", seats("desk-7"))

    assert seat_of(again, by="tests").incarnation_of("desk-7") == again.token_sha256


def test_a_lineage_outlives_its_ancestors(seats):
    parent = seats("desk-7")
    fork, token_sha256 = seats("desk-9", parent), parent.token_sha256
    parent.session.delete()
    fork.refresh_from_db()

    assert fork.forked_from is None
    assert seat_of(fork, by="tests").incarnation_of("desk-7") == token_sha256
