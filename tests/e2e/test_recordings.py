"""Bringing recordings, looking at them and deleting them, as people do it in a browser."""

import base64
import gzip
import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from django.contrib.auth.models import User
from django.core.files.base import ContentFile
from playwright.sync_api import Locator, Page, expect

from footprint_site.access.models import Workspace
from recordings.models import Epoch, Recording
from recordings.services.drafting import Stated
from recordings.services.importing import recording_import
from tests.corpus import ROOT
from tests.e2e.looking import SIZES, fits, forget_statuses
from tests.hostile import HOSTILE

SAMPLES = (ROOT / "../shared/samples").resolve()
GOOD = SAMPLES / "delivery-address-turn-4.json.gz"
ANSWER = "We will send the replacement to 12 Mill Lane, Leeds LS1 4AB."
UPLOAD = "/recordings/new/"

pytestmark = pytest.mark.skipif(not SAMPLES.is_dir(), reason=f"there are no samples in {SAMPLES}")


@pytest.fixture
def broken(tmp_path: Path) -> Path:
    """A recording that ends too early."""
    path = tmp_path / "broken.json"
    path.write_bytes(gzip.decompress(GOOD.read_bytes())[:20_000])
    return path


@pytest.fixture
def imported(people) -> Recording:
    return bring(people.workspace)


def bring(workspace: Workspace, path: Path = GOOD, filename: str = GOOD.name) -> Recording:
    chunks = ContentFile(path.read_bytes()).chunks()
    stated = Stated(filename=filename)
    return recording_import(workspace=workspace, chunks=chunks, is_gzip=True, stated=stated, actor="tests").recording


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


def choose(page: Page, *paths: Path) -> None:
    page.get_by_label("Drop recordings here").set_input_files(paths)


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


def test_the_page_of_a_recording_says_what_it_can_prove(live_server, page, people, enter, imported):
    enter(people.bob)
    page.goto(f"{live_server.url}/recordings/")
    page.get_by_role("link", name=ANSWER).click()

    expect(page.get_by_role("region", name="Answer")).to_contain_text(ANSWER)
    expect(page.get_by_text(imported.sha256)).to_be_visible()
    expect(page.get_by_role("list", name="What this recording can prove")).to_contain_text("not said")
    expect(page.get_by_role("navigation", name="Epochs").get_by_role("link")).to_have_count(imported.n_epochs)
    expect(page.get_by_role("link", name="Delete…")).to_have_count(0)


def test_a_long_text_is_folded_with_its_true_size(live_server, page, people, enter, imported):
    Recording.objects.filter(pk=imported.pk).update(
        answers=[{"lane": "", "text": "é" * 3000 + "the end", "is_redacted": False}]
    )
    enter(people.bob)
    page.goto(live_server.url + imported.get_absolute_url())
    expect(page.get_by_text("the end")).to_be_hidden()

    page.get_by_text("Cut after 1,000 of 3,007 characters").click()

    expect(page.get_by_text("the end")).to_be_visible()


def test_the_epochs_appear_when_the_index_is_there(live_server, page, people, enter, imported):
    Recording.objects.filter(pk=imported.pk).update(status=Recording.Status.RECEIVED)
    enter(people.bob)
    page.goto(live_server.url + imported.get_absolute_url())
    expect(page.get_by_role("link", name="Look again")).to_be_visible()
    expect(page.get_by_role("table")).to_have_count(0)

    Recording.objects.filter(pk=imported.pk).update(status=Recording.Status.READY)

    page.get_by_role("link", name="Show the epochs").click()
    expect(page.get_by_role("navigation", name="Epochs")).to_be_visible()
    expect(page.locator("[hx-trigger]")).to_have_count(0)


def test_a_recording_is_deleted_after_a_typed_confirmation(live_server, page, people, enter, imported, faults):
    enter(people.alice)
    page.goto(live_server.url + imported.get_absolute_url())
    page.get_by_role("link", name="Delete…").click()
    field = page.get_by_role("textbox")
    field.fill("wrong")
    page.get_by_role("button", name="Delete the recording").click()
    expect(page.get_by_role("alert").first).to_contain_text("Nothing was deleted.")
    assert Recording.objects.exists()

    field.fill(str(imported.public_id)[:8])
    page.get_by_role("button", name="Delete the recording").click()

    expect(page.get_by_role("status").first).to_contain_text("The recording is deleted")
    assert not Recording.objects.exists()
    forget_statuses(faults, 422)


def test_hostile_names_and_texts_are_inert(live_server, page, people, enter, faults, tmp_path):
    """In the name of a file and in every recorded field: nothing runs, no request leaves."""
    requests: list[str] = []
    page.on("request", lambda request: requests.append(request.url))
    enter(people.alice)
    page.goto(live_server.url + UPLOAD)
    for number, text in enumerate(HOSTILE):
        path = tmp_path / str(number)
        path.mkdir()
        file = path / f"{text.replace('/', '_')}.json"
        file.write_text("{")
        choose(page, file)
        expect(page.get_by_role("heading", name=file.name)).to_be_visible()
    expect(page.get_by_text("refused", exact=True)).to_have_count(len(HOSTILE))
    hostile_recording(people.workspace)

    for path in ["/recordings/", *(recording.get_absolute_url() for recording in Recording.objects.all())]:
        page.goto(live_server.url + path)
        page.wait_for_load_state("networkidle")
        assert not page.locator("img, main script, [hx-trigger=load], svg[onload], meta[content='{}']").count()
        expect(page.get_by_text(HOSTILE[1]).first).to_be_visible()

    assert not [url for url in requests if "/admin" in url or not url.startswith(live_server.url)]
    forget_statuses(faults, 422)


def hostile_recording(workspace: Workspace) -> Recording:
    """A recording whose every field is hostile, and long."""
    text = " ".join(HOSTILE)
    recording = bring(workspace)
    fields = ["run_id", "started_at", "ended_at", "tenant", "principal", "conversation_id", "session_id", "question"]
    fields += ["outcome_reason", "engine_run_id"]
    changes = dict.fromkeys(fields, text + "x" * 400)
    Recording.objects.filter(pk=recording.pk).update(
        **changes,
        filename=(HOSTILE[1] + text)[:300],
        lanes=[text, ""],
        answers=[
            {"lane": text, "text": text * 20, "is_redacted": False},
            {"lane": "", "text": None, "is_redacted": True},
        ],
        outcome="failed",
        warnings=[{"code": "odd", "message": text}],
        producer={"agentfootprintVersion": text, "items": text},
        is_complete=False,
        n_dropped_events=812,
        turn=2**62,
        status=Recording.Status.READY,
    )
    calls = [{"id": "1", "name": text, "args": None, "has_args": False, "duration_ms": None, "has_failed": True}]
    Epoch.objects.filter(recording=recording).update(model=text, tool_calls=calls, has_failed=True, error=text * 3)
    return recording


PAGES: dict[str, tuple[str, Callable[[Recording], str]]] = {
    "no recordings": ("mallory", lambda recording: "/recordings/"),
    "recordings": ("bob", lambda recording: "/recordings/"),
    "upload": ("irene", lambda recording: UPLOAD),
    "recording": ("alice", lambda recording: recording.get_absolute_url()),
    "delete": ("alice", lambda recording: f"{recording.get_absolute_url()}delete/"),
}


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("name", PAGES)
def test_every_page_is_accessible_and_fits(name, scheme, live_server, page, people, enter):
    """Axe finds nothing, and nothing scrolls sideways, in both themes, on a desk and on a phone."""
    recording = hostile_recording(people.workspace)
    who, path_of = PAGES[name]
    enter(User.objects.get(username=who))
    page.emulate_media(color_scheme=scheme)
    for width, height in SIZES:
        page.set_viewport_size({"width": width, "height": height})
        page.goto(live_server.url + path_of(recording))

        fits(page, width)


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
