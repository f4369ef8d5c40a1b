"""From a scanned file, and what its sender says about it, to the row that it will be."""

from __future__ import annotations

from typing import Final

import msgspec

from footprint_site.access.models import Workspace
from footprint_site.access.principals import KeyHolder, Viewer
from footprint_site.fields import text_key
from recordings.ingest.receive import Received
from recordings.ingest.scan import Scan
from recordings.models import Recording
from recordings.models.recording import id_key, turn_or_none
from recordings.services.binding import occupant_bind
from recordings.services.ending import ending_of

_FILENAME_MAX_LENGTH: Final = 300


class Stated(msgspec.Struct, frozen=True):
    """Where a recording belongs, as its sender says. None where nothing is said: then the claim of the file counts."""

    session_id: str | None = None
    tenant: str | None = None
    principal: str | None = None
    conversation_id: str | None = None
    turn: int | None = None
    filename: str = ""
    #: The token of the incarnation; only its hash is kept.
    incarnation: str = ""
    #: The hash itself, where the token is not known any more.
    incarnation_sha256: str = ""


def draft_of(
    *, workspace: Workspace, received: Received, found: Scan, stated: Stated, actor: Viewer | str
) -> Recording:
    """Return the row of a recording that is not stored yet."""
    session_id = stated.session_id or found.session_id
    conversation_id = stated.conversation_id or found.conversation_id
    draft = Recording(
        workspace=workspace,
        sha256=received.sha256,
        n_bytes=received.n_bytes,
        filename=_printable(stated.filename)[:_FILENAME_MAX_LENGTH],
        uploaded_by=_name_of(actor)[:200],
        form=found.form,
        producer=found.producer,
        n_commits=found.n_commits,
        n_epochs=found.n_epochs,
        lanes=list(found.lanes),
        run_id=found.run_id,
        run_key=id_key(found.run_id),
        engine_run_id=found.engine_run_id,
        engine_run_key=id_key(found.engine_run_id),
        is_complete=found.complete,
        n_dropped_events=found.dropped_events,
        started_at=found.started_at,
        ended_at=found.ended_at,
        tenant=stated.tenant or found.tenant,
        principal=stated.principal or found.principal,
        conversation_id=conversation_id,
        conversation_key=id_key(conversation_id),
        turn=stated.turn if stated.turn is not None else turn_or_none(found.turn),
        session_id=session_id,
        session_key=id_key(session_id),
        incarnation_sha256=text_key(stated.incarnation) if stated.incarnation else stated.incarnation_sha256,
        warnings=[{"code": warning.code, "message": warning.message} for warning in found.warnings],
    )
    for name, value in ending_of(found.recording).items():
        setattr(draft, name, value)
    occupant_bind(draft=draft)
    return draft


def _name_of(actor: Viewer | str) -> str:
    if isinstance(actor, str):
        return actor
    return str(actor) if isinstance(actor, KeyHolder) else actor.get_username()


def _printable(text: str) -> str:
    """Return *text* without the characters that no column of text takes."""
    return text.encode("utf-8", "replace").decode().replace("\0", "␀")
