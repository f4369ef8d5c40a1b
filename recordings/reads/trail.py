"""The trail of a phrase through one recording, and on into its earlier leg."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

import msgspec
from django.db.models import TextField
from django.db.models.functions import Cast

from recordings.models import Epoch, NotServed, Presence, Recording
from recordings.reads.served import not_served_at_epoch, presences_at
from recordings.reads.trailsteps import Step, steps_of
from recordings.timetravel.jsontext import read_value
from recordings.timetravel.pieces import SLOTS, ToolSource
from recordings.timetravel.places import Place
from recordings.timetravel.trail.candidates import Candidate, candidates_for
from recordings.timetravel.trail.evidence import Evidence, LaneAnswer, Served, asked_in
from recordings.timetravel.trail.matching import Match, find_matches
from recordings.timetravel.trail.supported import AnswerClaims, claims_of
from recordings.timetravel.trail.verdict import Answer, Disagreement, answer_of, disagreements_of

#: So many candidates are followed back; words that many pieces share make many.
MAX_CANDIDATES: Final = 50
#: Rows and not objects: of a thousand pieces a few will be candidates.
_COLUMNS: Final = (
    "pk",
    "slot_order",
    "first_position",
    "last_position",
    "piece__piece_id",
    "piece__state",
    "raw_facts",
    "piece__text__head",
    "piece__text__rest",
)


class Missing(msgspec.Struct, frozen=True):
    """Something that would have been searched, and is not on record."""

    #: ``gap``, ``redacted``, ``not_recorded``, ``dropped_events`` or ``tool_result``.
    kind: str
    #: The name of the gap or slot, the id of the call or piece.
    id: str
    name: str | None = None


class Unserved(msgspec.Struct, frozen=True):
    """What was there and was not served: it holds the phrase, or has no text on record that could."""

    row: NotServed
    match: Match | None


class Found(msgspec.Struct, frozen=True):
    """A candidate with its rank from 1, and the way back from it."""

    rank: int
    candidate: Candidate
    #: The key of its presence.
    presence_pk: int
    steps: list[Step]


class Trail(msgspec.Struct, frozen=True):
    """What a phrase comes from, as far as one epoch was served it."""

    phrase: str
    epoch: Epoch
    answer: Answer
    #: The first `MAX_CANDIDATES`, and how many there are.
    found: list[Found]
    n_candidates: int
    disagreements: list[Disagreement]
    not_served: list[Unserved]
    missing: list[Missing]


def epoch_that_answered(recording: Recording, phrase: str) -> int:
    """Return the position of the epoch that answered: of several lanes the last of those whose answer says *phrase*."""
    saying = [a["lane"] for a in recording.answers if len(recording.answers) > 1 and phrase in (a["text"] or "")]
    if saying and saying[-1] in recording.lanes:
        lane = recording.lanes.index(saying[-1])
        last = recording.epochs.filter(lane=lane).order_by("-position").values_list("position", flat=True).first()
        return last or recording.n_epochs
    return recording.n_epochs


def trail_of(recording: Recording, epoch: Epoch, phrase: str, not_served: Iterable[NotServed] | None = None) -> Trail:
    """
    Return the trail of *phrase* from *epoch*: two queries, one more where memory was served, and one for each candidate
    of an earlier leg.

    Args:
        not_served: What *epoch* was not served, where that is read already.
    """
    pks: dict[str, int] = {}
    served = served_of(recording, epoch, pks)
    candidates = candidates_for(phrase, served)
    disagreements = disagreements_of(candidates, served)
    unserved = _unserved(phrase, not_served_at_epoch(epoch) if not_served is None else not_served)
    missing = _missing(recording, epoch, served)
    shown = candidates[:MAX_CANDIDATES]
    ways_back = steps_of(shown, candidates, served, recording, pks)
    return Trail(
        phrase=phrase,
        epoch=epoch,
        answer=answer_of(
            candidates,
            disagreements,
            is_unserved=any(item.match for item in unserved),
            is_missing=bool(missing),
        ),
        found=[
            Found(rank, candidate, pks[candidate.id], steps)
            for rank, (candidate, steps) in enumerate(zip(shown, ways_back, strict=True), 1)
        ],
        n_candidates=len(candidates),
        disagreements=disagreements,
        not_served=unserved,
        missing=missing,
    )


def presences_of(trail: Trail) -> dict[int, Presence]:
    """Return the presences of the candidates of *trail* by key, with their texts."""
    return Presence.objects.select_related("piece__text").in_bulk([found.presence_pk for found in trail.found])


def served_of(recording: Recording, epoch: Epoch, pks: dict[str, int] | None = None) -> Served:
    """
    Return all that *epoch* was served as evidence for a trail, in one query.

    Args:
        pks: Takes the keys of the presences, by the ids of their pieces.
    """
    rows = list(presences_at(epoch).annotate(raw_facts=Cast("piece__facts", TextField())).values_list(*_COLUMNS))
    if pks is not None:
        pks |= {row[4]: row[0] for row in rows}
    lane = recording.lanes[epoch.lane]
    texts = {answer["lane"]: answer["text"] or "" for answer in recording.answers}
    return Served(
        position=epoch.position,
        lane=lane,
        evidence=[_evidence(row, lane, number) for number, row in enumerate(rows)],
        turn=recording.turn,
        answers=_earlier_answers(recording, epoch, texts),
        answer=texts.get(lane) or next(iter(texts.values()), ""),
    )


def _earlier_answers(recording: Recording, epoch: Epoch, texts: dict[str, str]) -> list[LaneAnswer]:
    """Return what other lanes had answered before *epoch*."""
    if len(recording.lanes) < 2:
        return []
    ends = recording.epochs.filter(next_position=None, position__lt=epoch.position).exclude(lane=epoch.lane)
    found = []
    for lane, position in ends.values_list("lane", "position"):
        name = recording.lanes[lane]
        if texts.get(name):
            found.append(LaneAnswer(name, position, texts[name]))
    return found


def _evidence(row: tuple[Any, ...], lane: str, number: int) -> Evidence:
    _, slot, first, last, piece_id, state, raw_facts, head, rest = row
    facts = read_value(raw_facts)
    return Evidence(
        id=piece_id,
        text=head if rest is None else head + rest,
        own=(facts["own"][0], facts["own"][1]),
        slot=SLOTS[slot],
        lane=lane,
        source=facts["source"],
        source_id=facts["source_id"],
        role=facts["role"],
        first_position=first,
        last_position=last,
        order=number,
        origin=Place(**facts["origin"]),
        landed=Place(**facts["landed"]),
        let_in=Place(**facts["let_in"]) if facts["let_in"] else None,
        state=state,
        tool_call_id=facts["tool_call_id"],
        tool_name=facts["tool_name"],
        tool_sources=[ToolSource(**source) for source in facts["sources"]],
        asks=asked_in(facts["message"]),
        memory_store=facts["memory_store"],
        memory_entry_id=facts["memory_entry_id"],
        memory_turn=facts["memory_turn"],
        memory_role=facts["memory_role"],
        memory_refs=facts["memory_refs"],
        document_id=facts["document_id"],
        n_folded=facts["n_folded"],
    )


class _Text(msgspec.Struct, frozen=True, eq=False):
    text: str
    own: tuple[int, int]
    row: NotServed


def _unserved(phrase: str, rows: Iterable[NotServed]) -> list[Unserved]:
    rows = list(rows)
    texts = [_Text(row.text, (0, len(row.text)), row) for row in rows if row.text]
    matched: dict[int, Match] = {}
    for match in find_matches(phrase, texts):
        matched.setdefault(match.piece.row.pk, match)
    return [Unserved(row, matched.get(row.pk)) for row in rows if row.pk in matched or row.text is None]


def _missing(recording: Recording, epoch: Epoch, served: Served) -> list[Missing]:
    found = [
        Missing("gap", gap["gap"])
        for gap in epoch.gaps
        if gap["gap"] in ("no-fold-base", "no-conversation-on-record", "no-run-log")
    ]
    states = zip(SLOTS, (epoch.system_state, epoch.messages_state, epoch.tools_state), strict=True)
    for slot, state in states:
        if state in ("redacted", "copy"):
            found.append(Missing("redacted", slot))
    found += [Missing("redacted", e.id, e.slot) for e in served.evidence if e.state == "redacted"]
    if recording.n_dropped_events:
        found.append(Missing("dropped_events", str(recording.n_dropped_events)))
    answered = {evidence.tool_call_id for evidence in served.evidence if evidence.tool_call_id is not None}
    found += [
        Missing("tool_result", asked.id, asked.name)
        for evidence in served.evidence
        for asked in evidence.asks
        if asked.id is not None and asked.id not in answered
    ]
    return found


def claims_by_answer(recording: Recording) -> list[AnswerClaims]:
    """Return the claims of each answer that is on record, held against what the epoch that answered was served."""
    found = []
    for answer in recording.answers:
        lane, text = answer["lane"], answer["text"]
        if not text or answer["is_redacted"] or lane not in recording.lanes:
            continue
        epoch = recording.epochs.filter(lane=recording.lanes.index(lane)).order_by("-position").first()
        if epoch is not None:
            served = served_of(recording, epoch)
            found.append(AnswerClaims(lane, epoch.position, text, claims_of(text, served)))
    return found
