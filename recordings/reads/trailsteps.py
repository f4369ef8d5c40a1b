"""The way back from a candidate: through its recording, into the earlier leg, and to the turn that wrote a memory."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

import msgspec
from django.db.models import Q

from recordings.models import MemoryLink, Presence, Recording
from recordings.models.recording import id_key
from recordings.timetravel.trail.candidates import Candidate, hops_of
from recordings.timetravel.trail.evidence import Evidence, Served
from recordings.timetravel.trail.hops import Hop

_ENTRY_HOPS: Final = ("memory_entry", "repeats")
#: So many recordings of a conversation are asked who wrote an entry; and so many snapshots whether one is meant.
_MAX_LINKS: Final = 500
#: What a snapshot says: a question, and the answer to it.
_N_TEXTS: Final = 2


class Step(msgspec.Struct, frozen=True):
    """A hop, and the recording that it is in."""

    hop: Hop
    recording: Recording
    #: Of a hop to an entry of memory: what wrote it, where exactly one run of the conversation says that it did.
    written: MemoryLink | None = None
    #: Whether the entry has no id on record, and is the only one that says the same.
    is_inferred: bool = False


def steps_of(
    shown: Iterable[Candidate],
    candidates: list[Candidate],
    served: Served,
    recording: Recording,
    pks: dict[str, int],
) -> list[list[Step]]:
    """
    Return the steps back from each of *shown*.

    Args:
        candidates: All of the phrase.
        pks: The keys of the presences, by the ids of their pieces.
    """
    found = [(one.evidence, list(_steps(one, candidates, served, recording, pks))) for one in shown]
    wanted = {step.hop.memory_entry_id for _, steps in found for step in steps if step.hop.kind in _ENTRY_HOPS}
    are_unnamed = any(_is_unnamed(evidence) for evidence, _ in found)
    links = _written(recording, {entry_id for entry_id in wanted if entry_id}, are_unnamed=are_unnamed)
    return [
        [*_with_writers(steps, evidence, links), *_inferred(evidence, recording, links)] for evidence, steps in found
    ]


def _steps(
    candidate: Candidate, candidates: list[Candidate], served: Served, recording: Recording, pks: dict[str, int]
) -> Iterator[Step]:
    for hop in hops_of(candidate, candidates, served):
        if hop.kind == "earlier_leg" and recording.earlier_leg is not None:
            yield Step(hop, recording.earlier_leg)
            yield from _in_earlier_leg(recording.earlier_leg, pks[candidate.id], hop)
        else:
            yield Step(hop, recording)


def _in_earlier_leg(earlier: Recording, presence_pk: int, hop: Hop) -> list[Step]:
    """Return where the earlier leg wrote the same text: texts are kept once, so the same is the same row."""
    here = Presence.objects.filter(pk=presence_pk)
    there = (
        earlier.presences.filter(piece__text__in=here.values("piece__text"), slot_order__in=here.values("slot_order"))
        .select_related("piece")
        .order_by("first_position")
        .first()
    )
    if there is None:
        return []
    facts = there.piece.facts
    origin = facts["origin"]
    written = Hop(
        "written",
        epoch_position=origin["epoch_position"],
        log=origin["log"],
        commit_index=origin["commit_index"],
        runtime_stage_id=origin["runtime_stage_id"] or None,
        turn=earlier.turn,
        tool_call_id=facts["tool_call_id"],
        memory_entry_id=facts["memory_entry_id"],
        text=hop.text,
        piece_id=there.piece.piece_id,
    )
    return [Step(written, earlier)]


def _is_unnamed(evidence: Evidence) -> bool:
    """Return whether *evidence* is of a memory that keeps no ids of its entries."""
    return evidence.source == "memory" and evidence.memory_entry_id is None and evidence.memory_store is not None


def _written(recording: Recording, entry_ids: Iterable[str], *, are_unnamed: bool) -> Sequence[MemoryLink]:
    """
    Return what other recordings of the conversation say that they wrote: the entries with *entry_ids*, and snapshots.

    Args:
        are_unnamed: Whether snapshots are wanted.
    """
    keys = [id_key(entry_id) for entry_id in entry_ids]
    if recording.thread_id is None or not (are_unnamed or keys):
        return []
    wanted = Q(entry_key__in=keys)
    if are_unnamed:
        wanted |= ~Q(entry_key="") & ~Q(texts=[])
    links = MemoryLink.objects.filter(
        wanted,
        kind=MemoryLink.Kind.WRITTEN,
        recording__thread=recording.thread_id,
        recording__workspace=recording.workspace_id,
    )
    return list(links.exclude(recording=recording).select_related("recording").order_by("-pk")[:_MAX_LINKS])


def _with_writers(steps: Iterable[Step], evidence: Evidence, links: Sequence[MemoryLink]) -> Iterator[Step]:
    for step in steps:
        hop = step.hop
        if hop.kind not in _ENTRY_HOPS:
            yield step
            continue
        # An entry that is only referred to may be of another memory than the one that refers to it.
        store = evidence.memory_store if hop.kind == "memory_entry" else None
        fitting = [
            link
            for link in links
            if link.entry_id == hop.memory_entry_id and store in (None, link.store) and hop.turn in (None, link.turn)
        ]
        yield msgspec.structs.replace(step, written=_only(fitting))


def _inferred(evidence: Evidence, recording: Recording, links: Sequence[MemoryLink]) -> list[Step]:
    """Return the one snapshot of the conversation whose question and answer *evidence* repeats, if there is one."""
    if not _is_unnamed(evidence):
        return []
    link = _only(
        [
            link
            for link in links
            if link.store == evidence.memory_store
            and len(link.texts) >= _N_TEXTS
            and all(text and text in evidence.text for text in link.texts)
        ]
    )
    if link is None:
        return []
    hop = Hop("memory_entry", turn=link.turn, memory_entry_id=link.entry_id)
    return [Step(hop, recording, written=link, is_inferred=True)]


def _only(links: Sequence[MemoryLink]) -> MemoryLink | None:
    """Return the newest of *links* where all are of one entry and one run; None where it is not clear which."""
    meant = {(link.store_key, link.entry_key, _run_of(link.recording)) for link in links}
    return links[0] if len(meant) == 1 else None


def _run_of(recording: Recording) -> object:
    """Return what revisions of one run have in common."""
    return recording.engine_run_key or recording.pk
