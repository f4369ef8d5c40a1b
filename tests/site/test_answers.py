"""What every answer of the site has, and what happens when something is wrong."""

import re
import threading

import pytest
from django.db import InterfaceError, OperationalError, ProgrammingError, connection, connections
from django.test import Client
from django.urls import reverse

from footprint_site import health
from footprint_site.away import is_database_away
from footprint_site.locks import exclusive
from tests.people import bearer, make_key, signed_in

POLICY = {
    "default-src": "'none'",
    "script-src": "'self'",
    "style-src": "'self'",
    "img-src": "'self'",
    "font-src": "'self'",
    "connect-src": "'self'",
    "form-action": "'self'",
    "base-uri": "'none'",
    "frame-ancestors": "'none'",
}


@pytest.mark.parametrize(
    "path", ["/", "/sign-in/", "/healthz", "/nothing", "/api/v1/me/", "/admin/", "/workspaces/brew/"]
)
@pytest.mark.parametrize("who", ["alice", "mallory", "root", None])
def test_every_answer_carries_the_policy_and_the_headers(path, who, people):
    response = signed_in(getattr(people, who) if who else None).get(path)

    policy = dict(part.strip().split(" ", 1) for part in response.headers["Content-Security-Policy"].split(";"))
    assert policy == POLICY
    assert response.headers["X-Content-Type-Options"] == "nosniff"
    assert response.headers["X-Frame-Options"] == "DENY"
    assert response.headers["Referrer-Policy"] == "same-origin"


def test_cookies_are_out_of_reach_of_scripts(people):
    client = Client()
    client.get("/sign-in/")
    client.post("/sign-in/", {"username": "bob", "password": "correct horse battery"})

    for name in ("footprint_session", "footprint_csrf"):
        cookie = client.cookies[name]
        assert cookie["httponly"]
        assert cookie["samesite"] == "Lax"


def test_a_form_without_the_token_changes_nothing_and_says_why(people):
    client = Client(enforce_csrf_checks=True)
    client.force_login(people.alice)

    response = client.post(reverse("access:key-new", args=["brew"]), {"name": "x", "scopes": ["read"]})

    assert response.status_code == 403
    assert "reload" in response.text.lower()
    assert not people.workspace.api_keys.exists()


@pytest.fixture
def broken_database(db, monkeypatch):
    """A database that is away for everything but the sign-in that happened before."""

    def away(*args: object, **kwargs: object) -> None:
        raise OperationalError("server closed the connection unexpectedly, password=secret")

    with monkeypatch.context() as patches:
        patches.setattr(type(connections["default"]), "cursor", away)
        yield


@pytest.mark.parametrize("path", ["/", "/workspaces/brew/", "/api/v1/me/", "/api/v1/workspaces/"])
def test_a_database_that_is_away_is_a_503_that_says_when_to_try_again(path, people, broken_database, request):
    client = Client(raise_request_exception=False)
    client.cookies["footprint_session"] = "some-session-id"
    headers = bearer("fp_0123456789_" + "x" * 43) if path.startswith("/api/") else {}

    response = client.get(path, headers=headers)

    assert response.status_code == 503
    assert response.headers["Retry-After"] == "2"
    assert "secret" not in response.text
    if path.startswith("/api/"):
        assert response.json()["code"] == "database_away"
    else:
        assert "<h1" in response.text


def test_readyz_says_what_is_wrong_and_healthz_does_not_care(broken_database):
    client = Client(raise_request_exception=False)

    ready, alive = client.get("/readyz"), client.get("/healthz")

    assert ready.status_code == 503
    assert ready.json() == {"ready": False, "checks": {"database": "does not answer", "data_folder": "ok"}}
    assert alive.status_code == 200


@pytest.mark.django_db
def test_readyz_is_ready():
    assert Client().get("/readyz").json() == {"ready": True, "checks": {"database": "ok", "data_folder": "ok"}}


@pytest.mark.django_db
def test_readyz_names_missing_migrations(monkeypatch):
    monkeypatch.setattr(health.MigrationExecutor, "migration_plan", lambda self, targets: [object(), object()])

    response = Client().get("/readyz")

    assert response.status_code == 503
    assert response.json()["checks"]["database"].startswith("2 migrations missing")


@pytest.mark.django_db
def test_readyz_sees_a_folder_that_cannot_be_written(settings, tmp_path):
    settings.DATA_DIR = tmp_path / "gone"

    assert Client().get("/readyz").json()["checks"]["data_folder"] == "not writable: No such file or directory"


@pytest.mark.parametrize(
    ("error", "is_away"),
    [
        (OperationalError("database is locked"), True),
        (OperationalError("database or disk is full"), True),
        (InterfaceError("connection already closed"), True),
        (OperationalError("no such table: access_workspace"), False),
        (ProgrammingError('relation "x" does not exist'), False),
        (ValueError("x"), False),
        (None, False),
    ],
)
def test_a_fault_of_ours_is_not_blamed_on_the_database(error, is_away):
    assert is_database_away(error) is is_away


@pytest.mark.parametrize("path", ["/nothing", "/api/v1/nothing", "/api/nothing/"])
@pytest.mark.django_db
def test_what_is_not_there_is_a_404_in_the_language_of_the_asker(path):
    response = Client().get(path)

    assert response.status_code == 404
    if path.startswith("/api/"):
        assert response.json() == {"code": "not_found", "message": "There is nothing here, or it is not yours to see."}
    else:
        assert "There is nothing here, or it is not yours to see." in response.text


@pytest.mark.parametrize(("path", "kind"), [("/", "text/html"), ("/api/v1/me/", "application/json")])
def test_a_fault_of_ours_is_a_500_without_its_details(path, kind, people, monkeypatch):
    def fault(*args: object, **kwargs: object) -> None:
        raise RuntimeError("secret detail")

    monkeypatch.setattr("footprint_site.access.models.workspace.WorkspaceQuerySet.visible_to", fault)
    monkeypatch.setattr("footprint_site.access.api.views.Me.get", fault)
    client = signed_in(people.alice)
    client.raise_request_exception = False

    response = client.get(path)

    assert response.status_code == 500
    assert response.headers["Content-Type"].startswith(kind)
    assert "secret detail" not in response.text


@pytest.mark.parametrize(("path", "kind"), [("/", "text/html"), ("/api/v1/me/", "application/json")])
@pytest.mark.django_db
def test_a_host_that_is_not_ours_is_refused(path, kind):
    response = Client().get(path, headers={"Host": "evil.example"})

    assert response.status_code == 400
    assert response.headers["Content-Type"].startswith(kind)


def test_the_theme_is_remembered_also_signed_out(people):
    client = signed_in(people.bob)

    response = client.post("/account/theme/", {"theme": "dark", "next": "/account/"})
    client.post("/sign-out/")

    assert response.url == "/account/"
    assert '<html lang="en" data-theme="dark"' in client.get("/sign-in/").text
    client.cookies["footprint_theme"] = '"><script>'
    assert "data-theme" not in client.get("/sign-in/").text


@pytest.mark.parametrize("target", ["https://evil.example/", "//evil.example", "javascript:alert(1)", ""])
def test_the_theme_leads_to_no_other_site(target, people):
    assert signed_in(people.bob).post("/account/theme/", {"theme": "dark", "next": target}).url == "/"


def test_no_page_has_an_inline_script_or_style(people):
    client = signed_in(people.root)
    pages = [
        "/",
        "/account/",
        "/account/password/",
        "/workspaces/",
        "/workspaces/new/",
        "/workspaces/brew/",
        "/nothing",
    ]
    for path in pages:
        text = client.get(path).text
        assert not re.search(r"<script(?![^>]*\bsrc=)|<style|\sstyle=|\son\w+=|javascript:", text), path


@pytest.mark.django_db(transaction=True)
def test_a_lock_is_held_by_one_thread_at_a_time():
    inside, most = 0, 0
    guard = threading.Lock()

    def work() -> None:
        nonlocal inside, most
        try:
            for _ in range(5):
                with exclusive("one name"):
                    with guard:
                        inside += 1
                        most = max(most, inside)
                    threading.Event().wait(0.002)
                    with guard:
                        inside -= 1
        finally:
            connection.close()

    threads = [threading.Thread(target=work) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert most == 1


def test_a_key_holder_reads_no_page(people):
    _, key = make_key(people.workspace)

    assert Client().get("/workspaces/brew/", headers=bearer(key)).status_code == 302
