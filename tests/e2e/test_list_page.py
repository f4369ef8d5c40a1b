"""The list of recordings as people walk it: filters, phrase, history and keyboard, with scripts and without."""

import re
from urllib.parse import urlencode

import pytest
from django.contrib.auth.models import User
from playwright.sync_api import Page, expect

from footprint_site.access.models import Role
from footprint_site.access.services.workspaces import membership_create
from recordings.listing.pages import PAGE_SIZE
from recordings.models import Recording
from tests.e2e.bringing import ANSWER, SAMPLES, bring, hostile_recording, needs_samples
from tests.e2e.looking import fits
from tests.hostile import HOSTILE

LIST = "/recordings/"
WIDTHS = [1920, 1440, 1100, 900, 640, 390]
FAILED = SAMPLES / "provider-failure.json.gz"
MEMORY = [SAMPLES / f"delivery-address-turn-{turn}.json.gz" for turn in (1, 2, 3, 4)]

pytestmark = needs_samples


@pytest.fixture
def several(people) -> None:
    for path in (*MEMORY, FAILED):
        bring(people.workspace, path, path.name)


@pytest.fixture
def bob(people, enter, several) -> User:
    enter(people.bob)
    return people.bob


def rows(page: Page):
    return page.get_by_role("table", name="Recordings").locator("tbody tr")


def filters(page: Page):
    return page.get_by_role("complementary", name="Filters")


def test_a_filter_swaps_the_results_and_keeps_focus_and_scroll(live_server, page, bob):
    page.set_viewport_size({"width": 1440, "height": 500})
    page.goto(live_server.url + LIST)
    page.evaluate("window.isSamePage = true")
    memory = filters(page).get_by_role("link", name=re.compile("memory"))
    memory.scroll_into_view_if_needed()
    before = page.evaluate("scrollY")
    memory.focus()
    page.keyboard.press("Enter")

    expect(rows(page)).to_have_count(3)
    expect(page).to_have_url(f"{live_server.url}{LIST}?source=memory")
    expect(filters(page).get_by_role("link", name=re.compile("memory"))).to_have_attribute("aria-current", "true")
    expect(filters(page).get_by_role("link", name=re.compile("memory"))).to_be_focused()
    expect(page.get_by_role("status")).to_have_text("3 recordings")
    assert page.evaluate("window.isSamePage")
    assert page.evaluate("scrollY") == before

    page.go_back()
    expect(rows(page)).to_have_count(5)
    page.go_forward()
    expect(rows(page)).to_have_count(3)
    page.reload()
    expect(rows(page)).to_have_count(3)


def test_a_phrase_narrows_what_the_filters_leave(live_server, page, bob):
    page.goto(f"{live_server.url}{LIST}?source=memory")
    page.evaluate("window.isSamePage = true")
    page.get_by_role("textbox").fill("mill LANE")
    page.keyboard.press("Enter")

    expect(rows(page)).to_have_count(1)
    expect(page.get_by_role("link", name=ANSWER)).to_be_visible()
    expect(page).to_have_url(re.compile(r"\?q=mill(\+|%20)LANE&source=memory$"))
    expect(page.get_by_role("textbox")).to_be_focused()
    expect(page.get_by_role("textbox")).to_have_value("mill LANE")
    assert page.evaluate("window.isSamePage")

    page.get_by_role("link", name=re.compile("Remove the filter: phrase")).click()
    expect(rows(page)).to_have_count(3)
    page.get_by_role("link", name="Clear all").click()
    expect(rows(page)).to_have_count(5)
    expect(page).to_have_url(live_server.url + LIST)


def test_nothing_that_matches_can_be_widened(live_server, page, bob):
    page.goto(f"{live_server.url}{LIST}?q=zebra&outcome=failed")
    expect(page.get_by_role("heading", name="No recording matches all of this")).to_be_visible()

    page.get_by_role("link", name="Show all recordings").click()

    expect(rows(page)).to_have_count(5)


def test_the_list_is_narrowed_without_scripts(live_server, browser, bob, context):
    with browser.new_context(java_script_enabled=False, storage_state=context.storage_state()) as plain:
        page = plain.new_page()
        page.goto(live_server.url + LIST)
        filters(page).get_by_role("link", name=re.compile("failed")).click()
        expect(rows(page)).to_have_count(1)
        page.get_by_role("textbox").fill("grinders")
        page.get_by_role("button", name="Find").click()
        expect(rows(page)).to_have_count(1)
        assert page.url.endswith("?q=grinders&outcome=failed")
        page.get_by_role("link", name="most tokens").click()
        page.get_by_role("link", name="Clear all").click()
        expect(rows(page)).to_have_count(5)

        page.set_viewport_size({"width": 390, "height": 844})
        expect(filters(page).get_by_role("link", name=re.compile("failed"))).to_be_hidden()
        page.get_by_text("Filters", exact=True).click()
        expect(filters(page).get_by_role("link", name=re.compile("failed"))).to_be_visible()


def test_the_drawer_of_a_phone_says_how_many_are_set_and_stays_open(live_server, page, bob):
    page.set_viewport_size({"width": 390, "height": 844})
    page.goto(f"{live_server.url}{LIST}?outcome=finished")
    page.get_by_text("Filters (1 active)").click()
    filters(page).get_by_role("link", name=re.compile("memory")).click()

    expect(page.get_by_text("Filters (2 active)")).to_be_visible()
    expect(filters(page).get_by_role("link", name=re.compile("memory"))).to_be_focused()
    expect(rows(page)).to_have_count(3)


def test_pages_turn_and_show_their_start(live_server, page, people, enter):
    one = bring(people.workspace, FAILED)
    copies = []
    for number in range(PAGE_SIZE + 5):
        values = {field.attname: getattr(one, field.attname) for field in Recording._meta.concrete_fields}
        del values["id"], values["public_id"]
        fresh = {"sha256": f"{number:064}", "engine_run_key": "", "earlier_leg_id": None}
        copies.append(Recording(**(values | fresh)))
    Recording.objects.bulk_create(copies)
    enter(people.bob)
    page.goto(f"{live_server.url}{LIST}?outcome=failed")
    page.get_by_role("link", name="Next").click()

    expect(page.get_by_text("51 to 56 of 56 recordings")).to_be_visible()
    expect(page).to_have_url(re.compile(r"\?outcome=failed&page=2$"))
    expect(page.get_by_role("textbox")).to_be_in_viewport()
    page.get_by_role("link", name="Previous").click()
    expect(rows(page)).to_have_count(PAGE_SIZE)


def test_the_keyboard_walks_the_rows_and_opens_one(live_server, page, bob):
    page.goto(live_server.url + LIST)
    links = page.locator("[data-row]")
    expect(links).to_have_count(5)

    for key, at in [("j", 0), ("j", 1), ("j", 2), ("k", 1)]:
        page.keyboard.press(key)
        expect(links.nth(at)).to_be_focused()
    page.keyboard.press("/")
    expect(page.get_by_role("textbox")).to_be_focused()
    page.keyboard.type("jk")
    expect(page.get_by_role("textbox")).to_have_value("jk")
    page.get_by_role("link", name=ANSWER).focus()
    page.keyboard.press("o")
    expect(page).to_have_url(re.compile(r"/recordings/[0-9a-f-]{36}/"))


def test_the_bar_of_sources_has_words(live_server, page, bob):
    page.goto(live_server.url + LIST)

    bar = page.get_by_role("img", name=re.compile(r"^Characters served, by source: system \d+ %, memory \d+ %"))
    expect(bar.first).to_be_visible()
    assert not page.locator("main [style]").count()


STATES = {
    "rows": "",
    "filtered": "?source=memory&q=the",
    "nothing": f"?q={'x' * 512}&outcome=failed",
    "refused": "?sort=-password&secret=1",
}


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("state", STATES)
def test_every_state_is_accessible_and_fits(state, scheme, live_server, page, people, enter, several, faults):
    hostile_recording(people.workspace)
    long_id = "session-" + "w" * 900
    Recording.objects.filter(filename=FAILED.name).update(session_id=long_id, session_key="1" * 64)
    membership_create(workspace=people.elsewhere, user=people.bob, role=Role.VIEWER, actor="tests")
    enter(people.bob)
    page.emulate_media(color_scheme=scheme)
    for width in WIDTHS:
        page.set_viewport_size({"width": width, "height": 900})
        page.goto(live_server.url + LIST + STATES[state])
        if page.locator(".drawer__name").is_visible():
            fits(page, width)
            page.locator(".drawer__name").click()
        fits(page, width)
    faults[:] = [fault for fault in faults if "status of 400" not in fault]


def test_hostile_filters_are_inert(live_server, page, people, enter, several, faults):
    """In the phrase, in an id and in the name of a parameter: nothing runs, no request leaves."""
    hostile_recording(people.workspace)
    requests: list[str] = []
    page.on("request", lambda request: requests.append(request.url))
    enter(people.bob)
    for text in HOSTILE:
        page.goto(live_server.url + LIST)
        page.get_by_role("textbox").fill(text)
        page.get_by_role("button", name="Find").click()
        expect(page.get_by_role("link", name=re.compile("Remove the filter: phrase"))).to_be_visible()
        page.goto(f"{live_server.url}{LIST}?{urlencode({text: text, 'flag': text})}")
        expect(page.get_by_role("heading", name="The list cannot be asked that way")).to_be_visible()
        page.wait_for_load_state("networkidle")
        assert not page.locator("img, main script, [hx-trigger=load], svg[onload], meta[content='{}']").count()

    assert not [url for url in requests if "/admin" in url.split("?")[0] or not url.startswith(live_server.url)]
    faults[:] = [fault for fault in faults if "status of 400" not in fault]
