"""The page of one piece, as people use it in a browser."""

import json

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, expect

from recordings.models import Piece
from recordings.services.drafting import Stated
from recordings.services.importing import recording_import
from tests.e2e.looking import SIZES, forget_statuses
from tests.hostile import HOSTILE
from tests.recordings.pieces import run_with, url_of

ODD = "\ufeff\u202eodd\u200b <b>🙂</b>\r\n"
LONG = ODD + "".join(f"line {n:06d}\n" for n in range(5_000)) + "THE END"


@pytest.fixture
def bring(people):
    def make(text: str) -> Piece:
        result = {"role": "tool", "content": text, "toolCallId": HOSTILE[1], "toolName": HOSTILE[0]}
        data = run_with({"role": "user", "content": "Hello"}, result)
        imported = recording_import(
            workspace=people.workspace, chunks=[data], is_gzip=False, stated=Stated(), actor="tests"
        )
        return imported.recording.pieces.select_related("recording", "text").order_by("pk").last()

    return make


@pytest.fixture
def opened(live_server, page, people, enter, bring):
    def make(text: str, query: str = "") -> Page:
        enter(people.bob)
        page.goto(live_server.url + url_of(bring(text)) + query)
        return page

    return make


def test_more_is_appended_in_place(opened):
    page = opened(LONG)
    expect(page.get_by_text("line 001000")).to_have_count(1)
    expect(page.get_by_text("line 002000")).to_have_count(0)

    page.get_by_role("link", name="Load more").focus()
    page.keyboard.press("Enter")

    expect(page.get_by_text("Characters 20,001 to 40,000 of")).to_be_focused()
    expect(page.get_by_text("line 001000")).to_have_count(1)
    expect(page.get_by_text("line 002000")).to_have_count(1)
    page.get_by_role("link", name="Load more").click()
    expect(page.get_by_text("Characters 40,001 to 60,000 of")).to_be_focused()
    page.get_by_role("link", name="Load more").click()
    expect(page.get_by_text("THE END")).to_be_visible()
    expect(page.get_by_role("link", name="Load more")).to_have_count(0)


def test_a_phrase_is_found_beyond_what_is_shown(opened):
    page = opened(LONG)

    page.get_by_role("searchbox", name="Find in this text").fill("the end")
    page.keyboard.press("Enter")

    expect(page.get_by_text("At place 1 of 1")).to_be_visible()
    expect(page.locator("#hit")).to_have_text("THE END")


def test_the_places_are_links(opened):
    page = opened(LONG, "?find=line+00")

    page.locator(".places a").nth(3).click()
    expect(page.locator(".places [aria-current]")).to_contain_text("line 000003")
    page.get_by_role("link", name="Next", exact=True).click()

    expect(page.get_by_text("At place 5 of 5,000")).to_be_visible()
    expect(page.locator("#hit")).to_be_in_viewport()


@pytest.fixture
def clipboard(context, page) -> None:
    context.grant_permissions(["clipboard-read", "clipboard-write"])


def test_the_original_is_copied_not_its_signs(opened, clipboard):
    page = opened(LONG)
    expect(page.locator(".sign").first).to_have_text("BOM RLO")

    page.get_by_role("button", name="Copy the whole text").click()

    expect(page.get_by_role("status").first).to_have_text(f"Copied {len(LONG):,} characters.")
    copied = page.evaluate("navigator.clipboard.readText()")
    assert copied.replace("\r\n", "\n") == LONG.replace("\r\n", "\n")


def test_a_copy_that_fails_says_so(opened, faults):
    page = opened(LONG)
    page.route("**/text/", lambda route: route.fulfill(status=500))

    page.get_by_role("button", name="Copy the whole text").click()

    expect(page.get_by_text("Could not copy: the server answered with an error (500).")).to_be_visible()
    forget_statuses(faults, 500)


def test_it_works_without_scripts(live_server, browser, people, enter, context, bring):
    enter(people.bob)
    piece = bring(LONG)
    plain = browser.new_context(java_script_enabled=False, storage_state=context.storage_state())
    page = plain.new_page()
    page.goto(live_server.url + url_of(piece))
    expect(page.get_by_role("button", name="Copy the whole text")).to_have_count(0)
    page.get_by_role("link", name="Load more").click()
    expect(page.get_by_text("Characters 20,001 to 40,000 of")).to_be_visible()
    page.get_by_role("searchbox").fill("the end")
    page.get_by_role("button", name="Find").click()
    expect(page.locator("#hit")).to_have_text("THE END")
    plain.close()


def test_hostile_text_is_inert(opened, page, live_server):
    requests: list[str] = []
    page.on("request", lambda request: requests.append(request.url))
    text = " ".join(HOSTILE) + "\u202e\x1b[31m"
    opened((text + "\n") * 1_000, "?find=%3C")

    page.get_by_role("link", name="Load more").click()
    page.wait_for_load_state("networkidle")

    assert not page.locator("main img, main script, [hx-trigger=load], svg[onload], main iframe").count()
    assert not [url for url in requests if "/admin" in url or not url.startswith(live_server.url)]


TEXTS = {
    "long": (json.dumps(HOSTILE) + ODD + "x" * 500 + "\n") * 200,
    "redacted": "REDACTED",
    "empty": "",
    "picture": "see data:image/png;base64," + "iVBORw0KGgo" * 2_000 + " there",
}


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("name", TEXTS)
def test_it_is_accessible_and_fits(name, scheme, opened, page):
    page.emulate_media(color_scheme=scheme)
    opened(TEXTS[name], "?find=x" if name == "long" else "")
    for width, height in SIZES:
        page.set_viewport_size({"width": width, "height": height})

        report = Axe().run(page)
        assert report.violations_count == 0, report.generate_report()
        assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_what_is_wrong_with_an_address_is_accessible(opened, page, faults):
    opened("x", f"?from=9&find={'y' * 600}")
    expect(page.get_by_role("alert").first).to_contain_text("from is a whole number from 0 to 0")

    report = Axe().run(page)
    assert report.violations_count == 0, report.generate_report()
    forget_statuses(faults, 422)
