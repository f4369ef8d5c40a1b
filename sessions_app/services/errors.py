"""What the services refuse."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sessions_app.models import Session


class SessionsError(Exception):
    """A refusal: a word for programs in ``code``, a sentence for people as its text."""

    code = "refused"


class StaleIncarnationError(SessionsError):
    """The occupant's time is over: whatever it asked for was not done."""

    code = "stale_incarnation"

    def __init__(self) -> None:
        super().__init__("This occupant of the session was closed. Nothing was changed; open a new one to go on.")


class UnknownIncarnationError(SessionsError):
    """No occupant has this token here."""

    code = "unknown_incarnation"

    def __init__(self) -> None:
        super().__init__("No occupant of a session has the token in Footprint-Incarnation. Nothing was changed.")


class SessionExistsError(SessionsError):
    """Somebody was seated under this id before; ``session`` is where."""

    code = "session_exists"

    def __init__(self, session: Session) -> None:
        super().__init__("There is a session with this id already. Nothing was changed.")
        self.session = session


class OtherSessionError(SessionsError):
    """The token is that of an occupant of another session."""

    code = "other_session"

    def __init__(self) -> None:
        super().__init__("The token in Footprint-Incarnation is of another session's occupant. Nothing was changed.")


class UnknownAncestorError(SessionsError):
    """The occupant that is said to be the ancestor is not here."""

    code = "unknown_ancestor"

    def __init__(self) -> None:
        super().__init__("forked_from names an occupant that is not here. Name one by its session_id and its id.")


class TurnOutOfRangeError(SessionsError):
    """No turn is left above those that were given or stored."""

    code = "turn_out_of_range"

    def __init__(self, limit: int) -> None:
        super().__init__(f"The next turn would be above {limit}.")
        self.limit = limit


class EntryInvalidError(SessionsError):
    """An entry that no store could find again."""

    code = "entry_invalid"
