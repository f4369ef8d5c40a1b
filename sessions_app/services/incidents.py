"""Noting what went wrong in a session."""

from __future__ import annotations

from django.db import transaction
from django.db.models import F
from django.utils import timezone

from sessions_app.models import Incarnation, Incident


def incident_note(*, incarnation: Incarnation, kind: Incident.Kind, by: str) -> None:
    """Note that *kind* happened to *incarnation*. Its repetitions are counted in one row: nobody fills a table."""
    now = timezone.now()
    with transaction.atomic():
        incident, is_new = Incident.objects.get_or_create(
            workspace=incarnation.workspace,
            incarnation=incarnation,
            kind=kind,
            defaults={"session": incarnation.session, "first_at": now, "last_at": now, "last_by": by[:200]},
        )
        if not is_new:
            Incident.objects.filter(pk=incident.pk).update(n_times=F("n_times") + 1, last_at=now, last_by=by[:200])
