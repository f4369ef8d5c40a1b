"""Marks over the epochs of a strip: what happened at one of them."""

from __future__ import annotations

from typing import Final, NamedTuple


class Mark(NamedTuple):
    """How a mark looks, and what it says."""

    sign: str
    word: str


MARKS: Final = {
    "error": Mark("✕", "error"),
    "evicted": Mark("▼", "messages left"),
    "memory": Mark("◆", "new memory"),
    "wrap-up": Mark("■", "asked to wrap up"),
}
