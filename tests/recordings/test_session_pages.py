"""Sessions and their occupants, as their admins see and manage them."""

from __future__ import annotations

import re
from concurrent.futures import ThreadPoolExecutor

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from footprint_site.access.models import AuditLine
from recordings.models import Recording
from sessions_app.models import Conversation, Incarnation, MemoryEntry, Session
from sessions_app.services.sessions import incarnation_close, incarnation_of_token, incarnation_open
from sessions_app.services.writing import Identity
from tests.people import signed_in
from tests.recordings.seating import nobody, panel, seat, words
from tests.sessions.material import ODD_IDS

pytestmark = pytest.mark.django_db


@pytest.fixture
def two(people):
    """A seat that was handed on: each of its occupants said something, one came late, one came without a token."""
    first = seat(people)
    first.brings("where is order one")
    first.puts("msg-1-0", 1, "secret of the first")
    second = seat(people)
    second.brings("where is order two")
    first.brings("a late word", 2)
    nobody(people).brings("whose word is this")
    return first, second


def state_of_seats() -> list:
    """Everything that an act may change."""
    return [
        *Session.objects.values_list("pk"),
        *Incarnation.objects.order_by("pk").values_list("pk", "closed_at", "closed_by", "closed_reason"),
        AuditLine.objects.count(),
    ]


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


def test_opening_shows_the_token_once_and_never_again(two, as_alice):
    response = as_alice.post(f"{two[0].url}open/", {"occupant": 2})

    assert response.status_code == 200
    assert "no-store" in response["Cache-Control"]
    token = re.search(r'id="new-token">([\w-]{43})<', response.content.decode())[1]
    third = Incarnation.objects.get(number=3)
    assert third.is_open
    assert third.opened_by == "alice"
    assert token not in as_alice.get(two[0].url).content.decode()
    assert as_alice.get(f"{two[0].url}open/").status_code == 302


#: A form sends UTF-8, which has no half characters.
@pytest.mark.parametrize("session_id", [*(odd for odd in ODD_IDS if "\ud83d" not in odd), " "])
def test_a_session_begins_with_an_occupant_whose_token_is_shown_once(session_id, people, as_alice):
    data = {"session_id": session_id, "workspace": people.workspace.pk}
    response = as_alice.post("/sessions/new/", data)

    assert response.status_code == 200
    assert "no-store" in response["Cache-Control"]
    token = re.search(r'id="new-token">([\w-]{43})<', response.content.decode())[1]
    first = Incarnation.objects.get()
    assert (first.number, first.is_open, first.opened_by) == (1, True, "alice")
    assert first.session.session_id == session_id
    assert incarnation_of_token(workspace=people.workspace, token=token) == first

    again = as_alice.post("/sessions/new/", data)

    assert again.status_code == 422
    assert "There is a session with this id already. Nothing was changed." in words(again)
    assert f'href="/sessions/{first.session.public_id}/"' in again.content.decode()
    assert Incarnation.objects.get().is_open
    assert Session.objects.count() == AuditLine.objects.filter(action="incarnation_open").count() == 1


@pytest.mark.parametrize(
    ("session_id", "why"), [("", "Say which id its programs use."), ("x" * 1001, "at most 1000 characters")]
)
def test_a_session_needs_an_id_of_at_most_1000_characters(session_id, why, people, as_alice):
    response = as_alice.post("/sessions/new/", {"session_id": session_id, "workspace": people.workspace.pk})

    assert response.status_code == 422
    assert why in words(response)
    assert not Session.objects.exists()


def test_only_admins_begin_a_session_and_only_where_they_are(people, as_alice, as_bob, as_mallory):
    data = {"session_id": "desk-7", "workspace": people.workspace.pk}

    assert as_bob.get("/sessions/new/").status_code == as_bob.post("/sessions/new/", data).status_code == 403
    assert as_mallory.post("/sessions/new/", data).status_code == 422
    assert as_alice.get("/sessions/new/").status_code == 200
    assert not Session.objects.exists()


def test_closing_needs_a_reason_and_keeps_it(two, as_alice):
    before = state_of_seats()
    refused = as_alice.post(f"{two[0].url}close/", {"occupant": 2, "reason": ""})
    assert refused.status_code == 422
    assert "Say why it is closed." in words(refused)
    assert state_of_seats() == before

    done = as_alice.post(f"{two[0].url}close/", {"occupant": 2, "reason": "the customer <b>left</b>"}, follow=True)

    assert done.status_code == 200
    assert "the customer &lt;b&gt;left&lt;/b&gt;" in done.content.decode()
    assert not Incarnation.objects.open().exists()
    assert AuditLine.objects.filter(action="incarnation_close", actor="alice").count() == 1


@pytest.mark.parametrize("act", ["open", "close", "delete"])
def test_a_stale_page_is_refused_and_changes_nothing(act, two, as_alice):
    session = two[0].session
    incarnation_open(workspace=session.workspace, session_id=session.session_id, actor="irene")
    before = state_of_seats()

    data = {"occupant": 2, "reason": "x", "confirm": str(session.public_id)[:8]}
    response = as_alice.post(f"{two[0].url}{act}/", data)

    assert response.status_code == 409
    assert "Nothing was done" in words(response)
    assert "Your page showed occupant 2. Occupant 3 was opened" in words(response)
    assert f'href="{two[0].url}"' in response.content.decode()
    assert state_of_seats() == before


def test_closing_who_is_closed_already_is_stale_too(two, as_alice):
    incarnation_close(incarnation=two[1].incarnation, reason="over", actor="irene")
    before = state_of_seats()

    response = as_alice.post(f"{two[0].url}close/", {"occupant": 2, "reason": "x"})

    assert response.status_code == 409
    assert "Occupant 2 was closed" in words(response)
    assert state_of_seats() == before


@pytest.mark.django_db(transaction=True)
def test_of_several_pages_that_are_sent_at_once_one_is_obeyed(people):
    url = f"{seat(people).url}open/"

    def send(client: Client) -> int:
        try:
            return client.post(url, {"occupant": 1}).status_code
        finally:
            connection.close()

    with ThreadPoolExecutor(4) as pool:
        statuses = list(pool.map(send, [signed_in(people.alice) for _ in range(4)]))

    assert sorted(statuses) == [200, 409, 409, 409]
    assert Incarnation.objects.count() == 2


@pytest.mark.parametrize("number", ["", "x", "-1", "9" * 30, "1.5", "²"])
def test_an_act_that_names_no_occupant_is_refused(number, two, as_alice):
    before = state_of_seats()

    for act in ("open", "close", "delete"):
        data = {"occupant": number, "reason": "x", "confirm": str(two[0].session.public_id)[:8]}
        assert as_alice.post(f"{two[0].url}{act}/", data).status_code == 422

    assert state_of_seats() == before


def test_deleting_shows_what_goes_and_wants_the_id(two, as_alice):
    url = f"{two[0].url}delete/"
    page = words(as_alice.get(url))
    assert "occupants 2, with their tokens" in page
    assert "memory 1 entry" in page
    assert "4 recordings" in page

    wrong = as_alice.post(url, {"occupant": 2, "confirm": "desk-7"})
    assert wrong.status_code == 422
    assert Session.objects.count() == 1

    done = as_alice.post(url, {"occupant": 2, "confirm": str(two[0].session.public_id)[:8]})

    assert done.status_code == 302
    assert not Session.objects.exists()
    assert not MemoryEntry.objects.exists()
    assert Recording.objects.count() == 4
    assert not Conversation.objects.filter(incarnation__isnull=False).exists()
    assert AuditLine.objects.filter(action="session_delete", actor="alice").count() == 1


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
