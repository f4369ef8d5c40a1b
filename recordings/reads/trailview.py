"""A trail as a page shows it: the answer, the candidates, and the custody of one of them."""

from __future__ import annotations

from typing import Any, Final
from urllib.parse import urlencode

import msgspec

from recordings.models import MemoryLink, Recording
from recordings.reads.memorylinks import WrittenIn, written_in
from recordings.reads.pieceview import Hit, Links, PlaceView, place_view
from recordings.reads.trail import Found, Trail
from recordings.reads.trailsteps import Step
from recordings.reads.viewed import Viewed
from recordings.sources import look_of
from recordings.timetravel.places import Place
from recordings.timetravel.trail.candidates import Candidate

#: So many candidates are shown; their number is said.
MAX_SHOWN: Final = 12
_AROUND: Final = 60
_CSS: Final = {"exact": "hit", "normalised": "hit hit--normalised", "overlap": "hit hit--overlap"}


class CandidateView(Viewed, frozen=True):
    """One candidate in the list."""

    rank: int
    piece_id: str
    source: str | None
    css: str
    name: str | None
    kind: str
    how: str
    score: float
    is_echo: bool
    #: Whether the phrase stands in the arguments of a call and not in the piece's own text.
    is_asked: bool
    before: str
    hit: str
    after: str
    mark_css: str
    first_position: int
    last_position: int
    #: The query that selects it.
    query: str
    #: Where its text is whole, at the hit.
    url: str
    is_current: bool


class HopView(Viewed, frozen=True):
    """One step back."""

    kind: str
    text: str | None
    turn: int | None
    name: str | None
    place: PlaceView | None
    #: The recording that it is in, when that is another one.
    other: Recording | None
    #: Of an entry of memory: what wrote it; None where no recording of the conversation says so.
    written: WrittenIn | None
    #: Where the phrase is traced on from there.
    on_url: str | None
    is_inferred: bool
    epoch_url: str | None
    epoch_position: int | None


class TrailView(Viewed, frozen=True):
    """All of it."""

    phrase: str
    answer: str
    candidates: list[CandidateView]
    n_candidates: int
    current: CandidateView | None
    hops: list[HopView]
    landed: PlaceView | None
    let_in: PlaceView | None
    read: PlaceView
    #: Where the answer says the phrase, from 1; None when it does not in these characters.
    said_at: int | None
    disagreements: list[Any]
    not_served: list[Any]
    missing: list[Any]
    #: Sources of what was searched and does not hold it.
    not_found_in: list[str]


def trail_view(trail: Trail, recording: Recording, links: Links, read: PlaceView, rank: int | None) -> TrailView:
    """Return *trail* with the candidate of *rank* selected, else the first."""
    found = trail.found[:MAX_SHOWN]
    current = next((one for one in found if one.rank == rank), found[0] if found else None)
    views = [_candidate_view(one, trail, links, is_current=one is current) for one in found]
    evidence = current.candidate.evidence if current else None
    answers = [answer["text"] or "" for answer in recording.answers]
    said = next((text.find(trail.phrase) for text in answers if trail.phrase in text), -1)
    holding = {one.candidate.evidence.source for one in trail.found}
    return TrailView(
        phrase=trail.phrase,
        answer=trail.answer,
        candidates=views,
        n_candidates=trail.n_candidates,
        current=next((view for view in views if view.is_current), None),
        hops=[_hop_view(step, recording, links, trail.phrase) for step in current.steps] if current else [],
        landed=_place_view("landed", evidence.landed, links) if evidence else None,
        let_in=_place_view("let in", evidence.let_in, links) if evidence and evidence.let_in else None,
        read=read,
        said_at=said + 1 if said >= 0 else None,
        disagreements=trail.disagreements,
        not_served=trail.not_served,
        missing=trail.missing,
        not_found_in=[source for source in trail.epoch.by_source if source not in holding],
    )


def hits_of(trail: Trail) -> dict[str, list[Hit]]:
    """Return where the pieces of the screen hold the phrase."""
    hits: dict[str, list[Hit]] = {}
    for one in trail.found[:MAX_SHOWN]:
        candidate = one.candidate
        if candidate.asked is None:
            css = _css(candidate)
            hits[candidate.id] = [Hit(m.start, m.end, css) for m in sorted(candidate.matches, key=lambda m: m.start)]
    return hits


def shown_presences(trail: Trail) -> list[int]:
    """Return the keys of the presences that the screen has to show."""
    return [one.presence_pk for one in trail.found[:MAX_SHOWN]]


def _place_view(word: str, place: Place, links: Links) -> PlaceView:
    return place_view(word, msgspec.structs.asdict(place), links)


def _css(candidate: Candidate) -> str:
    return "hit hit--echo" if candidate.echo_of is not None else _CSS[candidate.match.kind]


def _candidate_view(one: Found, trail: Trail, links: Links, *, is_current: bool) -> CandidateView:
    candidate, match, evidence = one.candidate, one.candidate.match, one.candidate.evidence
    text, (low, high) = evidence.text, evidence.own
    if candidate.asked is not None:
        text, low, high = candidate.asked.text, 0, len(candidate.asked.text)
    # Of its own words, not of what the framework put around them.
    first, last = max(low, match.start - _AROUND), min(high, match.end + _AROUND)
    query = urlencode({"epoch": trail.epoch.position, "phrase": trail.phrase, "rank": one.rank}, errors="surrogatepass")
    find = urlencode({"from": match.start, "find": match.text[:500]}, errors="surrogatepass")
    return CandidateView(
        rank=one.rank,
        piece_id=evidence.id,
        source=evidence.source,
        css=look_of(evidence.source).css,
        name=evidence.memory_entry_id or evidence.document_id or evidence.source_id or evidence.tool_name,
        kind=match.kind,
        how=match.how or "",
        score=candidate.score,
        is_echo=candidate.echo_of is not None,
        is_asked=candidate.asked is not None,
        before=("…" if first > low else "") + text[first : match.start],
        hit=match.text[:300],
        after=text[match.end : last] + ("…" if last < high else ""),
        mark_css=_css(candidate),
        first_position=evidence.first_position,
        last_position=evidence.last_position,
        query=f"?{query}#p-{evidence.id}",
        url=f"{links.piece(evidence.id)}?{find}#hit",
        is_current=is_current,
    )


def _on_url(written: MemoryLink, phrase: str) -> str:
    at = {"epoch": written.position} if written.position is not None else {}
    return f"{written.recording.get_absolute_url()}?{urlencode(at | {'phrase': phrase}, errors='surrogatepass')}"


def _hop_view(step: Step, recording: Recording, links: Links, phrase: str) -> HopView:
    hop = step.hop
    is_other = step.recording.pk != recording.pk
    there = Links(step.recording) if is_other else links
    place = None
    if hop.commit_index is not None and hop.log is not None:
        place = place_view(
            hop.kind,
            {
                "log": hop.log,
                "commit_index": hop.commit_index,
                "runtime_stage_id": hop.runtime_stage_id,
                "epoch_position": hop.epoch_position,
            },
            there,
        )
    epoch_url = f"{step.recording.get_absolute_url()}?epoch={hop.epoch_position}" if hop.epoch_position else None
    return HopView(
        kind=hop.kind,
        text=hop.text,
        turn=hop.turn,
        name=hop.tool_call_id or hop.memory_entry_id or hop.skill_id,
        place=place,
        other=step.recording if is_other else None,
        written=written_in(step.written) if step.written else None,
        on_url=_on_url(step.written, phrase) if step.written else None,
        is_inferred=step.is_inferred,
        epoch_url=epoch_url,
        epoch_position=hop.epoch_position,
    )
