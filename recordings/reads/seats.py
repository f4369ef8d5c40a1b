"""What the pages of sessions show: occupants apart from each other, each with what is its own."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from django.core.paginator import Page, Paginator
from django.db.models import Count, F, Max, OuterRef, Q, QuerySet, Subquery, Window
from django.db.models.functions import Coalesce, RowNumber
from django.shortcuts import get_object_or_404

from footprint_site.access.models import AuditLine, Role, Workspace
from footprint_site.access.principals import Viewer
from recordings.models import Recording
from recordings.reads.threads import MAX_PRINCIPALS
from sessions_app.models import (
    Conversation,
    Incarnation,
    Incident,
    LineageLink,
    MemoryEntry,
    MemoryEntryVersion,
    Session,
    SessionRecord,
    Turn,
)

PAGE_SIZE: Final = 50
OCCUPANTS_A_PAGE: Final = 20
#: Of one occupant; the list of recordings has the others.
MAX_RECORDINGS: Final = 50
MAX_CONVERSATIONS: Final = 20
MAX_RECORDS: Final = 20
_MAX_LINEAGE: Final = 20
_MAX_AUDIT_LINES: Final = 20
#: The turns of one conversation stand together.
_BY_TURN: Final = (F("thread").asc(nulls_last=True), F("turn").asc(nulls_last=True), "created_at", "pk")
#: What a row of a recording reads.
_ROW: Final = (
    "public_id",
    "incarnation_id",
    "incarnation_sha256",
    "thread__public_id",
    "turn",
    "question",
    "answers",
    "outcome",
    "status",
    "is_late",
    "n_epochs",
    "input_tokens",
    "output_tokens",
    "started_at",
    "ended_at",
    "principal",
    "created_at",
    "filename",
    "workspace_id",
)


@dataclass
class Occupant:
    """An occupant of a session, and what belongs to nobody else."""

    incarnation: Incarnation
    recordings: list[Recording] = field(default_factory=list)
    n_recordings: int = 0
    conversations: list[Conversation] = field(default_factory=list)
    n_conversations: int = 0
    lineage: list[LineageLink] = field(default_factory=list)
    records: list[SessionRecord] = field(default_factory=list)
    n_records: int = 0
    principals: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class Seats:
    """The page of a session."""

    page: Page[Incarnation]
    occupants: list[Occupant]
    newest: Incarnation | None
    unknown: list[Recording]
    n_unknown: int
    #: What was kept for an unknown occupant.
    unknown_records: list[SessionRecord]
    n_unknown_records: int
    incidents: list[Incident]
    audit_lines: list[AuditLine]

    @property
    def number(self) -> int:
        """The number of the occupant that came last; 0 when nobody came."""
        return self.newest.number if self.newest else 0

    @property
    def open(self) -> Incarnation | None:
        """Who sits there now."""
        return self.newest if self.newest is not None and self.newest.is_open else None


def sessions_for(viewer: Viewer) -> QuerySet[Session]:
    """Return the sessions that *viewer* manages, with ``n_occupants``, ``n_recordings`` and ``last_opened_at``."""
    occupants = Incarnation.objects.filter(session=OuterRef("pk")).order_by().values("session")
    recordings = Recording.objects.filter(workspace=OuterRef("workspace"), session_key=OuterRef("session_key"))
    sitting = Incarnation.objects.open().filter(session=OuterRef("pk")).order_by()
    return (
        Session.objects.visible_to(viewer)
        .filter(workspace__in=Workspace.objects.where_at_least(viewer, Role.ADMIN))
        .select_related("workspace")
        .annotate(
            n_occupants=Coalesce(Subquery(occupants.annotate(n=Count("pk")).values("n")), 0),
            last_opened_at=Subquery(occupants.annotate(at=Max("opened_at")).values("at")),
            open_number=Subquery(sitting.values("number")[:1]),
            n_recordings=Coalesce(
                Subquery(recordings.order_by().values("session_key").annotate(n=Count("pk")).values("n")), 0
            ),
        )
        .order_by("-pk")
    )


def sessions_page(viewer: Viewer, number: str | None) -> Page[Session]:
    """Return page *number* of the sessions that *viewer* manages."""
    return Paginator(sessions_for(viewer), PAGE_SIZE).get_page(number)


def get_session_for(viewer: Viewer, public_id: Any) -> Session:
    """Return a session that *viewer* may know of. Raises `Http404`."""
    return get_object_or_404(Session.objects.visible_to(viewer).select_related("workspace"), public_id=public_id)


def get_record_for(viewer: Viewer, session: Session, record_pk: int) -> SessionRecord:
    """Return a record of *session* that *viewer* may see, with whose it is. Raises `Http404`."""
    rows = SessionRecord.objects.visible_to(viewer).filter(session=session).select_related("incarnation")
    return get_object_or_404(rows, pk=record_pk)


def seats_of(session: Session, viewer: Viewer, number: str | None) -> Seats:
    """Return the page of *session*, at page *number* of its occupants, the newest first."""
    rows = session.incarnations.visible_to(viewer).order_by("-number").select_related("forked_from__session")
    page = Paginator(rows, OCCUPANTS_A_PAGE).get_page(number)
    occupants = [Occupant(incarnation) for incarnation in page]
    _fill(occupants, viewer)
    newest = occupants[0].incarnation if page.number == 1 and occupants else rows.first()
    unknown = Recording.objects.visible_to(viewer).filter(
        workspace=session.workspace_id, session_key=session.session_key, incarnation=None
    )
    kept = session.records.visible_to(viewer).filter(incarnation=None)
    return Seats(
        page=page,
        occupants=occupants,
        newest=newest,
        unknown=list(unknown.select_related("thread").only(*_ROW).order_by("-created_at", "-pk")[:MAX_RECORDINGS]),
        n_unknown=unknown.count(),
        unknown_records=list(kept.defer("body")[:MAX_RECORDS]),
        n_unknown_records=kept.count(),
        incidents=list(session.incidents.visible_to(viewer).select_related("incarnation")[:_MAX_AUDIT_LINES]),
        audit_lines=list(
            AuditLine.objects.visible_to(viewer)
            .filter(workspace=session.workspace_id, target__startswith=str(session.public_id))
            .latest_lines(_MAX_AUDIT_LINES)
        ),
    )


def _fill(occupants: Iterable[Occupant], viewer: Viewer) -> None:
    """Give each of *occupants* its own, in a number of queries that does not grow with them."""
    by_pk = {occupant.incarnation.pk: occupant for occupant in occupants}
    recordings = Recording.objects.visible_to(viewer).filter(incarnation__in=by_pk)
    conversations = Conversation.objects.visible_to(viewer).filter(incarnation__in=by_pk)
    for row in _first_of_each(recordings, _BY_TURN, MAX_RECORDINGS):
        by_pk[row.incarnation_id or 0].recordings.append(row)
    for pk, n_rows in recordings.order_by().values_list("incarnation").annotate(Count("pk")):
        by_pk[pk].n_recordings = n_rows
    place = Window(RowNumber(), partition_by="incarnation", order_by="-pk")
    for thread in conversations.for_list().annotate(place=place).filter(place__lte=MAX_CONVERSATIONS):
        by_pk[thread.incarnation_id or 0].conversations.append(thread)
    for pk, n_rows in conversations.order_by().values_list("incarnation").annotate(Count("pk")):
        by_pk[pk].n_conversations = n_rows
    records = SessionRecord.objects.visible_to(viewer).filter(incarnation__in=by_pk)
    place = Window(RowNumber(), partition_by="incarnation", order_by="pk")
    for record in records.defer("body").annotate(place=place).filter(place__lte=MAX_RECORDS).order_by("pk"):
        by_pk[record.incarnation_id or 0].records.append(record)
    for pk, n_rows in records.order_by().values_list("incarnation").annotate(Count("pk")):
        by_pk[pk].n_records = n_rows
    links = LineageLink.objects.visible_to(viewer).filter(incarnation__in=by_pk, position__lte=_MAX_LINEAGE)
    for link in links.select_related("ancestor"):
        by_pk[link.incarnation_id].lineage.append(link)
    for pk, principals in _principals(by_pk, viewer).items():
        by_pk[pk].principals = principals


def _first_of_each(rows: QuerySet[Recording], order: Sequence[Any], limit: int) -> QuerySet[Recording]:
    place = Window(RowNumber(), partition_by="incarnation", order_by=list(order))
    return rows.select_related("thread").only(*_ROW).annotate(place=place).filter(place__lte=limit).order_by(*order)


def _principals(pks: Iterable[int], viewer: Viewer) -> dict[int, list[str]]:
    """Return who the recordings and conversations of each occupant say they are of, one too many if more are said."""
    found: dict[int, list[str]] = {}
    told: list[QuerySet[Any]] = [Recording.objects.visible_to(viewer), Conversation.objects.visible_to(viewer)]
    for rows in told:
        said_of = rows.filter(incarnation__in=pks, principal__isnull=False).order_by()
        for pk, principal in said_of.values_list("incarnation", "principal").distinct():
            said = found.setdefault(pk, [])
            if principal not in said and len(said) <= MAX_PRINCIPALS:
                said.append(principal)
    return found


def contents_of_session(session: Session) -> dict[str, int]:
    """Return what would go with *session*, and in ``recordings`` how many lose their occupant and stay."""
    of_it: dict[str, Any] = {"conversation__incarnation__session": session}
    return {
        "occupants": session.incarnations.count(),
        "conversations": Conversation.objects.filter(incarnation__session=session).count(),
        "turns": Turn.objects.filter(**of_it).count(),
        "entries": MemoryEntry.objects.filter(store__conversation__incarnation__session=session).count(),
        "versions": MemoryEntryVersion.objects.filter(entry__store__conversation__incarnation__session=session).count(),
        "records": SessionRecord.objects.filter(session=session).count(),
        "incidents": session.incidents.count(),
        "recordings": Recording.objects.filter(
            Q(incarnation__session=session) | Q(workspace=session.workspace_id, session_key=session.session_key)
        ).count(),
    }
