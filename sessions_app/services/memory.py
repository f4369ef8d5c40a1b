"""
Memory, one to one with the framework's store, except that what is overwritten is kept.

Every function is about one named store of one conversation: the writer's own.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Final

from django.utils import timezone

from sessions_app.models import MemoryEntry, MemoryEntryVersion, MemoryStore
from sessions_app.rawjson import read_value
from sessions_app.services.entries import EntryDraft
from sessions_app.services.stores import Place, entry_of, store_find, store_hold
from sessions_app.services.writing import Writer, fenced

_BATCH: Final = 500


def memory_put(*, writer: Writer, place: Place, drafts: Sequence[EntryDraft]) -> None:
    """
    Put *drafts*, all or none, in their order. What they replace is kept with its writer.

    An entry whose JSON is what is there already changes nothing.

    Raises:
        StaleIncarnationError: The writer's occupant is closed.
    """
    with fenced(writer):
        if drafts:
            store = store_hold(writer, place)
            for batch in _batches(drafts):
                _put(store, writer, batch)


def memory_put_if_version(
    *, writer: Writer, place: Place, draft: EntryDraft, expected_version: float
) -> tuple[bool, str | None]:
    """
    Put *draft* if the live entry under its id has *expected_version*; 0 means that there is none.

    Returns:
        Whether it was put; and, when not, the version that is there as it was written, None when nothing is.

    Raises:
        StaleIncarnationError: The writer's occupant is closed.
    """
    with fenced(writer):
        store = store_hold(writer, place)
        row = entry_of(store, draft.entry_id)
        version = read_value(row.body)["version"] if row else 0
        if (row is None) != (expected_version == 0) or version != expected_version:
            return False, None if row is None else _json_number(version)
        _put(store, writer, [draft])
    return True, None


def memory_delete(*, writer: Writer, place: Place, entry_id: str) -> None:
    """
    Delete the entry under *entry_id*, its earlier versions and the feedback on it.

    Raises:
        StaleIncarnationError: The writer's occupant is closed.
    """
    with fenced(writer):
        store = store_find(writer, place, is_held=True)
        if store is None:
            return
        row = entry_of(store, entry_id, is_live=False)
        if row is not None:
            store.feedback.filter(entry_key=row.entry_key).delete()
            row.delete()


def memory_forget(*, writer: Writer, place: Place) -> None:
    """
    Delete everything that the store holds. Turns that were reserved stay reserved.

    Raises:
        StaleIncarnationError: The writer's occupant is closed.
    """
    with fenced(writer):
        store = store_find(writer, place, is_held=True)
        if store is not None:
            MemoryEntryVersion.objects.filter(entry__store=store).delete()
            store.entries.all().delete()
            store.delete()


def _batches(drafts: Iterable[EntryDraft]) -> Iterator[list[EntryDraft]]:
    """Yield *drafts* in order, in batches in which no id stands twice."""
    batch: dict[str, EntryDraft] = {}
    for draft in drafts:
        if draft.entry_key in batch or len(batch) == _BATCH:
            yield list(batch.values())
            batch = {}
        batch[draft.entry_key] = draft
    yield list(batch.values())


def _put(store: MemoryStore, writer: Writer, drafts: Sequence[EntryDraft]) -> None:
    """Put *drafts*, no two of one id, and keep what they overwrite."""
    rows = store.entries.filter(workspace=store.workspace_id, entry_key__in=[draft.entry_key for draft in drafts])
    known = {row.entry_key: row for row in rows.order_by()}
    written = {"written_at": timezone.now(), "written_by": writer.name[:200], "token_sha256": writer.token_sha256}
    added, versions, changed = [], [], []
    for draft in drafts:
        row = known.get(draft.entry_key)
        if row is None:
            where = {"workspace": store.workspace, "store": store, "entry_id": draft.entry_id}
            added.append(MemoryEntry(**where, entry_key=draft.entry_key, **draft.columns(), **written))
            continue
        if row.body != draft.body:
            versions.append(_version(row))
            row.n_overwritten += 1
            _change(row, draft.columns() | written)
        _change(row, {"n_accesses": 0, "accessed_at_ms": None})
        changed.append(row)
    MemoryEntry.objects.bulk_create(added)
    MemoryEntryVersion.objects.bulk_create(versions)
    for row in changed:
        row.save(force_update=True)


def _change(row: MemoryEntry, values: dict[str, Any]) -> None:
    for name, value in values.items():
        setattr(row, name, value)


def _version(row: MemoryEntry) -> MemoryEntryVersion:
    return MemoryEntryVersion(
        workspace=row.workspace,
        entry=row,
        number=row.n_overwritten + 1,
        body=row.body,
        n_chars=row.n_chars,
        stored_turn=row.stored_turn,
        written_at=row.written_at,
        written_by=row.written_by,
        token_sha256=row.token_sha256,
    )


def _json_number(version: float) -> str:
    return str(version) if isinstance(version, int) else repr(version)
