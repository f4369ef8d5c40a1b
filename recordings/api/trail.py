"""Trails over HTTP: what put a phrase into an answer, and what stands behind each claim of one."""

from __future__ import annotations

from http import HTTPStatus
from typing import Any
from uuid import UUID

from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from footprint_site.api_errors import ApiError
from recordings.api.context import number_of
from recordings.api.fields import not_served_fields, piece_fields
from recordings.forms import MAX_PHRASE_CHARS
from recordings.models import MemoryLink, Presence, Recording
from recordings.reads import get_epoch, get_recording_for
from recordings.reads.trail import (
    MAX_CANDIDATES,
    Found,
    Trail,
    claims_by_answer,
    epoch_that_answered,
    presences_of,
    trail_of,
)
from recordings.reads.trailsteps import Step
from recordings.timetravel.trail.matching import Match
from recordings.timetravel.trail.supported import AnswerClaims
from recordings.timetravel.trail.verdict import Disagreement


class PhraseTrail(APIView):
    """``GET /api/v1/recordings/{id}/trail/?phrase=&epoch=``."""

    def get(self, request: Request, public_id: UUID) -> Response:
        recording = get_recording_for(request.user, public_id)
        phrase = phrase_of(request)
        position = number_of(request, "epoch", epoch_that_answered(recording, phrase), 0, 2**31)
        return Response(trail_fields(trail_of(recording, get_epoch(recording, position), phrase), recording))


class AnswerClaimList(APIView):
    """``GET /api/v1/recordings/{id}/claims/``: what each answer says, and which served pieces hold it."""

    def get(self, request: Request, public_id: UUID) -> Response:
        recording = get_recording_for(request.user, public_id)
        return Response({"results": [_answer_fields(answer) for answer in claims_by_answer(recording)]})


def _answer_fields(answer: AnswerClaims) -> dict[str, Any]:
    return {
        "lane": answer.lane,
        "epoch": answer.position,
        "text": answer.text,
        "claims": [
            {
                "kind": claim.span.kind,
                "text": claim.span.text,
                "start": claim.span.start,
                "end": claim.span.end,
                "support": claim.support,
                "pieces": [evidence.id for evidence in claim.evidence[:MAX_CANDIDATES]],
                "n_pieces": len(claim.evidence),
            }
            for claim in answer.claims
        ],
    }


def phrase_of(request: Request) -> str:
    """Return the phrase that is asked about. Raises `ApiError`: 422 without one, 400 for one that is too long."""
    phrase: str = request.query_params.get("phrase", "")
    if not phrase.strip():
        message = "Say what to look for: ?phrase=…, such as a few words of the answer."
        raise ApiError(HTTPStatus.UNPROCESSABLE_ENTITY, "phrase_missing", message)
    if len(phrase) > MAX_PHRASE_CHARS:
        message = f"The phrase has {len(phrase)} characters. At most {MAX_PHRASE_CHARS} can be followed."
        raise ApiError(HTTPStatus.BAD_REQUEST, "query_too_long", message)
    return phrase


def trail_fields(trail: Trail, recording: Recording) -> dict[str, Any]:
    """Return *trail* as the API answers it."""
    presences = presences_of(trail)
    return {
        "answer": trail.answer,
        "phrase": trail.phrase,
        "epoch": trail.epoch.position,
        "candidates": [_candidate_fields(found, presences[found.presence_pk], recording) for found in trail.found],
        "n_candidates": trail.n_candidates,
        "disagreements": [_disagreement_fields(disagreement) for disagreement in trail.disagreements],
        "not_served": [
            not_served_fields(item.row) | {"match": match_fields(item.match) if item.match else None}
            for item in trail.not_served
        ],
        "missing": [{"kind": item.kind, "id": item.id, "name": item.name} for item in trail.missing],
    }


def _candidate_fields(found: Found, presence: Presence, recording: Recording) -> dict[str, Any]:
    candidate = found.candidate
    asked = candidate.asked
    return {
        "rank": found.rank,
        "score": round(candidate.score, 4),
        "match": match_fields(candidate.match) | {"in": "text" if asked is None else "arguments"},
        "piece": piece_fields(presence, recording),
        "echo": candidate.echo_of is not None,
        "echo_of": candidate.echo_of,
        "asked": None if asked is None else {"id": asked.id, "name": asked.name},
        "hops": [_hop_fields(step) for step in found.steps],
    }


def match_fields(match: Match) -> dict[str, Any]:
    """Return *match*: its offsets are characters of the original text."""
    return {"kind": match.kind, "text": match.text, "start": match.start, "end": match.end, "how": match.how or None}


def _hop_fields(step: Step) -> dict[str, Any]:
    hop = step.hop
    return {
        "kind": hop.kind,
        "recording": str(step.recording.public_id),
        "epoch_position": hop.epoch_position,
        "log": hop.log,
        "commit_index": hop.commit_index,
        "runtime_stage_id": hop.runtime_stage_id,
        "turn": hop.turn,
        "tool_call_id": hop.tool_call_id,
        "memory_entry_id": hop.memory_entry_id,
        "skill_id": hop.skill_id,
        "piece_id": hop.piece_id,
        "text": hop.text,
        "written_in": _written_fields(step.written),
        "inferred": step.is_inferred,
    }


def _written_fields(link: MemoryLink | None) -> dict[str, Any] | None:
    """Return the recording that wrote an entry of memory, and the commit of the stage that did."""
    return None if link is None else {"recording": str(link.recording.public_id), **link.place}


def _disagreement_fields(disagreement: Disagreement) -> dict[str, Any]:
    return {
        "label": disagreement.label,
        "piece": disagreement.one.id,
        "value": disagreement.value,
        "other_piece": disagreement.other.id,
        "other_value": disagreement.other_value,
    }
