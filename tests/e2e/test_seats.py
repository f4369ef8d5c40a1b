"""Sessions, conversations and memory, as people walk through them in a browser."""

import json
import re

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, expect

from recordings.services.samples import manifest
from sessions_app.models import MemoryStore
from sessions_app.services.records import session_record_keep
from sessions_app.services.sessions import incarnation_open
from sessions_app.services.writing import Identity
from tests.corpus import ROOT, needs_corpus
from tests.e2e.looking import forget_statuses
from tests.hostile import HOSTILE
from tests.people import People
from tests.recordings.seating import DANA, Seat, nobody, seat

SAMPLES = ROOT / "recordings" / "samples"
WIDTHS = [390, 900, 1440, 1920]
#: Every kind of character that an id may have, and enough of them to burst a line.
HOSTILE_ID = " ".join(HOSTILE) + "\u202e\u0000\ud83d" + "x" * 400


def desk(people: People) -> tuple[Seat, Seat]:
    """The sample session: a first customer, then a second with four turns and a memory."""
    first, second = manifest()["sessions"][0]["occupants"]
    before = seat(people)
    before.reserves()
    before.brings_file((SAMPLES / first["recordings"][0]["file"]).read_bytes(), 1, DANA)
    after = seat(people)
    for one in second["recordings"]:
        after.reserves()
        after.brings_file((SAMPLES / one["file"]).read_bytes(), one["turn"], DANA)
    memory = json.loads((SAMPLES / second["memory"][0]["file"]).read_text())
    for entry in memory["stores"]["chat"]["entries"]:
        after.puts(entry["id"], entry["source"]["turn"], entry["value"]["content"])
    after.puts("expired", 4, "x", ttl=1)
    store = after.puts("expired", 4, "y", ttl=1)
    store.entries.filter(stored_turn=1).update(token_sha256=before.incarnation.token_sha256)
    nobody(people).brings("whose word is this")
    return before, after


def memory_url(seated: Seat) -> str:
    store = MemoryStore.objects.filter(conversation=seated.thread()).latest("pk")
    return f"{seated.thread_url()}memory/{store.pk}/"


@needs_corpus
def test_from_the_wrong_address_of_turn_4_to_the_entry_of_turn_1(live_server, page, people, enter):
    """The conversation, its memory, the entry, the recording of the turn that wrote it."""
    desk(people)
    enter(people.bob)
    page.goto(f"{live_server.url}/conversations/")
    page.get_by_role("row").filter(has_text="occupant 2").get_by_role("link", name="chat-501").click()
    turn = page.locator("#turn-4")
    expect(turn).to_contain_text("12 Mill Lane")
    expect(page.get_by_text("nothing for")).to_have_count(0)

    page.get_by_role("link", name="chat", exact=True).click()
    page.get_by_role("link", name=re.compile("^msg-1-0")).click()

    entry = page.get_by_role("complementary", name="The selected entry")
    expect(entry).to_contain_text("My delivery address is 12 Mill Lane")
    row = page.get_by_role("row").filter(has_text="msg-1-0")
    expect(row.get_by_role("link", name="served in turn 4")).to_be_visible()
    row.get_by_role("link", name="written in turn 1").click()
    expect(page.get_by_role("heading", level=1)).to_be_visible()
    expect(page.locator("main")).to_contain_text("Please remember it.")


def test_a_new_occupant_is_opened_closed_and_the_session_deleted_without_scripts(
    live_server, browser, people, context, enter
):
    first = seat(people)
    enter(people.alice)
    plain = browser.new_context(java_script_enabled=False)
    plain.add_cookies(context.cookies())
    page = plain.new_page()
    page.goto(live_server.url + first.url)

    page.get_by_role("button", name="Open a new occupant").click()
    token = page.locator("#new-token")
    expect(token).to_have_text(re.compile(r"^[\w-]{43}$"))
    secret = token.inner_text()
    page.goto(live_server.url + first.url)
    assert secret not in page.content()

    page.get_by_label("Why").fill("The customer left.")
    page.get_by_role("button", name="Close occupant 2").click()
    expect(page.get_by_role("region", name="Occupant 2")).to_contain_text("The customer left.")

    page.get_by_role("link", name="Delete the session").click()
    page.get_by_label(re.compile("to confirm")).fill(str(first.session.public_id)[:8])
    page.get_by_role("button", name="Delete the session").click()
    expect(page.get_by_role("heading", name="There is no session yet")).to_be_visible()
    plain.close()


def test_the_token_is_copied_by_a_button(live_server, page, people, enter, context):
    context.grant_permissions(["clipboard-read", "clipboard-write"])
    first = seat(people)
    enter(people.alice)
    page.goto(live_server.url + first.url)
    page.get_by_role("button", name="Open a new occupant").click()

    page.get_by_role("button", name="Copy the token").click()

    expect(page.locator("[data-copy-said]")).not_to_be_empty()
    assert page.evaluate("navigator.clipboard.readText()") == page.locator("#new-token").inner_text()


def test_a_stale_page_is_told_what_happened(live_server, page, people, enter, faults):
    first = seat(people)
    enter(people.alice)
    page.goto(live_server.url + first.url)
    incarnation_open(workspace=people.workspace, session_id="desk-7", actor="irene")

    page.get_by_label("Why").fill("x")
    page.get_by_role("button", name="Close occupant 1").click()

    expect(page.locator("main").get_by_role("alert")).to_contain_text("Nothing was done.")
    page.get_by_role("link", name="See the session as it is now").click()
    expect(page.get_by_role("region", name="Occupant 2")).to_contain_text("here now")
    forget_statuses(faults, 409)


def every_page(first: Seat, second: Seat) -> list[str]:
    return [
        "/conversations/",
        second.thread_url(),
        first.thread_url(),
        memory_url(second),
        "/sessions/",
        second.url,
        f"{second.url}delete/",
        record_url(second, "cart"),
        second.thread().recordings.latest("turn").get_absolute_url(),
    ]


def record_url(seated: Seat, name: str) -> str:
    """The page of a record that is kept for *seated*."""
    record, _ = session_record_keep(
        writer=seated.writer, session_id=seated.session.session_id, name=name, body=json.dumps([name])
    )
    return f"{seated.url}records/{record.pk}/"


def fits(page: Page) -> bool:
    return page.evaluate("document.documentElement.scrollWidth <= document.documentElement.clientWidth")


@needs_corpus
def test_from_what_a_run_wrote_to_its_entry_and_back(live_server, page, people, enter):
    """By keyboard: the screen tells what was written, the entry tells which commit wrote it."""
    _, seated = desk(people)
    recording = seated.thread().recordings.get(turn=1)
    enter(people.bob)
    page.goto(live_server.url + recording.get_absolute_url())
    step = page.get_by_role("listitem").filter(has_text="Memory wrote 2 entries")
    step.get_by_role("link", name="msg-1-0").press("Enter")

    entry = page.get_by_role("region", name="msg-1-0")
    expect(entry).to_contain_text("5 calls, in turn 2, turn 3, turn 4")
    entry.get_by_role("link", name="final/sf-memory-write-chat/write-messages#31").press("Enter")

    expect(page).to_have_url(re.compile(f"{recording.get_absolute_url()}state/"))
    expect(page.get_by_text("12 Mill Lane").first).to_be_attached()


@needs_corpus
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_every_page_is_accessible_and_fits(theme, live_server, page, people, enter):
    urls = every_page(*desk(people))
    enter(people.alice)
    page.emulate_media(color_scheme=theme)
    for url in urls:
        for width in WIDTHS:
            page.set_viewport_size({"width": width, "height": 900})
            page.goto(live_server.url + url)
            assert fits(page), (url, width)
            results = Axe().run(page)
            assert results.violations_count == 0, (url, width, results.generate_report())


def test_hostile_ids_are_text(live_server, page, people, enter):
    """In every id there is: nothing runs, no request leaves, nothing bursts the page."""
    requests: list[str] = []
    page.on("request", lambda request: requests.append(request.url))
    identity = Identity(HOSTILE_ID[:1000], principal=HOSTILE_ID[:1000], tenant=HOSTILE_ID[:1000])
    for _ in range(2):
        seated = seat(people, HOSTILE_ID[:1000])
        seated.reserves(identity=identity, run_id=HOSTILE_ID)
        seated.brings(HOSTILE_ID, 1, identity, session_id=HOSTILE_ID[:1000])
        store = seated.puts(HOSTILE_ID[:1000], 1, HOSTILE_ID, store=HOSTILE_ID[:1000], identity=identity)
    fork = seat(people, "fork", forked_from=seated.incarnation)
    enter(people.alice)

    memory = f"{seated.thread_url(identity)}memory/{store.pk}/"
    for url in [
        fork.url,
        "/conversations/",
        seated.thread_url(identity),
        memory,
        "/sessions/",
        seated.url,
        f"{seated.url}delete/",
        record_url(seated, HOSTILE_ID[:1000]),
    ]:
        for width in (390, 1440):
            page.set_viewport_size({"width": width, "height": 900})
            page.goto(live_server.url + url)
            page.wait_for_load_state("networkidle")
            assert not page.locator("img, [hx-trigger=load], svg[onload]").count()
            expect(page.get_by_text(HOSTILE[0]).first).to_be_attached()
            assert fits(page), (url, width)

    assert not [url for url in requests if "/admin" in url or not url.startswith(live_server.url)]
