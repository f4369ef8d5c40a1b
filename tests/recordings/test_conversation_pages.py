"""Conversations and their turns, as readers see them."""

from __future__ import annotations

import re
from datetime import timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from recordings.models import Recording
from recordings.reads.threads import PAGE_SIZE, time_of
from sessions_app.models import Turn
from sessions_app.services.writing import Identity
from tests.recordings.seating import DANA, nobody, panel, seat, words
from tests.sessions.material import ODD_IDS

pytestmark = pytest.mark.django_db

MAX = Identity("chat-502", principal="max", tenant="brew")


@pytest.fixture
def talk(people):
    """Three turns: one with a recording, one with two, one that nobody recorded."""
    seated = seat(people)
    for _ in range(3):
        seated.reserves()
    seated.brings("the first question", 1)
    seated.brings("the second question", 2)
    seated.brings("the second question, asked again", 2)
    seated.puts("msg-1-0", 1, "remembered")
    return seated


def test_turns_stand_in_order_with_their_recordings(talk, as_bob):
    page = as_bob.get(talk.thread_url())

    said = panel(page, "here-title")
    assert page.status_code == 200
    positions = [said.index(text) for text in ("turn 1", "the first question", "turn 2", "asked again", "turn 3")]
    assert positions == sorted(positions)
    assert "reserved, and no recording says that it is of this turn" in said[positions[-1] :]
    for recording in Recording.objects.all():
        assert f'href="{recording.get_absolute_url()}"' in page.content.decode()


def test_a_turn_that_only_a_recording_names_is_there_and_marked(talk, as_bob):
    talk.brings("from a host with numbers of its own", 9)

    said = panel(as_bob.get(talk.thread_url()), "here-title")

    assert "4 turns" in said
    assert "not reserved here" in said[said.index("turn 9") :]


def test_what_says_no_turn_is_unmatched(talk, as_bob):
    talk.brings("of no turn", None)

    page = as_bob.get(talk.thread_url())

    assert "of no turn" in panel(page, "unmatched-title")
    assert "of no turn" not in panel(page, "here-title")


def test_recordings_of_nobodys_conversation_are_counted_and_not_shown(talk, as_bob):
    lost = talk.brings("bound to nobody", 2)
    Recording.objects.filter(pk=lost.pk).update(thread=None)

    page = as_bob.get(talk.thread_url())

    assert "1 recording names this conversation and is bound to no occupant’s" in panel(page, "unmatched-title")
    assert "/recordings/?conversation_id=chat-501" in page.content.decode()
    assert "bound to nobody" not in words(page)


def test_nothing_of_one_occupant_is_on_the_page_of_another(talk, people, as_bob):
    second = seat(people)
    second.reserves()
    second.brings("the word of the second")
    second.puts("msg-1-0", 1, "memory of the second")
    nobody(people).brings("the word of nobody")

    first_page, second_page = as_bob.get(talk.thread_url()), as_bob.get(second.thread_url())

    assert "the word of the second" not in words(first_page)
    assert "the first question" not in words(second_page)
    assert "the word of nobody" not in words(first_page) + words(second_page)
    assert first_page.content.decode().count('role="separator"') == 2
    assert f'href="{second.thread_url()}"' in first_page.content.decode()
    assert "Occupant 2 has a conversation under the same id" in words(first_page)
    assert "Occupant unknown has a conversation under the same id" in words(first_page)


def test_two_principals_in_one_session_are_a_warning(talk, as_bob):
    assert "principals in one session" not in words(as_bob.get(talk.thread_url()))

    talk.brings("I am somebody else", 1, MAX)

    for identity in (DANA, MAX):
        page = words(as_bob.get(talk.thread_url(identity)))
        assert "2 principals in one session." in page
        assert "dana" in page
        assert "max" in page


def test_a_principal_of_another_occupant_is_no_warning(talk, people, as_bob):
    seat(people).brings("I am another customer", 1, MAX)

    assert "principals in one session" not in words(as_bob.get(talk.thread_url()))


def test_principals_of_an_unknown_occupant_are_those_of_the_same_session_id(people, as_bob):
    stray = nobody(people)
    stray.brings("one", 1)
    stray.brings("two", 1, MAX)
    stray.brings("three", 1, Identity("chat-503", principal="eve"), session_id="another")

    page = words(as_bob.get(stray.thread_url()))

    assert "2 principals in one session." in page
    assert "eve" not in page


def test_an_idle_gap_is_a_line_between_the_turns(talk, as_bob):
    at = timezone.now()
    for number, minutes in ((1, 0), (2, 4), (3, 4 + 185)):
        Turn.objects.filter(number=number).update(reserved_at=at + timedelta(minutes=minutes))

    said = panel(as_bob.get(talk.thread_url()), "here-title")

    assert said.count("nothing for") == 1
    assert said.index("turn 2") < said.index("nothing for 3 hours, 5 minutes") < said.index("turn 3")


def test_the_clock_of_the_recordings_goes_before_ours_and_the_two_are_never_mixed(talk, as_bob):
    Turn.objects.filter(number=2).update(reserved_at=timezone.now() + timedelta(days=1))
    Turn.objects.filter(number=3).update(reserved_at=timezone.now() + timedelta(days=1))
    first, *second = Recording.objects.order_by("turn", "pk")
    Recording.objects.filter(pk=first.pk).update(started_at="2026-11-30T10:00:00Z", ended_at="2026-11-30T10:01:00Z")
    for recording in second:
        Recording.objects.filter(pk=recording.pk).update(started_at="2026-11-30T10:07:30.5Z", ended_at="nonsense")

    said = panel(as_bob.get(talk.thread_url()), "here-title")

    assert said.count("nothing for") == 1
    assert "nothing for 6 minutes" in said


@pytest.mark.parametrize(
    "text", [None, "", "yesterday", "2026-13-45T00:00:00Z", "2026-02-30", "9" * 400, "\ud83d", "\0"]
)
def test_a_time_that_cannot_be_read_is_none(text):
    assert time_of(text) is None


def test_stores_are_listed_with_their_entries(talk, as_bob):
    talk.puts("a", 1, "x", store="facts")

    stores = panel(as_bob.get(talk.thread_url()), "stores-title")

    assert "chat 1 entry" in stores
    assert "facts 1 entry" in stores


def test_the_list_shows_every_conversation_with_its_counts(talk, people, as_bob):
    talk.puts("msg-1-0", 2, "overwritten")
    nobody(people).brings("stray")

    page = words(as_bob.get("/conversations/"))

    assert "chat-501 dana, tenant brew occupant 1 of desk-7 3 3 1 1 overwritten" in page
    assert "chat-501 dana, tenant brew unknown 0 1 0" in page


def test_long_lists_come_in_pages(talk, people, as_bob):
    for number in range(PAGE_SIZE):
        talk.reserves(identity=Identity(f"other-{number}"))
        talk.reserves()

    first, second = as_bob.get("/conversations/"), as_bob.get("/conversations/?page=2")
    assert first.content.decode().count('<tr class="row">') == PAGE_SIZE
    assert second.content.decode().count('<tr class="row">') == 1
    assert "chat-501" in words(second)
    last = panel(as_bob.get(f"{talk.thread_url()}?page=2"), "here-title")
    assert "turn 53" in last
    assert "turn 1 " not in last
    for odd in ("0", "x", "9" * 5000, "-1", "²"):
        assert as_bob.get("/conversations/", {"page": odd}).status_code == 200


@pytest.mark.parametrize("odd", [*ODD_IDS, "", "<script>alert(1)</script>", '"><img src=x onerror=alert(1)>'])
def test_any_id_is_shown_and_never_markup(odd, people, as_bob):
    identity = Identity(odd, principal=odd, tenant=odd)
    seated = seat(people, odd)
    seated.reserves(identity=identity, run_id=odd)
    seated.brings("why", 1, identity, session_id=odd)
    seated.puts(odd, 1, odd, store=odd, identity=identity)

    for url in (seated.thread_url(identity), "/conversations/"):
        response = as_bob.get(url)
        assert response.status_code == 200
        assert "<script>alert" not in response.content.decode()
        assert "<img" not in response.content.decode()
        assert "\u202e" not in response.content.decode()


def test_a_stranger_and_nothing_get_the_same_answer(talk, as_mallory):
    theirs = as_mallory.get(talk.thread_url())
    nothing = as_mallory.get("/conversations/00000000-0000-4000-8000-000000000000/")

    assert theirs.status_code == nothing.status_code == 404
    assert theirs.content == nothing.content
    assert "chat-501" not in words(as_mallory.get("/conversations/"))


def test_only_who_manages_it_is_led_to_the_session(talk, as_alice, as_bob):
    assert talk.url in as_alice.get(talk.thread_url()).content.decode()
    assert talk.url not in as_bob.get(talk.thread_url()).content.decode()


def test_the_pages_cost_the_same_however_much_there_is(talk, people, as_bob):
    def n_queries(url: str) -> int:
        with CaptureQueriesContext(connection) as queries:
            assert as_bob.get(url).status_code == 200
        return len(queries)

    before = n_queries(talk.thread_url()), n_queries("/conversations/")
    for number in range(4, 12):
        talk.reserves()
        talk.brings(f"question {number}", number)
        talk.puts(f"msg-{number}", number, "x", store=f"store {number}")
        seat(people, "another").reserves(identity=Identity(f"chat {number}"))

    assert (n_queries(talk.thread_url()), n_queries("/conversations/")) == before
    assert max(before) <= 24
    assert re.search(r"\d+ turns", words(as_bob.get(talk.thread_url())))
