"""Walking the epochs and reading contexts, as people do it in a browser."""

import gzip
import json
import re

import pytest
from axe_playwright_python.sync_playwright import Axe
from django.core.files.base import ContentFile
from playwright.sync_api import Page, expect

from footprint_site.access.models import Workspace
from recordings.models import Recording
from recordings.services.drafting import Stated
from recordings.services.importing import recording_import
from recordings.services.samples import manifest
from tests.corpus import ROOT, needs_corpus, read_bytes, recording_files
from tests.e2e.looking import forget_statuses
from tests.hostile import HOSTILE
from tests.recordings import edited

pytestmark = needs_corpus

SAMPLES = ROOT / "recordings" / "samples"
WIDTHS = [390, 900, 1440, 1920]


def bring(workspace: Workspace, data: bytes, filename: str = "run.json") -> Recording:
    return recording_import(
        workspace=workspace,
        chunks=ContentFile(data).chunks(),
        is_gzip=data.startswith(b"\x1f\x8b"),
        stated=Stated(filename=filename),
        actor="tests",
        index_at_once=True,
    ).recording


def sample(workspace: Workspace, name: str) -> Recording:
    return bring(workspace, (SAMPLES / name).read_bytes(), name)


@pytest.fixture
def walk(live_server, page, people, enter):
    """Open the screen of a recording."""

    def to(recording: Recording, query: str = "") -> Page:
        enter(people.bob)
        page.goto(live_server.url + recording.get_absolute_url() + query)
        return page

    return to


@pytest.mark.parametrize("wrong", manifest()["wrong_answers"], ids=lambda wrong: wrong["file"])
def test_from_the_list_to_the_cause_in_five_clicks(wrong, live_server, page, people, enter):
    """The list, the recording, what was served, the piece, the commit that wrote it."""
    recording = sample(people.workspace, wrong["file"])
    enter(people.bob)
    page.goto(f"{live_server.url}/recordings/")
    clicks = 0

    page.locator(f'a[href="{recording.get_absolute_url()}"]').first.click()
    clicks += 1
    if recording.n_epochs > 1:
        page.get_by_role("link", name="Served", exact=True).click()
        clicks += 1
    cause = {
        "delivery-address-turn-4.json.gz": ("msg-1-0", "12 Mill Lane"),
        "wrong-delivery-date.json.gz": ("w1", "2025-09-03"),
        "free-repairs-promise.json.gz": ("repair-policy", "lifetime repairs"),
        "parcel-instead-of-invoice.json.gz": ("shipping", ""),
        "outdated-returns-policy.json.gz": ("refunds-2024", "60 days"),
    }
    name, text = cause[wrong["file"]]
    piece = page.get_by_role("article").filter(has=page.get_by_text(name, exact=True)).filter(has_text=text).first
    expect(piece).to_be_visible()
    piece.locator("footer").get_by_role("link").first.click()
    clicks += 1

    expect(page.get_by_role("heading", level=1)).to_be_visible()
    assert "/state/" in page.url
    assert clicks <= 5


def test_epochs_are_walked_by_keys_and_by_clicks_and_the_address_follows(walk, people, live_server):
    page = walk(sample(people.workspace, "wrong-delivery-date.json.gz"), "?epoch=1")

    page.keyboard.press("j")
    expect(page.get_by_role("heading", name="Context of E2 against E1")).to_be_visible()
    assert page.url.endswith("?epoch=2")
    page.keyboard.press("ArrowRight")
    expect(page.get_by_role("heading", name="Context of E3 against E2")).to_be_visible()
    page.keyboard.press("k")
    expect(page.get_by_role("heading", name="Context of E2 against E1")).to_be_visible()
    page.keyboard.press("d")
    expect(page.get_by_role("heading", name="Context as served, E2")).to_be_visible()
    page.keyboard.press("r")
    expect(page.get_by_role("heading", name="Request as recorded, E2")).to_be_visible()
    page.keyboard.press("j")
    expect(page.get_by_role("heading", name="Request as recorded, E3")).to_be_visible()
    page.keyboard.press("g")
    page.keyboard.type("4")
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="Context of E4 against E3")).to_be_visible()
    page.get_by_role("link", name=re.compile("^Epoch 1,")).click()
    expect(page.get_by_role("heading", name="Context as served, E1")).to_be_visible()
    expect(page.get_by_role("link", name=re.compile("^Epoch 1,"))).to_be_focused()

    page.go_back()
    expect(page.get_by_role("heading", name="Context of E4 against E3")).to_be_visible()
    page.reload()
    expect(page.get_by_role("heading", name="Context of E4 against E3")).to_be_visible()
    assert "E4" in page.title()


def test_the_keys_are_told_and_rest_while_somebody_types(walk, people):
    page = walk(sample(people.workspace, "wrong-delivery-date.json.gz"), "?epoch=2")

    page.keyboard.press("?")
    expect(page.get_by_role("dialog", name="Keys")).to_be_visible()
    page.keyboard.press("j")
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog")).to_have_count(0)
    page.get_by_label("Go to epoch, 1 to 4").press("j")

    expect(page.get_by_role("heading", name="Context of E2 against E1")).to_be_visible()


def test_nothing_moves_under_the_reader(walk, people):
    page = walk(bring(people.workspace, read_bytes(recording_files()["flat-100"])), "?epoch=60&tab=served")
    page.set_viewport_size({"width": 1440, "height": 700})
    page.evaluate("scrollTo(0, 900)")

    page.keyboard.press("j")
    expect(page.get_by_role("heading", name="Context as served, E61")).to_be_attached()

    assert page.evaluate("scrollY") == 900


def test_a_fold_opens_in_its_place(walk, people):
    page = walk(bring(people.workspace, read_bytes(recording_files()["flat-100"])), "?epoch=100&tab=served")
    articles = page.locator("#messages + .pieces > article")
    expect(articles).to_have_count(50)

    page.get_by_role("link", name=re.compile("earlier messages")).click()

    expect(articles).to_have_count(100)
    page.reload()
    expect(articles).to_have_count(100)


def test_everything_is_reached_without_javascript(live_server, browser, people, enter, context):
    recording = sample(people.workspace, "sliding-window.json.gz")
    enter(people.bob)
    plain = browser.new_context(java_script_enabled=False, storage_state=context.storage_state())
    page = plain.new_page()
    page.goto(live_server.url + recording.get_absolute_url())

    page.get_by_role("link", name=re.compile("^Epoch 4,")).click()
    expect(page.get_by_role("heading", name="Context of E4 against E3")).to_be_visible()
    page.get_by_label("Compare with another epoch").fill("2")
    page.get_by_role("button", name="Compare").click()
    expect(page.get_by_role("heading", name="Context of E4 against E2")).to_be_visible()
    page.get_by_role("link", name="Raw", exact=True).click()
    expect(page.get_by_role("heading", name="Request as recorded, E4")).to_be_visible()
    page.get_by_label("Go to epoch, 1 to 6").fill("6")
    page.get_by_role("button", name="Go").click()
    expect(page.get_by_role("heading", name="Context of E6 against E5")).to_be_visible()
    expect(page.get_by_role("button", name="copy")).to_have_count(0)
    plain.close()


def test_copying_takes_the_full_value_and_says_so(walk, people, context):
    text = "start\u202e" + "x" * 5_000 + "\x1b[31mend"
    recording = bring(people.workspace, edited.with_tool_text(text))
    context.grant_permissions(["clipboard-read", "clipboard-write"])
    page = walk(recording, "?epoch=2&tab=served")

    piece = page.get_by_role("article").filter(has_text="start")
    piece.get_by_role("button", name="copy").click()

    expect(piece.get_by_role("status")).to_have_text(f"Copied {len(text):,} characters.")
    assert page.evaluate("navigator.clipboard.readText()") == text


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("tab", ["served", "diff", "raw"])
def test_the_screen_fits_and_is_accessible(tab, scheme, walk, people, page):
    page.emulate_media(color_scheme=scheme)
    recordings = [sample(people.workspace, n) for n in ("sliding-window.json.gz", "two-agents-in-parallel.json.gz")]
    recordings.append(bring(people.workspace, read_bytes(recording_files()["flat-100"])))
    for recording in recordings:
        walk(recording, f"?epoch={recording.n_epochs}&tab={tab}")
        for width in WIDTHS:
            page.set_viewport_size({"width": width, "height": 900})
            assert page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0, (width, recording)
        found = Axe().run(page)
        assert found.violations_count == 0, found.generate_report()


def hostile_run() -> bytes:
    """The hostile texts wherever a run may hold a text."""
    text = " ".join(
        [*HOSTILE, "\u202e\u2066rtl", "zero\u200bwidth\u2060", "\x1b[31mred\x1b[0m", "{{7*7}}{% debug %}", "a\u2028b"]
    )
    hostile = json.dumps(text)[1:-1]
    data = json.loads(gzip.decompress((SAMPLES / "wrong-delivery-date.json.gz").read_bytes()))
    whole = json.dumps(data)
    for plain in (
        "Let me find the order.",
        "And the policy.",
        "lookup_order",
        "You are the support desk",
        "mock-large",
        "A-1042",
    ):
        whole = whole.replace(plain, hostile)
    return whole.encode()


def test_hostile_content_is_inert_and_what_hides_is_shown(walk, people, page, live_server):
    requests: list[str] = []
    page.on("request", lambda request: requests.append(request.url))
    recording = bring(people.workspace, hostile_run(), filename='"><svg onload=alert(1)>.json')
    dialogs: list[str] = []
    page.on("dialog", lambda dialog: (dialogs.append(dialog.message), dialog.dismiss()))

    for query in ("?epoch=1&tab=served", "?epoch=4&tab=served", "?epoch=4&tab=raw", "?epoch=3", "?epoch=4&against=1"):
        walk(recording, query)
        page.wait_for_load_state("networkidle")
        assert not page.locator("main img, main script, main iframe, [hx-trigger=load], svg[onload]").count()
        assert page.get_by_text(HOSTILE[0]).count()
        for sign in ("RLO", "ZWSP", "WJ", "␛"):
            assert page.locator(".sign", has_text=sign).count(), sign
        assert "{{7*7}}" in page.locator("main").inner_text()
        assert not re.search("[\u202e\u2066\u200b\u2060\x1b]", page.locator("main").inner_text())

    assert not dialogs
    assert not [url for url in requests if not url.startswith(live_server.url) or "/admin" in url]


def test_one_line_of_sixty_megabytes_is_cut_and_never_a_picture(walk, people, page):
    recording = bring(people.workspace, edited.with_tool_text("data:image/png;base64," + "iVBORw0KGgo" * 3_000_000))

    walk(recording, "?epoch=2&tab=served")

    expect(page.locator("main img")).to_have_count(0)
    expect(page.get_by_text("The first 1,000 of 33,000,022 characters").first).to_be_visible()
    expect(page.locator(".media").first).to_contain_text("image/png")
    assert page.evaluate("document.querySelectorAll('*').length") < 3_000


def test_what_a_policy_took_out_is_masked_everywhere(walk, people, page, live_server):
    """Also where the recorder left it in; copies elsewhere are said to be unmasked."""
    secret = "078-05-1120"

    def leak(rows):
        rows.append(
            edited.commit("note#90", "customer", {"ssn": secret, "name": "D"}, redactedPaths=["customer\u001fssn"])
        )

    recording = bring(people.workspace, edited.edited("flat-wrong-tool", leak))
    for query in ("", "?epoch=1", "?tab=raw", "?tab=served"):
        walk(recording, query)
        expect(page.get_by_text("Redaction covers paths, not values")).to_be_visible()
        assert secret not in page.content()
    page.goto(f"{live_server.url}{recording.get_absolute_url()}state/?key=customer")
    assert secret not in page.content()
    expect(page.get_by_text("REDACTED").first).to_be_visible()


def test_a_bad_address_says_what_to_do(walk, people, page, faults):
    walk(sample(people.workspace, "wrong-delivery-date.json.gz"), "?epoch=nine")

    expect(page.get_by_role("alert").first).to_contain_text("An epoch is a whole number from 1 on")
    page.get_by_role("link", name="Open the recording").click()
    expect(page.get_by_role("heading", name="Context of E4 against E3")).to_be_visible()
    forget_statuses(faults, 422)
