"""An occupant whose time is over writes nothing, however the moments fall."""

import threading
import time
from collections.abc import Callable

import pytest
from django.db import connection

from sessions_app.models import Conversation, Incarnation, MemoryEntry, MemoryEntryVersion
from sessions_app.services.errors import StaleIncarnationError
from sessions_app.services.memory import memory_delete, memory_forget, memory_put
from sessions_app.services.sessions import incarnation_open
from sessions_app.services.stores import Place
from sessions_app.services.turns import turn_reserve
from sessions_app.services.writing import Identity, Writer, conversation_hold, fenced
from tests.people import make_people
from tests.sessions.material import draft

pytestmark = pytest.mark.django_db(transaction=True)
PLACE = Place(Identity("chat-501"))


def at_once(*works: Callable[[], object]) -> None:
    """Do *works*, each in a thread of its own, and raise what any of them raised."""
    raised: list[BaseException] = []

    def run(work: Callable[[], object]) -> None:
        try:
            work()
        except BaseException as error:  # noqa: BLE001  # it is raised again
            raised.append(error)
        finally:
            connection.close()

    threads = [threading.Thread(target=run, args=[work]) for work in works]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if raised:
        raise raised[0]


def seat(workspace):
    return incarnation_open(workspace=workspace, session_id="desk-7", actor="tests")[0]


def test_a_takeover_waits_for_a_write_that_has_begun():
    """What was begun in time is wholly there, and it was there before the seat changed hands."""
    workspace = make_people().workspace
    writer = Writer(workspace, seat(workspace), "tests")
    has_begun, ended = threading.Event(), {}

    def write() -> None:
        with fenced(writer):
            conversation_hold(writer, PLACE.identity)
            has_begun.set()
            time.sleep(0.3)
            ended["write"] = time.monotonic()

    def take_over() -> None:
        has_begun.wait()
        seat(workspace)
        ended["takeover"] = time.monotonic()

    at_once(write, take_over)

    assert ended["write"] < ended["takeover"]
    assert Conversation.objects.get().incarnation.number == 1


def drafts_of(name, number):
    return [draft(f"{name}-{number % 3}", number), draft("shared", number)]


def test_takeovers_and_writes_all_at_once():
    workspace = make_people().workspace
    current = {"writer": Writer(workspace, seat(workspace), "tests")}
    is_over, told = threading.Event(), []

    def write(name: str) -> None:
        number = 0
        while not is_over.is_set():
            number, writer = number + 1, current["writer"]
            try:
                memory_put(writer=writer, place=PLACE, drafts=drafts_of(name, number))
                turn = turn_reserve(writer=writer, identity=PLACE.identity).turn
                if number % 5 == 0:
                    memory_delete(writer=writer, place=PLACE, entry_id="shared")
                if number % 11 == 0:
                    memory_forget(writer=writer, place=PLACE)
            except StaleIncarnationError:
                continue
            told.append((writer.incarnation.pk, turn))

    def take_over() -> None:
        for _ in range(6):
            time.sleep(0.05)
            current["writer"] = Writer(workspace, seat(workspace), "tests")

    def take_over_and_end() -> None:
        take_over()
        time.sleep(0.5)
        is_over.set()

    at_once(*(lambda name=name: write(name) for name in "abcd"), take_over, take_over_and_end)

    occupants = list(Incarnation.objects.order_by("number"))
    assert [occupant.number for occupant in occupants] == list(range(1, 14))
    assert [occupant.is_open for occupant in occupants] == [False] * 12 + [True]
    assert len(told) == len(set(told)) > 0
    for row in [*MemoryEntry.objects.all(), *MemoryEntryVersion.objects.select_related("entry")]:
        entry = row.entry if isinstance(row, MemoryEntryVersion) else row
        closed_at = entry.store.conversation.incarnation.closed_at
        assert closed_at is None or row.written_at <= closed_at


def test_two_takeovers_at_once_have_one_winner():
    workspace = make_people().workspace

    at_once(*[lambda: seat(workspace)] * 8)

    assert list(Incarnation.objects.order_by("number").values_list("number", flat=True)) == list(range(1, 9))
    assert Incarnation.objects.open().get().number == 8
