"""Signing in and managing a workspace, as people do it in a browser."""

import re

import pytest
from axe_playwright_python.sync_playwright import Axe
from django.contrib.auth.models import User
from django.test import Client
from playwright.sync_api import expect

from footprint_site.access.models import ApiKey, Membership, Role
from footprint_site.access.services.invitations import invitation_create
from footprint_site.access.services.keys import api_key_create
from footprint_site.access.services.sign_in import sign_in_path
from tests.e2e.looking import SIZES, forget_statuses
from tests.hostile import HOSTILE
from tests.people import PASSWORD, bearer, make_key


def test_sign_in_with_the_keyboard_and_out(live_server, page, people):
    page.goto(f"{live_server.url}/workspaces/")
    page.get_by_label("Name").press_sequentially("alice")
    page.keyboard.press("Tab")
    page.keyboard.type(PASSWORD)
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", level=1)).to_have_text("Workspaces")

    page.get_by_role("link", name="Your account, alice").click()
    page.get_by_role("button", name="Sign out").click()

    expect(page.get_by_role("button", name="Sign in")).to_be_visible()


def test_a_wrong_password_says_so_and_keeps_the_name(live_server, page, people, faults):
    page.goto(f"{live_server.url}/sign-in/")
    page.get_by_label("Name").fill("alice")
    page.get_by_label("Password").fill("wrong")
    page.keyboard.press("Enter")

    expect(page.get_by_role("alert").first).to_contain_text("do not match")
    expect(page.get_by_label("Name")).to_have_value("alice")
    forget_statuses(faults, 422)


def test_the_link_signs_in_by_itself(live_server, page, people):
    page.goto(live_server.url + sign_in_path(people.bob))

    expect(page.get_by_role("heading", level=1)).to_have_text("Find out why the agent said that")


def test_the_link_signs_in_without_scripts(live_server, browser, people):
    with browser.new_context(java_script_enabled=False) as context:
        page = context.new_page()
        page.goto(live_server.url + sign_in_path(people.bob))
        page.get_by_role("button", name="Sign in as bob").click()

        expect(page.get_by_role("heading", level=1)).to_have_text("Find out why the agent said that")


def test_who_came_by_link_chooses_a_password(live_server, page, people):
    people.bob.set_unusable_password()
    people.bob.save()
    page.goto(live_server.url + sign_in_path(people.bob))
    expect(page.get_by_role("status")).to_contain_text("Choose a password")
    page.goto(f"{live_server.url}/account/password/")
    for field in page.locator("input[type=password]").all():
        field.fill("a better one than before")
    page.keyboard.press("Enter")

    expect(page.get_by_role("status")).to_contain_text("Your password is changed.")
    fields = {"username": "bob", "password": "a better one than before"}
    assert Client().post("/sign-in/", fields).status_code == 302


def test_the_theme_is_chosen_and_stays(live_server, page, people, enter):
    enter(people.bob)
    page.goto(f"{live_server.url}/account/")
    light = page.evaluate("getComputedStyle(document.body).backgroundColor")

    page.get_by_role("button", name=re.compile("dark", re.IGNORECASE)).click()

    expect(page.locator("html")).to_have_attribute("data-theme", "dark")
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") != light
    page.goto(live_server.url)
    expect(page.locator("html")).to_have_attribute("data-theme", "dark")


def test_a_key_is_made_copied_used_and_revoked(live_server, page, context, people, enter):
    context.grant_permissions(["clipboard-read", "clipboard-write"])
    enter(people.alice)
    page.goto(f"{live_server.url}/workspaces/brew/")
    form = page.get_by_role("form", name="Create a key")
    form.get_by_label("Name").fill("agent in production")
    form.get_by_role("button", name="Create the key").click()

    page.get_by_role("button", name="Copy the key").click()
    expect(page.get_by_text("Copied")).to_be_visible()
    key = page.evaluate("navigator.clipboard.readText()")
    assert Client().get("/api/v1/me/", headers=bearer(key)).json()["key"]["name"] == "agent in production"
    assert page.url == f"{live_server.url}/workspaces/brew/", "the address stays one that can be opened again"

    row = page.get_by_role("row", name=re.compile("agent in production"))
    row.locator("summary").click()
    row.get_by_role("button", name=re.compile("^Revoke fp_")).click()

    expect(page.get_by_role("status").first).to_contain_text("is revoked")
    expect(page.get_by_text(key)).to_have_count(0)
    assert Client().get("/api/v1/me/", headers=bearer(key)).status_code == 401


def test_an_invitation_brings_somebody_in(live_server, page, browser, people, enter):
    enter(people.alice)
    page.goto(f"{live_server.url}/workspaces/brew/")
    form = page.get_by_role("form", name="Invite somebody")
    form.get_by_label("For").fill("Nina")
    form.get_by_role("button", name="Make the link").click()
    link = page.locator("#new-invitation").text_content()

    with browser.new_context() as other:
        guest = other.new_page()
        guest.goto(link)
        guest.locator("input[name=username]").fill("nina")
        for field in guest.locator("input[type=password]").all():
            field.fill(PASSWORD)
        guest.keyboard.press("Enter")
        expect(guest.locator("[data-notes]")).to_contain_text("Welcome to Brew & Bean.")

    page.reload()
    expect(page.get_by_role("row", name=re.compile("^nina"))).to_be_visible()


def test_the_last_admin_is_told_why_they_stay(live_server, page, people, enter, faults):
    enter(people.alice)
    page.goto(f"{live_server.url}/workspaces/brew/")
    row = page.get_by_role("row", name=re.compile("^alice"))
    row.get_by_label("Role of alice").select_option("viewer")
    row.get_by_role("button", name="Save").click()

    expect(page.get_by_role("alert").first).to_contain_text("last admin")
    assert Membership.objects.get(user=people.alice).role == Role.ADMIN
    forget_statuses(faults, 422)


def test_everything_works_without_scripts(live_server, browser, people):
    with browser.new_context(java_script_enabled=False) as context:
        page = context.new_page()
        page.goto(f"{live_server.url}/sign-in/?next=/workspaces/brew/")
        page.get_by_label("Name").fill("alice")
        page.get_by_label("Password").fill(PASSWORD)
        page.get_by_role("button", name="Sign in").click()
        row = page.get_by_role("row", name=re.compile("^bob"))
        row.get_by_role("button", name="Deactivate").click()
        expect(page.get_by_role("status").first).to_contain_text("bob is deactivated")

        form = page.get_by_role("form", name="Create a key")
        form.get_by_label("Name").fill("plain")
        form.get_by_role("button", name="Create the key").click()
        key = page.locator("#new-key").text_content()

    assert Client().get("/api/v1/me/", headers=bearer(key)).status_code == 200


def test_hostile_names_are_text(live_server, page, people, enter):
    """In every field that people fill, and on every page that shows it: nothing runs, no request leaves."""
    requests: list[str] = []
    page.on("request", lambda request: requests.append(request.url))
    for text in HOSTILE:
        api_key_create(workspace=people.workspace, name=text, scopes=["read"], actor=people.alice)
        invitation_create(workspace=people.workspace, role=Role.VIEWER, note=text, actor=people.alice)
    User.objects.filter(username="alice").update(username=HOSTILE[1])
    people.workspace.name = HOSTILE[4]
    people.workspace.save()
    enter(people.alice)

    for path in ["/", "/workspaces/", "/workspaces/brew/", "/account/"]:
        page.goto(live_server.url + path)
        page.wait_for_load_state("networkidle")
        assert not page.locator("img, [hx-trigger=load], svg[onload]").count()
        expect(page.get_by_text(HOSTILE[1]).or_(page.get_by_text(HOSTILE[4])).first).to_be_attached()
        if path == "/workspaces/brew/":
            for text in HOSTILE:
                expect(page.get_by_role("rowheader").get_by_text(text).first).to_be_visible()

    assert not [url for url in requests if "/admin" in url or not url.startswith(live_server.url)]


PAGES = {
    "sign-in": (None, "/sign-in/"),
    "start": ("alice", "/"),
    "start of somebody without a workspace": ("nobody", "/"),
    "account": ("alice", "/account/"),
    "password": ("alice", "/account/password/"),
    "workspaces": ("root", "/workspaces/"),
    "new workspace": ("root", "/workspaces/new/"),
    "workspace": ("alice", "/workspaces/brew/"),
    "forbidden": ("bob", "/workspaces/brew/"),
    "nothing": ("bob", "/nothing/"),
}


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("name", PAGES)
def test_every_page_is_accessible_and_fits(name, scheme, live_server, page, people, enter, faults):
    """Axe finds nothing, and nothing scrolls sideways, in both themes, on a desk and on a phone."""
    User.objects.create_user("nobody")
    leaked, _ = make_key(people.workspace)
    ApiKey.objects.filter(pk=leaked.pk).update(leaked_at=leaked.created_at, name="x" * 120)
    invitation_create(workspace=people.workspace, role=Role.VIEWER, note="y" * 120, actor=people.alice)
    who, path = PAGES[name]
    if who:
        enter(User.objects.get(username=who))
    page.emulate_media(color_scheme=scheme)
    for width, height in SIZES:
        page.set_viewport_size({"width": width, "height": height})
        page.goto(live_server.url + path)

        report = Axe().run(page)

        assert report.violations_count == 0, report.generate_report()
        assert page.evaluate("document.documentElement.scrollWidth") <= width
    forget_statuses(faults, 403, 404)


def test_django_admin_runs_under_our_policy(live_server, page, people, enter):
    """Its own scripts and styles are files too: the console of each page stays empty."""
    make_key(people.workspace)
    enter(people.root)
    for path in ["", "auth/user/", f"auth/user/{people.bob.pk}/change/", "access/apikey/", "access/auditline/"]:
        page.goto(f"{live_server.url}/admin/{path}")
        expect(page.get_by_role("heading", level=1).first).to_be_visible()
