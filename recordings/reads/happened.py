"""What happened around an epoch: who said what, what was asked for, and what came of it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Final

from recordings.models import Epoch, Piece, Presence, Recording
from recordings.models.recording import id_key
from recordings.reads.pieceview import Links
from recordings.reads.remembered import Remembered, remembered_in
from recordings.reads.viewed import Viewed

#: All of a run of so many epochs; else so many on either side of the cursor.
N_WHOLE: Final = 12
N_AROUND: Final = 4
_MAX_SAID: Final = 80
_MESSAGES: Final = 1


class Result(Viewed, frozen=True):
    """What came back for a call of a tool."""

    piece: Piece
    #: The first epoch that was served it; None when none was.
    position: int | None
    is_late: bool


class Call(Viewed, frozen=True):
    """A tool that the model asked for."""

    id: str | None
    name: str | None
    #: As they were recorded; whether they were is `has_args`.
    args: Any
    has_args: bool
    has_failed: bool
    duration_ms: float | None
    #: None when no result is on record.
    result: Result | None


class Happening(Viewed, frozen=True):
    """One epoch: what was new to it, what the model did, and what was written to memory."""

    epoch: Epoch
    #: The name of its lane where there are several.
    lane: str
    #: Messages of people that this call is the first to be served.
    asked: list[Presence]
    #: What is new in its system prompt but the entries of memory: injections, passages.
    let_in: list[Presence]
    #: None when it is not on record what the model asked for.
    calls: list[Call] | None
    #: What the model said beside its calls.
    said: Piece | None
    remembered: list[Remembered]
    is_current: bool


class Happened(Viewed, frozen=True):
    """The epochs around a cursor, and how many are left out on either side."""

    epochs: list[Happening]
    n_before: int
    n_after: int


def span_around(n_epochs: int, position: int) -> tuple[int, int]:
    """Return the first and the last position of what is told around *position*."""
    if n_epochs <= N_WHOLE:
        return 1, n_epochs
    first = max(1, min(position - N_AROUND, n_epochs - 2 * N_AROUND))
    return first, min(n_epochs, first + 2 * N_AROUND)


def happened_around(recording: Recording, epoch: Epoch, rows: Iterable[Epoch], links: Links) -> Happened:
    """
    Return what happened around *epoch*: two queries, and one more when the result of a call stands elsewhere.

    Args:
        rows: All epochs of `span_around`, and any others.
    """
    first, last = span_around(recording.n_epochs, epoch.position)
    epochs = sorted((row for row in rows if first <= row.position <= last), key=lambda row: row.position)
    upto = max([row.next_position or 0 for row in epochs] + [last])
    new = list(
        recording.presences.filter(slot_order__lte=_MESSAGES, first_position__gte=first, first_position__lte=upto)
        .select_related("piece__text")
        .defer("piece__text__rest")
        .order_by("first_position", "slot_order", "order")[:_MAX_SAID]
    )
    results = _results(recording, epochs, new)
    remembered = remembered_in(recording, first, last, links)
    names = recording.lanes if len(recording.lanes) > 1 else [""]
    return Happened(
        epochs=[
            _happening(
                row,
                new,
                results,
                remembered.get(row.position, []),
                names[row.lane],
                is_current=row.position == epoch.position,
            )
            for row in epochs
        ],
        n_before=first - 1,
        n_after=recording.n_epochs - last,
    )


def _results(recording: Recording, epochs: Sequence[Epoch], new: Sequence[Presence]) -> dict[tuple[int, str], Presence]:
    """Return by lane and call the first presence of each result, the ones that were served much later included."""
    found = _by_call(new)
    missing = {
        id_key(call["id"])
        for epoch in epochs
        for call in epoch.tool_calls or ()
        # After the last epoch of a lane nothing is served any more.
        if call["id"] and epoch.next_position is not None and (epoch.lane, call["id"]) not in found
    }
    if missing:
        elsewhere = (
            recording.presences.filter(piece__call_key__in=missing, slot_order=_MESSAGES)
            .select_related("piece__text")
            .defer("piece__text__rest")
            .order_by("first_position")[: 4 * len(missing)]
        )
        found = _by_call([*new, *elsewhere])
    return found


def _by_call(presences: Iterable[Presence]) -> dict[tuple[int, str], Presence]:
    found: dict[tuple[int, str], Presence] = {}
    for presence in sorted(presences, key=lambda presence: presence.first_position):
        call_id = presence.piece.facts["tool_call_id"]
        if call_id is not None:
            found.setdefault((presence.lane, call_id), presence)
    return found


def _happening(
    row: Epoch,
    new: Sequence[Presence],
    results: dict[tuple[int, str], Presence],
    remembered: list[Remembered],
    lane: str,
    *,
    is_current: bool,
) -> Happening:
    of_lane = [presence for presence in new if presence.lane == row.lane]
    here = [presence for presence in of_lane if presence.first_position == row.position]
    next_ones = [presence for presence in of_lane if presence.first_position == row.next_position]
    return Happening(
        epoch=row,
        lane=lane,
        asked=[p for p in here if p.slot_order == _MESSAGES and p.piece.facts["source"] in ("user", "custom")],
        let_in=[p for p in here if p.slot_order != _MESSAGES and p.piece.facts["source"] not in ("memory", "base")],
        calls=None if row.tool_calls is None else [_call(call, row, results) for call in row.tool_calls],
        said=next(
            (p.piece for p in next_ones if p.piece.facts["source"] == "assistant" and p.piece.text.n_chars), None
        ),
        remembered=remembered,
        is_current=is_current,
    )


def _call(call: dict[str, Any], row: Epoch, results: dict[tuple[int, str], Presence]) -> Call:
    presence = results.get((row.lane, call["id"])) if call["id"] else None
    result = None
    if presence is not None:
        position = presence.first_position
        result = Result(
            presence.piece, position, is_late=row.next_position is not None and position > row.next_position
        )
    return Call(
        id=call["id"],
        name=call["name"],
        args=call["args"],
        has_args=call["has_args"],
        has_failed=bool(call["has_failed"]),
        duration_ms=call["duration_ms"],
        result=result,
    )
