"""The claims of an answer, and what stands behind each: one source, several that differ, or none."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, Literal, TypeAlias

import msgspec

from recordings.timetravel.context import context_of
from recordings.timetravel.identity import identity_claimed
from recordings.timetravel.outcome import answers_of
from recordings.timetravel.recording import Recording
from recordings.timetravel.trail.candidates import candidates_from
from recordings.timetravel.trail.claims import ClaimSpan, claims_in
from recordings.timetravel.trail.evidence import Evidence, Served, served_evidence
from recordings.timetravel.trail.matching import SearchedPieces
from recordings.timetravel.trail.verdict import disagreements_of

Support: TypeAlias = Literal["source", "differ", "none"]

#: Of a longer answer the rest is not looked at.
MAX_CLAIMS: Final = 200
_SENTENCE: Final = "sentence"


class Claim(msgspec.Struct, frozen=True):
    """One claim of an answer: a sentence, or a number or name in one."""

    span: ClaimSpan
    support: Support
    #: The pieces that hold it, the likeliest source first.
    evidence: list[Evidence]


class AnswerClaims(msgspec.Struct, frozen=True):
    """An answer and its claims."""

    lane: str
    #: The epoch that answered.
    position: int
    text: str
    claims: list[Claim]


def claims(recording: Recording) -> list[AnswerClaims]:
    """Return the claims of every answer of *recording*, each held against what its epoch was served."""
    context = context_of(recording)
    claimed = identity_claimed(recording)
    turn = claimed.turn_number if claimed is not None and isinstance(claimed.turn_number, int) else None
    found = []
    for answer in answers_of(recording):
        positions = [epoch.position for epoch in context.epochs.values() if epoch.lane == answer.lane]
        if answer.text and positions and not answer.is_redacted:
            served = served_evidence(context, max(positions), turn=turn, answer=answer.text)
            found.append(AnswerClaims(answer.lane, max(positions), answer.text, claims_of(answer.text, served)))
    return found


def claims_of(answer: str, served: Served) -> list[Claim]:
    """Return the claims of *answer*, held against what *served* was: at most `MAX_CLAIMS`."""
    searched = SearchedPieces([evidence for evidence in served.evidence if evidence.state == "recorded"])
    return [_claim(span, searched, served) for span in _first(claims_in(answer))]


def _first(spans: Iterable[ClaimSpan]) -> list[ClaimSpan]:
    return list(spans)[:MAX_CLAIMS]


def _claim(span: ClaimSpan, searched: SearchedPieces, served: Served) -> Claim:
    matches = [match for match in searched.find(span.text) if match.kind != "overlap" or span.kind == _SENTENCE]
    candidates = candidates_from(matches, served)
    support: Support = "none"
    if candidates:
        support = "differ" if disagreements_of(candidates, served) else "source"
    return Claim(span, support, [candidate.evidence for candidate in candidates])
