"""Which recordings of a conversation say that they wrote an entry of a memory, or were served it."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any, Final

from django.db.models import Count, Exists, Max, OuterRef, Q, QuerySet, Sum

from recordings.models import MemoryLink, Recording
from recordings.reads.pieceview import Links, PlaceView, place_view
from recordings.reads.viewed import Viewed
from sessions_app.models import Conversation, MemoryStore

MAX_UNSTORED: Final = 20


class WrittenIn(Viewed, frozen=True):
    """The newest recording that says that it wrote an entry, and how many do."""

    recording: Recording
    place: PlaceView
    n_recordings: int


class ServedIn(Viewed, frozen=True):
    """The calls of one turn that were served an entry, and the newest of its recordings."""

    turn: int
    n_calls: int
    recording: Recording


class Unstored(Viewed, frozen=True):
    """An entry that recordings name and that is not stored; None where they do not say which."""

    entry_id: str | None
    n_written: int
    n_served: int
    recording: Recording


def writers_of(store: MemoryStore, keys: Collection[str]) -> dict[tuple[str, int], WrittenIn]:
    """Return by entry and turn which recording wrote the entries with *keys*: two queries."""
    links = _links(store).filter(kind=MemoryLink.Kind.WRITTEN, entry_key__in=keys, turn__isnull=False)
    rows = links.values_list("entry_key", "turn").annotate(Max("pk"), Count("recording", distinct=True))
    by_place = {pk: (key, turn, n_rows) for key, turn, pk, n_rows in rows.order_by()}
    found: dict[tuple[str, int], WrittenIn] = {}
    for link in MemoryLink.objects.filter(pk__in=by_place).select_related("recording"):
        key, turn, n_rows = by_place[link.pk]
        found[key, turn] = written_in(link, n_rows)
    return found


def written_in(link: MemoryLink, n_recordings: int = 1) -> WrittenIn:
    """Return *link*, which is to what was written, with the page of the commit that wrote it."""
    return WrittenIn(
        link.recording, place_view("written", link.place, Links(link.recording), link.place["key"]), n_recordings
    )


def served_of(store: MemoryStore, keys: Collection[str], turns: Collection[int]) -> dict[str, list[ServedIn]]:
    """Return by entry in which of *turns* the entries with *keys* were served, in order: two queries."""
    links = _served(store).filter(entry_key__in=keys, recording__turn__in=turns)
    rows = links.values_list("entry_key", "recording__turn").annotate(Sum("n_calls"), Max("recording"))
    counted = list(rows.order_by("recording__turn"))
    recordings = Recording.objects.only("public_id").in_bulk({pk for *_, pk in counted})
    found: dict[str, list[ServedIn]] = {}
    for key, turn, n_calls, pk in counted:
        found.setdefault(key, []).append(ServedIn(turn, n_calls, recordings[pk]))
    return found


def n_calls_served(store: MemoryStore, key: str) -> int:
    """Return how many calls were served the entry with *key*, in all turns."""
    return _served(store).filter(entry_key=key).aggregate(n=Sum("n_calls"))["n"] or 0


def n_served_unnamed(store: MemoryStore) -> int:
    """Return how many recordings were served entries of *store* without an id on record."""
    return _served(store).filter(entry_key="").values("recording").distinct().count()


def unstored_of(store: MemoryStore) -> tuple[list[Unstored], int]:
    """Return the entries of *store* that recordings name and it does not hold, the first, and how many there are."""
    held = store.entries.filter(workspace=store.workspace_id).values("entry_key")
    # What was served without an id may well be stored.
    unnamed = Q(kind=MemoryLink.Kind.SERVED, entry_key="")
    links = _links(store).exclude(unnamed).exclude(entry_key__in=held)
    written, served = Q(kind=MemoryLink.Kind.WRITTEN), Q(kind=MemoryLink.Kind.SERVED)
    rows = (
        links.order_by()
        .values("entry_key")
        .annotate(
            n_written=Count("recording", filter=written, distinct=True),
            n_served=Count("recording", filter=served, distinct=True),
            newest=Max("pk"),
        )
    )
    first = list(rows.order_by("newest")[:MAX_UNSTORED])
    newest = MemoryLink.objects.select_related("recording").in_bulk([row["newest"] for row in first])
    found = [
        Unstored(newest[row["newest"]].entry_id, row["n_written"], row["n_served"], newest[row["newest"]].recording)
        for row in first
    ]
    return found, len(found) if len(found) < MAX_UNSTORED else rows.count()


def unstored_stores_of(conversation: Conversation) -> list[str]:
    """Return the names of the memories that recordings of *conversation* name and that hold nothing here, the first."""
    held = conversation.stores.values("name_key")
    links = MemoryLink.objects.filter(
        recording__thread=conversation, recording__workspace=conversation.workspace_id
    ).exclude(store_key__in=held)
    newest = links.order_by().values("store_key").annotate(newest=Max("pk")).values("newest")
    return list(MemoryLink.objects.filter(pk__in=newest).order_by("pk").values_list("store", flat=True)[:MAX_UNSTORED])


def _served(store: MemoryStore) -> QuerySet[MemoryLink, Any]:
    """Return what was served, once for each run: a revision that goes further tells of all its calls."""
    later = Recording.objects.filter(
        workspace=store.workspace_id,
        thread=store.conversation_id,
        engine_run_key=OuterRef("recording__engine_run_key"),
        revision__gt=OuterRef("recording__revision"),
        status=Recording.Status.READY,
        relation__in=[Recording.Relation.EXTENDS, Recording.Relation.SAME_RUN],
    ).exclude(engine_run_key="")
    return _links(store).filter(~Exists(later), kind=MemoryLink.Kind.SERVED)


def _links(store: MemoryStore) -> QuerySet[MemoryLink, Any]:
    """Return what the recordings of the store's own conversation say of it: they are seen by whoever sees that."""
    return MemoryLink.objects.filter(
        recording__thread=store.conversation_id,
        recording__workspace=store.workspace_id,
        workspace=store.workspace_id,
        store_key=store.name_key,
    )
