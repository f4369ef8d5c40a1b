"""From what the core found to the rows of the index, in the shapes that the API answers."""

from __future__ import annotations

from typing import Any

from recordings.models import Epoch, Recording
from recordings.services.totals import EpochTotals
from recordings.timetravel import (
    UNDEFINED,
    CallFacts,
    Context,
    EpochLocation,
    Place,
    call_facts,
    gaps_at,
    receipt_at,
    served_at,
    verify,
)
from recordings.timetravel import NotServed as Unserved
from recordings.timetravel import Piece as ContextPiece
from recordings.timetravel import Recording as Run
from recordings.timetravel.sent import are_tools_withheld
from recordings.timetravel.served import forced_tool_of


def epoch_row(
    recording: Recording,
    run: Run,
    location: EpochLocation,
    context: Context,
    lane: int,
    totals: EpochTotals,
    *,
    is_evicted: bool,
) -> Epoch:
    """Return the row of the call at *location*; *is_evicted* when a message left the window there."""
    facts = call_facts(run, location)
    slots = context.epochs[location.position]
    forced = forced_tool_of(location)
    return Epoch(
        workspace_id=recording.workspace_id,
        recording=recording,
        position=location.position,
        number=location.epoch,
        lane=lane,
        call_runtime_stage_id=_text(location.call_runtime_stage_id),
        call_index=location.call_index,
        subflow_scope=location.subflow_scope,
        basis=location.basis,
        run_basis=location.run_basis,
        has_run_log=location.has_run_log,
        model=facts.model,
        provider=facts.provider,
        input_tokens=facts.input_tokens,
        output_tokens=facts.output_tokens,
        duration_ms=facts.duration_ms,
        has_failed=facts.has_failed,
        error=facts.error.text if facts.error else None,
        tool_calls=None if facts.tool_calls is None else [_tool_call(call) for call in facts.tool_calls],
        said=facts.said,
        by_source=totals.by_source,
        n_pieces=totals.n_pieces,
        n_chars=totals.n_chars,
        n_gone=totals.n_gone,
        previous_position=totals.previous_position,
        next_position=totals.next_position,
        marks=_marks(facts, totals, is_evicted=is_evicted, is_last_words=are_tools_withheld(location)),
        system_state=slots.system,
        messages_state=slots.messages,
        tools_state=slots.tools,
        forced_tool=forced,
        withheld="wrap-up" if are_tools_withheld(location) else None,
        request_only=[],
        gaps=_gaps(location, has_conversation=slots.messages in ("recorded", "copy")),
        receipt=_receipt(run, location),
    )


def _marks(facts: CallFacts, totals: EpochTotals, *, is_evicted: bool, is_last_words: bool) -> list[str]:
    """Return what is worth a mark over the epoch, in the order in which marks are drawn."""
    has_failed = facts.has_failed or any(call.has_failed for call in facts.tool_calls or ())
    told = {
        "error": has_failed,
        "evicted": is_evicted or totals.n_gone > 0,
        "memory": totals.has_new_memory,
        "wrap-up": is_last_words,
    }
    return [mark for mark, is_there in told.items() if is_there]


def _tool_call(call: Any) -> dict[str, Any]:
    return {
        "id": call.id,
        "name": call.name,
        "args": None if call.args is UNDEFINED else call.args,
        "has_args": call.args is not UNDEFINED,
        "duration_ms": call.duration_ms,
        "has_failed": call.has_failed,
    }


def _gaps(location: EpochLocation, *, has_conversation: bool) -> list[dict[str, Any]]:
    gaps = gaps_at(location, has_conversation=has_conversation)
    return [{"gap": gap.gap, "fields": gap.fields, "cause": gap.cause} for gap in gaps]


def _receipt(run: Run, location: EpochLocation) -> list[dict[str, str]] | None:
    """Return what the receipt proves, row by row; None when there is none."""
    receipt = receipt_at(location)
    if receipt is None:
        return None
    return [{"row": check.row, "state": check.state} for check in verify(served_at(run, location), receipt)]


def facts_of_piece(piece: ContextPiece) -> dict[str, Any]:
    """Return what the API says about *piece* beside its text and span."""
    entry = piece.memory
    return {
        "key": list(piece.key),
        "source": piece.source,
        "source_id": piece.source_id,
        "recorded_source": piece.recorded_source,
        "sources": [
            {
                "source": source.source,
                "source_id": source.source_id,
                "reason": source.reason,
                "first_position": source.first_position,
                "last_position": source.last_position,
            }
            for source in piece.sources
        ],
        "role": piece.role,
        "reason": piece.reason,
        "own": list(piece.own),
        "starts_record": piece.starts_record,
        "message": _message_beside_its_text(piece),
        "tool_call_id": piece.tool_call_id,
        "tool_name": piece.tool_name,
        "memory_store": entry.memory_id if entry and not piece.document_id else None,
        "memory_entry_id": entry.entry_id if entry and not piece.document_id else None,
        "memory_turn": entry.turn if entry else None,
        "memory_role": entry.role if entry else None,
        "memory_refs": entry.refs if entry else [],
        "document_id": piece.document_id,
        "origin": place_fields(piece.origin),
        "landed": place_fields(piece.landed),
        "let_in": place_fields(piece.let_in) if piece.let_in else None,
        "n_folded": len(piece.folded),
    }


def _message_beside_its_text(piece: ContextPiece) -> Any:
    """Return the fields of a message but its content, which is the text; None for what is no message."""
    if piece.slot != "messages" or not isinstance(piece.value, dict):
        return None
    return {key: value for key, value in piece.value.items() if key != "content"}


def place_fields(place: Place) -> dict[str, Any]:
    """Return *place* as the API answers it."""
    return {
        "log": place.log,
        "commit_index": place.commit_index,
        "runtime_stage_id": place.runtime_stage_id,
        "epoch_position": place.epoch_position,
    }


def facts_of_unserved(item: Unserved) -> dict[str, Any]:
    """Return what the API says about *item* beside its kind and text."""
    return {
        "id": item.id,
        "reason": item.reason,
        "note": item.note,
        "score": item.score,
        "rank": item.rank,
        "threshold": item.threshold,
        "memory_store": item.memory_id,
        "role": item.role,
        "since": item.since,
        "n_messages": item.n_messages,
        "origin": place_fields(item.origin) if item.origin else None,
    }


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""
