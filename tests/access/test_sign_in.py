"""Signing in: by password within limits, by a link that works once, and out again."""

import threading
from datetime import timedelta

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from footprint_site.access.models import AuditLine
from footprint_site.access.services.sign_in import sign_in_link_use, sign_in_path
from tests.people import PASSWORD, make_people, signed_in

SIGN_IN = "/sign-in/"
LIMIT = 5


def attempt(client: Client, password: str, name: str = "bob", **extra: str) -> int:
    return client.post(SIGN_IN, {"username": name, "password": password}, **extra).status_code


def test_the_right_password_signs_in_and_leads_back(people):
    client = Client()

    response = client.post(f"{SIGN_IN}?next=/workspaces/", {"username": "bob", "password": PASSWORD})

    assert (response.status_code, response.url) == (302, "/workspaces/")
    assert client.get("/workspaces/").status_code == 200


@pytest.mark.parametrize("target", ["https://evil.example/", "//evil.example/", "javascript:alert(1)"])
def test_it_leads_to_no_other_site(target, people):
    response = Client().post(SIGN_IN, {"username": "bob", "password": PASSWORD, "next": target})

    assert response.url == "/"


def test_the_session_gets_a_new_id(people):
    """A session id that somebody planted before is worth nothing afterwards."""
    client = Client()
    session = client.session
    session["planted"] = "by somebody else"
    session.save()
    planted = session.session_key

    assert attempt(client, PASSWORD) == 302

    assert client.session.session_key != planted
    assert Client(headers={"Cookie": f"footprint_session={planted}"}).get("/").status_code == 302


def test_after_five_failures_even_the_right_password_waits(people):
    client = Client()
    statuses = [attempt(client, "wrong") for _ in range(LIMIT)]

    response = client.post(SIGN_IN, {"username": "bob", "password": PASSWORD})

    assert statuses == [422] * (LIMIT - 1) + [429]
    assert response.status_code == 429
    assert response.headers["Retry-After"] == "900"


def test_the_wait_ends(people, time_machine):
    client = Client()
    now = timezone.now()
    time_machine.move_to(now, tick=False)
    for _ in range(LIMIT):
        attempt(client, "wrong")
    time_machine.move_to(now + timedelta(minutes=14), tick=False)
    assert attempt(client, PASSWORD) == 429

    time_machine.move_to(now + timedelta(minutes=15, seconds=1), tick=False)

    assert attempt(client, PASSWORD) == 302


def test_the_limit_is_of_one_name_from_one_address(people):
    """A stranger who guesses at a name from elsewhere cannot lock its owner out."""
    for _ in range(LIMIT):
        attempt(Client(), "wrong", REMOTE_ADDR="192.0.2.1")

    assert attempt(Client(), PASSWORD, REMOTE_ADDR="192.0.2.2") == 302
    assert attempt(Client(), PASSWORD, name="alice", REMOTE_ADDR="192.0.2.1") == 302


def test_a_success_starts_the_count_anew(people):
    for _ in range(LIMIT - 1):
        attempt(Client(), "wrong")
    assert attempt(Client(), PASSWORD) == 302

    assert [attempt(Client(), "wrong") for _ in range(LIMIT - 1)] == [422] * (LIMIT - 1)


@pytest.mark.django_db(transaction=True)
def test_the_limit_is_exact_when_attempts_come_at_once():
    """Twelve guesses at one moment: five are looked at, whatever the threads do."""
    make_people()
    statuses: list[int] = []
    gate = threading.Barrier(12)

    def guess() -> None:
        gate.wait()
        try:
            statuses.append(attempt(Client(), "wrong"))
        finally:
            connection.close()

    threads = [threading.Thread(target=guess) for _ in range(12)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    # The fifth failure is looked at, and its answer says that it was the last.
    assert sorted(statuses) == [422] * (LIMIT - 1) + [429] * (12 - LIMIT + 1)
    assert AuditLine.objects.filter(action="sign_in", outcome="failed").count() == LIMIT - 1


def test_attempts_are_audited(people):
    attempt(Client(), "wrong")
    attempt(Client(), PASSWORD)

    lines = AuditLine.objects.filter(action="sign_in").order_by("pk")
    assert [(line.actor, line.outcome) for line in lines] == [("bob", "failed"), ("bob", "done")]


def test_guesses_at_names_that_nobody_has_fill_no_table(people):
    for number in range(3):
        assert attempt(Client(), "wrong", name=f"nobody{number}") == 422

    assert not AuditLine.objects.filter(action="sign_in").exists()


@pytest.mark.parametrize("name", ["a\0b", "x" * 100_000, "", "‮bob", "\ud800"])
def test_odd_names_are_refused_in_words(name, people):
    assert attempt(Client(), "wrong", name=name.encode("utf-8", "replace").decode()) == 422


def test_the_link_signs_in_once(people):
    path = sign_in_path(people.bob)
    client = Client()

    assert client.get(path).status_code == 200
    assert client.post(path).status_code == 302
    assert client.get("/").status_code == 200
    assert Client().get(path).status_code == 404
    assert Client().post(path).status_code == 404


def test_opening_the_link_changes_nothing(people):
    path = sign_in_path(people.bob)
    for _ in range(3):
        client = Client()
        assert client.get(path).status_code == 200
        assert client.get("/").status_code == 302

    assert Client().post(path).status_code == 302


def test_the_link_ends_with_any_sign_in_and_with_time(people, time_machine):
    now = timezone.now()
    time_machine.move_to(now)
    first, second = sign_in_path(people.bob), sign_in_path(people.alice)
    attempt(Client(), PASSWORD)
    assert Client().get(first).status_code == 404

    time_machine.move_to(now + timedelta(days=1, seconds=5))

    assert Client().get(second).status_code == 404


def test_a_link_made_and_used_within_the_second_of_a_sign_in_is_used_up(people, time_machine):
    time_machine.move_to(timezone.now().replace(microsecond=1), tick=False)
    attempt(Client(), PASSWORD)
    people.bob.refresh_from_db()
    path = sign_in_path(people.bob)
    time_machine.shift(timedelta(microseconds=500))
    assert Client().post(path).status_code == 302

    assert Client().post(path).status_code == 404


@pytest.mark.parametrize("path", ["/sign-in/link/MQ/x/", "/sign-in/link/!!/x-y/", f"/sign-in/link/{'9' * 900}/a-b/"])
def test_a_link_that_never_was_is_a_404(path, people):
    assert Client().get(path).status_code == Client().post(path).status_code == 404


@pytest.mark.django_db(transaction=True)
def test_two_at_once_cannot_both_use_the_link():
    people = make_people()
    _, _, _, uid, token, _ = sign_in_path(people.bob).split("/")
    winners: list[User | None] = []
    gate = threading.Barrier(6)

    def use() -> None:
        gate.wait()
        try:
            winners.append(sign_in_link_use(uid=uid, token=token))
        finally:
            connection.close()

    threads = [threading.Thread(target=use) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert [winner for winner in winners if winner] == [people.bob]


def test_signing_out_takes_a_post(as_bob):
    assert as_bob.get("/sign-out/").status_code == 405
    assert as_bob.get("/").status_code == 200

    assert as_bob.post("/sign-out/").status_code == 302
    assert as_bob.get("/").status_code == 302


def test_a_new_password_ends_the_other_sessions(people):
    here, there = signed_in(people.bob), signed_in(people.bob)
    new = "a better one than before"

    response = here.post(
        reverse("password-change"), {"old_password": PASSWORD, "new_password1": new, "new_password2": new}
    )

    assert response.status_code == 302
    assert here.get("/").status_code == 200
    assert there.get("/").status_code == 302
    assert attempt(Client(), new) == 302


def test_who_has_no_password_yet_is_not_asked_for_it(people):
    people.bob.set_unusable_password()
    people.bob.save()
    client = Client()
    client.post(sign_in_path(people.bob))

    page = client.get(reverse("password-change"))
    new = "a better one than before"
    client.post(reverse("password-change"), {"new_password1": new, "new_password2": new})

    assert 'name="old_password"' not in page.text
    assert attempt(Client(), new) == 302


def test_a_deactivated_account_is_out_at_the_next_request(people, as_bob):
    assert as_bob.get("/").status_code == 200
    User.objects.filter(pk=people.bob.pk).update(is_active=False)

    assert as_bob.get("/").status_code == 302
    assert attempt(Client(), PASSWORD) == 422


def test_htmx_is_sent_to_the_form_and_does_not_swap_it_in(people):
    part = Client().get("/workspaces/", headers={"HX-Request": "true"})
    boosted = Client().get("/workspaces/", headers={"HX-Request": "true", "HX-Boosted": "true"})

    assert part.headers["HX-Redirect"].startswith(SIGN_IN)
    assert part.content == b""
    assert boosted.status_code == 302
