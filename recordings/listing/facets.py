"""Facets: each value with the number of recordings that its click leaves."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any, Final

from django.db.models import BooleanField, Count, ExpressionWrapper, Max

from recordings.listing.filters import FLAGS, OUTCOMES, SOURCES, Filters
from recordings.models import Recording
from recordings.models.recording import RecordingQuerySet, id_key
from recordings.sources import LETTERS

MAX_CHOICES: Final = 8

_FLAG_OF_COLUMN: Final = {f"flag_{flag}": flag for flag in FLAGS}


@dataclass(frozen=True)
class Choice:
    """One value: how many recordings its click leaves, and the address of that. No address: it cannot be asked for."""

    value: str
    n: int
    url: str | None
    is_active: bool = False


@dataclass(frozen=True)
class Facet:
    """One way to narrow the list."""

    name: str
    title: str
    choices: list[Choice]


@dataclass(frozen=True)
class Counts:
    """
    How many recordings there are of each value.

    ``outcomes`` counts what all other filters leave, ``""`` being any outcome; the others what all filters leave.
    """

    outcomes: Counter[str]
    flags: Counter[str]
    sources: Counter[str]


def count_rows(rows: RecordingQuerySet, outcome: str) -> Counts:
    """Count *rows*, which are narrowed by all but *outcome*, in one query: recordings that are alike are one group."""
    columns = {
        column: ExpressionWrapper(FLAGS[flag], BooleanField(null=True)) for column, flag in _FLAG_OF_COLUMN.items()
    }
    groups = rows.order_by().annotate(**columns).values("outcome", "sources", *columns).annotate(n=Count("pk"))
    counts = Counts(Counter(), Counter(), Counter())
    for group in groups:
        n, ended = group["n"], group["outcome"] if group["outcome"] in OUTCOMES else "unknown"
        counts.outcomes[""] += n
        counts.outcomes[ended] += n
        if outcome in ("", ended):
            counts.flags.update({flag: n for column, flag in _FLAG_OF_COLUMN.items() if group[column]})
            counts.sources.update(dict.fromkeys(set(group["sources"]), n))
    return counts


def counted_facets(filters: Filters, counts: Counts) -> list[Facet]:
    """Return the facets whose values are known beforehand."""
    outcomes = [
        _choice(outcome, counts.outcomes[outcome], filters.outcome == outcome, _with_outcome(filters, outcome))
        for outcome in OUTCOMES
    ]
    sources = [
        _choice(source, counts.sources[letter], source in filters.sources, filters.toggled("sources", source))
        for letter, source in sorted(SOURCES.items(), key=lambda item: list(LETTERS).index(item[1]))
    ]
    flags = [_choice(flag, counts.flags[flag], flag in filters.flags, filters.toggled("flags", flag)) for flag in FLAGS]
    return [
        Facet("outcome", "Outcome", outcomes),
        Facet("source", "Source served", [choice for choice in sources if choice.n or choice.is_active]),
        Facet("flag", "Flag", flags),
    ]


def _with_outcome(filters: Filters, outcome: str) -> Filters:
    return replace(filters, outcome="" if filters.outcome == outcome else outcome)


def _choice(value: str, n: int, is_active: bool, clicked: Filters) -> Choice:  # noqa: FBT001
    try:
        return Choice(value, n, clicked.url() if n or is_active else None, is_active)
    except UnicodeEncodeError:
        # Half of a character stands in no address.
        return Choice(value, n, None)


def session_facet(rows: RecordingQuerySet, filters: Filters, total: int) -> Facet:
    """Return the sessions with the most of *rows*; the one that was asked for stands alone."""
    if filters.session_id is not None:
        choices = [_choice(filters.session_id, total, True, replace(filters, session_id=None))]  # noqa: FBT003
        return Facet("session_id", "Session", choices)
    # An empty id cannot be asked for.
    named = rows.order_by().exclude(session_key__in=["", id_key("")])
    most = _most(named, "session_key")
    ids = dict(Recording.objects.filter(pk__in=[group["one"] for group in most]).values_list("pk", "session_id"))
    counted = [(ids[group["one"]] or "", group["n"]) for group in most if group["one"] in ids]
    choices = [_choice(id_, n, False, replace(filters, session_id=id_)) for id_, n in counted]  # noqa: FBT003
    return Facet("session_id", "Session", choices)


def workspace_facet(rows: RecordingQuerySet, filters: Filters, total: int) -> Facet:
    """Return the workspaces with the most of *rows*; the one that was asked for stands alone."""
    if filters.workspace:
        choices = [_choice(filters.workspace, total, True, replace(filters, workspace=""))]  # noqa: FBT003
        return Facet("workspace", "Workspace", choices)
    counted = [(group["workspace__slug"], group["n"]) for group in _most(rows, "workspace__slug")]
    choices = [_choice(slug, n, False, replace(filters, workspace=slug)) for slug, n in counted]  # noqa: FBT003
    return Facet("workspace", "Workspace", choices)


def _most(rows: RecordingQuerySet, field: str) -> Iterable[Any]:
    """Return the values of *field* that most of *rows* have: how many ``n``, and the key of ``one`` of them."""
    return list(
        rows.order_by().values(field).annotate(n=Count("pk"), one=Max("pk")).order_by("-n", field)[:MAX_CHOICES]
    )
