"""What is kept of memory, and of whom."""

import pytest
from django.db import IntegrityError, transaction

from sessions_app.models import Conversation, Incident, MemoryEntry, MemoryEntryVersion
from sessions_app.services.errors import StaleIncarnationError, UnknownAncestorError, UnknownIncarnationError
from sessions_app.services.memory import memory_delete, memory_forget, memory_put
from sessions_app.services.recalling import memory_get, memory_list
from sessions_app.services.sessions import incarnation_close, incarnation_of_token, incarnation_open, session_delete
from sessions_app.services.stores import Place
from sessions_app.services.turns import turn_reserve
from sessions_app.services.writing import Identity, Writer
from tests.sessions.material import ODD_IDS, draft

PLACE = Place(Identity("chat-501", "dana", "brew"))


def occupant(workspace, session_id="desk-7", **fields):
    incarnation, _ = incarnation_open(workspace=workspace, session_id=session_id, actor="tests", **fields)
    return Writer(workspace, incarnation, "tests")


def test_an_overwritten_entry_is_kept_with_its_writer(workspace):
    first, second = Writer(workspace, None, "first"), Writer(workspace, None, "second")
    memory_put(writer=first, place=PLACE, drafts=[draft("fact:address", 1, "12 Mill Lane")])
    memory_put(writer=second, place=PLACE, drafts=[draft("fact:address", 3, "4 High Street")])

    row = MemoryEntry.objects.get()
    version = row.versions.get()

    assert (row.written_by, row.stored_turn, row.n_overwritten) == ("second", 3, 1)
    assert (version.written_by, version.stored_turn, version.number) == ("first", 1, 1)
    assert "12 Mill Lane" in version.body


def test_the_same_json_again_overwrites_nothing(workspace):
    for _ in range(2):
        memory_put(writer=Writer(workspace, None, "tests"), place=PLACE, drafts=[draft()])

    assert MemoryEntryVersion.objects.count() == 0


def test_of_two_entries_with_one_id_in_one_request_the_last_stands(workspace):
    writer = Writer(workspace, None, "tests")
    memory_put(writer=writer, place=PLACE, drafts=[draft(content="one"), draft("b"), draft(content="two")])

    row = MemoryEntry.objects.get(entry_id="msg-1-0")
    assert "two" in row.body
    assert "one" in row.versions.get().body


@pytest.mark.parametrize("odd", ODD_IDS)
def test_ids_come_out_as_they_went_in(workspace, odd):
    writer = Writer(workspace, None, "tests")
    place = Place(Identity(odd, odd, odd), store=odd)
    memory_put(writer=writer, place=place, drafts=[draft(odd)])
    turn_reserve(writer=writer, identity=place.identity, run_id=odd)
    incarnation, _ = incarnation_open(workspace=workspace, session_id=odd, actor="tests")

    conversation = Conversation.objects.get()
    row = MemoryEntry.objects.get()
    incarnation.session.refresh_from_db()

    assert (conversation.tenant, conversation.principal, conversation.conversation_id) == (odd, odd, odd)
    assert (row.entry_id, row.store.name, conversation.turns.get().run_id) == (odd, odd, odd)
    assert incarnation.session.session_id == odd


def test_ids_that_only_look_alike_are_different(workspace):
    writer = Writer(workspace, None, "tests")
    for odd in ODD_IDS:
        memory_put(writer=writer, place=PLACE, drafts=[draft(odd)])
        incarnation_open(workspace=workspace, session_id=odd, actor="tests")

    assert MemoryEntry.objects.count() == workspace.sessions.count() == len(ODD_IDS)


def test_the_next_occupant_finds_nothing_of_the_one_before(workspace):
    first = occupant(workspace)
    memory_put(writer=first, place=PLACE, drafts=[draft()])
    second, unknown = occupant(workspace), Writer(workspace, None, "tests")

    listed = [
        memory_list(writer=writer, place=PLACE, cursor=None, limit=10, tiers=None).entries
        for writer in (first, second, unknown)
    ]

    assert [len(entries) for entries in listed] == [1, 0, 0]
    assert turn_reserve(writer=second, identity=PLACE.identity).turn == 1


def test_a_closed_occupant_changes_nothing(workspace):
    """Whatever it tries, it is told, and one incident says so, however often."""
    first = occupant(workspace)
    memory_put(writer=first, place=PLACE, drafts=[draft()])
    before = MemoryEntry.objects.values().get()
    second = occupant(workspace)

    for attempt in (
        lambda: memory_put(writer=first, place=PLACE, drafts=[draft(content="late")]),
        lambda: memory_delete(writer=first, place=PLACE, entry_id="msg-1-0"),
        lambda: memory_forget(writer=first, place=PLACE),
        lambda: turn_reserve(writer=first, identity=PLACE.identity),
        lambda: memory_put(writer=first, place=Place(Identity("new")), drafts=[draft()]),
    ):
        with pytest.raises(StaleIncarnationError):
            attempt()
    memory_get(writer=Writer(workspace, refreshed(first), "a"), place=PLACE, entry_id="msg-1-0", is_counted=True)

    assert MemoryEntry.objects.values().get() == before
    assert Conversation.objects.count() == 1
    incidents = {incident.kind: incident.n_times for incident in first.incarnation.incidents.all()}
    assert incidents == {Incident.Kind.STALE_WRITE: 5, Incident.Kind.TAKEOVER: 1}
    assert not second.incarnation.incidents.exists()


def refreshed(writer):
    writer.incarnation.refresh_from_db()
    return writer.incarnation


def test_a_seat_has_one_occupant_at_a_time(workspace):
    first, second = occupant(workspace).incarnation, occupant(workspace).incarnation
    first.refresh_from_db()

    assert (first.is_open, second.is_open) == (False, True)
    assert (first.number, second.number) == (1, 2)
    with pytest.raises(StaleIncarnationError):
        incarnation_close(incarnation=first, reason="again", actor="tests")
    with pytest.raises(IntegrityError), transaction.atomic():
        type(first).objects.filter(pk=first.pk).update(closed_at=None)


def test_a_token_is_nowhere_but_in_its_answer(workspace):
    incarnation, token = incarnation_open(workspace=workspace, session_id="desk-7", actor="tests")

    assert len(token) >= 43
    assert incarnation_of_token(workspace=workspace, token=token) == incarnation
    incarnation.refresh_from_db()
    assert token not in str(vars(incarnation))
    with pytest.raises(UnknownIncarnationError):
        incarnation_of_token(workspace=workspace, token=token[:-1])


def test_a_token_of_another_workspace_is_unknown(people):
    _, token = incarnation_open(workspace=people.elsewhere, session_id="desk-7", actor="tests")

    with pytest.raises(UnknownIncarnationError):
        incarnation_of_token(workspace=people.workspace, token=token)


def test_lineage_names_the_occupants_at_the_fork(people):
    workspace = people.workspace
    grandparent = occupant(workspace, "a").incarnation
    parent = occupant(workspace, "b", forked_from=grandparent).incarnation
    child = occupant(workspace, "c", forked_from=parent).incarnation
    occupant(workspace, "a")

    assert [(link.session_id, link.ancestor) for link in child.lineage.all()] == [("b", parent), ("a", grandparent)]
    with pytest.raises(UnknownAncestorError):
        occupant(people.elsewhere, "d", forked_from=child)


def test_deleting_a_session_takes_all_of_it_and_nothing_else(workspace):
    memory_put(writer=occupant(workspace), place=PLACE, drafts=[draft(), draft(content="two")])
    kept = occupant(workspace, "desk-9")
    memory_put(writer=kept, place=PLACE, drafts=[draft()])

    gone = session_delete(session=workspace.sessions.get(session_id="desk-7"), actor="tests")

    assert (gone["MemoryEntry"], gone["MemoryEntryVersion"], gone["Incarnation"]) == (1, 1, 1)
    assert Conversation.objects.get().incarnation == kept.incarnation


def test_an_expired_entry_is_not_there(workspace):
    writer = Writer(workspace, None, "tests")
    entries = [draft("a", ttl=0), draft("b", ttl=None), draft("c", ttl=9e15), draft("d", ttl="0")]
    memory_put(writer=writer, place=PLACE, drafts=entries)

    assert memory_get(writer=writer, place=PLACE, entry_id="a", is_counted=True) is None
    assert len(memory_list(writer=writer, place=PLACE, cursor=None, limit=10, tiers=None).entries) == 3
