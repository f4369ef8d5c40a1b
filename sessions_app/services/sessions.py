"""Opening and closing the occupants of a session."""

from __future__ import annotations

import secrets
from typing import Final

from django.db import transaction
from django.http import HttpRequest
from django.utils import timezone

from footprint_site.access.audit import audit
from footprint_site.access.models import Workspace
from footprint_site.access.principals import Viewer
from footprint_site.fields import text_key
from sessions_app.models import Incarnation, LineageLink, Session
from sessions_app.models.records import Incident
from sessions_app.services.errors import (
    SessionExistsError,
    StaleIncarnationError,
    UnknownAncestorError,
    UnknownIncarnationError,
)
from sessions_app.services.incidents import incident_note
from sessions_app.services.writing import in_turn

_TOKEN_BYTES: Final = 32
REPLACED: Final = "A new occupant was opened."


def incarnation_open(
    *,
    workspace: Workspace,
    session_id: str,
    actor: Viewer | str,
    forked_from: Incarnation | None = None,
    is_first: bool = False,
    request: HttpRequest | None = None,
) -> tuple[Incarnation, str]:
    """
    Give the seat *session_id* to a new occupant, and close the one that holds it.

    Returns:
        The occupant and its token, 256 random bits in base64url, which is kept nowhere and cannot be shown again.

    Raises:
        UnknownAncestorError: *forked_from* is of another workspace.
        SessionExistsError: The session was here before, and with *is_first* it must not be.
    """
    if forked_from is not None and forked_from.workspace_id != workspace.pk:
        raise UnknownAncestorError
    token = secrets.token_urlsafe(_TOKEN_BYTES)
    with in_turn(), transaction.atomic():
        # Whoever holds the row of the session is alone in changing who holds its seat.
        session, is_new = Session.objects.select_for_update(no_key=True).get_or_create(
            workspace=workspace, session_key=text_key(session_id), defaults={"session_id": session_id}
        )
        if is_first and not is_new:
            raise SessionExistsError(session)
        before = session.incarnations.order_by("-number").first()
        if before is not None and _close(before, reason=REPLACED, by=str(actor)):
            incident_note(incarnation=before, kind=Incident.Kind.TAKEOVER, by=str(actor))
        incarnation = Incarnation.objects.create(
            workspace=workspace,
            session=session,
            number=before.number + 1 if before else 1,
            token_sha256=text_key(token),
            forked_from=forked_from,
            opened_by=str(actor)[:200],
        )
        _lineage_keep(incarnation)
        audit("incarnation_open", actor=actor, target=_target(incarnation), workspace=workspace, request=request)
    return incarnation, token


def incarnation_close(
    *, incarnation: Incarnation, reason: str, actor: Viewer | str, request: HttpRequest | None = None
) -> Incarnation:
    """
    Close *incarnation*, whose token is refused from then on. Returns it as it is now.

    Raises:
        StaleIncarnationError: It was closed before.
    """
    with in_turn(), transaction.atomic():
        if not _close(incarnation, reason=reason, by=str(actor)):
            raise StaleIncarnationError
        audit(
            "incarnation_close",
            actor=actor,
            target=_target(incarnation),
            workspace=incarnation.workspace,
            request=request,
        )
    incarnation.refresh_from_db()
    return incarnation


def incarnation_of_token(*, workspace: Workspace, token: str) -> Incarnation:
    """
    Return the occupant, open or closed, that *token* belongs to.

    Raises:
        UnknownIncarnationError: None of *workspace* has it.
    """
    rows = Incarnation.objects.filter(workspace=workspace, token_sha256=text_key(token))
    found = rows.select_related("session").first()
    if found is None:
        raise UnknownIncarnationError
    return found


def session_delete(*, session: Session, actor: Viewer | str, request: HttpRequest | None = None) -> dict[str, int]:
    """Delete *session* with all its occupants, their conversations and memory. Returns how much of each went."""
    with transaction.atomic():
        locked = Session.objects.select_for_update().get(pk=session.pk)
        public_id, workspace = str(locked.public_id), locked.workspace
        _, gone = locked.delete()
        audit("session_delete", actor=actor, target=public_id, workspace=workspace, request=request)
    return {label.rpartition(".")[2]: n_rows for label, n_rows in gone.items() if n_rows}


def _close(incarnation: Incarnation, *, reason: str, by: str) -> bool:
    """Close *incarnation* unless it is closed. Waits for its writes that have begun, and stops the others."""
    # Locked first, so that the moment it is closed is after its last write.
    Incarnation.objects.select_for_update(no_key=True).filter(pk=incarnation.pk).first()
    rows = Incarnation.objects.open().filter(pk=incarnation.pk)
    return bool(rows.update(closed_at=timezone.now(), closed_by=by[:200], closed_reason=reason))


def _lineage_keep(incarnation: Incarnation) -> None:
    """Write down whom *incarnation* descends from, so that it stays true whoever sits on their seats later."""
    parent = incarnation.forked_from
    if parent is None:
        return
    ancestors: list[tuple[str, str, Incarnation | None]] = [(parent.session.session_id, parent.token_sha256, parent)]
    ancestors += [
        (link.session_id, link.ancestor_token_sha256, link.ancestor)
        for link in parent.lineage.select_related("ancestor")
    ]
    LineageLink.objects.bulk_create(
        LineageLink(
            workspace=incarnation.workspace,
            incarnation=incarnation,
            position=position,
            session_id=session_id,
            session_key=text_key(session_id),
            ancestor=ancestor,
            ancestor_token_sha256=token_sha256,
        )
        for position, (session_id, token_sha256, ancestor) in enumerate(ancestors, 1)
    )


def _target(incarnation: Incarnation) -> str:
    return f"{incarnation.session.public_id} #{incarnation.number}"
