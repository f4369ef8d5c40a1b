"""The other turns of the conversation that a recording belongs to: of the same occupant, never of another."""

from __future__ import annotations

from typing import Final

from recordings.models import Recording
from recordings.reads.viewed import Viewed

_MAX_TURNS: Final = 500


class Turns(Viewed, frozen=True):
    """The recordings of a conversation by turn, and the ones beside this."""

    #: The one recording of each turn; a turn that several claim is left out, because nobody knows which is meant.
    by_turn: dict[int, Recording]
    previous: Recording | None
    next: Recording | None


def turns_of(recording: Recording) -> Turns:
    """Return the turns around *recording*, in one query; none, and no query, where no conversation is known."""
    if recording.thread_id is None:
        return Turns({}, None, None)
    rows = Recording.objects.filter(thread_id=recording.thread_id, workspace_id=recording.workspace_id)
    rows = rows.exclude(turn=None).only("public_id", "turn", "filename").order_by("turn", "pk")
    by_turn: dict[int, list[Recording]] = {}
    for row in rows[:_MAX_TURNS]:
        by_turn.setdefault(row.turn or 0, []).append(row)
    single = {turn: found[0] for turn, found in by_turn.items() if len(found) == 1}
    mine = recording.turn
    earlier = [turn for turn in single if mine is not None and turn < mine]
    later = [turn for turn in single if mine is not None and turn > mine]
    return Turns(
        by_turn=single,
        previous=single[max(earlier)] if earlier else None,
        next=single[min(later)] if later else None,
    )
