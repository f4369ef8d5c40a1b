"""The next turn of a conversation, above all that were given."""

import pytest
from django.db import IntegrityError, transaction

from sessions_app.models import Conversation, Turn
from sessions_app.models.conversation import MAX_TURN
from sessions_app.services.errors import TurnOutOfRangeError
from sessions_app.services.memory import memory_forget, memory_put
from sessions_app.services.stores import Place
from sessions_app.services.turns import turn_reserve
from sessions_app.services.writing import Identity, Writer
from tests.corpus import golden, needs_corpus
from tests.sessions.material import draft

CHAT = Identity("chat-501", "dana", "brew")


@pytest.fixture
def writer(workspace):
    return Writer(workspace, None, "tests")


def test_turns_count_on(writer):
    assert [turn_reserve(writer=writer, identity=CHAT).turn for _ in range(3)] == [1, 2, 3]


def test_the_same_run_has_the_same_turn(writer):
    first = turn_reserve(writer=writer, identity=CHAT, run_id="run-1")
    turn_reserve(writer=writer, identity=CHAT, run_id="run-2")
    again = turn_reserve(writer=writer, identity=CHAT, run_id="run-1", host_turn=9)

    assert (first.turn, first.is_replayed) == (1, False)
    assert (again.turn, again.is_replayed) == (1, True)
    assert Turn.objects.count() == 2


def test_the_run_of_another_conversation_is_another(writer):
    turn_reserve(writer=writer, identity=CHAT, run_id="run-1")

    assert not turn_reserve(writer=writer, identity=Identity("chat-502"), run_id="run-1").is_replayed


def test_it_is_above_the_host_and_above_every_live_entry_of_every_store(writer):
    assert turn_reserve(writer=writer, identity=CHAT, host_turn=3).turn == 3
    memory_put(writer=writer, place=Place(CHAT, "facts"), drafts=[draft("a", 7)])
    memory_put(writer=writer, place=Place(CHAT, "chat"), drafts=[draft("b", 5), draft("c", 90, ttl=1)])

    assert turn_reserve(writer=writer, identity=CHAT, host_turn=3).turn == 8


def test_a_number_that_was_freed_is_not_given_again(writer):
    memory_put(writer=writer, place=Place(CHAT), drafts=[draft("a", 7)])
    assert turn_reserve(writer=writer, identity=CHAT).turn == 8
    memory_forget(writer=writer, place=Place(CHAT))

    assert turn_reserve(writer=writer, identity=CHAT).turn == 9


def test_there_is_a_last_turn(writer):
    assert turn_reserve(writer=writer, identity=CHAT, host_turn=MAX_TURN).turn == MAX_TURN
    with pytest.raises(TurnOutOfRangeError):
        turn_reserve(writer=writer, identity=CHAT)

    assert Turn.objects.get().number == MAX_TURN


def test_the_database_refuses_a_turn_twice(writer, workspace):
    turn_reserve(writer=writer, identity=CHAT, run_id="run-1")
    conversation = Conversation.objects.get()
    for clash in ({"number": 1}, {"number": 2, "run_key": Turn.objects.get().run_key}, {"number": 0}):
        with pytest.raises(IntegrityError), transaction.atomic():
            Turn.objects.create(workspace=workspace, conversation=conversation, reserved_by="", **clash)


@needs_corpus
def test_the_namespace_is_the_reference_s(writer):
    for row in golden("turns")["identityNamespace"]:
        if "throws" not in row:
            identity = {name: row["identity"].get(name) for name in ("conversationId", "principal", "tenant")}
            assert Identity(*identity.values()).namespace == row["out"]
