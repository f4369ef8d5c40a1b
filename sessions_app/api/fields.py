"""The JSON of sessions, conversations and entries, never with a token. Names are contracts; null means unknown."""

from __future__ import annotations

from typing import Any, Final

from sessions_app.models import Conversation, Incarnation, Incident, MemoryEntry, MemoryEntryVersion, Session, Turn
from sessions_app.models.memory import now_ms
from sessions_app.services.texts import Texts, versions_of

#: Of one session in one answer, the newest ones.
MAX_INCARNATIONS: Final = 200


def conversation_fields(conversation: Conversation) -> dict[str, Any]:
    """Return a conversation of a `for_list` query."""
    incarnation = conversation.incarnation
    n_overwritten: int = getattr(conversation, "n_overwritten", 0)
    return {
        "id": str(conversation.public_id),
        "workspace": conversation.workspace.slug,
        "identity": {
            "tenant": conversation.tenant,
            "principal": conversation.principal,
            "conversationId": conversation.conversation_id,
        },
        "namespace": conversation.namespace,
        "occupant": "known" if incarnation else "unknown",
        "session_id": incarnation.session.session_id if incarnation else None,
        "incarnation": str(incarnation.public_id) if incarnation else None,
        "number": incarnation.number if incarnation else None,
        "highest_turn": conversation.highest_turn or None,
        "turns": getattr(conversation, "n_turns", 0),
        "entries": getattr(conversation, "n_entries", 0),
        "overwritten": n_overwritten,
        "warnings": ["entries_overwritten"] if n_overwritten else [],
        "created_at": conversation.created_at.isoformat(),
    }


def turn_fields(turn: Turn) -> dict[str, Any]:
    """Return a turn."""
    return {
        "turn": turn.number,
        "run_id": turn.run_id,
        "reserved_at": turn.reserved_at.isoformat(),
        "reserved_by": turn.reserved_by,
    }


def entry_fields(row: MemoryEntry, texts: Texts) -> dict[str, Any]:
    """Return an entry with what it replaced, latest first. A JSON is text, in which no digit changes."""
    versions = versions_of(row)
    return {
        "store": row.store.name,
        "id": row.entry_id,
        "expired": row.expires_at_ms is not None and row.expires_at_ms <= now_ms(),
        **_written_fields(row, texts),
        "n_overwritten": row.n_overwritten,
        "versions": [
            {
                "number": version.number,
                **_written_fields(version, texts),
                "overwritten_at": version.overwritten_at.isoformat(),
            }
            for version in versions
        ],
        # Two turns that were given one id: what the first one wrote is no longer what the store answers.
        "turns": sorted({written.stored_turn for written in [row, *versions] if written.stored_turn}),
    }


def _written_fields(row: MemoryEntry | MemoryEntryVersion, texts: Texts) -> dict[str, Any]:
    return {
        "turn": row.stored_turn or None,
        "json": texts.of(row),
        "n_chars": row.n_chars,
        "written_at": row.written_at.isoformat(),
        "written_by": row.written_by,
    }


def session_fields(session: Session) -> dict[str, Any]:
    """Return a session of a `for_list` query with who holds its seat."""
    holders: list[Incarnation] = getattr(session, "holders", [])
    return {
        "id": str(session.public_id),
        "workspace": session.workspace.slug,
        "session_id": session.session_id,
        "n_incarnations": getattr(session, "n_incarnations", 0),
        "open": {"id": str(holders[0].public_id), "number": holders[0].number} if holders else None,
        "created_at": session.created_at.isoformat(),
    }


def session_detail_fields(session: Session) -> dict[str, Any]:
    """Return a session with its newest occupants, and what went wrong in it."""
    rows = session.incarnations.for_list().order_by("-number")[:MAX_INCARNATIONS]
    fields = [incarnation_fields(row) for row in rows]
    incidents = session.incidents.select_related("incarnation")[:MAX_INCARNATIONS]
    return session_fields(session) | {
        "incarnations": fields,
        "incidents": [_incident_fields(incident) for incident in incidents],
        "warnings": sorted({warning for row in fields for warning in row["warnings"]}),
    }


def incarnation_fields(incarnation: Incarnation) -> dict[str, Any]:
    """Return an occupant of a `for_list` query."""
    parent = incarnation.forked_from
    return {
        "id": str(incarnation.public_id),
        "session_id": incarnation.session.session_id,
        "number": incarnation.number,
        "open": incarnation.is_open,
        "opened_at": incarnation.opened_at.isoformat(),
        "opened_by": incarnation.opened_by,
        "closed_at": incarnation.closed_at.isoformat() if incarnation.closed_at else None,
        "closed_by": incarnation.closed_by or None,
        "reason": incarnation.closed_reason,
        "forked_from": None
        if parent is None
        else {"id": str(parent.public_id), "session_id": parent.session.session_id, "number": parent.number},
        "lineage": [
            {"session_id": link.session_id, "incarnation": str(link.ancestor.public_id) if link.ancestor else None}
            for link in incarnation.lineage.all()
        ],
        "conversations": getattr(incarnation, "n_conversations", 0),
        "warnings": ["two_principals"] if getattr(incarnation, "n_principals", 0) > 1 else [],
    }


def _incident_fields(incident: Incident) -> dict[str, Any]:
    return {
        "kind": incident.kind,
        "incarnation": str(incident.incarnation.public_id),
        "number": incident.incarnation.number,
        "times": incident.n_times,
        "first_at": incident.first_at.isoformat(),
        "last_at": incident.last_at.isoformat(),
        "last_by": incident.last_by or None,
    }
