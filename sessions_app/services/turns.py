"""Turns that cannot collide."""

from __future__ import annotations

from dataclasses import dataclass

from django.db.models import Max, OuterRef, Subquery

from footprint_site.fields import text_key
from sessions_app.models import Conversation, MemoryEntry, Turn
from sessions_app.models.conversation import MAX_TURN
from sessions_app.services.errors import TurnOutOfRangeError
from sessions_app.services.writing import Identity, Writer, conversation_hold, fenced


@dataclass(frozen=True)
class Reserved:
    """A turn that is the asker's alone."""

    turn: int
    #: Whether the same run was given it before.
    is_replayed: bool


def turn_reserve(
    *, writer: Writer, identity: Identity, host_turn: int | None = None, run_id: str | None = None
) -> Reserved:
    """
    Reserve the next turn of a conversation: by the rule, and above every turn that was ever reserved in it.

    It is committed before it is returned. A number that its taker never uses is not given again.

    Args:
        writer: Who asks.
        identity: The conversation.
        host_turn: The host's own number, 1 or more.
        run_id: A run that asks again is given what it was given before.

    Raises:
        StaleIncarnationError: The writer's occupant is closed.
        TurnOutOfRangeError: The next turn would be above `MAX_TURN`.
    """
    run_key = text_key(run_id) if run_id is not None else ""
    with fenced(writer):
        conversation = conversation_hold(writer, identity)
        known = next(iter(conversation.turns.filter(run_key=run_key).order_by()), None) if run_key else None
        if known is not None:
            return Reserved(known.number, is_replayed=True)
        number = max(host_turn or 1, _highest_live(conversation) + 1, conversation.highest_turn + 1)
        if number > MAX_TURN:
            raise TurnOutOfRangeError(MAX_TURN)
        Turn.objects.create(
            workspace=writer.workspace,
            conversation=conversation,
            number=number,
            run_id=run_id,
            run_key=run_key,
            reserved_by=writer.name[:200],
        )
        Conversation.objects.filter(pk=conversation.pk).update(highest_turn=number)
    return Reserved(number, is_replayed=False)


def _highest_live(conversation: Conversation) -> int:
    # The first one of an index, for each store: a maximum over all entries would read them all.
    live = MemoryEntry.objects.filter(workspace=conversation.workspace_id, store=OuterRef("pk")).live()
    highest = live.order_by("-stored_turn").values("stored_turn")[:1]
    stores = conversation.stores.annotate(highest=Subquery(highest))
    return stores.aggregate(of_all=Max("highest"))["of_all"] or 0
