"""Reading memory, and the two small things that stand beside entries: signatures and feedback."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Final

from django.db.models import F

from footprint_site.fields import text_key
from sessions_app.models import MemoryEntry, MemoryFeedback, MemorySignature
from sessions_app.models.memory import now_ms
from sessions_app.rawjson import read_value, with_members
from sessions_app.services.entries import is_number
from sessions_app.services.stores import Place, entry_of, store_find, store_hold
from sessions_app.services.writing import Writer, fenced

DEFAULT_LIMIT: Final = 100
MAX_LIMIT: Final = 1000
#: A page ends early, and its cursor goes on, when its entries are longer than this together.
MAX_PAGE_CHARS: Final = 16 * 1024 * 1024
_CURSOR: Final = re.compile(r"[0-9]{1,15}")


@dataclass(frozen=True)
class Page:
    """Some entries, each as its JSON, and where the next ones start: None when there are no more."""

    entries: list[str]
    cursor: str | None


def memory_get(*, writer: Writer, place: Place, entry_id: str, is_counted: bool) -> str | None:
    """
    Return the JSON of the live entry under *entry_id*, None when there is none.

    Args:
        writer: Who asks.
        place: Which store.
        entry_id: Which entry.
        is_counted: Whether it counts as an access, as it does in the framework's own store. It never does for an
            occupant who is closed.
    """
    store = store_find(writer, place)
    row = entry_of(store, entry_id) if store else None
    if row is None:
        return None
    if is_counted and (writer.incarnation is None or writer.incarnation.is_open):
        accessed_at_ms = now_ms()
        MemoryEntry.objects.filter(pk=row.pk).update(n_accesses=F("n_accesses") + 1, accessed_at_ms=accessed_at_ms)
        row.n_accesses, row.accessed_at_ms = row.n_accesses + 1, accessed_at_ms
    return body_of(row)


def memory_list(*, writer: Writer, place: Place, cursor: str | None, limit: int, tiers: Sequence[str] | None) -> Page:
    """
    Return live entries, those updated last first.

    Args:
        writer: Who asks.
        place: Which store.
        cursor: A decimal offset; anything else starts at the first entry.
        limit: 0 or more; at most `MAX_LIMIT` are returned whatever it is.
        tiers: Only entries that have one of these; None for all.
    """
    offset = int(cursor) if cursor is not None and _CURSOR.fullmatch(cursor) else 0
    limit = min(limit, MAX_LIMIT)
    store = store_find(writer, place)
    if store is None:
        return Page([], None)
    rows = store.entries.filter(workspace=store.workspace_id).live().newest_first()
    if tiers is not None:
        rows = rows.filter(tier_key__in=[text_key(tier) for tier in tiers])
    window = list(rows.values_list("pk", "n_chars")[offset : offset + limit + 1])
    n_entries = min(limit, _n_that_fit([n_chars for _, n_chars in window]))
    found = MemoryEntry.objects.in_bulk([pk for pk, _ in window[:n_entries]])
    # What somebody deleted in between is left out.
    entries = [body_of(found[pk]) for pk, _ in window[:n_entries] if pk in found]
    return Page(entries, str(offset + n_entries) if len(window) > n_entries else None)


def _n_that_fit(lengths: Sequence[int]) -> int:
    """Return how many of the first texts are within `MAX_PAGE_CHARS` together, at least one."""
    fitting = [total for total in accumulate(lengths) if total <= MAX_PAGE_CHARS]
    return max(len(fitting), 1)


def body_of(row: MemoryEntry) -> str:
    """Return the JSON of *row* as it was written, with the accesses since then."""
    body: str = row.body
    if not row.n_accesses:
        return body
    accessed = {"lastAccessedAt": str(row.accessed_at_ms)}
    count = read_value(body).get("accessCount", 0)
    if is_number(count) and math.isfinite(count):
        accessed["accessCount"] = str(count + row.n_accesses)
    return with_members(body, accessed)


def memory_seen(*, writer: Writer, place: Place, signature: str) -> bool:
    """Return whether *signature* was recorded."""
    store = store_find(writer, place)
    return store is not None and store.signatures.filter(signature_key=text_key(signature)).exists()


def memory_record_signature(*, writer: Writer, place: Place, signature: str) -> None:
    """
    Record that *signature* was seen.

    Raises:
        StaleIncarnationError: The writer's occupant is closed.
    """
    with fenced(writer):
        store = store_hold(writer, place)
        MemorySignature.objects.get_or_create(
            workspace=store.workspace,
            store=store,
            signature_key=text_key(signature),
            defaults={"signature": signature},
        )


def memory_feedback(*, writer: Writer, place: Place, entry_id: str, usefulness: float) -> None:
    """
    Add a judgement of the entry under *entry_id*.

    Raises:
        StaleIncarnationError: The writer's occupant is closed.
    """
    with fenced(writer):
        store = store_hold(writer, place)
        row, _ = MemoryFeedback.objects.get_or_create(
            workspace=store.workspace, store=store, entry_key=text_key(entry_id), defaults={"entry_id": entry_id}
        )
        row.total += usefulness
        row.count += 1
        row.save()


def memory_get_feedback(*, writer: Writer, place: Place, entry_id: str) -> tuple[float, int] | None:
    """Return the average of the judgements and how many there were; None for none."""
    store = store_find(writer, place)
    row = store.feedback.filter(entry_key=text_key(entry_id)).first() if store else None
    return None if row is None else (row.total / row.count, row.count)
