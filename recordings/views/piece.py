"""The page of one piece: its whole text in parts, and where it came from."""

from __future__ import annotations

import re
from typing import Any, Final
from uuid import UUID

from django.http import Http404, HttpResponse
from django.shortcuts import get_object_or_404
from django.views.decorators.http import require_safe

from footprint_site.htmx import SignedInRequest, render_partial
from recordings.forms import PieceForm
from recordings.models import Piece, Recording
from recordings.piecepage import named_facts, places_of, served_in, text_of
from recordings.reads import get_recording_for

_PIECE_ID: Final = re.compile(r"[0-9a-f]{32}")


@require_safe
def piece_detail(request: SignedInRequest, public_id: UUID, piece_id: str) -> HttpResponse:
    """One piece, at one part of its text; only that part when it is to be appended to the one before."""
    recording = get_recording_for(request.user, public_id)
    if not _PIECE_ID.fullmatch(piece_id):
        # PostgreSQL cannot even be asked for some of them.
        raise Http404
    piece = get_object_or_404(recording.pieces.select_related("text"), piece_id=piece_id)
    form = PieceForm(request.GET, n_chars=piece.text.n_chars)
    context: dict[str, Any] = {"recording": recording, "piece": piece, "form": form, "phrase": request.GET.get("find")}
    is_valid = form.is_valid()
    if is_valid and piece.state == "recorded":
        at, phrase = form.cleaned_data["from"], form.cleaned_data["find"]
        context |= text_of(piece, at, phrase, is_appended=request.htmx.target == "more")
    context |= head_of(recording, piece)
    status = 200 if is_valid else 422
    return render_partial(request, "recordings/piece_detail.html", "part", context, status=status)


def head_of(recording: Recording, piece: Piece) -> dict[str, Any]:
    """Return what the page says of *piece* beside its text."""
    return {
        "facts": piece.facts,
        "is_schema": piece.slot == "tools",
        "named": named_facts(piece),
        "served": served_in(recording, piece),
        "places": places_of(recording, piece),
    }
