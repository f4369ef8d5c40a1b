"""
Pieces: occurrences of a text in a recording, each with one origin.

What a piece is, what it is called and what survives from one epoch to the next is defined here; how the three slots are
cut into pieces stands in `system`, `conversation` and `offered`.
"""

from __future__ import annotations

import hashlib
from typing import Final, Literal, TypeAlias

import msgspec

from recordings.timetravel.places import Place
from recordings.timetravel.values import REDACTED, UNDEFINED, Value

Slot: TypeAlias = Literal["system-prompt", "messages", "tools"]
#: In the order of a request.
SLOTS: Final[tuple[Slot, ...]] = ("system-prompt", "messages", "tools")

#: What a piece is known by from epoch to epoch, beside its text: its kind first.
Key: TypeAlias = tuple[str, ...]
#: Where a piece was born: the name of a log, a commit of it, and the element of what was written there.
Birth: TypeAlias = tuple[str, int, int]


class ToolSource(msgspec.Struct):
    """One of the reasons why a tool was offered, and for which epochs of the lane."""

    source: str
    source_id: str | None
    reason: str | None
    first_position: int
    last_position: int


class MemoryEntry(msgspec.Struct, frozen=True):
    """The entry of a memory, or the passage of a corpus, that a piece was rendered from."""

    memory_id: str
    #: None where the recording keeps no ids, as causal memory does not.
    entry_id: str | None
    #: The turn that it says it was written in; None where it says none. 0 is no turn.
    turn: int | None
    #: Unix milliseconds.
    updated_at: int | float | None
    #: The entry as it was loaded, `UNDEFINED` where only its text is known.
    value: Value = UNDEFINED

    @property
    def role(self) -> str | None:
        """Who said it, for the entries that are messages; None for the others."""
        role = self._member("value", "role")
        return role if isinstance(role, str) else None

    @property
    def refs(self) -> list[str]:
        """The ids of the entries that it repeats: of a beat those it refers to, of a summary those it covers."""
        refs = self._member("value", "refs") or self._member("metadata", "summarizes", "coveredIds")
        return [ref for ref in refs if isinstance(ref, str)] if isinstance(refs, list) else []

    def _member(self, *path: str) -> Value:
        value = self.value
        for name in path:
            value = value.get(name) if isinstance(value, dict) else None
        return value


class Piece(msgspec.Struct, eq=False):
    """One text at one place of the context, from where it was written."""

    #: 32 hex digits, the same whenever and wherever the recording is read; empty until it is served.
    id: str
    birth: Birth
    lane: str
    slot: Slot
    key: Key
    #: The text, byte for byte: the content of a message, the text of a system piece with what wraps it, or the schema
    #: of a tool as JSON.
    text: str
    #: Where in the text its own words are; the rest is wrapping that the framework put around them.
    own: tuple[int, int]
    #: ``base``, ``steering``, ``instructions``, ``skill``, ``fact``, ``rag``, ``memory``, ``tool-result``, ``user``,
    #: ``assistant``, ``registry``, ``custom``; None when it is not known.
    source: str | None
    source_id: str | None
    #: What the recording calls the source, where we know better.
    recorded_source: str | None
    reason: str | None
    #: The role of a message.
    role: str | None
    #: The message as it was sent, or the schema as it was offered; `UNDEFINED` for a system piece.
    value: Value
    #: The commit that wrote the text.
    origin: Place
    #: The commit that put it into the context.
    landed: Place
    #: The commit that made its injection active, for injections.
    let_in: Place | None = None
    #: Which record of the system prompt it was a part of when it was first served, from 0.
    record: int | None = None
    #: Whether its record starts with it: records are joined by a blank line, the pieces of one by nothing.
    starts_record: bool = True
    memory: MemoryEntry | None = None
    document_id: str | None = None
    tool_call_id: str | None = None
    tool_name: str | None = None
    sources: list[ToolSource] = []
    #: The messages that a compaction message stands for.
    folded: list[Value] = []

    @property
    def state(self) -> str:
        """``redacted`` when a policy took the text out, ``empty`` when it is there and zero long, else ``recorded``."""
        if self.text == REDACTED:
            return "redacted"
        return "recorded" if self.text else "empty"


def piece_id(sha256: str, lane: str, key: Key, birth: Birth) -> str:
    """
    Return the id of the piece with *key* that was born at *birth* in the recording *sha256*.

    The log is part of it, because two logs inside one recording may share commit and element.
    """
    identity = msgspec.json.encode([sha256, lane, list(key), list(birth)])
    return hashlib.sha256(identity).hexdigest()[:32]


def number_keys(pieces: list[Piece]) -> list[Piece]:
    """Give the second and later ones of equal keys a number, so that each key stands once."""
    seen: dict[Key, int] = {}
    for piece in pieces:
        count = seen[piece.key] = seen.get(piece.key, 0) + 1
        if count > 1:
            piece.key = (*piece.key, str(count))
    return pieces
