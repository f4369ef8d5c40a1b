"""Whose a recording is: the occupant of the session whose token came with it, and the thread that it says it is of."""

from __future__ import annotations

from recordings.models import Recording
from sessions_app.models import Conversation, Incarnation
from sessions_app.services.writing import Identity, Writer, conversation_hold

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
    Bind *draft* to the conversation of its occupant that it says it is of, made if need be.

    One that says no turn is of the turn that its run reserved there. One that says another turn keeps it, and a warning
    says so. The caller holds a transaction.
    """
    if draft.conversation_id is None:
        return
    writer = Writer(draft.workspace, draft.incarnation, draft.uploaded_by)
    identity = Identity(draft.conversation_id, principal=draft.principal, tenant=draft.tenant)
    draft.thread = conversation_hold(writer, identity)
    _turn_bind(draft, draft.thread)


def _turn_bind(draft: Recording, thread: Conversation) -> None:
    turn = thread.turns.filter(run_key=draft.run_key).order_by().first() if draft.run_key else None
    if turn is None:
        return
    if draft.turn is None:
        draft.turn = turn.number
    elif draft.turn != turn.number:
        message = f"Its run reserved turn {turn.number} of this conversation, and the recording says turn {draft.turn}."
        draft.warnings = [*draft.warnings, {"code": OTHER_TURN, "message": message}]
