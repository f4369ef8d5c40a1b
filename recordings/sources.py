"""Where a piece came from: the sources in the order in which they are stacked and listed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import msgspec

#: The letter of each source. Its colour is only a second channel.
LETTERS: Final = {
    "base": "S",
    "steering": "I",
    "instructions": "I",
    "skill": "K",
    "fact": "F",
    "rag": "R",
    "memory": "M",
    "registry": "O",
    "tool-result": "T",
    "user": "U",
    "assistant": "A",
    "custom": "C",
    "unknown": "?",
}


class Share(msgspec.Struct, frozen=True):
    """How much of a context came from one source."""

    source: str
    n_chars: int
    percent: float


def mix_of(by_source: Mapping[str, int]) -> list[Share]:
    """Return the shares of *by_source*, the largest first."""
    total = sum(by_source.values())
    shares = [
        Share(source, by_source[source], by_source[source] / total * 100) for source in LETTERS if by_source.get(source)
    ]
    return sorted(shares, key=lambda share: -share.n_chars)
