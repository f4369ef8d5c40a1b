"""Records of a session: the first of each occupant stays, so that the next one is never left without its own."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from footprint_site.fields import text_key
from sessions_app.incarnation import (
    SessionIncarnationSeat,
    is_occupant_unknown,
    recalled_for_any_identity,
    recalled_for_identity,
)
from sessions_app.models import Session, SessionRecord
from sessions_app.services.errors import OtherSessionError
from sessions_app.services.seats import seat_of
from sessions_app.services.writing import Writer, fenced


@dataclass(frozen=True)
class Recalled:
    """What somebody who asks for a record is answered."""

    #: None when none binds.
    record: SessionRecord | None
    #: ``own``: both are known, and the same. ``unknown``: bound by the id alone. None without a record.
    occupant: Literal["own", "unknown"] | None
    #: Whether there is a record and it is another occupant's.
    is_separated: bool


def session_record_keep(*, writer: Writer, session_id: str, name: str, body: str) -> tuple[SessionRecord, bool]:
    """
    Keep *body*, JSON, as the record *name* of the writer's occupant, or of an unknown one.

    Returns:
        The record that is kept, an earlier one when there is one; and whether it is this one.

    Raises:
        OtherSessionError: The writer's occupant sits in another session.
        StaleIncarnationError: It is closed.
    """
    seat = writer.incarnation
    if seat is not None and seat.session.session_key != text_key(session_id):
        raise OtherSessionError
    with fenced(writer):
        session, _ = Session.objects.get_or_create(
            workspace=writer.workspace, session_key=text_key(session_id), defaults={"session_id": session_id}
        )
        return SessionRecord.objects.get_or_create(
            workspace=session.workspace,
            session=session,
            incarnation=seat,
            name_key=text_key(name),
            defaults={"name": name, "body": body, "n_chars": len(body), "written_by": writer.name[:200]},
        )


def session_record_recall(*, writer: Writer, session_id: str, name: str) -> Recalled:
    """
    Return the record *name* of the session *session_id* that binds the writer's occupant.

    The session may be one that it was forked from: then the record is that of the occupant it was forked from, never of
    whoever sits there now. A record of another occupant is kept apart, and an incident says so.
    """
    read = _seat(writer).identity_read(session_id)
    rows = SessionRecord.objects.filter(
        workspace=writer.workspace, session__session_key=text_key(session_id), name_key=text_key(name)
    )
    # First whose they are: of what is long only the one that is handed out is read.
    tokens = rows.order_by("pk").values_list("incarnation__token_sha256", "pk")
    held: dict[str | None, dict[str, Any]] = {token: {"incarnation": token, "pk": pk} for token, pk in tokens}
    records = {session_id: held}
    found = recalled_for_identity(records, session_id, read.incarnation)
    if found is None:
        is_separated = recalled_for_any_identity(records, session_id) is not None
        if is_separated:
            read.on_separated()
        return Recalled(None, None, is_separated)
    is_unknown = is_occupant_unknown(found["incarnation"], read.incarnation)
    record = SessionRecord.objects.filter(pk=found["pk"]).first()
    if record is None:  # deleted in between
        return Recalled(None, None, is_separated=False)
    return Recalled(record, "unknown" if is_unknown else "own", is_separated=False)


def _seat(writer: Writer) -> SessionIncarnationSeat:
    if writer.incarnation is None:
        return SessionIncarnationSeat(None)
    return seat_of(writer.incarnation, by=writer.name)
