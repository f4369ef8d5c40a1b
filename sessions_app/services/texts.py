"""The JSON of many entries and versions, as far as an answer has room for it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from django.db.models import Prefetch

from sessions_app.models import MemoryEntry, MemoryEntryVersion
from sessions_app.models.memory import MemoryEntryQuerySet
from sessions_app.services.recalling import body_of

#: Of one entry in a list, the newest ones.
MAX_VERSIONS: Final = 20
#: Of all texts in one answer; any one of them alone is shorter.
MAX_CHARS: Final = 8 * 1024 * 1024


def with_versions(rows: MemoryEntryQuerySet) -> MemoryEntryQuerySet:
    """Return *rows* with their newest versions in ``newest_versions``, latest first, and without any JSON."""
    versions = MemoryEntryVersion.objects.defer("body").order_by("entry_id", "-number")[:MAX_VERSIONS]
    newest = Prefetch("versions", versions, to_attr="newest_versions")
    return rows.select_related("store").prefetch_related(newest).defer("body")


def versions_of(entry: MemoryEntry) -> list[MemoryEntryVersion]:
    """Return the newest versions of an entry of `with_versions`."""
    found: list[MemoryEntryVersion] = getattr(entry, "newest_versions", [])
    return found


class Texts:
    """The JSON of entries of `with_versions` and of their versions, in their order until there is no more room."""

    def __init__(self, entries: Sequence[MemoryEntry]) -> None:
        """Read what fits."""
        room = MAX_CHARS
        chosen: list[MemoryEntry | MemoryEntryVersion] = []
        for row in _in_order(entries):
            if row.n_chars <= room:
                chosen.append(row)
                room -= row.n_chars
        self._entries = MemoryEntry.objects.in_bulk([row.pk for row in chosen if isinstance(row, MemoryEntry)])
        versions = [row.pk for row in chosen if isinstance(row, MemoryEntryVersion)]
        self._versions = MemoryEntryVersion.objects.in_bulk(versions)

    def of(self, row: MemoryEntry | MemoryEntryVersion) -> str | None:
        """Return the JSON of *row* as it was sent; None when there was no room for it."""
        if isinstance(row, MemoryEntry):
            return body_of(self._entries[row.pk]) if row.pk in self._entries else None
        return self._versions[row.pk].body if row.pk in self._versions else None


def _in_order(entries: Iterable[MemoryEntry]) -> Iterable[MemoryEntry | MemoryEntryVersion]:
    for entry in entries:
        yield entry
        yield from versions_of(entry)
