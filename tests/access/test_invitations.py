"""Invitations to a workspace, over HTTP: who comes in by them, and how often."""

import threading
from datetime import timedelta

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from footprint_site.access.models import Invitation, Membership, Role
from footprint_site.access.services.errors import LinkSpentError
from footprint_site.access.services.invitations import invitation_accept, invitation_create
from tests.access.managing import member, set_active
from tests.people import PASSWORD, make_people

NEW_PERSON = {"username": "nina", "password1": PASSWORD, "password2": PASSWORD}


def invite(client: Client, role: str = "investigator") -> str:
    """Return the path of the link as the page shows it."""
    page = client.post(reverse("access:invitation-new", args=["brew"]), {"role": role, "note": "Nina"})
    assert page.status_code == 200
    return page.context["invitation_token"]


def test_an_invitation_makes_an_account_and_a_member(as_alice):
    link = reverse("access:invitation-detail", args=[invite(as_alice)])
    nina = Client()
    assert nina.get(link).status_code == 200

    response = nina.post(link, NEW_PERSON)

    assert (response.status_code, response.url) == (302, "/")
    assert member("nina").role == Role.INVESTIGATOR
    assert nina.get("/").status_code == 200
    assert Client().get(link).status_code == 404
    assert Client().post(link, NEW_PERSON | {"username": "second"}).status_code == 404
    assert not User.objects.filter(username="second").exists()


def test_somebody_with_an_account_joins_as_themselves(people, as_alice, as_mallory):
    link = reverse("access:invitation-detail", args=[invite(as_alice, "viewer")])

    assert as_mallory.post(link).status_code == 302
    assert member("mallory").role == Role.VIEWER


def test_a_member_does_not_use_an_invitation_up(as_alice, as_bob):
    link = reverse("access:invitation-detail", args=[invite(as_alice, "admin")])

    response = as_bob.post(link)

    assert response.status_code == 422
    assert "already a member" in response.text
    assert member("bob").role == Role.VIEWER
    assert Client().get(link).status_code == 200


def test_a_former_member_comes_back_by_invitation(as_alice, as_bob):
    set_active(as_alice, "bob", "no")

    as_bob.post(reverse("access:invitation-detail", args=[invite(as_alice, "investigator")]))

    assert (member("bob").role, member("bob").is_active) == (Role.INVESTIGATOR, True)


@pytest.mark.parametrize(
    "fields",
    [
        {"username": "bob"},
        {"username": "BOB"},
        {"password2": "another"},
        {"password1": "short", "password2": "short"},
        {"username": ""},
    ],
)
def test_an_invitation_survives_a_refused_form(fields, as_alice):
    link = reverse("access:invitation-detail", args=[invite(as_alice)])

    assert Client().post(link, NEW_PERSON | fields).status_code == 422
    assert Client().post(link, NEW_PERSON).status_code == 302


def test_a_withdrawn_invitation_works_no_longer(as_alice):
    link = reverse("access:invitation-detail", args=[invite(as_alice)])
    invitation = Invitation.objects.get()

    as_alice.post(reverse("access:invitation-withdraw", args=["brew", invitation.public_id]))

    assert Client().get(link).status_code == 404


def test_an_invitation_ends_after_a_week(as_alice, time_machine):
    link = reverse("access:invitation-detail", args=[invite(as_alice)])

    time_machine.move_to(timezone.now() + timedelta(days=7, seconds=1))

    assert Client().get(link).status_code == 404


@pytest.mark.django_db(transaction=True)
def test_one_invitation_lets_one_person_in_however_many_try_at_once():
    people = make_people()
    _, token = invitation_create(workspace=people.workspace, role=Role.VIEWER, note="", actor=people.alice)
    users = [User.objects.create_user(f"guest{number}") for number in range(5)]
    let_in: list[str] = []
    gate = threading.Barrier(len(users))

    def accept(user: User) -> None:
        gate.wait()
        try:
            invitation_accept(token=token, user=user, is_new_user=False)
            let_in.append(user.username)
        except LinkSpentError:
            pass
        finally:
            connection.close()

    threads = [threading.Thread(target=accept, args=[user]) for user in users]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert len(let_in) == 1
    assert list(Membership.objects.filter(user__in=users).values_list("user__username", flat=True)) == let_in
