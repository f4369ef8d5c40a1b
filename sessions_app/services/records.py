"""Records of a session: the first of each occupant stays, so that the next one is never left without its own."""

from __future__ import annotations

from django.db import transaction

from footprint_site.fields import text_key
from sessions_app.models import Incarnation, Session, SessionRecord


def session_record_keep(
    *, session: Session, incarnation: Incarnation | None, name: str, body: str, written_by: str
) -> SessionRecord:
    """
    Keep *body*, JSON, as the record *name* of *incarnation*, None for an unknown occupant.

    Returns:
        The record that is kept: an earlier one when there is one.
    """
    with transaction.atomic():
        record, _ = SessionRecord.objects.get_or_create(
            workspace=session.workspace,
            session=session,
            incarnation=incarnation,
            name_key=text_key(name),
            defaults={"name": name, "body": body, "written_by": written_by[:200]},
        )
    return record


def session_record_recall(*, session: Session, incarnation: Incarnation | None, name: str) -> SessionRecord | None:
    """
    Return the record *name* that binds whoever asks: the asker's own, else one of an unknown occupant.

    An asker who is unknown gets the first one there is; whose it is stands in it. A known one never gets another's.
    """
    records = list(session.records.filter(workspace_id=session.workspace_id, name_key=text_key(name)))
    own = [record for record in records if record.incarnation_id == (incarnation.pk if incarnation else None)]
    binding = [record for record in records if incarnation is None or record.incarnation_id is None]
    return next(iter(own + binding), None)
