"""The seat of a stored occupant: whose record a session id stands for, from its lineage as it was written down."""

from __future__ import annotations

from typing import Final

from sessions_app.incarnation import SessionIncarnationSeat, SessionIncident, session_incarnation_resolver
from sessions_app.models import Incarnation, Incident
from sessions_app.services.incidents import incident_note

_KINDS: Final = {"separated": Incident.Kind.SEPARATED, "resolver-failed": Incident.Kind.RESOLVER_FAILED}


def seat_of(incarnation: Incarnation, *, by: str) -> SessionIncarnationSeat:
    """
    Return the seat that *incarnation* reads and writes under.

    Its own session answers with its own token, an ancestor's with the ancestor's, any other with none. Tokens are the
    hashes of them. What has to be disclosed becomes an incident of *incarnation*.

    Args:
        incarnation: The occupant.
        by: Who reads, for the incidents.
    """
    lineage: dict[str, str | None] = {}
    for link in incarnation.lineage.order_by("-position"):
        # Of two ancestors on one seat the nearer one.
        lineage[link.session_id] = link.ancestor_token_sha256
    resolve = session_incarnation_resolver(incarnation.session.session_id, incarnation.token_sha256, lineage)

    def disclose(incident: SessionIncident) -> None:
        incident_note(incarnation=incarnation, kind=_KINDS[incident.kind], by=by)

    return SessionIncarnationSeat(resolve, disclose)
