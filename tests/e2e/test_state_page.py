"""The state of a recording, as people step through it in a browser."""

import json
import re
from urllib.parse import urlencode

import pytest
from django.core.files.base import ContentFile
from playwright.sync_api import Page, expect

from footprint_site.access.models import Workspace
from recordings.models import Recording
from recordings.services.drafting import Stated
from recordings.services.importing import recording_import
from tests.e2e.looking import SIZES, fits, forget_statuses
from tests.hostile import HOSTILE
from tests.recordings.statepages import row

HISTORY = "?commit=10&key=history"
TEXT = " ".join(HOSTILE) + "x" * 300


def state_of(recording: Recording) -> str:
    return f"{recording.get_absolute_url()}state/"


def hostile(workspace: Workspace) -> Recording:
    """A log whose every word is hostile, and every absence there is."""
    values = {TEXT: TEXT * 100, "ssn": {"no": "123"}, "list": [], "secret": "x", "gone": 1}
    rows = [
        row(0, *values, overwrite=values, stage=TEXT, tags=[TEXT], untrackedSources=[TEXT], stageId=TEXT),
        row(
            1, ("gone", "delete"), "lost", (f"ssn\x1f{TEXT}", "merge"), updates={"ssn": {TEXT: 1}}, runtimeStageId=TEXT
        ),
        row(2, TEXT, overwrite={TEXT: [TEXT]}, redactedPaths=["ssn\x1fno", "secret", f"ssn\x1f{TEXT}"]),
        {"trace": [], "overwrite": {}, "updates": {}, "stage": 3},
    ]
    mount = {"treeContext": {"history": rows}}
    data = json.dumps({"commitLog": rows, "initialState": {}, "subflowResults": {f"{TEXT}#1": mount}})
    chunks = ContentFile(data.encode()).chunks()
    stated = Stated(filename=TEXT[:200])
    return recording_import(workspace=workspace, chunks=chunks, is_gzip=False, stated=stated, actor="tests").recording


def test_stepping_swaps_the_state_alone_and_keeps_the_focus(live_server, page, people, enter, imported):
    enter(people.bob)
    page.goto(live_server.url + state_of(imported) + HISTORY)
    page.evaluate("document.querySelector('h1').dataset.same = 'yes'")
    following = page.get_by_role("link", name="Next commit")

    following.focus()
    page.keyboard.press("Enter")

    expect(page).to_have_url(re.compile(r"commit=11&key=history$"))
    expect(page.get_by_role("heading", name="Commit 11")).to_be_visible()
    expect(page.locator("h1")).to_have_attribute("data-same", "yes")
    expect(following).to_be_focused()
    expect(page).to_have_title(re.compile("^State at commit 11"))

    page.go_back()
    expect(page.get_by_role("heading", name="Commit 10")).to_be_visible()


def test_from_a_value_to_its_write_in_one_click(live_server, page, people, enter, imported):
    enter(people.bob)
    page.goto(live_server.url + state_of(imported) + HISTORY)
    value = page.get_by_role("region", name="history")
    written = value.get_by_role("link", name=re.compile("^commit")).first
    number = written.inner_text().split()[-1]

    written.click()

    expect(page.get_by_role("heading", name=f"Commit {number}", exact=True)).to_be_visible()
    expect(value).to_contain_text("this one")
    expect(
        page.get_by_role("list", name="What it wrote").get_by_role("link", name="history", exact=True)
    ).to_be_visible()


def go_round(page: Page, url: str) -> None:
    """Filter the keys, open one, go to a commit and to another log."""
    page.goto(url)
    page.get_by_label("Keys whose name contains").fill("HIST")
    page.get_by_role("button", name="Filter").click()
    expect(page.get_by_role("table", name="Keys").get_by_text("iteration")).to_have_count(0)

    page.get_by_role("link", name="history", exact=True).click()
    expect(page.get_by_role("region", name="history")).to_be_visible()
    page.get_by_label("Go to commit").fill("0")
    page.get_by_role("button", name="Go", exact=True).click()
    expect(page.get_by_role("heading", name="Commit 0", exact=True)).to_be_visible()
    expect(page).to_have_url(re.compile(r"/state/\?commit=0&key=history&filter=HIST$"))

    page.get_by_role("link", name="Base").click()
    expect(page.get_by_role("heading", name="The base")).to_be_visible()
    expect(page.get_by_role("link", name="Previous commit")).to_have_count(0)


def test_keys_commits_and_logs_with_scripts(live_server, page, people, enter, imported):
    enter(people.bob)
    go_round(page, live_server.url + state_of(imported))


def test_keys_commits_and_logs_without_scripts(live_server, browser, people, enter, context, imported):
    enter(people.bob)
    with browser.new_context(java_script_enabled=False, storage_state=context.storage_state()) as plain:
        go_round(plain.new_page(), live_server.url + state_of(imported))


def test_another_log_is_opened_from_the_list(live_server, page, people, enter):
    enter(people.bob)
    page.goto(live_server.url + state_of(hostile(people.workspace)))

    page.get_by_text("the run’s own").first.click()
    page.get_by_role("list", name="Logs").get_by_role("link").nth(1).click()

    expect(page.get_by_text("This log has no base.")).to_be_visible()
    expect(page).to_have_url(re.compile(r"\?log=%3Cscript"))


def test_a_bad_commit_is_said_and_focused(live_server, page, people, enter, imported, faults):
    enter(people.bob)
    page.goto(live_server.url + state_of(imported) + "?commit=abc")

    expect(page.get_by_role("alert").first).to_contain_text("“abc” was found. A commit is a whole number")
    page.get_by_role("link", name="Open the state at the end of the run").click()
    expect(page.get_by_role("table", name="Keys")).to_be_visible()
    forget_statuses(faults, 422)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_hostile_words_are_inert_and_every_look_is_accessible_and_fits(scheme, live_server, page, people, enter):
    requests: list[str] = []
    page.on("request", lambda request: requests.append(request.url))
    enter(people.bob)
    page.emulate_media(color_scheme=scheme)
    recording = hostile(people.workspace)
    looks = ["", "commit=1", "commit=3", urlencode({"key": TEXT, "commit": 1}), "key=ssn", "key=secret", "key=gone"]
    for width, height in SIZES:
        page.set_viewport_size({"width": width, "height": height})
        for look in looks:
            page.goto(f"{live_server.url}{state_of(recording)}?{look}")
            page.wait_for_load_state("networkidle")
            assert not page.locator("main img, main script, [hx-trigger=load], main svg[onload], main meta").count()
            fits(page, width)

    assert not [url for url in requests if "/admin" in url or not url.startswith(live_server.url)]
