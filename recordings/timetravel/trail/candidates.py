"""From a phrase to the pieces that hold it, the likeliest source first."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Final

import msgspec

from recordings.timetravel.trail.evidence import Asked, Evidence, Served
from recordings.timetravel.trail.hops import Hop, hops_back, own_text, place_hop, short
from recordings.timetravel.trail.influence import influence_in_any_script
from recordings.timetravel.trail.matching import Match, find_matches

_KINDS: Final = ("exact", "normalised", "overlap")
_WORTH: Final = {"exact": 1.0, "normalised": 0.9, "overlap": 0.8}
_COMPACT: Final = "compact"
_BEAT: Final = re.compile(r"beat-|msg-summary-")


class Candidate(msgspec.Struct, frozen=True):
    """A piece that holds the phrase, or a call whose arguments do."""

    evidence: Evidence
    #: Where the phrase stands in it first, and everywhere.
    match: Match
    matches: list[Match]
    #: 1 for the same characters, less for what had to be read to be the same, and for shared words their share of it.
    score: float
    #: The id of the candidate that it says again; None when it is none's echo.
    echo_of: str | None = None
    #: The call whose arguments hold the phrase; None when the piece itself does.
    asked: Asked | None = None

    @property
    def id(self) -> str:
        """The id of its piece."""
        return self.evidence.id


class _Arguments(msgspec.Struct, frozen=True, eq=False):
    """The arguments of a call, to be searched like a piece."""

    evidence: Evidence
    asked: Asked

    @property
    def text(self) -> str:
        return self.asked.text

    @property
    def own(self) -> tuple[int, int]:
        return (0, len(self.asked.text))


def candidates_for(phrase: str, served: Served) -> list[Candidate]:
    """
    Return the pieces of *served* that hold *phrase*, in the order in which they are to be looked at.

    By kind of match; what only repeats an earlier one after those; then by birth (turn, epoch, commit, entry), by how
    much of the answer they share, and by id. Arguments of calls are candidates only as an echo.
    """
    readable = [evidence for evidence in served.evidence if evidence.state == "recorded"]
    arguments = [_Arguments(e, asked) for e in readable for asked in e.asks if asked.text]
    searched: list[Evidence | _Arguments] = [*readable, *arguments]
    return candidates_from(find_matches(phrase, searched), served)


def candidates_from(matches: Iterable[Match], served: Served) -> list[Candidate]:
    """Return the candidates that *matches* in pieces of *served* make, in the order of `candidates_for`."""
    by_piece: dict[int, list[Match]] = {}
    for match in matches:
        by_piece.setdefault(id(match.piece), []).append(match)
    found = [_candidate(matches) for matches in by_piece.values()]
    pieces, asked = [c for c in found if c.asked is None], [c for c in found if c.asked is not None]
    with_echoes = _with_echoes(pieces, asked, served)
    influence = _influence(with_echoes, served)
    return sorted(with_echoes, key=lambda c: _rank(c, served, influence))


def trace_back(match: Match, served: Served) -> list[Hop]:
    """Return the way back from the piece of *match*, one of *served*, nearest step first."""
    piece = match.piece
    return hops_back(piece.evidence if isinstance(piece, _Arguments) else piece, served)


def hops_of(candidate: Candidate, candidates: Iterable[Candidate], served: Served) -> list[Hop]:
    """Return the way back from *candidate*; of an echo the last step leads to what it says again."""
    hops = trace_back(candidate.match, served)
    said_first = next((other for other in candidates if other.id == candidate.echo_of and other.asked is None), None)
    if said_first is not None:
        evidence = said_first.evidence
        hops.append(
            place_hop(
                "echo",
                evidence.origin,
                turn=served.turn_of(evidence),
                tool_call_id=evidence.tool_call_id,
                memory_entry_id=evidence.memory_entry_id,
                text=short(own_text(evidence)),
                piece_id=evidence.id,
            )
        )
    return hops


def _candidate(matches: list[Match]) -> Candidate:
    match = min(matches, key=lambda match: match.start)
    score = _WORTH[match.kind] * match.score
    if isinstance(match.piece, _Arguments):
        return Candidate(match.piece.evidence, match, matches, score, asked=match.piece.asked)
    return Candidate(match.piece, match, matches, score)


def _with_echoes(pieces: Sequence[Candidate], asked: Sequence[Candidate], served: Served) -> list[Candidate]:
    """Return the candidates, those that say again what an earlier one holds marked as such."""
    in_order = sorted(pieces, key=lambda candidate: _birth(candidate.evidence, served))
    asked_ids = {candidate.asked.id for candidate in asked if candidate.asked}
    first = next((c for c in in_order if not _may_repeat(c.evidence, asked_ids)), in_order[0] if in_order else None)
    found: list[Candidate] = []
    for candidate in in_order:
        evidence = candidate.evidence
        repeats = candidate is not first and first is not None and _may_repeat(evidence, asked_ids)
        named = _named_by(evidence, in_order)
        if named is not None:
            found.append(msgspec.structs.replace(candidate, echo_of=named))
        elif repeats and first is not None and _birth(first.evidence, served) <= _birth(evidence, served):
            found.append(msgspec.structs.replace(candidate, echo_of=first.id))
        else:
            found.append(candidate)
    if first is not None:
        found += [msgspec.structs.replace(c, echo_of=first.id) for c in asked if c.id != first.id]
    return found


def _may_repeat(evidence: Evidence, asked_ids: set[str | None]) -> bool:
    """Whether *evidence* is of a kind that hands on what was there before it."""
    return (
        evidence.source == "assistant"
        or evidence.memory_role == "assistant"
        or bool(_BEAT.match(evidence.memory_entry_id or ""))
        or (evidence.source == "custom" and evidence.source_id == _COMPACT)
        or (evidence.tool_call_id is not None and evidence.tool_call_id in asked_ids)
    )


def _named_by(evidence: Evidence, candidates: Sequence[Candidate]) -> str | None:
    """Return the candidate that *evidence* says it refers to."""
    refs = set(evidence.memory_refs)
    return next((c.id for c in candidates if c.evidence.memory_entry_id in refs), None) if refs else None


def _birth(evidence: Evidence, served: Served) -> tuple[int, int, int, int, int]:
    """Return when *evidence* came to be: by turn, epoch, commit, entry and place. A memory's turn says it all."""
    turn = served.turn_of(evidence)
    is_memory = evidence.source == "memory"
    return (
        turn if turn is not None else 0,
        0 if is_memory else (evidence.origin.epoch_position or 0),
        0 if is_memory else evidence.origin.commit_index,
        evidence.entry_index,
        evidence.order,
    )


def _influence(candidates: Sequence[Candidate], served: Served) -> dict[str, float]:
    if not served.answer:
        return {}
    evidence = [{"id": c.id, "text": own_text(c.evidence), "ancestorTexts": []} for c in candidates]
    return {scored["id"]: scored["score"] for scored in influence_in_any_script(evidence, served.answer)}


def _rank(candidate: Candidate, served: Served, influence: dict[str, float]) -> tuple[object, ...]:
    is_echo = candidate.echo_of is not None
    overlap = -candidate.match.score if candidate.match.kind == "overlap" else 0.0
    return (
        _KINDS.index(candidate.match.kind),
        is_echo,
        candidate.asked is not None,
        overlap,
        _birth(candidate.evidence, served)[:4],
        -influence.get(candidate.id, 0.0),
        candidate.id,
    )
