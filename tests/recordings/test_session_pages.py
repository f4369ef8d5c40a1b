"""Sessions and their occupants, as their admins see them."""

from __future__ import annotations

import re

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from sessions_app.models import Conversation
from sessions_app.services.sessions import incarnation_close
from sessions_app.services.writing import Identity
from tests.people import signed_in
from tests.recordings.seating import nobody, panel, seat, words
from tests.sessions.material import ODD_IDS

pytestmark = pytest.mark.django_db


def test_each_occupant_has_its_own_block_and_nobody_elses_words(two, as_alice):
    page = as_alice.get(two[0].url)

    assert page.status_code == 200
    assert "where is order two" in panel(page, "occupant-2")
    assert "order one" not in panel(page, "occupant-2")
    assert "where is order one" in panel(page, "occupant-1")
    assert "order two" not in panel(page, "occupant-1")
    order = re.findall(r'aria-labelledby="(occupant-[^"]+)"', page.content.decode())
    assert order == ["occupant-2", "occupant-1", "occupant-unknown"]
    assert page.content.decode().count('role="separator"') == 2


def test_a_late_recording_is_filed_under_its_occupant_and_marked(two, as_alice):
    page = as_alice.get(two[0].url)

    assert "late" in panel(page, "occupant-1")
    assert "a late word" in panel(page, "occupant-1")
    assert "late" not in panel(page, "occupant-2")


def test_what_has_no_token_or_an_unknown_one_stands_apart(two, people, as_alice):
    stray = nobody(people)
    stray.token = "t" * 43
    stray.brings("with a token of nobody")

    unknown = panel(as_alice.get(two[0].url), "occupant-unknown")

    assert "whose word is this" in unknown
    assert "without a token" in unknown
    assert "a token that nobody was given here" in unknown
    assert "2 recordings" in unknown


def test_the_list_counts_occupants_and_recordings(two, as_alice):
    rows = words(as_alice.get("/sessions/"))

    assert "desk-7 occupant 2 2 4 " in rows


def test_forks_show_whom_they_descend_from(two, people, as_alice):
    fork = seat(people, "fork", forked_from=two[1].incarnation)
    deep = seat(people, "deep", forked_from=fork.incarnation)

    shown = panel(as_alice.get(deep.url), "occupant-1")

    assert "occupant 1 of fork" in shown
    assert "fork as occupant 1 held it" in shown
    assert "desk-7 as occupant 2 held it" in shown


def test_two_principals_under_one_occupant_are_a_warning(two, as_alice):
    two[1].brings("I am somebody else", 2, Identity("chat-502", principal="max", tenant="brew"))

    page = as_alice.get(two[0].url)

    assert "2 principals under one occupant" in panel(page, "occupant-2")
    assert "principals" not in panel(page, "occupant-1")

    for number in range(10):
        two[1].brings(f"and I {number}", 3 + number, Identity("chat-502", principal=f"p{number}", tenant="brew"))

    assert "More than 10 principals under one occupant." in panel(as_alice.get(two[0].url), "occupant-2")
    thread = Conversation.objects.filter(incarnation=two[1].incarnation).first()
    said = words(as_alice.get(f"/conversations/{thread.public_id}/"))
    assert "More than 10 principals in one session." in said
    assert "and others" in said


def test_incidents_and_audit_lines_of_the_session_alone(two, people, as_alice):
    other = seat(people, "another")
    incarnation_close(incarnation=other.incarnation, reason="x", actor="somebody of elsewhere")

    page = as_alice.get(two[0].url)

    assert "A new occupant took the seat of an open one" in panel(page, "incidents-title")
    assert panel(page, "audit-title").count("incarnation_open") == 2
    assert "somebody of elsewhere" not in words(page)


def test_a_stranger_and_nothing_get_the_same_answer(two, as_mallory, as_bob):
    theirs = as_mallory.get(two[0].url)
    nothing = as_mallory.get("/sessions/00000000-0000-4000-8000-000000000000/")

    assert theirs.status_code == nothing.status_code == 404
    assert theirs.content == nothing.content
    assert two[0].url not in as_mallory.get("/sessions/").content.decode()
    assert as_bob.get(two[0].url).status_code == as_bob.get("/sessions/").status_code == 403


@pytest.mark.parametrize("odd", [*ODD_IDS, "", "<script>alert(1)</script>", '"><img src=x onerror=alert(1)>'])
def test_any_id_is_shown_and_never_markup(odd, people, as_alice):
    seated = seat(people, odd)

    for url in (seated.url, "/sessions/", f"{seated.url}delete/"):
        response = as_alice.get(url)
        assert response.status_code == 200
        assert "<script>alert" not in response.content.decode()
        assert "<img" not in response.content.decode()
        assert "\u202e" not in response.content.decode()


def test_the_pages_cost_the_same_however_many_there_are(two, people, as_alice):
    def n_queries(url: str) -> int:
        with CaptureQueriesContext(connection) as queries:
            assert as_alice.get(url).status_code == 200
        return len(queries)

    before = n_queries(two[0].url), n_queries("/sessions/")
    for number in range(4):
        another = seat(people)
        another.brings(f"question {number}")
        another.puts(f"msg-{number}", 1, "x")
        seat(people, f"desk {number}")

    assert (n_queries(two[0].url), n_queries("/sessions/")) == before
    assert max(before) <= 24


def test_sessions_are_in_the_navigation_of_admins_alone(two, people, as_alice, as_bob):
    for client, is_there in ((as_alice, True), (as_bob, False), (signed_in(people.root), True)):
        nav = re.search(r'<nav class="nav".*?</nav>', client.get("/recordings/").content.decode(), re.DOTALL)[0]
        assert ('href="/sessions/"' in nav) is is_there
        assert 'href="/conversations/"' in nav
