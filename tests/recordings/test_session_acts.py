"""Sessions and their occupants, as their admins manage them: begun, opened, closed and deleted."""

from __future__ import annotations

import re
from concurrent.futures import ThreadPoolExecutor

import pytest
from django.db import connection
from django.test import Client

from footprint_site.access.models import AuditLine
from recordings.models import Recording
from sessions_app.models import Conversation, Incarnation, MemoryEntry, Session
from sessions_app.services.sessions import incarnation_close, incarnation_of_token, incarnation_open
from tests.people import signed_in
from tests.recordings.seating import seat, words
from tests.sessions.material import ODD_IDS

pytestmark = pytest.mark.django_db


def state_of_seats() -> list:
    """Everything that an act may change."""
    return [
        *Session.objects.values_list("pk"),
        *Incarnation.objects.order_by("pk").values_list("pk", "closed_at", "closed_by", "closed_reason"),
        AuditLine.objects.count(),
    ]


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
