"""The management of a workspace, over HTTP: members, keys, and the page itself."""

import re
import threading

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client
from django.urls import reverse

from footprint_site.access.models import ApiKey, AuditLine, Membership, Role, Workspace
from footprint_site.access.services.errors import LastAdminError
from footprint_site.access.services.invitations import invitation_create
from footprint_site.access.services.workspaces import membership_create, membership_set_role
from tests.access.managing import member, set_active, set_role
from tests.people import bearer, make_people, signed_in

PAGE = "/workspaces/brew/"


def test_a_role_counts_from_the_next_request_on(as_alice, as_bob):
    assert as_bob.get(PAGE).status_code == 403

    set_role(as_alice, "bob", "admin")
    assert as_bob.get(PAGE).status_code == 200

    set_role(as_alice, "bob", "viewer")
    assert as_bob.get(PAGE).status_code == 403


def test_who_is_deactivated_sees_nothing_from_the_next_request_on(as_alice, as_bob):
    assert as_bob.get("/api/v1/workspaces/").json()["results"]

    set_active(as_alice, "bob", "no")
    assert as_bob.get("/api/v1/workspaces/").json()["results"] == []
    assert as_bob.get(PAGE).status_code == 404

    set_active(as_alice, "bob", "yes")
    assert as_bob.get("/api/v1/workspaces/").json()["results"]


@pytest.mark.parametrize(
    "act", [lambda client: set_role(client, "alice", "viewer"), lambda client: set_active(client, "alice", "no")]
)
def test_the_last_admin_stays(act, as_alice):
    response = act(as_alice)

    assert response.status_code == 422
    assert "last admin" in response.text
    assert member("alice").role == Role.ADMIN
    assert member("alice").is_active


def test_an_admin_whose_account_is_deactivated_does_not_count(people, as_alice):
    set_role(as_alice, "bob", "admin")
    User.objects.filter(pk=people.bob.pk).update(is_active=False)

    assert set_role(as_alice, "alice", "viewer").status_code == 422


@pytest.mark.django_db(transaction=True)
def test_two_admins_who_demote_each_other_leave_one():
    people = make_people()
    membership_set_role(membership=member("bob"), role=Role.ADMIN, actor=people.alice)
    refused: list[str] = []
    gate = threading.Barrier(2)

    def demote(username: str) -> None:
        gate.wait()
        try:
            membership_set_role(membership=member(username), role=Role.VIEWER, actor=people.root)
        except LastAdminError:
            refused.append(username)
        finally:
            connection.close()

    threads = [threading.Thread(target=demote, args=[name]) for name in ("alice", "bob")]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert len(refused) == 1
    assert Membership.objects.filter(workspace__slug="brew", role=Role.ADMIN).count() == 1


def test_a_member_of_another_workspace_is_out_of_reach(people, as_alice):
    theirs = Membership.objects.get(user=people.mallory)

    response = as_alice.post(reverse("access:member-role", args=["brew", theirs.public_id]), {"role": "viewer"})

    assert response.status_code == 404
    theirs.refresh_from_db()
    assert theirs.role == Role.ADMIN


def new_key(client: Client, **fields: object):
    return client.post(
        reverse("access:key-new", args=["brew"]), {"name": "agent", "scopes": ["ingest", "read"]} | fields
    )


def test_a_key_is_shown_once_and_works(as_alice):
    page = new_key(as_alice)
    key = page.context["key"]

    assert key in page.text
    assert "no-store" in page.headers["Cache-Control"]
    assert key not in as_alice.get(PAGE).text
    assert Client().get("/api/v1/me/", headers=bearer(key)).status_code == 200


def test_a_key_that_is_revoked_on_the_page_works_no_longer(as_alice):
    key = new_key(as_alice).context["key"]

    as_alice.post(reverse("access:key-revoke", args=["brew", ApiKey.objects.get().public_id]))

    assert Client().get("/api/v1/me/", headers=bearer(key)).status_code == 401


@pytest.mark.parametrize(
    "fields", [{"name": ""}, {"scopes": []}, {"scopes": ["root"]}, {"expires_days": "7000000"}, {"name": "a\0b"}]
)
def test_a_bad_key_form_is_refused_and_makes_nothing(fields, as_alice):
    assert new_key(as_alice, **fields).status_code == 422
    assert not ApiKey.objects.exists()


def test_what_admins_do_is_in_the_trail_of_their_workspace_alone(people, as_alice, as_mallory):
    new_key(as_alice, name="canary-4711")
    set_role(as_alice, "bob", "investigator")

    actions = set(AuditLine.objects.filter(workspace=people.workspace, actor="alice").values_list("action", flat=True))
    assert actions == {"api_key_create", "membership_set_role"}
    assert not AuditLine.objects.visible_to(people.mallory).filter(workspace=people.workspace).exists()


def test_nothing_of_a_workspace_is_seen_from_another(people, as_alice, as_mallory):
    """Canaries in every field: none of them in any page that Mallory can open."""
    canary = "canary-4711"
    Workspace.objects.filter(slug="brew").update(name=canary)
    new_key(as_alice, name=canary)
    invitation_create(workspace=people.workspace, role=Role.VIEWER, note=canary, actor=people.alice)
    membership_create(
        workspace=people.workspace, user=User.objects.create_user(canary), role=Role.VIEWER, actor="tests"
    )
    assert canary in as_alice.get(PAGE).text

    for path in ["/", "/workspaces/", "/workspaces/other/", PAGE, "/account/", "/api/v1/workspaces/", "/api/v1/me/"]:
        response = as_mallory.get(path)
        assert canary not in response.text
        assert canary not in str(response.headers)


def test_a_superuser_makes_a_workspace(people):
    client = signed_in(people.root)

    response = client.post(reverse("access:workspace-new"), {"name": "Third", "slug": "third"})

    assert response.url == "/workspaces/third/"
    assert client.post(reverse("access:workspace-new"), {"name": "Third", "slug": "third"}).status_code == 422


def test_the_page_costs_as_many_queries_for_many_as_for_few(people, as_alice, django_assert_max_num_queries):
    for number in range(30):
        user = User.objects.create_user(f"m{number}")
        membership_create(workspace=people.workspace, user=user, role=Role.VIEWER, actor="tests")
        new_key(as_alice, name=f"k{number}")
        invitation_create(workspace=people.workspace, role=Role.VIEWER, note="", actor=people.alice)

    with django_assert_max_num_queries(10):
        assert as_alice.get(PAGE).status_code == 200


@pytest.mark.parametrize("header", ["HX-Boosted", "HX-History-Restore-Request"])
def test_htmx_gets_the_page_when_it_replaces_the_page(header, as_alice):
    response = as_alice.get(PAGE, headers={"HX-Request": "true", header: "true"})

    assert response.text.lstrip().startswith("<!doctype html>")


def test_htmx_gets_the_part_when_it_swaps_the_part(as_alice):
    part = as_alice.get(PAGE, headers={"HX-Request": "true"})
    page = as_alice.get(PAGE)

    assert re.match(r'<div [^>]*id="access"', part.text.lstrip())
    assert page.text.lstrip().startswith("<!doctype html>")
    for response in (part, page):
        varies = {name.strip() for name in response.headers["Vary"].split(",")}
        assert varies >= {"HX-Request", "HX-Boosted", "HX-History-Restore-Request"}
