"""Selecting a wrong phrase and following it back, as people do it in a browser."""

import re

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, expect

from recordings.models import Recording
from tests.corpus import needs_corpus, read_bytes, recording_files
from tests.e2e.test_investigation import WIDTHS, bring, sample

pytestmark = needs_corpus


@pytest.fixture
def walk(live_server, page, people, enter):
    """Open the screen of a recording."""

    def to(recording: Recording, query: str = "") -> Page:
        enter(people.bob)
        page.goto(live_server.url + recording.get_absolute_url() + query)
        return page

    return to


def select(page: Page, selector: str, phrase: str) -> None:
    """Select *phrase* in the element, as a hand does."""
    page.evaluate(
        """([selector, phrase]) => {
            const element = document.querySelector(selector);
            const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
            while (walker.nextNode()) {
                const at = walker.currentNode.data.indexOf(phrase);
                if (at < 0) continue;
                const range = document.createRange();
                range.setStart(walker.currentNode, at);
                range.setEnd(walker.currentNode, at + phrase.length);
                getSelection().removeAllRanges();
                getSelection().addRange(range);
                return;
            }
            throw new Error("the phrase is not there");
        }""",
        [selector, phrase],
    )


def test_a_selected_phrase_is_traced_by_the_button_beside_it(walk, people):
    page = walk(sample(people.workspace, "delivery-address-turn-4.json.gz"))
    select(page, ".answers", "12 Mill Lane")
    expect(page.get_by_label("A phrase to trace back")).to_have_value("12 Mill Lane")

    page.get_by_role("button", name="Trace this phrase").click()

    why = page.get_by_role("region", name=re.compile("^Why"))
    expect(why.get_by_role("status")).to_contain_text("Source found.")
    expect(why.locator(".cand").first).to_contain_text("msg-1-0")
    expect(why.locator(".cand").nth(1)).to_contain_text("echo")
    expect(page.locator("article.is-current mark")).to_have_text("12 Mill Lane")
    assert "phrase=12%20Mill%20Lane" in page.url
    page.reload()
    expect(why.locator(".cand").first).to_contain_text("msg-1-0")


def test_a_selected_phrase_is_traced_by_its_key(walk, people):
    page = walk(sample(people.workspace, "wrong-delivery-date.json.gz"))
    select(page, ".answers", "3 September 2025")
    expect(page.get_by_label("A phrase to trace back")).to_have_value("3 September 2025")

    page.keyboard.press("b")

    expect(page.locator("article.is-current mark")).to_have_text("2025-09-03")
    expect(page.locator(".strip__traced")).to_have_count(3)
    expect(page.get_by_text("Asked for by the call w1")).to_be_visible()


def test_another_candidate_is_selected_in_place(walk, people):
    page = walk(sample(people.workspace, "delivery-address-turn-4.json.gz"), "?phrase=12 Mill Lane")

    page.locator(".cand").nth(1).get_by_role("link").first.click()

    expect(page.locator(".cand").nth(1)).to_have_attribute("aria-current", "true")
    expect(page.get_by_text("candidate 2")).to_be_visible()
    page.go_back()
    expect(page.get_by_text("candidate 1")).to_be_visible()


def test_a_written_phrase_is_traced_without_javascript(live_server, browser, people, enter, context):
    recording = sample(people.workspace, "outdated-returns-policy.json.gz")
    enter(people.bob)
    plain = browser.new_context(java_script_enabled=False, storage_state=context.storage_state())
    page = plain.new_page()
    page.goto(live_server.url + recording.get_absolute_url())

    page.get_by_label("A phrase to trace back").fill("60 days")
    page.get_by_role("button", name="Trace").click()

    expect(page.locator(".cand").first).to_contain_text("refunds-2024")
    plain.close()


def test_selecting_moves_nothing_and_opens_nothing(walk, people):
    page = walk(bring(people.workspace, read_bytes(recording_files()["flat-100"])), "?epoch=100&tab=served")
    page.evaluate("scrollTo(0, 600)")
    before = page.evaluate("[scrollY, document.querySelectorAll('article').length, document.body.scrollHeight]")

    select(page, "article", "page")

    assert page.evaluate("[scrollY, document.querySelectorAll('article').length, document.body.scrollHeight]") == before
    expect(page.get_by_role("button", name="Trace this phrase")).to_be_attached()
    page.keyboard.press("Escape")
    expect(page.get_by_role("button", name="Trace this phrase")).to_have_count(0)


def test_the_answer_is_held_against_what_was_served(walk, people):
    page = walk(sample(people.workspace, "wrong-delivery-date.json.gz"))

    page.get_by_role("link", name="What of it has a source?").click()
    page.get_by_role("link", name="3 September 2025", exact=True).click()

    expect(page.locator("article.is-current mark")).to_have_text("2025-09-03")
    expect(page.locator(".claim--source").first).to_be_visible()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_trail_fits_and_is_accessible(scheme, walk, people, page):
    page.emulate_media(color_scheme=scheme)
    for name, phrase in [
        ("parcel-instead-of-invoice.json.gz", "out for delivery"),
        ("delivery-address-turn-4.json.gz", "12 Mill Lane"),
        ("sliding-window.json.gz", "DEPLOY d1"),
    ]:
        walk(sample(people.workspace, name), f"?phrase={phrase}&claims=on")
        for width in WIDTHS:
            page.set_viewport_size({"width": width, "height": 900})
            assert page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0, (width, name)
        found = Axe().run(page)
        assert found.violations_count == 0, found.generate_report()
