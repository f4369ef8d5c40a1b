"""What a call was served, over HTTP: its context, the difference of two, and the state behind them."""

from __future__ import annotations

import json
from http import HTTPStatus
from typing import Any, Final
from uuid import UUID

from django.http import Http404, HttpResponse
from django.shortcuts import get_object_or_404
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from footprint_site.api_errors import ApiError
from footprint_site.templating import well_formed
from recordings.api.errors import refusals_answered
from recordings.api.fields import not_served_fields, piece_fields
from recordings.models import Epoch, Presence
from recordings.reads import difference_of, get_epoch, get_recording_for, not_served_at_epoch, served_at_epoch
from recordings.services.state import state_json

MAX_PIECES: Final = 2_000
_MESSAGES: Final = 1
_TOOLS: Final = 2


class EpochContext(APIView):
    """``GET /api/v1/recordings/{id}/epochs/{position}/context/?from=&limit=``."""

    def get(self, request: Request, public_id: UUID, position: int) -> Response:
        recording = get_recording_for(request.user, public_id)
        epoch = get_epoch(recording, position)
        start = number_of(request, "from", 0, 0, 2**31)
        limit = number_of(request, "limit", MAX_PIECES, 1, MAX_PIECES)
        served = list(served_at_epoch(epoch))
        return Response(
            {
                "position": epoch.position,
                "pieces": [piece_fields(presence, recording) for presence in served[start : start + limit]],
                "n_pieces": len(served),
                "system": {"text": system_text(served), "state": epoch.system_state},
                "messages": [p.piece.piece_id for p in served if p.slot_order == _MESSAGES],
                "messages_state": epoch.messages_state,
                "request_only": epoch.request_only,
                "tools": tools_fields(epoch, served),
                "gaps": epoch.gaps,
                "receipt": None if epoch.receipt is None else {"rows": epoch.receipt},
                "not_served": [not_served_fields(row) for row in not_served_at_epoch(epoch)],
            }
        )


def system_text(served: list[Presence]) -> str:
    """Return the system text: records joined by a blank line, the pieces of one by nothing."""
    text = ""
    for presence in served:
        if presence.slot_order == 0:
            joint = "\n\n" if text and presence.piece.facts["starts_record"] else ""
            text += joint + presence.piece.text.content
    return text


def tools_fields(epoch: Epoch, served: list[Presence]) -> dict[str, Any]:
    """Return the tools that were offered. A forced tool has a name and no schema."""
    tools = [presence.piece for presence in served if presence.slot_order == _TOOLS]
    names = [piece.facts["tool_name"] for piece in tools if piece.facts["tool_name"]]
    if epoch.forced_tool and epoch.forced_tool not in names and epoch.withheld is None:
        names.append(epoch.forced_tool)
    return {
        "names": names,
        "schemas": [json.loads(piece.text.content) for piece in tools],
        "forced": epoch.forced_tool,
        "withheld": epoch.withheld,
        "state": epoch.tools_state,
    }


class PieceText(APIView):
    """``GET /api/v1/recordings/{id}/pieces/{piece}/text/``: the whole text of a piece, without halves of characters."""

    def get(self, request: Request, public_id: UUID, piece_id: str) -> HttpResponse:
        recording = get_recording_for(request.user, public_id)
        piece = get_object_or_404(recording.pieces.select_related("text"), piece_id=piece_id)
        return HttpResponse(
            well_formed(piece.text.content).encode(),
            content_type="text/plain; charset=utf-8",
            headers={"Content-Disposition": f'attachment; filename="piece-{piece.piece_id}.txt"'},
        )


class ContextDiff(APIView):
    """``GET /api/v1/recordings/{id}/diff/?from=&to=``: by position."""

    def get(self, request: Request, public_id: UUID) -> Response:
        recording = get_recording_for(request.user, public_id)
        after = get_epoch(recording, number_of(request, "to", recording.n_epochs, 1, 2**31))
        before = get_epoch(recording, number_of(request, "from", max(after.position - 1, 1), 1, 2**31))
        difference = difference_of(before, after)
        return Response(
            {
                "from": before.position,
                "to": after.position,
                "added": [piece_fields(p, recording) for p in difference.added],
                "removed": [piece_fields(p, recording) for p in difference.removed],
                "changed": [
                    {"before": piece_fields(old, recording), "after": piece_fields(new, recording)}
                    for old, new in difference.changed
                ],
                "moved": [piece_fields(p, recording) for p in difference.moved],
            }
        )


class StateAtCommit(APIView):
    """``GET /api/v1/recordings/{id}/state/?commit=&lane=&key=``: any key at any commit of any log."""

    @refusals_answered
    def get(self, request: Request, public_id: UUID) -> HttpResponse:
        recording = get_recording_for(request.user, public_id)
        commit = number_of(request, "commit", 2**31, -1, 2**31)
        log_name = request.query_params.get("lane", "")
        body = state_json(recording, log_name, commit, request.query_params.get("key"))
        if body is None:
            raise Http404
        return HttpResponse(body, content_type="application/json")


def number_of(request: Request, name: str, default: int, least: int, most: int) -> int:
    """Return the parameter *name*, a whole number from *least* to *most*. Raises `ApiError` (422) for another."""
    text = request.query_params.get(name)
    if text is None:
        return default
    try:
        number = int(text) if len(text) < 20 and text.isascii() else None
    except ValueError:
        number = None
    if number is None or not least <= number <= most:
        message = f"{name} is a whole number from {least} to {most}."
        raise ApiError(HTTPStatus.UNPROCESSABLE_ENTITY, f"{name}_out_of_range", message)
    return number
