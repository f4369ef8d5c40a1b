"""Finding a store and what is in it."""

from __future__ import annotations

from dataclasses import dataclass

from footprint_site.fields import text_key
from sessions_app.models import MemoryEntry, MemoryStore
from sessions_app.services.writing import Identity, Writer, conversation_find, conversation_hold

DEFAULT_STORE = "default"


@dataclass(frozen=True)
class Place:
    """A named store of a conversation."""

    identity: Identity
    store: str = DEFAULT_STORE


def store_find(writer: Writer, place: Place, *, is_held: bool = False) -> MemoryStore | None:
    """
    Return the writer's own store at *place*, None when nothing was ever put there.

    Args:
        writer: Who asks.
        place: Which store.
        is_held: Whether to lock its conversation until the transaction ends.
    """
    conversation = conversation_find(writer, place.identity, is_held=is_held)
    if conversation is None:
        return None
    rows = conversation.stores.filter(workspace=writer.workspace, name_key=text_key(place.store))
    return next(iter(rows), None)


def store_hold(writer: Writer, place: Place) -> MemoryStore:
    """Return the store, made if need be; its conversation is locked until the transaction ends."""
    conversation = conversation_hold(writer, place.identity)
    store, _ = MemoryStore.objects.get_or_create(
        workspace=writer.workspace,
        conversation=conversation,
        name_key=text_key(place.store),
        defaults={"name": place.store},
    )
    return store


def entry_of(store: MemoryStore, entry_id: str, *, is_live: bool = True) -> MemoryEntry | None:
    """Return the entry under *entry_id*; None for one that has expired, unless those are asked for."""
    rows = store.entries.filter(workspace=store.workspace_id, entry_key=text_key(entry_id))
    # There is one at most. In an order, PostgreSQL may walk along it instead of using the index that finds it.
    return next(iter((rows.live() if is_live else rows).order_by()), None)
