"""Recordings, and the entries that they wrote and were served: what is linked, and what stays unmatched."""

from __future__ import annotations

import json
import re

import pytest
from django.core.management import call_command

from recordings.models import MemoryLink, Recording
from recordings.services.memorylinks import MAX_OF_STAGE
from sessions_app.models import Conversation, MemoryEntry, MemoryStore
from sessions_app.services.writing import Identity
from tests.corpus import CORPUS, needs_corpus, read_bytes, recording_files
from tests.recordings.seating import DANA, Seat, panel, run_of, seat, words
from tests.sessions.material import ODD_IDS
from tests.timetravel.build import commit, user

pytestmark = pytest.mark.django_db

#: By conversation: the memory of its recordings, and what its dump calls the store.
STORES = {
    "flat-memory": {"chat": "chat"},
    "flat-beats": {"chat": "chat", "beats": "beats"},
    "flat-factmem": {"user-facts": "facts"},
    "grouped-causal": {"causal": "causal"},
}


def story(seated: Seat, name: str) -> list[Recording]:
    """Bring the recordings of a real conversation, and what its stores held in the end."""
    dump = json.loads((CORPUS / "memory" / f"{name}.json").read_text())
    claimed = dump["identity"]
    identity = Identity(claimed["conversationId"], principal=claimed.get("principal"), tenant=claimed.get("tenant"))
    files = [file for file in recording_files() if file.startswith(f"{name}-turn")]
    recordings = [
        seated.brings_file(read_bytes(recording_files()[file]), turn, identity)
        for turn, file in enumerate(sorted(files), 1)
    ]
    for memory_id, label in STORES[name].items():
        for entry in dump["stores"][label]["entries"]:
            seated.puts(entry["id"], entry["source"]["turn"], "x", store=memory_id, identity=identity)
    return recordings


def writes(write_row: dict, messages: list, turn: object, memory_id: str = "chat") -> bytes:
    """A small run that wrote *messages* to its memory at the end."""
    handed_on = commit("x", 0, ("turnNumber", "set", turn), ("newMessages", "set", messages))
    key = f"final/sf-memory-write-{memory_id}#8"
    mount = {"treeContext": {"history": [handed_on | {"runtimeStageId": ""}, write_row], "initialState": {}}}
    return json.dumps(run_of("hello", "hi") | {"subflowResults": {key: mount}}).encode()


WRITE = commit("final/sf-memory-write-chat/write-messages", 9)


def wrote(seated: Seat, messages: list, turn: object = 2, memory_id: str = "chat") -> Recording:
    return seated.brings_file(writes(WRITE, messages, turn, memory_id), 2, DANA)


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


@needs_corpus
def test_a_trail_leads_to_the_commit_that_wrote_the_entry(people, as_bob, sender):
    first, *_, last = story(seat(people), "flat-memory")

    page = as_bob.get(f"{last.get_absolute_url()}?phrase=12 Mill Lane").content.decode()
    trail = sender.page(f"/api/v1/recordings/{last.public_id}/trail/", "?phrase=12 Mill Lane")

    assert "final/sf-memory-write-chat/write-messages#31" in page
    (hop,) = [hop for hop in trail["candidates"][0]["hops"] if hop["kind"] == "memory_entry"]
    assert (hop["memory_entry_id"], hop["inferred"]) == ("msg-1-0", False)
    assert hop["written_in"]["recording"] == str(first.public_id)
    assert hop["written_in"]["runtime_stage_id"] == "final/sf-memory-write-chat/write-messages#31"


@needs_corpus
def test_a_memory_without_ids_is_traced_to_the_one_run_with_its_question_and_answer(people, as_bob, sender):
    first, second, _ = story(seat(people), "grouped-causal")
    phrase = "credit score 580 is below 600"

    page = as_bob.get(f"{second.get_absolute_url()}?phrase={phrase}")
    trail = sender.page(f"/api/v1/recordings/{second.public_id}/trail/", f"?phrase={phrase}")

    hops = [hop for candidate in trail["candidates"] for hop in candidate["hops"] if hop["kind"] == "memory_entry"]
    assert [(hop["memory_entry_id"], hop["inferred"], hop["turn"]) for hop in hops] == [("snap-1", True, 1)]
    assert hops[0]["written_in"]["recording"] == str(first.public_id)
    assert "inferred no id is recorded; it alone has this question and this answer" in words(page)


@needs_corpus
def test_where_two_runs_said_the_same_none_is_inferred(people, sender):
    seated = seat(people)
    first, second, _ = story(seated, "grouped-causal")
    link = first.memory_links.get(entry_id="snap-1")
    twin = seated.brings("another run", 9, Identity("loan-88"))
    MemoryLink.objects.create(
        workspace_id=link.workspace_id,
        recording=twin,
        kind=link.kind,
        order=0,
        store=link.store,
        store_key=link.store_key,
        entry_id=link.entry_id,
        entry_key=link.entry_key,
        place=link.place,
        texts=link.texts,
        turn=1,
        n_of_stage=1,
    )

    trail = sender.page(f"/api/v1/recordings/{second.public_id}/trail/", "?phrase=credit score 580 is below 600")

    assert not [hop for candidate in trail["candidates"] for hop in candidate["hops"] if hop["inferred"]]


@needs_corpus
def test_a_later_turn_and_a_few_letters_are_not_taken_for_the_writer(people, sender):
    """Turn 1 was not brought; a later one said words that stand in the memory by chance."""
    seated = seat(people)
    first, second, _ = story(seated, "grouped-causal")
    link = first.memory_links.get(entry_id="snap-1")
    MemoryLink.objects.filter(pk=link.pk).update(turn=9)

    def inferred() -> list:
        trail = sender.page(f"/api/v1/recordings/{second.public_id}/trail/", "?phrase=credit score 580 is below 600")
        return [hop for candidate in trail["candidates"] for hop in candidate["hops"] if hop["inferred"]]

    assert inferred() == []
    MemoryLink.objects.filter(pk=link.pk).update(turn=1, texts=["is", "re"])
    assert inferred() == []
    MemoryLink.objects.filter(pk=link.pk).update(texts=link.texts)
    assert len(inferred()) == 1
