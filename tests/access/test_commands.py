"""The commands that make keys, links and the first admin."""

import re
from io import StringIO

import pytest
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command
from django.test import Client

from footprint_site.access.models import ApiKey, Membership, Role, Workspace
from footprint_site.access.services.first_start import first_start
from tests.people import PASSWORD, bearer


def run(*arguments: str) -> str:
    out = StringIO()
    call_command(*arguments, stdout=out)
    return out.getvalue()


def test_a_key_is_the_last_word_and_works(people):
    out = run("create_api_key", "--workspace", "brew", "--scope", "ingest", "--scope", "read")
    key = out.split()[-1]

    body = Client().get("/api/v1/me/", headers=bearer(key)).json()

    assert body["key"]["workspace"] == "brew"
    assert body["key"]["scopes"] == ["ingest", "read"]
    assert "Made" not in out


@pytest.mark.django_db
def test_a_missing_workspace_is_made_and_said():
    out = run("create_api_key", "--workspace", "new-one", "--scope", "read")

    assert "Made the workspace new-one." in out
    assert Workspace.objects.filter(slug="new-one").exists()
    assert Client().get("/api/v1/me/", headers=bearer(out.split()[-1])).status_code == 200


@pytest.mark.django_db
@pytest.mark.parametrize(
    "arguments",
    [
        ["--workspace", "not a slug", "--scope", "read"],
        ["--workspace", "x" * 61, "--scope", "read"],
        ["--workspace", "ok", "--scope", "root"],
        ["--workspace", "ok"],
        ["--workspace", "ok", "--scope", "read", "--expires-days", "0"],
        ["--workspace", "ok", "--scope", "read", "--expires-days", "99999999"],
    ],
)
def test_bad_arguments_make_nothing(arguments):
    with pytest.raises(CommandError):
        run("create_api_key", *arguments)

    assert not Workspace.objects.exists()
    assert not ApiKey.objects.exists()


def test_a_lost_password_is_no_lock_out(people):
    link = run("sign_in_link", "bob").strip()
    path = re.fullmatch(r"http://127\.0\.0\.1:8000(/sign-in/link/\S+)", link)[1]
    client = Client()

    client.post(path)

    assert client.get("/").status_code == 200
    with pytest.raises(CommandError, match="no active person called 'nobody'"):
        run("sign_in_link", "nobody")


@pytest.mark.django_db
def test_the_first_start_makes_one_admin_without_a_password():
    admin = first_start()

    assert admin is not None
    assert not admin.has_usable_password()
    assert Membership.objects.get().role == Role.ADMIN
    assert first_start() == admin, "they still need a link"
    assert (User.objects.count(), Workspace.objects.count(), Membership.objects.count()) == (1, 1, 1)


@pytest.mark.django_db
def test_no_link_is_made_once_the_admin_has_a_password():
    admin = first_start()
    admin.set_password(PASSWORD)
    admin.save()

    assert first_start() is None


def test_somebody_elses_installation_is_left_alone(people):
    assert first_start() is None
    assert not User.objects.filter(username="admin").exists()
