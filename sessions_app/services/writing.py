"""Who writes, and the fence that stops an occupant whose time is over."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from django.db import connection, transaction

from footprint_site.access.models import Workspace
from footprint_site.fields import text_key
from footprint_site.locks import exclusive
from sessions_app.identity import identity_namespace
from sessions_app.models import Conversation, Incarnation, Incident
from sessions_app.services.errors import StaleIncarnationError, UnknownIncarnationError
from sessions_app.services.incidents import incident_note


@dataclass(frozen=True)
class Writer:
    """Somebody who reads and writes memory: as one occupant of a session, or as an unknown one for None."""

    workspace: Workspace
    incarnation: Incarnation | None
    #: The key or the person.
    name: str

    @property
    def token_sha256(self) -> str:
        """Of the occupant's token; empty for an unknown one."""
        return self.incarnation.token_sha256 if self.incarnation else ""


@dataclass(frozen=True)
class Identity:
    """Whose conversation: texts of any characters, None for what was not given."""

    conversation_id: str | None
    principal: str | None = None
    tenant: str | None = None

    @property
    def namespace(self) -> str:
        """The text that tells it from all others."""
        return identity_namespace(
            {"tenant": self.tenant, "principal": self.principal, "conversationId": self.conversation_id}
        )


@contextmanager
def fenced(writer: Writer) -> Iterator[None]:
    """
    One transaction in which the writer's occupant cannot be closed: it ends before, or waits.

    Raises:
        StaleIncarnationError: It is closed. An incident says so, and nothing else is changed.
        UnknownIncarnationError: It was deleted.
    """
    try:
        with in_turn(), transaction.atomic():
            if writer.incarnation is not None:
                _hold_seat(writer.incarnation)
            yield
    except StaleIncarnationError:
        if writer.incarnation is not None:
            incident_note(incarnation=writer.incarnation, kind=Incident.Kind.STALE_WRITE, by=writer.name)
        raise


@contextmanager
def in_turn() -> Iterator[None]:
    """
    Wait for one's turn to begin a transaction that writes.

    SQLite has one writer at a time, and whoever waits for it sleeps longer and longer while others go first: under
    load for many seconds. The lock is handed on in order. Inside a transaction the turn has come already.
    """
    if connection.vendor != "sqlite" or connection.in_atomic_block:
        yield
        return
    with exclusive("memory"):
        yield


def _hold_seat(incarnation: Incarnation) -> None:
    now = Incarnation.objects.select_for_update(no_key=True).filter(pk=incarnation.pk).first()
    if now is None:
        raise UnknownIncarnationError
    if not now.is_open:
        raise StaleIncarnationError


def conversation_find(writer: Writer, identity: Identity, *, is_held: bool = False) -> Conversation | None:
    """
    Return the conversation that *writer* has under *identity*: only ever the occupant's own.

    Args:
        writer: Who asks.
        identity: Whose conversation.
        is_held: Whether to lock it until the transaction ends.
    """
    rows = Conversation.objects.filter(**_place(writer, identity))
    return (rows.select_for_update(no_key=True) if is_held else rows).first()


def conversation_hold(writer: Writer, identity: Identity) -> Conversation:
    """Return the conversation, made if need be, and locked until the transaction ends."""
    rows = Conversation.objects.select_for_update(no_key=True)
    conversation, _ = rows.get_or_create(
        **_place(writer, identity),
        defaults={
            "namespace": identity.namespace,
            "tenant": identity.tenant,
            "principal": identity.principal,
            "conversation_id": identity.conversation_id,
        },
    )
    return conversation


def _place(writer: Writer, identity: Identity) -> dict[str, object]:
    return {
        "workspace": writer.workspace,
        "namespace_key": text_key(identity.namespace),
        "incarnation": writer.incarnation,
    }
