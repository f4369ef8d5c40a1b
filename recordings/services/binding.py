"""Whose a recording is: the occupant of the session whose token came with it, and the thread that it says it is of."""

from __future__ import annotations

from recordings.models import Recording
from sessions_app.models import Conversation, Incarnation
from sessions_app.services.writing import Identity, Writer, conversation_find, conversation_hold

OTHER_SESSION = "token_of_another_session"
OTHER_TURN = "turn_of_another_run"


def occupant_bind(*, draft: Recording) -> None:
    """
    Bind *draft* to the occupant whose token came with it, if there is one.

    A closed occupant's recording is late and not wrong. A token of another session's occupant binds nothing, and a
    warning says so; without a token, or with one that nobody was given, the occupant stays unknown.
    """
    if not draft.incarnation_sha256:
        return
    mine = Incarnation.objects.filter(workspace_id=draft.workspace_id, token_sha256=draft.incarnation_sha256)
    incarnation = mine.select_related("session").first()
    if incarnation is None:
        return
    if draft.session_id is None:
        draft.session_id, draft.session_key = incarnation.session.session_id, incarnation.session.session_key
    elif draft.session_key != incarnation.session.session_key:
        message = "The token belongs to an occupant of another session. Nothing is bound by it."
        draft.warnings = [*draft.warnings, {"code": OTHER_SESSION, "message": message}]
        return
    draft.incarnation, draft.is_late = incarnation, not incarnation.is_open


def thread_bind(*, draft: Recording) -> None:
    """
    Bind *draft* to the conversation of its occupant that it says it is of, made if need be, and to its turn there.

    The caller holds a transaction.
    """
    place = _thread_of(draft)
    if place is not None:
        draft.thread = conversation_hold(*place)
        turn_bind(draft=draft, thread=draft.thread)


def turn_bind(*, draft: Recording, thread: Conversation | None = None) -> None:
    """
    Bind *draft* to the turn that its run reserved in its conversation, if it says none itself.

    One that says another turn keeps it, and a warning says so.

    Args:
        thread: The conversation; None to look for it, and make none.
    """
    place = _thread_of(draft)
    thread = thread or (conversation_find(*place) if place is not None else None)
    keys = [key for key in (draft.run_key, draft.engine_run_key) if key]
    turn = thread.turns.filter(run_key__in=keys).order_by("number").first() if thread is not None and keys else None
    if turn is None:
        return
    if draft.turn is None:
        draft.turn = turn.number
    elif draft.turn != turn.number:
        message = f"Its run reserved turn {turn.number} of this conversation, and the recording says turn {draft.turn}."
        draft.warnings = [*draft.warnings, {"code": OTHER_TURN, "message": message}]


def _thread_of(draft: Recording) -> tuple[Writer, Identity] | None:
    """Return whose conversation *draft* says it is of; None when it says none."""
    if draft.conversation_id is None:
        return None
    writer = Writer(draft.workspace, draft.incarnation, draft.uploaded_by)
    return writer, Identity(draft.conversation_id, principal=draft.principal, tenant=draft.tenant)
