"""API keys over HTTP: what lets a program in, and what does not."""

import logging
from datetime import timedelta

import pytest
from django.test import Client
from django.utils import timezone

from footprint_site.access.models import ApiKey, AuditLine, Scope
from footprint_site.access.services import keys
from footprint_site.access.services.keys import api_key_create, api_key_revoke
from tests.people import bearer, make_key, signed_in

ME = "/api/v1/me/"
WORKSPACES = "/api/v1/workspaces/"


def test_a_key_sees_its_own_workspace_and_no_other(people):
    _, key = make_key(people.workspace, Scope.READ)

    response = Client().get(WORKSPACES, headers=bearer(key))

    assert [row["slug"] for row in response.json()["results"]] == ["brew"]
    assert response.json()["next"] is None


def test_a_key_is_told_what_it_is(people):
    row, key = make_key(people.workspace, Scope.INGEST)

    body = Client().get(ME, headers=bearer(key)).json()

    assert body == {
        "user": None,
        "key": {"name": "tests", "prefix": row.prefix, "workspace": "brew", "scopes": ["ingest"], "expires_at": None},
    }


def test_a_person_may_use_the_api_with_their_session(as_bob):
    assert as_bob.get(ME).json() == {"user": "bob", "key": None}


def change_last(key: str) -> str:
    return key[:-1] + ("A" if key[-1] != "A" else "B")


def change_in_the_middle(key: str) -> str:
    return key[:30] + ("A" if key[30] != "A" else "B") + key[31:]


def change_the_prefix(key: str) -> str:
    return key[:5] + ("0" if key[5] != "0" else "1") + key[6:]


BAD_HEADERS = {
    "missing": lambda key: {},
    "empty": lambda key: {"Authorization": ""},
    "only the scheme": lambda key: {"Authorization": "Bearer"},
    "scheme and space": lambda key: {"Authorization": "Bearer "},
    "another scheme": lambda key: {"Authorization": f"Basic {key}"},
    "no scheme": lambda key: {"Authorization": key},
    "100 KB": lambda key: {"Authorization": "Bearer " + "x" * 100_000},
    "right key, then 100 KB": lambda key: {"Authorization": f"Bearer {key}{'x' * 100_000}"},
    "not ASCII": lambda key: {"Authorization": "Bearer schlüssel"},
    "a digit of another script": lambda key: bearer(key[:5] + "٠".encode().decode("latin-1") + key[6:]),
    "twice": lambda key: {"Authorization": f"Bearer {key},Bearer {key}"},
    "twice, with a space": lambda key: {"Authorization": f"Bearer {key}, Bearer {key}"},
    "a line break after it": lambda key: {"Authorization": f"Bearer {key}\n{key}"},
    "last character changed": lambda key: bearer(change_last(key)),
    "middle character changed": lambda key: bearer(change_in_the_middle(key)),
    "prefix changed": lambda key: bearer(change_the_prefix(key)),
    "one character short": lambda key: bearer(key[:-1]),
}


@pytest.mark.parametrize("case", BAD_HEADERS)
def test_a_bad_header_gets_the_one_refusal(case, people):
    _, key = make_key(people.workspace)

    response = Client().get(ME, headers=BAD_HEADERS[case](key))

    assert_is_the_refusal(response)


def assert_is_the_refusal(response):
    """The same status, header and bytes whatever was wrong: the answer tells nothing about keys."""
    assert response.status_code == 401
    assert response.headers["WWW-Authenticate"] == 'Bearer realm="Footprint"'
    assert response.headers["Content-Type"] == "application/json"
    assert response.json() == {
        "code": "not_authenticated",
        "message": "A valid API key is needed. Send it as “Authorization: Bearer KEY”, never in a URL.",
    }


def test_a_revoked_key_is_refused_at_once(people):
    row, key = make_key(people.workspace)
    client = Client()
    assert client.get(ME, headers=bearer(key)).status_code == 200

    api_key_revoke(key=row, actor=people.alice)

    assert_is_the_refusal(client.get(ME, headers=bearer(key)))


def test_an_expired_key_is_refused_from_that_moment(people, time_machine):
    now = timezone.now()
    time_machine.move_to(now, tick=False)
    _, key = make_key(people.workspace, expires_at=now + timedelta(seconds=10))
    client = Client()
    time_machine.move_to(now + timedelta(seconds=9), tick=False)
    assert client.get(ME, headers=bearer(key)).status_code == 200

    time_machine.move_to(now + timedelta(seconds=10), tick=False)

    assert_is_the_refusal(client.get(ME, headers=bearer(key)))


@pytest.mark.parametrize("parameter", ["api_key", "key", "token"])
def test_a_key_in_the_url_is_refused_and_flagged(parameter, people):
    row, key = make_key(people.workspace)

    response = Client().get(ME, {parameter: key}, headers=bearer(key))

    assert_is_the_refusal(response)
    row.refresh_from_db()
    assert row.leaked_at is not None
    line = AuditLine.objects.get(action="api_key_leak")
    assert (line.actor, line.workspace) == (f"key {row.prefix}", people.workspace)


def test_a_wrong_key_in_the_url_flags_nobody(people):
    row, key = make_key(people.workspace)

    assert_is_the_refusal(Client().get(ME, {"api_key": change_last(key)}))

    row.refresh_from_db()
    assert row.leaked_at is None


def test_a_wrong_scope_is_named(people):
    _, key = make_key(people.workspace, Scope.INGEST)

    response = Client().get(WORKSPACES, headers=bearer(key))

    assert response.status_code == 403
    assert response.json()["code"] == "scope_missing"
    assert "“read”" in response.json()["message"]


def test_every_refusal_costs_one_digest_and_one_query(people, django_assert_num_queries):
    """Whatever is wrong, the same work is done, so that the time it takes tells nothing."""
    _, key = make_key(people.workspace)
    revoked, revoked_key = make_key(people.workspace)
    api_key_revoke(key=revoked, actor=people.alice)

    for presented in ["", "x" * 100_000, change_last(key), change_the_prefix(key), revoked_key]:
        with django_assert_num_queries(1):
            assert keys.api_key_check(presented) is None


def test_only_the_digest_of_a_key_is_stored(people):
    row, key = make_key(people.workspace)

    stored = [str(value) for value in ApiKey.objects.filter(pk=row.pk).values_list().get()]

    assert not [value for value in stored if key[len(row.prefix) + 1 :] in value]
    assert len(key[len(row.prefix) + 1 :]) * 6 >= 256, "base64url carries six bits a character"


def test_a_key_is_in_no_log(people, caplog):
    _, key = make_key(people.workspace)
    with caplog.at_level(logging.DEBUG):
        Client().get(ME, headers=bearer(key))
        Client().get(ME, {"api_key": key})
        Client().get("/api/v1/nothing/", headers=bearer(key))

    assert caplog.text
    assert key not in caplog.text


def test_use_is_noted_to_the_minute(people, time_machine):
    row, key = make_key(people.workspace)
    client = Client()
    now = timezone.now()
    for seconds in (0, 30, 59, 61):
        time_machine.move_to(now + timedelta(seconds=seconds), tick=False)
        client.get(ME, headers=bearer(key))

    row.refresh_from_db()
    assert row.last_used_at == now + timedelta(seconds=61)
    assert AuditLine.objects.filter(action="api_key_use", actor=f"key {row.prefix}").count() == 2


def test_lists_come_in_pages_of_100_whose_next_is_a_path(people):
    from footprint_site.access.services.workspaces import workspace_create

    for number in range(203):
        workspace_create(slug=f"w{number}", name=f"W{number}", actor="tests")
    client = signed_in(people.root)
    sizes, slugs, path = [], set(), WORKSPACES
    while path:
        assert path.startswith("/api/v1/workspaces/")
        body = client.get(path).json()
        assert set(body) == {"results", "next"}
        sizes.append(len(body["results"]))
        slugs |= {row["slug"] for row in body["results"]}
        path = body["next"]

    assert sizes == [100, 100, 5]
    assert len(slugs) == 205


@pytest.mark.parametrize("accept", ["text/html", "application/xml", "nonsense", "*/*"])
def test_a_program_never_gets_html(accept, people):
    _, key = make_key(people.workspace)
    for path in (ME, WORKSPACES, "/api/v1/nothing/", "/api/nothing", f"{WORKSPACES}?cursor=nonsense"):
        for headers in (bearer(key), {}):
            response = Client().get(path, headers={"Accept": accept, **headers})
            assert response.headers["Content-Type"] == "application/json"
            assert response.status_code == 200 or set(response.json()) == {"code", "message"}


def test_a_method_that_is_not_there_says_which_are(people):
    _, key = make_key(people.workspace)

    response = Client().delete(ME, headers=bearer(key))

    assert response.status_code == 405
    assert response.json()["code"] == "method_not_allowed"
    assert "GET" in response.headers["Allow"]


def test_an_unsafe_request_with_a_session_needs_the_csrf_token(people):
    client = Client(enforce_csrf_checks=True)
    client.force_login(people.alice)

    response = client.post(ME)

    assert response.status_code == 403
    assert set(response.json()) == {"code", "message"}


def test_a_key_without_scope_cannot_exist(people):
    from django.db import IntegrityError, transaction

    with pytest.raises(IntegrityError), transaction.atomic():
        api_key_create(workspace=people.workspace, name="x", scopes=[], actor="tests")
