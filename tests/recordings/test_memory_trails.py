"""From a piece of memory on to the run that wrote it."""

from __future__ import annotations

import pytest

from recordings.models import MemoryLink
from recordings.models.recording import id_key
from sessions_app.services.writing import Identity
from tests.corpus import needs_corpus
from tests.recordings.remembering import story
from tests.recordings.seating import seat, words

pytestmark = [needs_corpus, pytest.mark.django_db]


def test_a_trail_leads_to_the_commit_that_wrote_the_entry(people, as_bob, sender):
    first, *_, last = story(seat(people), "flat-memory")

    page = as_bob.get(f"{last.get_absolute_url()}?phrase=12 Mill Lane").content.decode()
    trail = sender.page(f"/api/v1/recordings/{last.public_id}/trail/", "?phrase=12 Mill Lane")

    assert "final/sf-memory-write-chat/write-messages#31" in page
    (hop,) = [hop for hop in trail["candidates"][0]["hops"] if hop["kind"] == "memory_entry"]
    assert (hop["memory_entry_id"], hop["inferred"]) == ("msg-1-0", False)
    assert hop["written_in"]["recording"] == str(first.public_id)
    assert hop["written_in"]["runtime_stage_id"] == "final/sf-memory-write-chat/write-messages#31"


def test_a_memory_without_ids_is_traced_to_the_one_run_with_its_question_and_answer(people, as_bob, sender):
    first, second, _ = story(seat(people), "grouped-causal")
    phrase = "credit score 580 is below 600"

    page = as_bob.get(f"{second.get_absolute_url()}?phrase={phrase}")
    trail = sender.page(f"/api/v1/recordings/{second.public_id}/trail/", f"?phrase={phrase}")

    hops = [hop for candidate in trail["candidates"] for hop in candidate["hops"] if hop["kind"] == "memory_entry"]
    assert [(hop["memory_entry_id"], hop["inferred"], hop["turn"]) for hop in hops] == [("snap-1", True, 1)]
    assert hops[0]["written_in"]["recording"] == str(first.public_id)
    assert "inferred no id is recorded; it alone has this question and this answer" in words(page)


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


def test_a_fact_that_was_written_in_very_many_turns_hides_no_writer(people, sender):
    """Each step asks for the turn that it leads to."""
    first, *_, last = story(seat(people), "flat-memory")
    link = first.memory_links.get(entry_id="msg-1-0", kind="written")
    MemoryLink.objects.bulk_create(
        MemoryLink(
            workspace_id=link.workspace_id,
            recording=first,
            kind="written",
            order=100 + number,
            store=link.store,
            store_key=link.store_key,
            entry_id="msg-1-0",
            entry_key=id_key("msg-1-0"),
            turn=10 + number,
            place=link.place,
        )
        for number in range(600)
    )

    trail = sender.page(f"/api/v1/recordings/{last.public_id}/trail/", "?phrase=12 Mill Lane")

    (hop,) = [hop for hop in trail["candidates"][0]["hops"] if hop["kind"] == "memory_entry"]
    assert hop["written_in"]["recording"] == str(first.public_id)
