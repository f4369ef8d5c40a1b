"""Who may do what, for every route of the site: a route without a row fails."""

from collections.abc import Callable, Iterator
from functools import partial

import pytest
from django.test import Client
from django.urls import NoReverseMatch, URLPattern, URLResolver, get_resolver, reverse

from footprint_site.access.models import Scope
from tests.addresses import address_of
from tests.people import People, bearer, make_key, signed_in

PARTS = ["anonymous", "viewer", "investigator", "admin", "stranger", "superuser", "ingest key", "read key"]
METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE"]

Row = dict[str, str]
#: Pages do not know keys: their holders are as anonymous there as anybody.
#                     anon viewer inv admin strangr super ingest read
SIGN_IN_FIRST: Row = {"*": "302  405  405  405   405    405   302  302"}
FOR_ALL: Row = {"*": "      405  405  405  405   405    405   405  405"}
API: Row = {"*": "          401  405  405  405   405    405   405  403"}
READ_PAGE: Row = SIGN_IN_FIRST | {"GET": "302  200  200  200   200    200   302  302"}
FOR_ADMINS: Row = SIGN_IN_FIRST | {"GET": "302  403  403  200   404    200   302  302"}
#: The empty form is refused, but only after the sender was let in.
FORM_OF_ADMINS: Row = SIGN_IN_FIRST | {"POST": "302  403  403  422   404    422   302  302"}
#: Reloading the answer leads back to the page.
NEW_OF_ADMINS: Row = FORM_OF_ADMINS | {"GET": "302  403  403  302   404    302   302  302"}
DEED_OF_ADMINS: Row = SIGN_IN_FIRST | {"POST": "302  403  403  302   404    302   302  302"}
PUBLIC: Row = FOR_ALL | {"GET": "200  200  200  200   200    200   200  200"}

#: An empty body is refused after its sender was let in; a superuser has to name the workspace first.
SEND: Row = API | {"POST": "    401  403  400  400   400    422   400  403"}
ASK: Row = API | {"POST": "     401  400  400  400   400    422   403  400"}
SEND_OF_ADMINS: Row = API | {"POST": "401 403 403 400  400    422   400  403"}
CLOSE: Row = API | {"POST": "   401  403  403  400   404    400   400  403"}
READ_LIST: Row = API | {"GET": "401  200  200  200   200    200   403  200"}
READ_RECORDING: Row = API | {"GET": "401  200  200  200   404    200   403  200"}

TABLE: dict[str, Row] = {
    "start": READ_PAGE,
    "account": READ_PAGE,
    "password-change": READ_PAGE
    | {
        "POST": "302  422  422  422   422    422   302  302",
        "PUT": " 302  422  422  422   422    422   302  302",
    },
    "theme": FOR_ALL | {"POST": "422  422  422  422   422    422   422  422"},
    "sign-in": FOR_ALL
    | {
        "GET": " 200  302  302  302   302    302   200  200",
        "POST": "422  302  302  302   302    302   422  422",
        "PUT": " 422  302  302  302   302    302   422  422",
        "PATCH": "405 302  302  302   302    302   405  405",
        "DELETE": "405 302 302  302   302    302   405  405",
    },
    "sign-in-link": PUBLIC | {"POST": "302  302  302  302   302    302   302  302"},
    "sign-out": SIGN_IN_FIRST | {"POST": "302  302  302  302   302    302   302  302"},
    "access:workspace-list": READ_PAGE,
    "access:workspace-new": SIGN_IN_FIRST
    | {
        "GET": " 302  403  403  403   403    200   302  302",
        "POST": "302  403  403  403   403    422   302  302",
    },
    "access:workspace-detail": FOR_ADMINS,
    "access:invitation-new": NEW_OF_ADMINS,
    "access:invitation-withdraw": DEED_OF_ADMINS,
    "access:member-role": FORM_OF_ADMINS,
    "access:member-active": FORM_OF_ADMINS,
    "access:key-new": NEW_OF_ADMINS,
    "access:key-revoke": DEED_OF_ADMINS,
    # A member who is in already is told so; a stranger and a superuser without a role join.
    "access:invitation-detail": PUBLIC | {"POST": "422  422  422  422   302    302   422  422"},
    "access-api:me": API | {"GET": "401  200  200  200   200    200   200  200"},
    "access-api:workspaces": API | {"GET": "401  200  200  200   200    200   403  200"},
    "recordings:recording-list": READ_PAGE,
    # Mallory may upload, to her own workspace.
    "recordings:recording-new": SIGN_IN_FIRST
    | {
        "GET": " 302  403  200  200   200    200   302  302",
        "POST": "302  403  422  422   422    422   302  302",
    },
    "recordings:recording-detail": SIGN_IN_FIRST | {"GET": "302  200  200  200   404    200   302  302"},
    "recordings:recording-state": SIGN_IN_FIRST | {"GET": "302  200  200  200   404    200   302  302"},
    # The address names no entry.
    "recordings:recording-memory": SIGN_IN_FIRST | {"GET": "302  422  422  422   404    422   302  302"},
    "recordings:recording-delete": SIGN_IN_FIRST
    | {
        "GET": " 302  403  403  200   404    200   302  302",
        "POST": "302  403  403  422   404    422   302  302",
    },
    "recordings:piece-detail": SIGN_IN_FIRST | {"GET": "302  200  200  200   404    200   302  302"},
    "seats:conversation-list": READ_PAGE,
    "seats:conversation-detail": SIGN_IN_FIRST | {"GET": "302  200  200  200   404    200   302  302"},
    "seats:memory-detail": SIGN_IN_FIRST | {"GET": "302  200  200  200   404    200   302  302"},
    # Mallory manages a workspace of her own.
    "seats:session-list": SIGN_IN_FIRST | {"GET": "302  403  403  200   200    200   302  302"},
    "seats:session-new": SIGN_IN_FIRST
    | {
        "GET": " 302  403  403  200   200    200   302  302",
        "POST": "302  403  403  422   422    422   302  302",
    },
    "seats:session-detail": FOR_ADMINS,
    "seats:session-record": FOR_ADMINS,
    "seats:session-open": NEW_OF_ADMINS,
    "seats:session-close": NEW_OF_ADMINS,
    "seats:session-delete": FORM_OF_ADMINS | {"GET": "302  403  403  200   404    200   302  302"},
    "recordings-api:list": API
    | {
        "GET": " 401  200  200  200   200    200   403  200",
        "POST": "401  403  400  400   400    422   400  403",
    },
    "recordings-api:detail": READ_RECORDING | {"DELETE": "401  403  403  200   404    200   403  403"},
    "recordings-api:raw": API | {"GET": "401  403  403  200   404    200   200  403"},
    "recordings-api:epochs": READ_RECORDING,
    "recordings-api:context": READ_RECORDING,
    "recordings-api:piece-text": READ_RECORDING,
    "recordings-api:diff": READ_RECORDING,
    "recordings-api:state": READ_RECORDING,
    "recordings-api:claims": READ_RECORDING,
    # A phrase is asked for, after the asker was let in.
    "recordings-api:trail": API | {"GET": "401  422  422  422   404    422   403  422"},
    "sessions-api:memory-get": ASK,
    "sessions-api:memory-put": SEND,
    "sessions-api:memory-put-many": SEND,
    "sessions-api:memory-put-if-version": SEND,
    "sessions-api:memory-list": ASK,
    "sessions-api:memory-delete": SEND_OF_ADMINS,
    "sessions-api:memory-forget": SEND_OF_ADMINS,
    "sessions-api:memory-seen": ASK,
    "sessions-api:memory-record-signature": SEND,
    "sessions-api:memory-feedback": SEND,
    "sessions-api:memory-get-feedback": ASK,
    "sessions-api:turns": SEND,
    "sessions-api:conversations": READ_LIST,
    "sessions-api:conversation": READ_RECORDING,
    "sessions-api:conversation-turns": READ_RECORDING,
    "sessions-api:conversation-entries": READ_RECORDING,
    "sessions-api:record-keep": SEND,
    "sessions-api:record-recall": ASK,
    "sessions-api:sessions": READ_LIST | {"POST": "401 403 403 400 400   422   400  403"},
    "sessions-api:session": READ_RECORDING,
    "sessions-api:incarnation-close": CLOSE,
    "sessions-api:incarnation-close-by-id": CLOSE,
    "healthz": PUBLIC,
    "readyz": PUBLIC,
    "favicon": FOR_ALL | {"GET": "302  302  302  302   302    302   302  302"},
}
ADMIN_SITE = "admin:"


def every_route(resolver: URLResolver | None = None, namespace: str = "") -> Iterator[str]:
    for pattern in (resolver or get_resolver()).url_patterns:
        if isinstance(pattern, URLResolver):
            inner = f"{namespace}{pattern.namespace}:" if pattern.namespace else namespace
            yield from every_route(pattern, inner)
        elif isinstance(pattern, URLPattern):
            yield f"{namespace}{pattern.name}"


def test_every_route_has_a_row_and_every_row_a_route():
    routes = {name for name in every_route() if not name.startswith(ADMIN_SITE)}

    assert routes == set(TABLE)


@pytest.fixture
def url_of(people: People) -> Callable[[str], str]:
    """Make the address of a route, with rows of Alice's workspace behind it."""
    return partial(address_of, people)


def client_of(people: People, part: str) -> tuple[Client, dict[str, str]]:
    if part.endswith("key"):
        _, key = make_key(people.workspace, Scope.INGEST if part == "ingest key" else Scope.READ)
        return Client(), bearer(key)
    return signed_in(people.by_part.get(part)), {}


@pytest.mark.parametrize("route", TABLE)
def test_route_answers_each_person_as_the_table_says(route, people, url_of):
    expected, actual = {}, {}
    for method in METHODS:
        row = TABLE[route].get(method, TABLE[route]["*"]).split()
        for part, status in zip(PARTS, row, strict=True):
            client, headers = client_of(people, part)
            expected[method, part] = int(status)
            actual[method, part] = client.generic(method, url_of(route), headers=headers).status_code

    assert actual == expected


@pytest.mark.parametrize("route", sorted({name for name in every_route() if name.startswith(ADMIN_SITE)}))
def test_django_admin_is_for_superusers_alone(route, people):
    """Anybody else who is signed in gets the 404 of a page that is not there; nobody else gets past the sign-in."""
    url = admin_url(route)
    for part in PARTS:
        client, headers = client_of(people, part)
        response = client.get(url, headers=headers, follow=part not in {"anonymous", "ingest key", "read key"})
        if part == "superuser":
            assert "sign-in" not in [url for url, _ in response.redirect_chain]
        elif part in people.by_part:
            assert response.status_code == 404, part
        else:
            assert response.status_code in {301, 302}, part


def admin_url(route: str) -> str:
    if route == "admin:None":  # what the admin does not know
        return "/admin/nothing/"
    for arguments in ([], ["1"], ["auth"], [1, 1]):
        try:
            return reverse(route, args=arguments)
        except NoReverseMatch:
            continue
    raise LookupError(route)


def test_a_stranger_and_nothing_get_the_same_answer(people, as_mallory):
    """Not a byte tells a workspace that is not Mallory's from one that does not exist."""
    theirs = as_mallory.get(reverse("access:workspace-detail", args=["brew"]))
    nothing = as_mallory.get(reverse("access:workspace-detail", args=["nothing"]))

    assert theirs.status_code == nothing.status_code == 404
    assert theirs.content == nothing.content
