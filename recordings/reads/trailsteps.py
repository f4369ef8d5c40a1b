"""The way back from a candidate: through its recording, into the earlier leg, and to the turn that wrote a memory."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

import msgspec
from django.db.models import Q

from recordings.models import MemoryLink, Presence, Recording
from recordings.models.memorylink import MAX_TEXT_CHARS
from recordings.models.recording import id_key
from recordings.timetravel.trail.candidates import Candidate, hops_of
from recordings.timetravel.trail.evidence import Evidence, Served
from recordings.timetravel.trail.hops import Hop, own_text

_ENTRY_HOPS: Final = ("memory_entry", "repeats")
#: So many entries of a conversation are looked at; of more none is named.
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
    entries = _entries(recording, (step for _, steps in found for step in steps))
    snapshots = _snapshots(recording, (evidence for evidence, _ in found))
    return [
        [*_with_writers(steps, evidence, entries), *_inferred(evidence, recording, snapshots)]
        for evidence, steps in found
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


def _written(recording: Recording, wanted: Q) -> Sequence[MemoryLink]:
    """Return what other recordings of the conversation say that they wrote, of what is *wanted*; none of too many."""
    if recording.thread_id is None or not wanted:
        return []
    links = MemoryLink.objects.filter(
        wanted,
        kind=MemoryLink.Kind.WRITTEN,
        recording__thread=recording.thread_id,
        recording__workspace=recording.workspace_id,
    )
    found = list(links.exclude(recording=recording).select_related("recording").order_by("-pk")[: _MAX_LINKS + 1])
    # Where not all were looked at, nothing can be said to be the only one.
    return found if len(found) <= _MAX_LINKS else []


def _entries(recording: Recording, steps: Iterable[Step]) -> Sequence[MemoryLink]:
    """Return who wrote the entries that *steps* lead to."""
    hops = [step.hop for step in steps if step.hop.kind in _ENTRY_HOPS]
    wanted = Q()
    for entry_id, turn in {(hop.memory_entry_id, hop.turn) for hop in hops if hop.memory_entry_id}:
        # A fact is written in many turns under one id.
        wanted |= Q(entry_key=id_key(entry_id)) & (Q() if turn is None else Q(turn=turn))
    return _written(recording, wanted)


def _snapshots(recording: Recording, found: Iterable[Evidence]) -> Sequence[MemoryLink]:
    """Return what earlier turns wrote to those memories of *found* that keep no ids: one entry for each turn."""
    stores = {id_key(evidence.memory_store) for evidence in found if _is_unnamed(evidence)}
    if not stores:
        return []
    earlier = Q(turn__lt=recording.turn) if recording.turn is not None else Q()
    return _written(recording, earlier & Q(store_key__in=stores, n_of_stage=1) & ~Q(entry_key=""))


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


def _inferred(evidence: Evidence, recording: Recording, snapshots: Sequence[MemoryLink]) -> list[Step]:
    """Return the one snapshot of the conversation whose question and answer *evidence* repeats, if there is one."""
    if not _is_unnamed(evidence):
        return []
    link = _only([one for one in snapshots if one.store == evidence.memory_store and _is_rendered(one, evidence)])
    if link is None:
        return []
    hop = Hop("memory_entry", turn=link.turn, memory_entry_id=link.entry_id)
    return [Step(hop, recording, written=link, is_inferred=True)]


def _is_rendered(snapshot: MemoryLink, evidence: Evidence) -> bool:
    """Return whether *evidence* begins with the question of *snapshot* and ends with its answer, as rendered."""
    if len(snapshot.texts) < _N_TEXTS or max(map(len, snapshot.texts)) >= MAX_TEXT_CHARS:
        return False
    question, answer = snapshot.texts[0], snapshot.texts[-1]
    text = own_text(evidence).strip()
    return text.startswith(f'[Past run · query: "{question}" ') and text.endswith(f"\nFinal answer: {answer.rstrip()}")


def _only(links: Sequence[MemoryLink]) -> MemoryLink | None:
    """Return the newest of *links* where all are of one entry and one run; None where it is not clear which."""
    meant = {(link.store_key, link.entry_key, _run_of(link.recording)) for link in links}
    return links[0] if len(meant) == 1 else None


def _run_of(recording: Recording) -> object:
    """Return what revisions of one run have in common."""
    return recording.engine_run_key or recording.pk
