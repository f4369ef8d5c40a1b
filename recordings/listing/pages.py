"""One page of the list, in a number of queries that does not grow."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from footprint_site.access.models import Workspace
from footprint_site.access.principals import Viewer
from recordings.listing.facets import Facet, count_rows, counted_facets, session_facet, workspace_facet
from recordings.listing.filters import OUTCOMES, SORTS, Filters, url_for_id
from recordings.listing.phrases import with_phrase
from recordings.models import Recording
from recordings.models.recording import RecordingQuerySet
from recordings.sources import LETTERS

PAGE_SIZE: Final = 50
#: Of the width of the bar: no source that was served is too narrow to be seen, and two do not touch.
_MIN_WIDTH: Final = 2.5
_GAP: Final = 0.8
#: Columns that no row shows.
_UNSEEN: Final = ("strip", "producer", "lanes", "redacted_paths", "untracked_sources", "outcome_reason")


@dataclass(frozen=True)
class Segment:
    """One source in the bar of a recording: its share in words, its place in percent of the width."""

    source: str
    share: str
    x: str
    width: str


@dataclass(frozen=True)
class Row:
    """One recording, and where the lists of its conversation and of its session are."""

    recording: Recording
    spectrum: list[Segment]
    conversation_url: str | None
    session_url: str | None


@dataclass(frozen=True)
class Order:
    """One order of the list, and the address of its first page."""

    name: str
    url: str


@dataclass(frozen=True)
class Listing:
    """
    One page of the list.

    ``n_cut`` is how many of the recordings that a phrase was looked for in are longer than what is searched.
    """

    filters: Filters
    facets: list[Facet]
    rows: list[Row]
    total: int
    number: int
    has_workspaces: bool
    n_cut: int

    @property
    def orders(self) -> list[Order]:
        return [Order(name, replace(self.filters, sort=name).url()) for name in SORTS]

    @property
    def n_pages(self) -> int:
        return n_pages_of(self.total)

    @property
    def first(self) -> int:
        """The place of its first row among all of them, from 1."""
        return (self.number - 1) * PAGE_SIZE + 1

    @property
    def last(self) -> int:
        return min(self.number * PAGE_SIZE, self.total)

    @property
    def previous_url(self) -> str | None:
        return self.filters.url(page=self.number - 1) if self.number > 1 else None

    @property
    def next_url(self) -> str | None:
        return self.filters.url(page=self.number + 1) if self.number < self.n_pages else None


def n_pages_of(total: int) -> int:
    return max(1, -(-total // PAGE_SIZE))


def list_recordings(viewer: Viewer, filters: Filters, page: int) -> Listing:
    """Return *page* of the recordings that *viewer* may see and *filters* leave; the last one when there are fewer."""
    rows, n_cut = Recording.objects.visible_to(viewer).filter(filters.conditions()), 0
    if filters.phrase:
        n_cut = rows.filter(words__is_cut=True).count()
        rows = with_phrase(rows, filters.phrase)
    counts = count_rows(rows, filters.outcome)
    total = counts.outcomes[filters.outcome]
    if filters.outcome:
        rows = rows.filter(OUTCOMES[filters.outcome])
    facets = [*counted_facets(filters, counts), session_facet(rows, filters, total)]
    has_workspaces = len(Workspace.objects.visible_to(viewer).values_list("pk")[:2]) > 1
    if has_workspaces:
        facets.append(workspace_facet(rows, filters, total))
    number = min(page, n_pages_of(total))
    return Listing(
        filters=filters,
        facets=[facet for facet in facets if facet.choices],
        rows=_rows_of(rows, filters, number) if total else [],
        total=total,
        number=number,
        has_workspaces=has_workspaces,
        n_cut=n_cut,
    )


def _rows_of(rows: RecordingQuerySet, filters: Filters, number: int) -> list[Row]:
    """Return the rows of page *number*."""
    # First the keys alone: what is sorted is then small, however much a recording says.
    keys = list(
        rows.order_by(*SORTS[filters.sort]).values_list("pk", flat=True)[(number - 1) * PAGE_SIZE : number * PAGE_SIZE]
    )
    found = Recording.objects.select_related("workspace").defer(*_UNSEEN).in_bulk(keys)
    return [_row_of(found[key]) for key in keys if key in found]


def _row_of(recording: Recording) -> Row:
    return Row(
        recording,
        spectrum_of(recording.by_source),
        url_for_id("conversation_id", recording.conversation_id),
        url_for_id("session_id", recording.session_id),
    )


def spectrum_of(by_source: Mapping[str, int]) -> list[Segment]:
    """Return the bar of *by_source*, characters by source, in the order of `LETTERS`; empty when nothing was served."""
    known: Counter[str] = Counter()
    for source, n_chars in by_source.items():
        known[source if source in LETTERS else "unknown"] += n_chars
    served = [(source, known[source]) for source in LETTERS if known[source] > 0]
    total = sum(n_chars for _, n_chars in served)
    widths = _widths([n_chars / total for _, n_chars in served])
    segments, x = [], 0.0
    for (source, n_chars), width in zip(served, widths, strict=True):
        segments.append(Segment(source, _share(n_chars, total), f"{x:.2f}%", f"{width:.2f}%"))
        x += width + _GAP
    return segments


def _widths(shares: Sequence[float]) -> list[float]:
    """Return the widths of *shares* of 1, in percent; with the gaps they fill the bar."""
    floors = [max(share, _MIN_WIDTH / 100) for share in shares]
    room = 100 - _GAP * (len(shares) - 1)
    return [room * floor / sum(floors) for floor in floors]


def _share(n_chars: int, total: int) -> str:
    percent = round(100 * n_chars / total)
    return f"{percent} %" if percent else "under 1 %"
