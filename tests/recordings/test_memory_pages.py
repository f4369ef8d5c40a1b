"""What was remembered, as readers see it: entries by turn, and one of them whole."""

from __future__ import annotations

import json
import re

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from recordings.models import Recording
from recordings.reads.memories import MAX_COLUMNS, MAX_VERSIONS, PAGE_SIZE
from recordings.services.samples import manifest
from sessions_app.models import MemoryEntry, MemoryFeedback, MemoryStore
from sessions_app.services.memory import memory_put
from sessions_app.services.stores import Place
from sessions_app.services.writing import Identity
from tests.corpus import ROOT
from tests.recordings.seating import DANA, nobody, panel, seat, words
from tests.sessions.material import ODD_IDS, draft

pytestmark = pytest.mark.django_db


def url_of(store: MemoryStore, entry: MemoryEntry | None = None) -> str:
    query = f"?entry={entry.pk}" if entry else ""
    return f"/conversations/{store.conversation.public_id}/memory/{store.pk}/{query}"


def entry_of(store: MemoryStore, entry_id: str) -> MemoryEntry:
    return next(entry for entry in store.entries.all() if entry.entry_id == entry_id)


def marks(response) -> dict[str, list[str]]:
    """What the grid says of each entry, by its id."""
    found = {}
    for row in re.findall(r"<tr.*?</tr>", response.content.decode(), re.DOTALL)[1:]:
        entry_id = re.search(r"<bdi>(.*?)</bdi>", row)[1]
        said = re.findall(r'aria-label="([^"]+)"|class="sr-only">([^<]+)<', row)
        found[entry_id] = [label or text for label, text in said]
    return found


def test_an_entry_stands_in_the_turn_that_wrote_it_and_leads_to_its_recording(people, as_bob):
    seated = seat(people)
    recording = seated.brings("remember this", 2)
    seated.puts("msg-2-0", 2, "remember this")
    store = seated.puts("msg-3-0", 3, "of a turn that nobody recorded")

    page = as_bob.get(url_of(store))

    assert marks(page) == {
        "msg-2-0": ["written in turn 2"],
        "msg-3-0": ["written in turn 3, which no recording says it is of"],
    }
    assert f'href="{recording.get_absolute_url()}" aria-label="written in turn 2"' in page.content.decode()
    whole = panel(as_bob.get(url_of(store, entry_of(store, "msg-3-0"))), "entry-title")
    assert "no recording: unmatched" in whole
    assert f"recording {str(recording.public_id)[:8]}" in panel(page, "entry-title")


def test_what_was_overwritten_stays_with_its_writer_and_its_turn(people, as_bob):
    seated = seat(people)
    seated.puts("msg-1-0", 1, "the old address")
    store = seated.puts("msg-1-0", 4, "the new address")

    page = as_bob.get(url_of(store))

    versions = panel(page, "versions-title")
    assert versions.index("Version 2") < versions.index("the new address") < versions.index("Version 1")
    assert versions.index("Version 1") < versions.index("the old address")
    assert "overwritten under the same id" in versions
    assert versions.count("by key fp_seat") == 2
    grid = marks(page)["msg-1-0"]
    assert [text.partition(" in turn ")[0] for text in grid] == ["an earlier version written", "written"]
    assert "overwritten once" in panel(page, "grid-title")


def test_expired_foreign_and_rated_entries_are_marked(people, as_bob):
    seated = seat(people)
    seated.puts("gone", 1, "x", ttl=1000)
    seated.puts("foreign", 2, "x")
    store = seated.puts("fine", 3, "x", ttl=4_000_000_000_000)
    other = seat(people)
    MemoryEntry.objects.filter(pk=entry_of(store, "foreign").pk).update(token_sha256=other.incarnation.token_sha256)
    fine = entry_of(store, "fine")
    MemoryFeedback.objects.create(
        workspace=people.workspace, store=store, entry_id="fine", entry_key=fine.entry_key, total=1.5, count=3
    )

    rows = re.findall(r"<tr.*?</tr>", as_bob.get(url_of(store)).content.decode(), re.DOTALL)[1:]

    assert ["expired" in row for row in rows] == [True, False, False]
    assert ["foreign stamp" in row for row in rows] == [False, True, False]
    assert ["feedback 0.50 of 3" in row for row in rows] == [False, False, True]
    whole = panel(as_bob.get(url_of(store, entry_of(store, "foreign"))), "entry-title")
    assert "written with the token of another occupant" in whole
    assert "0.50 on average, given 3 times" in panel(as_bob.get(url_of(store, fine)), "entry-title")


def test_an_entry_without_a_token_is_no_foreign_one(people, as_bob):
    store = nobody(people).puts("a", 1, "x")

    page = as_bob.get(url_of(store))

    assert "foreign" not in words(page)
    assert "an unknown occupant" in words(page)


def test_the_json_is_shown_as_it_was_stored(people, as_bob):
    seated = seat(people)
    store = seated.puts("a", 1, "x")
    body = '{ "id":"a",  "version":1.0, "value": "caf\\u00e9 <b>", "n": 12345678901234567890123 }'
    MemoryEntry.objects.filter(store=store).update(body=body)

    html = as_bob.get(url_of(store)).content.decode()

    assert (
        "{ &quot;id&quot;:&quot;a&quot;,  &quot;version&quot;:1.0, &quot;value&quot;: &quot;caf\\u00e9 &lt;b&gt;"
        in html
    )
    assert "12345678901234567890123" in html
    assert "café &lt;b&gt;" in html


def test_a_long_entry_is_cut_and_says_its_true_size(people, as_bob):
    store = seat(people).puts("a", 1, "word " * 60_000)
    body = entry_of(store, "a").body

    page = as_bob.get(url_of(store))

    assert f"The first 20,000 of {len(body):,} characters" in words(page)
    assert len(page.content) < 400_000


def test_a_page_stays_small_however_often_a_long_entry_was_overwritten(people, as_bob):
    seated = seat(people)
    for number in range(MAX_VERSIONS + 5):
        store = seated.puts("a", 1, f"{number} " + "word " * 20_000)

    page = as_bob.get(url_of(store))

    versions = panel(page, "versions-title")
    assert f"The newest {MAX_VERSIONS + 1} of {MAX_VERSIONS + 5}." in versions
    assert "1,000 of 100," in versions
    assert len(page.content) < 400_000


def test_another_occupants_memory_is_on_a_page_of_its_own(people, as_bob):
    first, second = seat(people), seat(people, "another")
    first_store = first.puts("msg-1-0", 1, "secret of the first")
    second_store = second.puts("msg-1-0", 1, "secret of the second")

    assert "secret of the second" not in words(as_bob.get(url_of(first_store)))
    assert "secret of the first" not in words(as_bob.get(url_of(second_store)))
    # Neither under the address of the other's conversation, nor as an entry of the other's store.
    crossed = f"/conversations/{first_store.conversation.public_id}/memory/{second_store.pk}/"
    assert as_bob.get(crossed).status_code == 404
    entry = entry_of(second_store, "msg-1-0")
    assert as_bob.get(url_of(first_store, entry)).status_code == 404


def test_recordings_of_another_occupant_are_never_those_that_wrote_it(people, as_bob):
    first, second = seat(people), seat(people, "another")
    store = first.puts("msg-1-0", 1, "x")
    second.brings("of the second", 1, session_id="another")

    page = as_bob.get(url_of(store))

    assert "no recording: unmatched" in panel(page, "entry-title")
    assert Recording.objects.get().get_absolute_url() not in page.content.decode()


@pytest.mark.parametrize(
    "query", ["?entry=x", "?entry=-1", "?entry=0", "?entry=1.5", f"?entry={10**17}", f"?entry={'9' * 60}"]
)
def test_an_entry_that_is_not_there_is_not_found(query, people, as_bob):
    store = seat(people).puts("a", 1, "x")

    assert as_bob.get(url_of(store) + query).status_code == 404
    assert as_bob.get(url_of(store).replace(f"/{store.pk}/", f"/{10**30}/")).status_code == 404


def test_a_stranger_and_nothing_get_the_same_answer(people, as_mallory):
    store = seat(people).puts("a", 1, "x")

    theirs = as_mallory.get(url_of(store))
    nothing = as_mallory.get("/conversations/00000000-0000-4000-8000-000000000000/memory/1/")

    assert theirs.status_code == nothing.status_code == 404
    assert theirs.content == nothing.content


@pytest.mark.parametrize("odd", [*ODD_IDS, "", "<script>alert(1)</script>", '"><img src=x onerror=alert(1)>'])
def test_any_id_is_shown_and_never_markup(odd, people, as_bob):
    identity = Identity(odd)
    store = seat(people, odd).puts(odd, 1, odd, store=odd, identity=identity)

    response = as_bob.get(url_of(store))

    assert response.status_code == 200
    assert "<script>alert" not in response.content.decode()
    assert "<img" not in response.content.decode()
    assert "\u202e" not in response.content.decode()


def test_a_store_of_many_turns_comes_in_pages_and_an_entry_opens_its_own(people, as_bob):
    seated = seat(people)
    drafts = [draft(f"msg-{turn}", turn, f"text {turn}") for turn in range(1, 3 * PAGE_SIZE)]
    memory_put(writer=seated.writer, place=Place(DANA, "chat"), drafts=drafts)
    store = MemoryStore.objects.get()

    first = as_bob.get(url_of(store))
    far = as_bob.get(url_of(store, entry_of(store, f"msg-{2 * PAGE_SIZE + 1}")))

    assert len(marks(first)) == PAGE_SIZE
    assert all(len(found) == 1 for found in marks(first).values())
    assert first.content.decode().count('<th scope="col">') == MAX_COLUMNS + 1
    assert next(iter(marks(far))) == f"msg-{2 * PAGE_SIZE + 1}"
    assert "page 3 of 3" in words(far)


def test_the_page_costs_the_same_however_much_there_is(people, as_bob):
    seated = seat(people)
    seated.brings("first", 1)
    store = seated.puts("msg-1-0", 1, "x")

    def n_queries() -> int:
        with CaptureQueriesContext(connection) as queries:
            assert as_bob.get(url_of(store, entry_of(store, "msg-1-0"))).status_code == 200
        return len(queries)

    before = n_queries()
    for turn in range(1, 12):
        seated.brings(f"question {turn}", turn)
        seated.puts("msg-1-0", turn, f"version of {turn}")
        seated.puts(f"msg-{turn}-1", turn, "x")

    assert n_queries() <= before + 1
    assert before <= 24


def test_the_wrong_address_of_turn_4_is_traced_to_the_entry_of_turn_1(people, as_bob):
    """The sample: served in turns 2 to 4 by what their recordings say, written in turn 1."""
    samples = ROOT / "recordings" / "samples"
    occupant = manifest()["sessions"][0]["occupants"][1]
    seated = seat(people)
    identity = DANA
    for one in occupant["recordings"]:
        data = (samples / one["file"]).read_bytes()
        seated.brings_file(data, one["turn"], identity)
    memory = json.loads((samples / occupant["memory"][0]["file"]).read_text())
    for entry in memory["stores"]["chat"]["entries"]:
        text = entry["value"]["content"]
        store = seated.puts(entry["id"], entry["source"]["turn"], text, store="chat", identity=identity)

    page = as_bob.get(url_of(store, entry_of(store, "msg-1-0")))

    assert marks(page)["msg-1-0"] == ["written in turn 1", "served in turn 2", "served in turn 3", "served in turn 4"]
    assert marks(page)["msg-4-0"] == ["written in turn 4"]
    assert "12 Mill Lane" in panel(page, "entry-title")
    wrote = Recording.objects.get(turn=1)
    assert f'href="{wrote.get_absolute_url()}" aria-label="written in turn 1"' in page.content.decode()
    assert as_bob.get(wrote.get_absolute_url()).status_code == 200


def test_a_piece_of_another_store_is_not_this_entry(people, as_bob):
    seated = seat(people)
    data = (ROOT / "recordings" / "samples" / "delivery-address-turn-4.json.gz").read_bytes()
    seated.brings_file(data, 4, DANA)
    store = seated.puts("msg-1-0", 1, "x", store="another")

    assert [text for text in marks(as_bob.get(url_of(store)))["msg-1-0"] if text.startswith("served")] == []


def test_no_entry_is_said_so(people, as_bob):
    store = seat(people).puts("a", 1, "x")
    store.entries.all().delete()

    assert "Nothing is remembered here now" in words(as_bob.get(url_of(store)))
