"""
Whose a record of a session is: a session id names a seat, and its occupants come and go.

Each occupant is known by a token that nobody can guess. Records that are kept by session id carry the token of the
occupant they were written for, under ``incarnation``. Reading by the id alone would hand one occupant what belongs to
another, so whoever reads asks for its own token first, and binds only what `record_binds_incarnation` lets it. None is
the token of an occupant that is not known. Tokens are secrets: no incident holds one.

Source: the session records of agentfootprint.
"""
# ruff: noqa: A002  # the reference calls a session's id "id"

from __future__ import annotations

from collections.abc import Callable, Mapping, MutableMapping
from dataclasses import dataclass
from threading import Lock
from typing import Any, Literal, TypeAlias, TypeVar

#: A session id to its occupant's token; None when it is not known.
IncarnationResolver: TypeAlias = Callable[[str], str | None]

#: What is kept by session id: anything, with an optional ``incarnation``.
SessionRecord: TypeAlias = Mapping[str, Any]
Record = TypeVar("Record", bound=SessionRecord)

#: The first record of each occupant by session id and token, the oldest first. Starts as ``{}``.
RecordsByIdentity: TypeAlias = MutableMapping[str, dict[str | None, Record]]


@dataclass(frozen=True, slots=True)
class SessionIncident:
    """
    Something that the one who runs sessions has to hear of.

    Attributes:
        kind: ``separated``: a record of another occupant was kept from the one who asked. ``resolver-failed``: who
            occupies a session could not be told, so records bind by id.
        session_id: The id that was asked for.
        error: What the resolver raised; None for any other kind.
    """

    kind: Literal["separated", "resolver-failed"]
    session_id: str
    error: Exception | None = None


@dataclass(frozen=True, slots=True)
class SessionIdentityRead:
    """
    The identity that a record of one session is read under.

    Attributes:
        incarnation: The token to bind records with; None when the occupant is not known.
        on_separated: Call it when a record was there and did not bind. It may be called any number of times.
    """

    incarnation: str | None
    on_separated: Callable[[], None]


def session_incarnation_resolver(
    session_id: str, own: str | None, lineage: Mapping[str, str | None] | None = None
) -> IncarnationResolver:
    """
    Return a resolver for one acquired session, which never looks at who holds an id now.

    Args:
        session_id: The acquired session.
        own: Its token. It answers for *session_id* even when a session of that id is among its ancestors.
        lineage: The ids of the sessions that it was forked from, each with the token of the occupant it was forked
            from, as recorded then; None where none was recorded. It is copied: later changes change no answer.
    """
    tokens = {**(lineage or {}), session_id: own}
    return tokens.get


class SessionIncarnationSeat:
    """
    The identity under which the records of sessions are read and written. Threads may share one.

    Without a resolver nothing is asked, nothing is to be stamped, and every record binds by id.
    """

    def __init__(
        self, resolve: IncarnationResolver | None, on_incident: Callable[[SessionIncident], None] | None = None
    ) -> None:
        """
        Take a seat.

        Args:
            resolve: Asked anew each time. Whatever it raises is an incident, and the occupant is not known.
            on_incident: Hears once that the resolver failed, and once of each session id with a separated record. What
                it raises reaches the caller.
        """
        self._resolve = resolve
        self._on_incident = on_incident
        self._lock = Lock()
        self._disclosed: set[str | None] = set()

    def incarnation_of(self, id: str) -> str | None:
        """Return the token that a record of the session is stamped with; None: leave it without one."""
        if self._resolve is None:
            return None
        try:
            return self._resolve(id)
        except Exception as error:  # noqa: BLE001  # it is the host's code, and may raise anything
            self._disclose(None, SessionIncident("resolver-failed", id, error))
            return None

    def identity_read(self, id: str) -> SessionIdentityRead:
        """Return what a record of the session is read with; the resolver is asked once."""
        incident = SessionIncident("separated", id)
        return SessionIdentityRead(self.incarnation_of(id), lambda: self._disclose(id, incident))

    def _disclose(self, subject: str | None, incident: SessionIncident) -> None:
        """Tell of *incident*, unless one of the same *subject* was told: a session id, or None for the resolver."""
        with self._lock:
            if subject in self._disclosed:
                return
            self._disclosed.add(subject)
        if self._on_incident is not None:
            self._on_incident(incident)


def is_occupant_unknown(record_token: str | None, asking: str | None) -> bool:
    """Tell whether nothing but the id connects a record with the one who asks: what it shows is marked with that."""
    return record_token is None or asking is None


def record_binds_incarnation(record_token: str | None, asking: str | None) -> bool:
    """Tell whether a record with *record_token* may be read by *asking*: not when both are known, and not the same."""
    return is_occupant_unknown(record_token, asking) or record_token == asking


def remember_for_identity(records: RecordsByIdentity[Record], id: str, record: Record) -> Record:
    """
    Keep *record* for its occupant while it cannot be written durably, unless the occupant has one: the first wins.

    A record without a token belongs to an identity of its own, so it takes no occupant's place. Returns the record that
    is kept.
    """
    return records.setdefault(id, {}).setdefault(record.get("incarnation"), record)


def recalled_for_identity(records: RecordsByIdentity[Record], id: str, asking: str | None) -> Record | None:
    """
    Return the record that was kept for the occupant *asking*, else the first that binds, else None.

    One who is not known is handed the record without a token first.
    """
    held = records.get(id, {})
    if asking in held:
        return held[asking]
    # A copy, as another thread may be remembering.
    return next((record for token, record in tuple(held.items()) if record_binds_incarnation(token, asking)), None)


def recalled_for_any_identity(records: RecordsByIdentity[Record], id: str) -> Record | None:
    """
    Return the first record that was kept under *id*, whoever it belongs to; None when there is none.

    It tells that something was kept, and is never to be shown to an occupant.
    """
    return next(iter(tuple(records.get(id, {}).values())), None)
