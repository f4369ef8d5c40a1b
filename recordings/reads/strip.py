"""The epoch strip: what each call was served, stacked by source, as one path for each source."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from recordings.marks import MARKS
from recordings.models import Epoch, Recording
from recordings.reads.viewed import Viewed
from recordings.sources import LOOKS, known_sources

#: So many epochs stand side by side; of longer runs those around the cursor, below a map of the whole run.
N_CELLS: Final = 40
N_PLACES: Final = 10
MAP_PARTS: Final = 24
_LANE_CHARS: Final = 12
#: Heights in the units of the drawing.
BAR_HEIGHT: Final = 92
MAP_HEIGHT: Final = 28
_CELL_WIDTH: Final = 10
_BAR_WIDTH: Final = 6
_LEAST_HEIGHT: Final = 1.5
#: Where the bars begin in the drawing, below the marks.
_TOP: Final = 18
#: Bars of this height, in runs of so few epochs, have room for the letter of their source.
_LETTER_HEIGHT: Final = 13
_N_LETTERED: Final = 14
_GAP: Final = 0.75
_FIELDS: Final = (
    "recording",
    "position",
    "lane",
    "by_source",
    "marks",
    "input_tokens",
)


class Cell(Viewed, frozen=True):
    """One epoch of the strip."""

    position: int
    lane: int
    #: What it is for who cannot see it, and what stands below its number.
    label: str
    tokens: str
    marks: list[str]
    is_current: bool
    #: Where it stands, in percent of the width: its left side and its middle.
    x: float
    middle: float
    #: Whether its number is written where there is little room.
    is_labelled: bool


class MapPart(Viewed, frozen=True):
    """A stretch of the map of the whole run: one link."""

    first: int
    last: int
    marks: list[str]


class Letter(Viewed, frozen=True):
    """The letter of a source in its bar."""

    source: str
    x: float
    y: float


class Path(Viewed, frozen=True):
    """The bars of one source."""

    source: str
    d: str


class Strip(Viewed, frozen=True):
    """What the strip of one recording shows around a cursor."""

    cells: list[Cell]
    paths: list[Path]
    letters: list[Letter]
    #: Of the drawing: its width in units, and the width of a cell in percent.
    width: int
    cell_percent: float
    #: Places after the last cell that stay empty.
    empty: range
    #: How many characters the highest bar stands for.
    n_chars_full: int
    #: Of the whole run, when it does not fit; empty else.
    map_parts: list[MapPart]
    map_paths: list[Path]
    map_width: int
    #: Where the cells stand on the map, in percent.
    map_x: float
    map_percent: float
    n_per_bar: int


def strip_of(recording: Recording, epoch: Epoch) -> Strip:
    """Return the strip of *recording* with the cursor on *epoch*, in one query."""
    first = _first_cell(recording.n_epochs, epoch.position)
    rows = list(
        recording.epochs.filter(position__gte=first, position__lt=first + N_CELLS).order_by("position").only(*_FIELDS)
    )
    bars = recording.strip
    n_chars_full = max([sum(bar["by_source"].values()) for bar in bars], default=0)
    has_map = recording.n_epochs > N_CELLS
    # A short run leaves room at its end, so that its bars are no walls.
    n_places = max(len(rows), N_PLACES)
    percent = 100 / n_places
    return Strip(
        cells=[
            _cell(row, number, percent, epoch, lane_name=_lane_name(recording, row), is_short=len(rows) <= _N_LETTERED)
            for number, row in enumerate(rows)
        ],
        paths=_paths([row.by_source for row in rows], n_chars_full, BAR_HEIGHT, _BAR_WIDTH),
        letters=_letters(rows, n_chars_full, percent) if len(rows) <= _N_LETTERED else [],
        width=n_places * _CELL_WIDTH,
        empty=range(n_places - len(rows)),
        cell_percent=percent,
        n_chars_full=n_chars_full,
        map_parts=_map_parts(bars) if has_map else [],
        map_paths=_paths([b["by_source"] for b in bars], n_chars_full, MAP_HEIGHT, _CELL_WIDTH) if has_map else [],
        map_width=max(len(bars), 1) * _CELL_WIDTH,
        map_x=(first - 1) / max(recording.n_epochs, 1) * 100,
        map_percent=len(rows) / max(recording.n_epochs, 1) * 100,
        n_per_bar=bars[0]["last"] - bars[0]["first"] + 1 if bars else 1,
    )


def _first_cell(n_epochs: int, position: int) -> int:
    """Return the first position of the cells: the cursor stands in a window that moves by half of itself."""
    if n_epochs <= N_CELLS:
        return 1
    half = N_CELLS // 2
    return max(1, min((position - 1) // half * half - half // 2 + 1, n_epochs - N_CELLS + 1))


def _cell(row: Epoch, number: int, percent: float, epoch: Epoch, *, lane_name: str, is_short: bool) -> Cell:
    n_tokens = row.input_tokens
    size = f"{sum(row.by_source.values()):,} characters" if n_tokens is None else f"{n_tokens:,.0f} tokens"
    lane = [f"lane {lane_name}"] if lane_name else []
    return Cell(
        position=row.position,
        lane=row.lane,
        label=", ".join([f"Epoch {row.position}", size, *lane, *(MARKS[mark].word for mark in row.marks)]),
        tokens=(f"{lane_name} · " if lane_name else "") + ("–" if n_tokens is None else _in_few_letters(n_tokens)),
        marks=row.marks,
        is_current=row.position == epoch.position,
        x=round(number * percent, 3),
        middle=round((number + 0.5) * percent, 3),
        is_labelled=is_short or row.position == epoch.position or row.position % 5 == 0,
    )


def _lane_name(recording: Recording, row: Epoch) -> str:
    """Return what there is room for of the name of the lane of *row*; nothing where there is only one."""
    if len(recording.lanes) < 2:
        return ""
    name: str = recording.lanes[row.lane] or "the run itself"
    return name if len(name) <= _LANE_CHARS else name[: _LANE_CHARS - 1] + "…"


def _in_few_letters(n: float) -> str:
    """Return a number of tokens in few letters: ``940``, ``12.9k``, ``1.2M``."""
    if n < 10_000:
        return f"{n:,.0f}"
    return f"{n / 1e6:.1f}M" if n >= 999_950 else f"{n / 1e3:.1f}k"


def _paths(bars: Sequence[dict[str, int]], n_chars_full: int, height: float, bar_width: float) -> list[Path]:
    """Return one path for each source, its bars from the ground up in the order of `LOOKS`."""
    drawn: dict[str, list[str]] = {}
    left = (_CELL_WIDTH - bar_width) / 2
    for number, by_source in enumerate(bars):
        x = number * _CELL_WIDTH + left
        for source, y, size in _stacked(by_source, n_chars_full, height):
            drawn.setdefault(source, []).append(f"M{x:g} {y:.2f}h{bar_width:g}v{size:.2f}h-{bar_width:g}z")
    return [Path(source, "".join(drawn[source])) for source in LOOKS if source in drawn]


def _stacked(by_source: Mapping[str, int], n_chars_full: int, height: float) -> Iterator[tuple[str, float, float]]:
    """Yield the bars of one epoch from the ground up: source, top and size."""
    y = height
    known = known_sources(by_source)
    for source in LOOKS:
        n_chars = known.get(source, 0)
        if n_chars and n_chars_full:
            size = max(n_chars / n_chars_full * (height - 12), _LEAST_HEIGHT)
            y -= size
            yield source, y, size
            y -= _GAP


def _letters(rows: Sequence[Epoch], n_chars_full: int, percent: float) -> list[Letter]:
    return [
        Letter(source, round((number + 0.5) * percent, 3), _TOP + y + size / 2)
        for number, row in enumerate(rows)
        for source, y, size in _stacked(row.by_source, n_chars_full, BAR_HEIGHT)
        if size >= _LETTER_HEIGHT
    ]


def _map_parts(bars: Sequence[dict[str, Any]]) -> list[MapPart]:
    """Return the stretches of the run, each a link to its first epoch."""
    n_each = -(-len(bars) // MAP_PARTS)
    parts = []
    for start in range(0, len(bars), n_each):
        group = bars[start : start + n_each]
        marks = list(dict.fromkeys(mark for bar in group for mark in bar["marks"]))
        parts.append(MapPart(group[0]["first"], group[-1]["last"], marks))
    return parts
