"""Stores in memory that list as the framework's does, and stores that do not."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from sessions_app.identity import identity_namespace
from sessions_app.turns import is_expired

IDENTITY = {"tenant": "brew", "principal": "dana", "conversationId": "c1"}
NOW_MS = 1_796_044_418_780


@dataclass
class Page:
    entries: list[dict[str, Any]]
    cursor: str | None = None


@dataclass
class ListStore:
    """
    The entries of one identity in pages of at most *page_cap*; its cursors are offsets.

    *calls* are the limits and cursors that it was asked with. From the page *fails_at* on, counted from 1, it fails.
    """

    entries: list[dict[str, Any]] = field(default_factory=list)
    identity: dict[str, Any] = field(default_factory=lambda: IDENTITY)
    page_cap: int = 1000
    fails_at: int | None = None
    calls: list[dict[str, Any]] = field(default_factory=list)

    def list(self, identity, *, cursor=None, limit):
        self.calls.append({"limit": limit, "cursor": cursor})
        if self.fails_at is not None and len(self.calls) >= self.fails_at:
            raise ConnectionError("store unreachable")
        if identity_namespace(identity) != identity_namespace(self.identity):
            return Page([])
        live = [entry for entry in self.entries if not is_expired(entry, NOW_MS)]
        start = int(cursor or 0)
        end = start + min(limit, self.page_cap)
        return Page(live[start:end], str(end) if end < len(live) else None)


@dataclass
class PageStore:
    """A store that gives these pages in turn, whatever it is asked."""

    pages: Iterator[Page]
    calls: list[dict[str, Any]] = field(default_factory=list)

    def list(self, identity, *, cursor=None, limit):
        self.calls.append({"limit": limit, "cursor": cursor})
        return next(self.pages)


def turn_entry(turn, **fields):
    """The user's message of *turn*, as the framework stores it."""
    return {"id": f"msg-{turn}-0", "version": 1, "source": {"turn": turn}, **fields}
