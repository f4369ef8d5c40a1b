"""The pages of recordings, from the list to the deletion, as people use them in a browser."""

from collections.abc import Callable

import pytest
from django.contrib.auth.models import User
from playwright.sync_api import expect

from recordings.models import Recording
from tests.e2e.bringing import ANSWER, UPLOAD, choose, hostile_recording, needs_samples
from tests.e2e.looking import SIZES, fits, forget_statuses
from tests.hostile import HOSTILE

pytestmark = needs_samples


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
    for text in HOSTILE:
        expect(page.get_by_role("heading", name=f"{text.replace('/', '_')}.json")).to_be_visible()
    hostile_recording(people.workspace)

    for path in ["/recordings/", *(recording.get_absolute_url() for recording in Recording.objects.all())]:
        page.goto(live_server.url + path)
        page.wait_for_load_state("networkidle")
        assert not page.locator("img, main script, [hx-trigger=load], svg[onload], meta[content='{}']").count()
        expect(page.get_by_text(HOSTILE[1]).first).to_be_visible()

    assert not [url for url in requests if "/admin" in url or not url.startswith(live_server.url)]
    forget_statuses(faults, 422)


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
