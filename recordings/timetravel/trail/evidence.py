"""What a trail is followed through: the pieces that one epoch was served, and where each came from."""

from __future__ import annotations

import json
import re
from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from typing import Any, Final

import msgspec

from recordings.timetravel.context import Context
from recordings.timetravel.pieces import SLOTS, Piece, ToolSource
from recordings.timetravel.places import BASE, Place
from recordings.timetravel.values import is_object

_LAST_NUMBER: Final = re.compile(r"-([0-9]{1,9})$")


class Asked(msgspec.Struct, frozen=True):
    """A call of a tool that a message asks for."""

    id: str | None
    name: str | None
    #: As they were recorded; None when they are not on record.
    args: Any
    #: The same as JSON, to search in.
    text: str


class Evidence(msgspec.Struct, frozen=True, eq=False):
    """One piece of the context of an epoch, as far as a trail asks about it. See `Piece` for what is not said here."""

    id: str
    text: str
    own: tuple[int, int]
    slot: str
    lane: str
    source: str | None
    source_id: str | None
    role: str | None
    #: The epochs of its lane that were served it.
    first_position: int
    last_position: int
    #: Its place in the request.
    order: int
    origin: Place
    landed: Place
    let_in: Place | None
    #: ``recorded``, ``redacted`` or ``empty``.
    state: str
    tool_call_id: str | None = None
    tool_name: str | None = None
    tool_sources: Sequence[ToolSource] = ()
    asks: Sequence[Asked] = ()
    memory_store: str | None = None
    memory_entry_id: str | None = None
    memory_turn: int | None = None
    memory_role: str | None = None
    memory_refs: Sequence[str] = ()
    document_id: str | None = None
    n_folded: int = 0

    @property
    def is_from_base(self) -> bool:
        """Whether it was there before the first commit of its log: then an earlier leg wrote it."""
        return self.origin.commit_index == BASE

    @property
    def entry_index(self) -> int:
        """The place of a memory entry in its turn; 0 for what is none."""
        match = _LAST_NUMBER.search(self.memory_entry_id or "")
        return int(match[1]) if match else 0


class LaneAnswer(msgspec.Struct, frozen=True):
    """What a lane answered, and the epoch that did."""

    lane: str
    position: int
    text: str


class Served(msgspec.Struct, dict=True):
    """One epoch, with all that a trail from it may touch inside its recording."""

    position: int
    lane: str
    #: In the order of the request.
    evidence: list[Evidence]
    #: The turn of the run; None when it is not recorded.
    turn: int | None = None
    #: What other lanes had answered before.
    answers: list[LaneAnswer] = []
    #: What the run answered in the end; empty when it is not on record. It breaks ties.
    answer: str = ""

    def by_call(self, call_id: str) -> tuple[Evidence, Asked] | None:
        """Return the message that asks for the call *call_id*, and what it asks; None when it is not served."""
        for evidence in self.evidence:
            for asked in evidence.asks:
                if asked.id == call_id:
                    return evidence, asked
        return None

    def turn_of(self, evidence: Evidence) -> int | None:
        """
        Return the turn in which *evidence* was written; None when it is not recorded.

        A memory entry has its own. Of the messages those after the last one of the user are of this turn, and each
        message of the user before that is one turn earlier.
        """
        if evidence.source == "memory":
            return evidence.memory_turn or None
        if self.turn is None or evidence.slot != "messages":
            return self.turn
        n_later = len(self._asked_at) - bisect_right(self._asked_at, evidence.order)
        return max(self.turn - n_later, 1)

    @cached_property
    def _asked_at(self) -> list[int]:
        """The places of the messages of the user."""
        return [e.order for e in self.evidence if e.source == "user" and e.slot == "messages"]


def asked_in(message: object) -> list[Asked]:
    """Return the calls that *message*, the fields of one, asks for."""
    calls = message.get("toolCalls") if isinstance(message, Mapping) else None
    return [_asked(call) for call in calls if is_object(call)] if isinstance(calls, list) else []


def _asked(call: Mapping[str, Any]) -> Asked:
    args = call.get("args")
    text = args if isinstance(args, str) else json.dumps(args, ensure_ascii=False, default=str)
    call_id, name = call.get("id"), call.get("name")
    return Asked(
        id=call_id if isinstance(call_id, str) else None,
        name=name if isinstance(name, str) else None,
        args=args,
        text=text if "args" in call else "",
    )


def served_evidence(
    context: Context, position: int, *, turn: int | None = None, answers: Iterable[LaneAnswer] = (), answer: str = ""
) -> Served:
    """
    Return what the epoch at *position* of *context* was served, for a trail.

    Args:
        turn: The turn of the run, for pieces that have none of their own.
        answers: What lanes answered.
        answer: What the run answered.

    Raises:
        KeyError: There is no such epoch.
    """
    epoch = context.epochs[position]
    served = [p for p in context.presences if p.lane == epoch.lane and p.first <= position <= p.last]
    served.sort(key=lambda presence: (SLOTS.index(presence.slot), presence.order))
    evidence = [
        evidence_of(presence.piece, first=presence.first, last=presence.last, order=number)
        for number, presence in enumerate(served)
    ]
    before = [other for other in answers if other.lane != epoch.lane and other.position < position]
    return Served(position, epoch.lane, evidence, turn=turn, answers=before, answer=answer)


def evidence_of(piece: Piece, *, first: int, last: int, order: int) -> Evidence:
    """Return *piece*, served from epoch *first* through *last*, as evidence."""
    entry = piece.memory
    is_memory = entry is not None and not piece.document_id
    return Evidence(
        id=piece.id,
        text=piece.text,
        own=piece.own,
        slot=piece.slot,
        lane=piece.lane,
        source=piece.source,
        source_id=piece.source_id,
        role=piece.role,
        first_position=first,
        last_position=last,
        order=order,
        origin=piece.origin,
        landed=piece.landed,
        let_in=piece.let_in,
        state=piece.state,
        tool_call_id=piece.tool_call_id,
        tool_name=piece.tool_name,
        tool_sources=piece.sources,
        asks=asked_in(piece.value) if piece.slot == "messages" else (),
        memory_store=entry.memory_id if entry and is_memory else None,
        memory_entry_id=entry.entry_id if entry and is_memory else None,
        memory_turn=entry.turn if entry else None,
        memory_role=entry.role if entry else None,
        memory_refs=entry.refs if entry else (),
        document_id=piece.document_id,
        n_folded=len(piece.folded),
    )
