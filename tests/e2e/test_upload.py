"""Bringing recordings, as people do it in a browser: looked at first, then imported."""

import base64
import gzip
import json
import re
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, expect

from recordings.models import Recording
from tests.e2e.bringing import ANSWER, GOOD, SAMPLES, UPLOAD, bring, choose, needs_samples
from tests.e2e.looking import SIZES, fits, forget_statuses

pytestmark = needs_samples


@pytest.fixture
def broken(tmp_path: Path) -> Path:
    """A recording that ends too early."""
    path = tmp_path / "broken.json"
    path.write_bytes(gzip.decompress(GOOD.read_bytes())[:20_000])
    return path


def card_of(page: Page, name: str) -> Locator:
    return page.get_by_role("article").filter(has=page.get_by_role("heading", name=name))


def drop(page: Page, *paths: Path) -> None:
    """Drop files on the page, as a hand does."""
    files = [{"name": path.name, "data": base64.b64encode(path.read_bytes()).decode()} for path in paths]
    transfer = page.evaluate_handle(
        """(files) => {
            const transfer = new DataTransfer();
            for (const { name, data } of files) {
                transfer.items.add(new File([Uint8Array.from(atob(data), (c) => c.charCodeAt(0))], name));
            }
            return transfer;
        }""",
        files,
    )
    for event in ["dragover", "drop"]:
        page.locator("[data-drop]").dispatch_event(event, {"dataTransfer": transfer})


@pytest.mark.parametrize("bring_in", [choose, drop])
def test_files_are_looked_at_then_imported(bring_in, live_server, page, people, enter, faults, broken):
    """One result each, and the bad one stops nothing."""
    enter(people.irene)
    page.goto(live_server.url + UPLOAD)

    bring_in(page, broken, GOOD)

    expect(card_of(page, GOOD.name)).to_contain_text("ready")
    expect(card_of(page, GOOD.name)).to_contain_text(ANSWER)
    expect(card_of(page, "broken.json")).to_contain_text("refused")
    expect(page.get_by_role("status").first).to_have_text("Looked at 2 files: 1 ready, 1 refused.")
    assert not Recording.objects.exists()

    page.get_by_role("button", name="Import 1 recording").click()

    expect(card_of(page, GOOD.name)).to_contain_text("imported")
    expect(page.get_by_role("article")).to_have_count(2)
    assert Recording.objects.get().filename == GOOD.name
    card_of(page, GOOD.name).get_by_role("link", name="Open the recording").click()
    expect(page.get_by_role("heading", level=1)).to_have_text(GOOD.name)
    forget_statuses(faults, 422)


def test_what_is_here_already_is_said_and_not_offered(live_server, page, people, enter, imported):
    enter(people.irene)
    page.goto(live_server.url + UPLOAD)

    choose(page, GOOD)

    expect(card_of(page, GOOD.name)).to_contain_text("already here")
    page.get_by_role("button", name="Import", exact=True).click()
    expect(page.get_by_role("status").first).to_have_text("Nothing here is ready to import.")
    page.get_by_role("link", name="Open the recording we hold").click()
    assert page.url == live_server.url + imported.get_absolute_url()


def test_what_is_wrong_with_the_form_is_said_at_each_file(live_server, page, people, enter, faults):
    enter(people.irene)
    page.goto(live_server.url + UPLOAD)
    page.get_by_text("Session and conversation").click()
    page.get_by_label("Turn").fill("zero")

    choose(page, GOOD)

    expect(card_of(page, GOOD.name)).to_contain_text("A turn is a whole number")
    page.get_by_label("Turn").fill("7")
    page.get_by_role("button", name="Look again").click()
    expect(card_of(page, GOOD.name)).to_contain_text("ready")
    expect(card_of(page, GOOD.name)).to_contain_text(re.compile(r"turn\s*7"))
    expect(page.get_by_text("A turn is a whole number")).to_have_count(0)
    forget_statuses(faults, 422)


def test_a_lost_connection_loses_no_file(live_server, page, people, enter, faults):
    enter(people.irene)
    page.goto(live_server.url + UPLOAD)
    page.route(f"**{UPLOAD}", lambda route: route.abort())

    choose(page, GOOD)

    expect(card_of(page, GOOD.name)).to_contain_text("could not be sent")
    page.unroute(f"**{UPLOAD}")
    page.get_by_role("button", name="Look again").click()
    expect(card_of(page, GOOD.name)).to_contain_text("ready")
    faults.clear()


def test_files_are_looked_at_then_imported_without_scripts(live_server, browser, people, enter, context, broken):
    enter(people.irene)
    with browser.new_context(java_script_enabled=False, storage_state=context.storage_state()) as plain:
        page = plain.new_page()
        page.goto(live_server.url + UPLOAD)
        choose(page, broken, GOOD)
        page.get_by_role("button", name="Look first").click()

        expect(page.get_by_role("heading", name="Looked at 2 files")).to_be_visible()
        expect(card_of(page, GOOD.name)).to_contain_text("ready")
        expect(card_of(page, "broken.json")).to_contain_text("refused")
        assert not Recording.objects.exists()

        choose(page, broken, GOOD)
        page.get_by_role("button", name="Import").click()

        expect(card_of(page, GOOD.name)).to_contain_text("imported")
        expect(card_of(page, "broken.json")).to_contain_text("refused")
        page.get_by_role("link", name="Open the recording").click()
        expect(page.get_by_role("heading", level=1)).to_have_text(GOOD.name)


def test_no_file_is_said_without_scripts(live_server, browser, people, enter, context):
    enter(people.irene)
    with browser.new_context(java_script_enabled=False, storage_state=context.storage_state()) as plain:
        page = plain.new_page()
        page.goto(live_server.url + UPLOAD)
        page.get_by_text("Session and conversation").click()
        page.get_by_label("Turn").fill("0")
        choose(page, GOOD)
        page.get_by_role("button", name="Look first").click()

        expect(page.get_by_role("alert").first).to_contain_text("Nothing was done.")
        expect(page.get_by_label("Turn")).to_have_attribute("aria-invalid", "true")
        expect(page.get_by_label("Turn")).to_be_visible()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_results_are_accessible_and_fit(scheme, live_server, page, people, enter, faults, broken, tmp_path):
    enter(people.irene)
    bring(people.workspace)
    page.emulate_media(color_scheme=scheme)
    long = tmp_path / f"{'x' * 120}.json"
    long.write_text(json.dumps({"format": "unknown"}))
    page.goto(live_server.url + UPLOAD)
    choose(page, broken, long, GOOD, SAMPLES / "two-agents-in-parallel.json.gz", SAMPLES / "provider-failure.json.gz")
    expect(page.get_by_role("status").first).to_contain_text(re.compile("^Looked at 5 files"))
    for width, height in SIZES:
        page.set_viewport_size({"width": width, "height": height})

        fits(page, width)
    forget_statuses(faults, 422)
