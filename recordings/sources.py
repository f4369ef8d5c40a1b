"""Where a piece came from: how each source looks, in the order in which they are stacked and listed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, NamedTuple

import msgspec


class Look(NamedTuple):
    """How a source looks; its colour is only a second channel."""

    letter: str
    #: The class that sets its colour.
    css: str
    word: str


LOOKS: Final = {
    "base": Look("S", "src-s", "system"),
    "steering": Look("I", "src-i", "steering"),
    "instructions": Look("I", "src-i", "instructions"),
    "skill": Look("K", "src-k", "skill"),
    "fact": Look("F", "src-f", "fact"),
    "rag": Look("R", "src-r", "retrieval"),
    "memory": Look("M", "src-m", "memory"),
    # A tool that is offered is the outline of T.
    "registry": Look("T", "src-t", "tool offered"),
    "tool-result": Look("T", "src-t", "tool result"),
    "user": Look("U", "src-u", "user"),
    "assistant": Look("A", "src-a", "assistant"),
    "custom": Look("C", "src-c", "custom"),
    "unknown": Look("?", "src-x", "origin not recorded"),
}
#: The letter of each source in the column that lists are filtered by, where one letter is one source.
LETTERS: Final = {source: look.letter for source, look in LOOKS.items()} | {"registry": "O"}


def look_of(source: object) -> Look:
    """Return how *source* looks; a source that is not known, or none, looks unknown."""
    return LOOKS.get(source, LOOKS["unknown"]) if isinstance(source, str) else LOOKS["unknown"]


class Share(msgspec.Struct, frozen=True):
    """How much of a context came from one source."""

    source: str
    n_chars: int
    percent: float


def known_sources(by_source: Mapping[str, int]) -> dict[str, int]:
    """Return *by_source* with every source that we have no look for under ``unknown``."""
    known: dict[str, int] = {}
    for source, n_chars in by_source.items():
        name = source if source in LOOKS else "unknown"
        known[name] = known.get(name, 0) + n_chars
    return known


def mix_of(by_source: Mapping[str, int]) -> list[Share]:
    """Return the shares of *by_source*, the largest first."""
    total, known = sum(by_source.values()), known_sources(by_source)
    shares = [Share(source, known[source], known[source] / total * 100) for source in LOOKS if known.get(source)]
    return sorted(shares, key=lambda share: -share.n_chars)
