"""What a recording is to the others of its run: a revision of the same log, or another leg of the same run."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from recordings.models import Recording
from recordings.services.stored import run_of_if_whole
from recordings.timetravel import Recording as Run
from recordings.timetravel import Row, is_next_leg
from recordings.timetravel.jsontext import read_value

#: Each candidate is read whole, so they are few: a leg is sent soon after the one that paused.
_N_CANDIDATES: Final = 20


def run_link(*, draft: Recording, run: Run) -> None:
    """
    Number *draft* among the revisions of its run, and say what it is to the one before.

    A recording without an engine run id is a run of its own.
    """
    if not draft.engine_run_key:
        return
    earlier = Recording.objects.of_run(draft).order_by("-revision").first()
    if earlier is None:
        return
    draft.revision = earlier.revision + 1
    before = run_of_if_whole(earlier)
    draft.relation = Recording.Relation.CONFLICTS if before is None else relation_of(before, run)


def relation_of(before: Run, after: Run) -> Recording.Relation:
    """Return what the log of *after* is to the log of *before*, compared commit by commit."""
    # As they were recorded: what one of them lists as taken out, the other may not list yet.
    old, new = before.as_recorded.run_log.rows, after.as_recorded.run_log.rows
    shared = min(len(old), len(new))
    if not all(_is_same_commit(a, b) for a, b in zip(old[:shared], new[:shared], strict=True)):
        return Recording.Relation.CONFLICTS
    if len(old) == len(new):
        return Recording.Relation.SAME_RUN
    return Recording.Relation.EXTENDS if len(old) < len(new) else Recording.Relation.EARLIER


def _is_same_commit(a: Row, b: Row) -> bool:
    if (a.runtime_stage_id, a.stage_id, a.trace) != (b.runtime_stage_id, b.stage_id, b.trace):
        return False
    return all(
        one.keys() == other.keys() and all(_is_same_value(bytes(one[key]), bytes(other[key])) for key in one)
        for one, other in ((a.overwrite, b.overwrite), (a.updates, b.updates))
    )


def _is_same_value(a: bytes, b: bytes) -> bool:
    # Two forms of one run differ in white space alone.
    return a == b or read_value(a) == read_value(b)


def leg_link(*, draft: Recording, run: Run) -> None:
    """Join *draft*, if it goes on from a pause, to the leg that paused, if that one is here."""
    if not draft.is_resumed:
        return
    for candidate in _candidates(draft, outcome="paused"):
        earlier = run_of_if_whole(candidate)
        if earlier is not None and is_next_leg(earlier.as_recorded, run.as_recorded):
            draft.earlier_leg = candidate
            return


def later_legs_link(*, recording: Recording, run: Run) -> None:
    """Join legs that came first to *recording*, the one they go on from."""
    if recording.outcome != "paused":
        return
    for candidate in _candidates(recording, is_resumed=True, earlier_leg=None):
        later = run_of_if_whole(candidate)
        if later is not None and is_next_leg(run.as_recorded, later.as_recorded):
            Recording.objects.filter(pk=candidate.pk, earlier_leg=None).update(earlier_leg=recording)


def _candidates(recording: Recording, **wanted: object) -> Sequence[Recording]:
    """Return recordings of the workspace that may be legs of one run with *recording*: first those of its talk."""
    found = Recording.objects.filter(workspace_id=recording.workspace_id, **wanted).exclude(pk=recording.pk)
    newest = found.order_by("-created_at", "-pk")
    of_talk = newest.filter(conversation_key=recording.conversation_key)
    others = newest.exclude(conversation_key=recording.conversation_key)
    return [*of_talk[:_N_CANDIDATES], *others[:_N_CANDIDATES]]
