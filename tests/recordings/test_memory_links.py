"""Recordings, and the entries that they wrote and were served: what is linked, and what stays unmatched."""

from __future__ import annotations

import re

import pytest
from django.core.management import call_command

from recordings.models import MemoryLink, Recording
from recordings.services.memorylinks import MAX_OF_STAGE
from sessions_app.models import Conversation, MemoryEntry, MemoryStore
from sessions_app.services.writing import Identity
from tests.corpus import needs_corpus, read_bytes, recording_files
from tests.recordings.remembering import STORES, story, wrote
from tests.recordings.seating import panel, seat, words
from tests.sessions.material import ODD_IDS
from tests.timetravel.build import user

pytestmark = pytest.mark.django_db


def page_of(client, store: MemoryStore, entry_id: str | None = None):
    entries = {entry.entry_id: entry for entry in store.entries.all()}
    query = f"?entry={entries[entry_id].pk}" if entry_id is not None else ""
    return client.get(f"/conversations/{store.conversation.public_id}/memory/{store.pk}/{query}")


def links(**more) -> list[tuple]:
    found = MemoryLink.objects.filter(**more).order_by("recording__turn", "order")
    return [(link.recording.turn, link.kind, link.store, link.entry_id, link.turn) for link in found]


@needs_corpus
@pytest.mark.parametrize("name", STORES)
def test_every_entry_of_a_real_conversation_has_the_recording_that_wrote_it(name, people, as_bob):
    recordings = {recording.turn: recording for recording in story(seat(people), name)}

    for entry in MemoryEntry.objects.select_related("store__conversation"):
        whole = panel(page_of(as_bob, entry.store, entry.entry_id), "entry-title")

        assert f"recording {str(recordings[entry.stored_turn].public_id)[:8]} at" in whole
        assert "unmatched" not in whole


@needs_corpus
@pytest.mark.parametrize("name", STORES)
def test_every_entry_that_was_served_with_an_id_is_one_of_the_store(name, people):
    story(seat(people), name)
    stored = {(entry.store.name, entry.entry_id) for entry in MemoryEntry.objects.select_related("store")}

    served = {(link.store, link.entry_id) for link in MemoryLink.objects.filter(kind="served").exclude(entry_id=None)}

    assert served <= stored
    assert bool(served) == (name != "grouped-causal")


@needs_corpus
def test_an_entry_counts_the_calls_that_were_served_it_in_every_turn(people, as_bob):
    recordings = story(seat(people), "flat-memory")
    n_calls = sum(recording.n_epochs for recording in recordings[1:])

    page = page_of(as_bob, MemoryStore.objects.get(), "msg-1-0")

    assert f"served{n_calls} calls, in turn 2, turn 3, turn 4" in panel(page, "entry-title")


@needs_corpus
def test_another_form_of_a_run_adds_no_calls(people, as_bob):
    seated = seat(people)
    story(seated, "flat-memory")
    store = MemoryStore.objects.get()
    before = panel(page_of(as_bob, store, "msg-1-0"), "entry-title")
    identity = Identity("chat-501", principal="dana@example.org", tenant="brew")
    for turn in (1, 2, 3, 4):
        data = read_bytes(recording_files()[f"flat-memory-turn{turn}"])
        assert seated.brings_file(b" " + data, turn, identity).relation == "same_run"

    after = panel(page_of(as_bob, store, "msg-1-0"), "entry-title")

    assert re.search("served[0-9]+ calls", before)[0] in after


@needs_corpus
def test_entries_that_were_served_without_their_ids_are_not_called_missing(people, as_bob):
    story(seat(people), "grouped-causal")

    page = page_of(as_bob, MemoryStore.objects.get(), "snap-1")

    assert "2 recordings were served this memory without the ids of its entries on record" in words(page)
    assert "in no recording by its id" in panel(page, "entry-title")
    assert "unstored-title" not in page.content.decode()


def test_what_nobody_has_read_yet_is_not_accused(people, as_bob):
    seated = seat(people)
    run = wrote(seated, [user("hello")])
    store = seated.puts("msg-2-0", 2, "hello")
    MemoryLink.objects.all().delete()
    Recording.objects.update(status=Recording.Status.RECEIVED)

    page = page_of(as_bob, store)

    assert "1 recording of this conversation is not indexed" in words(page)
    assert "does not say that it wrote it" not in words(page)
    assert str(run.public_id)[:8] not in panel(page, "entry-title")


@needs_corpus
def test_a_summary_was_written_by_the_run_that_made_it_and_not_in_the_turn_that_it_ends_with(people, as_bob):
    identity = Identity("chat-603")
    seated = seat(people)
    run = seated.brings_file(read_bytes(recording_files()["flat-summarize-turn7"]), 7, identity)
    store = seated.puts("msg-summary-1-4", 4, "x", store="long-chat", identity=identity)

    whole = panel(page_of(as_bob, store, "msg-summary-1-4"), "entry-title")

    assert f"recording {str(run.public_id)[:8]} at sf-memory-read-long-chat/summarize#3" in whole
    screen = words(as_bob.get(run.get_absolute_url()))
    assert "Memory was summarised" in screen
    assert "Memory wrote 2 entries" in screen


@needs_corpus
def test_building_the_index_again_gives_the_same_links(people):
    story(seat(people), "flat-beats")
    fields = ("recording", "order", "kind", "store", "entry_id", "turn", "position", "n_calls", "place", "texts")
    before = list(MemoryLink.objects.order_by("recording", "order").values_list(*fields))

    call_command("rebuild")

    assert list(MemoryLink.objects.order_by("recording", "order").values_list(*fields)) == before
    assert before


def test_the_screen_says_what_was_written_and_leads_to_it(people, as_bob):
    seated = seat(people)
    run = wrote(seated, [user("hello"), {"role": "assistant", "content": "hi"}])
    before = as_bob.get(run.get_absolute_url())
    assert "Memory wrote 2 entries" in words(before)
    assert "msg-2-0, msg-2-1, in the memory chat" in words(before)

    seated.puts("msg-2-1", 2, "hi")
    way = f"{run.get_absolute_url()}memory/?store=chat&entry=msg-2-1"

    assert way.replace("&", "&amp;") in before.content.decode()
    assert f"recording {str(run.public_id)[:8]} at" in panel(as_bob.get(way, follow=True), "entry-title")


def test_a_write_of_very_many_entries_is_told_with_their_true_number(people, as_bob):
    run = wrote(seat(people), [user(f"message {number}") for number in range(6_000)])

    assert MemoryLink.objects.count() == MAX_OF_STAGE
    screen = words(as_bob.get(run.get_absolute_url()))
    assert "Memory wrote 6,000 entries" in screen
    assert "msg-2-11, the first of 6,000, in the memory chat" in screen


def test_what_was_written_and_taken_out_is_said_and_not_made_up(people, as_bob):
    run = wrote(seat(people), "REDACTED")

    assert links() == [(2, "written", "chat", None, 2)]
    assert "what it wrote is not recorded" in words(as_bob.get(run.get_absolute_url()))


def test_a_recording_of_the_turn_that_does_not_say_it_wrote_the_entry_is_not_taken_for_its_writer(people, as_bob):
    seated = seat(people)
    run = seated.brings("hello", 2)
    store = seated.puts("msg-2-0", 2, "hello")

    whole = panel(page_of(as_bob, store), "entry-title")

    assert f"unmatched: recording {str(run.public_id)[:8]} is of this turn and does not say that it wrote it" in whole


def test_entries_that_recordings_name_and_nobody_stored_are_unmatched(people, as_bob):
    seated = seat(people)
    wrote(seated, [user("hello"), user("again")])
    wrote(seated, "REDACTED")
    wrote(seated, [user("elsewhere")], memory_id="another")
    store = seated.puts("msg-2-0", 2, "hello")

    found = panel(page_of(as_bob, store), "unstored-title")

    assert "name entries of this memory that are not stored here" in found
    assert "msg-2-1 written by 1 recording" in found
    assert "an id that is not recorded written by 1 recording" in found
    assert "msg-2-0 " not in found
    talk = words(as_bob.get(seated.thread_url()))
    assert "recordings name the memory another, of which nothing is stored here" in talk


def test_what_another_occupant_recorded_is_nobody_elses(people, as_bob):
    first, second = seat(people), seat(people)
    wrote(first, [user("hello"), user("again")])
    store = second.puts("msg-2-0", 2, "hello")

    page = page_of(as_bob, store)

    assert "no recording: unmatched" in panel(page, "entry-title")
    assert "unstored-title" not in page.content.decode()


@pytest.mark.parametrize("turn", [2**63, 10**400, 1e300, -1, 0, 2.5, "2", None, True, [2]])
def test_no_turn_breaks_the_index(turn, people, as_bob):
    run = wrote(seat(people), [user("hello")], turn)

    assert run.status == Recording.Status.READY
    assert [link[4] for link in links()] == [None]
    assert as_bob.get(run.get_absolute_url()).status_code == 200


@pytest.mark.parametrize("odd", ODD_IDS)
def test_any_memory_id_is_linked_exactly(odd, people, as_bob):
    seated = seat(people)
    # What stands in front of a slash is a mount of its own, as in every id of a stage.
    name = odd.replace("/", "∕").replace("#", "♯")[:900]
    run = wrote(seated, [user("hello")], memory_id=name)
    seated.puts("msg-2-0", 2, "hello", store=name)

    (link,) = MemoryLink.objects.all()
    assert link.store == name
    assert as_bob.get(run.get_absolute_url()).status_code == 200
    entry = MemoryEntry.objects.select_related("store__conversation").get()
    assert f"recording {str(run.public_id)[:8]} at" in panel(page_of(as_bob, entry.store), "entry-title")


def test_deleting_a_recording_takes_its_links(people):
    run = wrote(seat(people), [user("hello")])
    assert Conversation.objects.exists()

    run.delete()

    assert not MemoryLink.objects.exists()
