"""The JSON of recordings, epochs and pieces. Names are contracts; null means unknown, never 0."""

from __future__ import annotations

from typing import Any, Final

from django.urls import reverse

from footprint_site.access.models import Workspace
from recordings.models import Epoch, NotServed, Presence, Recording
from recordings.timetravel.pieces import SLOTS

MAX_TEXT_CHARS: Final = 20_000


def recording_fields(recording: Recording, *, replayed: bool = False) -> dict[str, Any]:
    """Return *recording* as the API answers it; one that is not saved has no id."""
    is_saved = recording.pk is not None
    answers = recording.answers
    return {
        "id": str(recording.public_id) if is_saved else None,
        "url": recording.get_absolute_url() if is_saved else None,
        "workspace": recording.workspace.slug,
        "status": recording.status,
        "error": recording.error or None,
        "sha256": recording.sha256,
        "bytes": recording.n_bytes,
        "filename": recording.filename or None,
        "form": recording.form,
        "producer": recording.producer,
        "commits": recording.n_commits,
        "epochs": recording.n_epochs,
        "lanes": recording.lanes,
        "run_id": recording.run_id,
        "engine_run_id": recording.engine_run_id,
        "revision": recording.revision,
        "relation": recording.relation,
        "revisions": revisions_of(recording) if is_saved else [],
        "replayed": replayed,
        "complete": recording.is_complete,
        "dropped_events": recording.n_dropped_events,
        "started_at": recording.started_at,
        "ended_at": recording.ended_at,
        "outcome": recording.outcome or None,
        "outcome_reason": recording.outcome_reason,
        "conversation": conversation_of(recording),
        "turn": recording.turn,
        "session_id": recording.session_id,
        "incarnation": incarnation_of(recording),
        "occupant": "unknown" if recording.incarnation is None else "known",
        "late": recording.is_late,
        "legs": legs_of(recording) if is_saved else {"earlier": None, "later": []},
        "question": recording.question,
        "answer": answers[0]["text"] if len(answers) == 1 else None,
        "answers": [{"lane": answer["lane"], "text": answer["text"]} for answer in answers],
        "warnings": recording.warnings,
        "created_at": recording.created_at.isoformat(),
    }


def refused_fields(workspace: Workspace, reason: str) -> dict[str, Any]:
    """Return the same for a file that would be refused: nothing is known about it but why."""
    blank = recording_fields(Recording(workspace=workspace))
    nothing = {name: value if isinstance(value, list | dict | bool) else None for name, value in blank.items()}
    return nothing | {
        "workspace": workspace.slug,
        "status": Recording.Status.FAILED,
        "error": reason,
        "occupant": blank["occupant"],
    }


def incarnation_of(recording: Recording) -> dict[str, Any] | None:
    """Return the occupant of the session that it belongs to; None when that is not known."""
    incarnation = recording.incarnation
    if incarnation is None:
        return None
    state = "open" if incarnation.is_open else "closed"
    return {"id": str(incarnation.public_id), "number": incarnation.number, "state": state}


def conversation_of(recording: Recording) -> dict[str, str | None] | None:
    """Return whose conversation it is said to belong to; None when none was given."""
    claim = {
        "tenant": recording.tenant,
        "principal": recording.principal,
        "conversation_id": recording.conversation_id,
    }
    return claim if any(value is not None for value in claim.values()) else None


def revisions_of(recording: Recording) -> list[dict[str, Any]]:
    """Return all revisions of its run, itself among them."""
    rows = Recording.objects.of_run(recording).only("public_id", "revision", "relation", "sha256")
    return [
        {"id": str(row.public_id), "revision": row.revision, "relation": row.relation, "sha256": row.sha256}
        for row in rows
    ]


def legs_of(recording: Recording) -> dict[str, Any]:
    """Return the legs before and after it."""
    earlier = recording.earlier_leg
    later = recording.later_legs.order_by("pk").values_list("public_id", flat=True)
    return {"earlier": str(earlier.public_id) if earlier else None, "later": [str(public_id) for public_id in later]}


def epoch_fields(epoch: Epoch, recording: Recording) -> dict[str, Any]:
    """Return *epoch* as the API answers it."""
    return {
        "position": epoch.position,
        "number": _number(epoch.number),
        "lane": recording.lanes[epoch.lane],
        "url": f"{recording.get_absolute_url()}?epoch={epoch.position}",
        "call_runtime_stage_id": epoch.call_runtime_stage_id or None,
        "call_index": epoch.call_index,
        "subflow_scope": epoch.subflow_scope,
        "basis": epoch.basis,
        "run_basis": epoch.run_basis,
        "has_run_log": epoch.has_run_log,
        "model": epoch.model,
        "provider": epoch.provider,
        "input_tokens": _number(epoch.input_tokens),
        "output_tokens": _number(epoch.output_tokens),
        "duration_ms": _number(epoch.duration_ms),
        "failed": epoch.has_failed,
        "error": epoch.error,
        "tool_calls": epoch.tool_calls,
        "by_source": epoch.by_source,
    }


def piece_fields(presence: Presence, recording: Recording) -> dict[str, Any]:
    """Return the piece of *presence* as the API answers it, its text up to a limit."""
    piece, facts = presence.piece, presence.piece.facts
    text = piece.text.content
    return {
        "id": piece.piece_id,
        "slot": SLOTS[presence.slot_order],
        "source": facts["source"],
        "source_id": facts["source_id"],
        "sources": facts["sources"],
        "role": facts["role"],
        "reason": facts["reason"],
        "text": text[:MAX_TEXT_CHARS],
        "truncated": len(text) > MAX_TEXT_CHARS,
        "chars": piece.text.n_chars,
        "text_url": reverse("recordings-api:piece-text", args=[recording.public_id, piece.piece_id]),
        "own": facts["own"],
        "starts_record": facts["starts_record"],
        "message": facts["message"],
        "first_position": presence.first_position,
        "last_position": presence.last_position,
        "tool_call_id": facts["tool_call_id"],
        "tool_name": facts["tool_name"],
        "memory_store": facts["memory_store"],
        "memory_entry_id": facts["memory_entry_id"],
        "memory_turn": facts["memory_turn"],
        "document_id": facts["document_id"],
        "state": piece.state,
        "origin": facts["origin"],
        "landed": facts["landed"],
        "let_in": facts["let_in"],
    }


def not_served_fields(row: NotServed) -> dict[str, Any]:
    """Return *row* as the API answers it."""
    return {"kind": row.kind, **row.facts, "text": row.text}


def _number(value: float | None) -> int | float | None:
    """Return *value* as it was: the column knows floats only."""
    return int(value) if value is not None and value.is_integer() else value
