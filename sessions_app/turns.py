"""
Which turn comes next in a conversation.

The rule: the host's own number or the highest live stored turn plus one, whichever is higher. It only reads; what
makes a number safe from other writers is its reservation.

Source: ``resolveTurnNumber`` of agentfootprint. Two differences, both on purpose: integers are exact here, so a turn
above 2**53 still has a next one, and a cursor of None is the end.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Final, Protocol, TypeAlias

from sessions_app.identity import MemoryIdentity

#: As the framework writes it: ``{id, value, version, ttl?, source?: {turn?, …}, …}``.
MemoryEntry: TypeAlias = Mapping[str, Any]

PAGE_SIZE: Final = 1000
#: A store whose cursor never ends is read this far.
MAX_PAGES: Final = 100

_SNAPSHOT_ID: Final = re.compile(r"snap-([0-9]+)")


class MemoryPage(Protocol):
    """Some of the entries of a conversation, and where the next ones start: None when there are no more."""

    @property
    def entries(self) -> Sequence[MemoryEntry]: ...

    @property
    def cursor(self) -> str | None: ...


class MemoryStore(Protocol):
    """What the turn rule needs of a store."""

    def list(self, identity: MemoryIdentity, *, cursor: str | None = None, limit: int) -> MemoryPage:
        """Return the live entries of *identity* from *cursor* on, at most *limit*; expired ones are left out."""


def is_expired(entry: MemoryEntry, now_ms: float) -> bool:
    """Tell whether the entry's ``ttl``, an absolute time in Unix milliseconds, has come: 0 has, None never does."""
    ttl = entry.get("ttl")
    return isinstance(ttl, int | float) and not isinstance(ttl, bool) and ttl <= now_ms


def normalize_host_turn(value: object) -> int:
    """Return the turn that a host means by *value*, rounded down: 1 for anything below, and for what is no number."""
    return max(1, _whole(value))


def stored_turn(entry: MemoryEntry) -> int:
    """Return the turn in the entry's ``source``, rounded down; 0 when it has none. What its id says does not count."""
    source = entry.get("source")
    return max(0, _whole(source.get("turn"))) if isinstance(source, Mapping) else 0


def snapshot_turn(entry: MemoryEntry) -> int:
    """Return the 7 of an entry whose id is ``snap-7``, in ASCII digits; 0 for any other id."""
    match = _SNAPSHOT_ID.fullmatch(str(entry.get("id")))
    # Python refuses to read thousands of digits; what no double holds is no turn either.
    return int(match[1].lstrip("0") or 0) if match and math.isfinite(float(match[1])) else 0


def max_stored_turn(
    store: MemoryStore, identity: MemoryIdentity, *, turn_for: Callable[[MemoryEntry], int] | None = None
) -> int:
    """
    Return the highest turn among the live entries of *identity*; 0 when there is none.

    Args:
        store: Read page by page, at most `MAX_PAGES` of `PAGE_SIZE` entries. A cursor that stands still ends it.
        identity: The conversation.
        turn_for: Gives the turn of an entry in place of its ``source``; 0 does not count. See `snapshot_turn`.

    Raises:
        Exception: Whatever the store raises: a turn guessed without it could be one that is taken.
    """
    turn_of = turn_for or stored_turn
    highest = 0
    cursor: str | None = None
    for _ in range(MAX_PAGES):
        page = store.list(identity, cursor=cursor, limit=PAGE_SIZE)
        highest = max([highest, *map(turn_of, page.entries)])
        if page.cursor is None or page.cursor == cursor:
            break
        cursor = page.cursor
    return highest


def resolve_turn_number(stores: Iterable[MemoryStore], identity: MemoryIdentity, host_turn: object = None) -> int:
    """
    Return the next turn of the conversation: 1 or more, and above every turn that a live entry has.

    Args:
        stores: Read one after the other; an object that is given twice is read once, however stores compare.
        identity: The conversation.
        host_turn: The host's own number, of any type: what is no number counts as 1.

    Raises:
        Exception: Whatever a store raises.
    """
    distinct = {id(store): store for store in stores}.values()
    stored = max((max_stored_turn(store, identity) for store in distinct), default=0)
    return max(normalize_host_turn(host_turn), stored + 1)


def _whole(value: object) -> int:
    """Return a number rounded down; 0 for what is no number, is not finite, or is too large for a double."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return 0
    try:
        return math.floor(value) if math.isfinite(value) else 0
    except OverflowError:
        # An integer that JavaScript would have read as infinite.
        return 0
