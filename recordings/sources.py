"""Where a piece came from: the sources in the order in which they are stacked and listed."""

from __future__ import annotations

from typing import Final

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
