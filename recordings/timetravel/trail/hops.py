"""The way back from a piece: to the commit that wrote it, and to what that commit had before it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, Final, Literal, TypeAlias

import msgspec

from recordings.timetravel.places import Place
from recordings.timetravel.trail.evidence import Asked, Evidence, Served

HopKind: TypeAlias = Literal[
    "written", "memory_entry", "repeats", "call", "lineage", "echo", "opened", "skill", "lane", "folded", "earlier_leg"
]
READ_SKILL: Final = "read_skill"
_MAX_HOPS: Final = 40
_MAX_TEXT: Final = 400
#: Shorter values, and numbers, stand in too many results to tell where one came from.
_MIN_DISTINCTIVE: Final = 4
_NUMBER: Final = re.compile(r"[\d\s.,:-]*")


class Hop(msgspec.Struct, frozen=True):
    """
    One step back. None stands for what does not apply, or is not recorded.

    Kinds: ``written`` (the commit that wrote the piece), ``memory_entry`` (the entry that it renders), ``repeats`` (an
    entry that a beat refers to or a summary covers), ``call`` (the call of a tool whose result it is), ``lineage`` (an
    earlier result that an argument of the call came from), ``echo`` (what it says again), ``opened`` (the call that
    opened a skill), ``skill`` (the skill that named the tool), ``lane`` (the lane whose answer it hands on),
    ``folded`` (the messages that a compaction put it in the place of), ``earlier_leg`` (what was there before the run).
    """

    kind: HopKind
    epoch_position: int | None = None
    log: str | None = None
    commit_index: int | None = None
    runtime_stage_id: str | None = None
    #: In which the text was written.
    turn: int | None = None
    tool_call_id: str | None = None
    memory_entry_id: str | None = None
    skill_id: str | None = None
    #: The words that the step is about, cut to what a line holds.
    text: str | None = None
    #: The piece of the same epoch that it leads to.
    piece_id: str | None = None


def hops_back(evidence: Evidence, served: Served) -> list[Hop]:
    """
    Return the way back from *evidence*, one of *served*, nearest first.

    It has no circles, because no piece is gone through twice, and at most forty steps.
    """
    hops: list[Hop] = []
    for hop in _from(evidence, served, {evidence.id}):
        hops.append(hop)
        if len(hops) == _MAX_HOPS:
            break
    return hops


def place_hop(kind: HopKind, place: Place, **others: Any) -> Hop:
    """Return a hop to *place*."""
    return Hop(
        kind,
        epoch_position=place.epoch_position,
        log=place.log,
        commit_index=place.commit_index,
        runtime_stage_id=place.runtime_stage_id or None,
        **others,
    )


def short(text: str) -> str:
    """Return as much of *text* as a hop carries."""
    return text if len(text) <= _MAX_TEXT else text[: _MAX_TEXT - 1] + "…"


def own_text(evidence: Evidence) -> str:
    """Return the words of *evidence* without what the framework put around them."""
    start, end = evidence.own
    return evidence.text[start:end]


def _from(evidence: Evidence, served: Served, seen: set[str]) -> Iterator[Hop]:
    turn = served.turn_of(evidence)
    yield place_hop(
        "written",
        evidence.origin,
        turn=turn,
        tool_call_id=evidence.tool_call_id,
        memory_entry_id=evidence.memory_entry_id,
        skill_id=evidence.source_id if evidence.source == "skill" else None,
        text=short(own_text(evidence)),
        piece_id=evidence.id,
    )
    if evidence.is_from_base:
        yield Hop("earlier_leg", commit_index=evidence.origin.commit_index, text=short(own_text(evidence)), turn=turn)
    if evidence.n_folded:
        yield place_hop("folded", evidence.origin, text=f"{evidence.n_folded} messages")
    yield from _memory(evidence, served)
    yield from _lanes(evidence, served)
    if evidence.tool_call_id is not None:
        yield from _call(evidence, evidence.tool_call_id, served, seen)
    if evidence.source == "skill" and evidence.source_id:
        yield from _opened(evidence.source_id, served)
        yield place_hop("skill", evidence.landed, skill_id=evidence.source_id, text=None, piece_id=evidence.id)


def _memory(evidence: Evidence, served: Served) -> Iterator[Hop]:
    if evidence.source != "memory":
        return
    if evidence.memory_entry_id is not None:
        yield Hop(
            "memory_entry",
            turn=evidence.memory_turn or None,
            memory_entry_id=evidence.memory_entry_id,
            text=short(own_text(evidence)),
        )
    entries = {other.memory_entry_id: other for other in served.evidence if other.memory_entry_id is not None}
    for ref in evidence.memory_refs:
        entry = entries.get(ref)
        yield Hop(
            "repeats",
            turn=(entry.memory_turn or None) if entry else None,
            memory_entry_id=ref,
            text=short(own_text(entry)) if entry else None,
            piece_id=entry.id if entry else None,
        )


def _lanes(evidence: Evidence, served: Served) -> Iterator[Hop]:
    """Yield the lanes whose answers a lane was handed on in its first message."""
    if evidence.source != "user":
        return
    for answer in served.answers:
        if answer.text and answer.text in evidence.text:
            yield Hop("lane", epoch_position=answer.position, turn=served.turn, text=short(answer.text))


def _call(evidence: Evidence, call_id: str, served: Served, seen: set[str]) -> Iterator[Hop]:
    found = served.by_call(call_id)
    asking = evidence.origin.epoch_position
    if found is None:
        yield Hop("call", epoch_position=asking, tool_call_id=call_id, turn=served.turn_of(evidence))
    else:
        message, asked = found
        asking = message.origin.epoch_position
        yield place_hop(
            "call",
            message.origin,
            turn=served.turn_of(message),
            tool_call_id=call_id,
            text=short(asked.text),
            piece_id=message.id,
        )
        yield from _lineage(evidence, asked, served, seen)
    if evidence.tool_name is not None:
        yield from _skills(evidence.tool_name, asking, served)


def _lineage(evidence: Evidence, asked: Asked, served: Served, seen: set[str]) -> Iterator[Hop]:
    """Yield the earlier results that the arguments of a call came from, each with its own way back."""
    for value in _distinctive_values(asked.args):
        for other in served.evidence:
            is_earlier = other.source == "tool-result" and other.order < evidence.order and other.id not in seen
            if is_earlier and value in other.text:
                seen.add(other.id)
                yield place_hop(
                    "lineage",
                    other.origin,
                    turn=served.turn_of(other),
                    tool_call_id=other.tool_call_id,
                    text=short(value),
                    piece_id=other.id,
                )
                if other.tool_call_id is not None:
                    yield from _call(other, other.tool_call_id, served, seen)
                break


def _distinctive_values(args: Any) -> Iterator[str]:
    """Yield the texts inside *args* that are long enough to tell where they came from."""
    if isinstance(args, str):
        if len(args) >= _MIN_DISTINCTIVE and not _NUMBER.fullmatch(args):
            yield args
    elif isinstance(args, dict):
        for value in args.values():
            yield from _distinctive_values(value)
    elif isinstance(args, list):
        for value in args:
            yield from _distinctive_values(value)


def _skills(tool_name: str, asking: int | None, served: Served) -> Iterator[Hop]:
    """Yield the skills that named the tool at the epoch that asked for it, and what opened them."""
    schemas = [other for other in served.evidence if other.slot == "tools" and other.tool_name == tool_name]
    for schema in schemas:
        at_call = [s for s in schema.tool_sources if asking is None or s.first_position <= asking <= s.last_position]
        is_offered_anyway = any(source.source != "skill" for source in at_call)
        for source in at_call:
            if source.source == "skill" and source.source_id:
                yield from _opened(source.source_id, served)
                said = "offered anyway" if is_offered_anyway else "offered because of the skill"
                body = next(
                    (e for e in served.evidence if e.source == "skill" and e.source_id == source.source_id), None
                )
                yield Hop(
                    "skill",
                    epoch_position=source.first_position,
                    log=body.landed.log if body else None,
                    commit_index=body.landed.commit_index if body else None,
                    runtime_stage_id=(body.landed.runtime_stage_id or None) if body else None,
                    turn=served.turn,
                    skill_id=source.source_id,
                    text=f"{tool_name}: {said}",
                    piece_id=body.id if body else None,
                )


def _opened(skill_id: str, served: Served) -> Iterator[Hop]:
    """Yield the call that opened the skill; without one it was the skill graph, where the record tells when."""
    for message in served.evidence:
        for asked in message.asks:
            if asked.name == READ_SKILL and isinstance(asked.args, dict) and asked.args.get("id") == skill_id:
                yield place_hop(
                    "opened",
                    message.origin,
                    turn=served.turn_of(message),
                    tool_call_id=asked.id,
                    skill_id=skill_id,
                    text=short(asked.text),
                    piece_id=message.id,
                )
                return
    body = next((e for e in served.evidence if e.source == "skill" and e.source_id == skill_id), None)
    if body is not None and body.let_in is not None:
        yield place_hop("opened", body.let_in, skill_id=skill_id, text="opened by the skill graph", piece_id=body.id)
