"""Somebody else takes the seat of an agent that goes on as if nothing had happened."""

from typing import Any, NamedTuple

import pytest

from tests.framework.agents import Agent

IDENTITY = {"tenant": "petal", "principal": "omar@example.org", "conversationId": "chat-90"}
ADDRESS = "12 Orchard Row, Leith"


class Seats(NamedTuple):
    """Two agents of one session and one conversation, and what the first had stored when the second came."""

    first: Agent
    second: Agent
    stored: list[dict[str, Any]]


@pytest.fixture(scope="module")
def seats(service) -> Seats:
    """The first takes a turn, the second is seated, and then both take one."""
    first = Agent(service.seated("stall-9"), "stall-9", IDENTITY)
    first.turn(f"Send them to {ADDRESS}.", "I will.")
    stored = first.stored()
    second = Agent(service.seated("stall-9"), "stall-9", IDENTITY)
    first.turn("And a card, please.", "With pleasure.")
    second.turn("Where do my flowers go?", f"They go to {ADDRESS}.")
    return Seats(first, second, stored)


def test_a_late_write_of_the_former_occupant_ends_its_run_and_changes_nothing(seats):
    """The store throws, and the run with it: the turn that it had found in its own memory is not written."""
    late = seats.first.turns[1]

    assert (late["turn"], late["error"]) == (2, "stale_incarnation")
    assert len(seats.stored) == 2
    assert seats.first.stored() == seats.stored


def test_the_recording_of_that_run_is_kept_as_a_late_one(seats):
    recording = seats.first.turns[1]["recording"]

    assert (recording["status"], recording["late"], recording["turn"]) == ("ready", True, 2)
    assert (recording["incarnation"]["number"], recording["incarnation"]["state"]) == (1, "closed")


def test_that_run_failed_and_is_nobodys_writer(seats):
    """It answered, and the store refused the turn: what it meant to write is not what stands there."""
    recording = seats.first.service.ask(f"recordings/{seats.first.turns[1]['recording']['id']}/")

    assert (recording["outcome"], recording["answer"]) == ("failed", "With pleasure.")
    assert "closed" in recording["outcome_reason"]


def test_the_next_occupant_starts_at_turn_one_and_remembers_nothing(seats):
    told = seats.second.turns[0]

    assert told["turn"] == 1
    assert "error" not in told
    assert ADDRESS not in told["request"]["systemPrompt"]
    assert [entry["id"] for entry in seats.second.stored()] == ["msg-1-0", "msg-1-1"]
    assert not [piece for piece in seats.second.served(1)["pieces"] if piece["source"] == "memory"]


def test_what_the_next_occupant_says_is_not_traced_into_the_memory_of_the_former(seats):
    """The phrase stands in the other's memory, and nothing that this model was served holds it."""
    recording = seats.second.turns[0]["recording"]["id"]

    trail = seats.second.service.ask(f"recordings/{recording}/trail/", phrase=ADDRESS)

    assert (trail["answer"], trail["candidates"]) == ("not_found", [])


def test_one_conversation_id_is_two_conversations(seats):
    first, second = seats.first.conversation(), seats.second.conversation()

    assert first["namespace"] == second["namespace"] == "petal/omar@example.org/chat-90"
    assert [(row["session_id"], row["number"], row["entries"]) for row in (first, second)] == [
        ("stall-9", 1, 2),
        ("stall-9", 2, 2),
    ]
    assert first["id"] != second["id"]
