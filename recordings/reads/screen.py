"""All that the investigation screen shows for one cursor."""

from __future__ import annotations

from typing import Any, Final

from django.db.models import Q, QuerySet
from django.http import Http404

from recordings.models import Epoch, NotServed, Recording
from recordings.reads.changes import changes_of
from recordings.reads.claimview import claims_view
from recordings.reads.happened import happened_around, span_around
from recordings.reads.pieceview import Links, blocks_of, place_view
from recordings.reads.served import get_epoch, not_served_at_epoch
from recordings.reads.strip import strip_of
from recordings.reads.trail import claims_by_answer, epoch_that_answered, trail_of
from recordings.reads.trailview import hits_of, shown_presences, trail_view
from recordings.reads.turns import turns_of
from recordings.reads.window import OpenFold, fold_of, window_of
from recordings.sources import mix_of

_MAX_LANES: Final = 12


def screen_of(recording: Recording, cursor: dict[str, Any]) -> dict[str, Any]:
    """
    Return the context of the screen of *recording*, which has epochs, for the cleaned fields of a cursor.

    Raises:
        Http404: There is no such epoch.
    """

    phrase = cursor["phrase"] if cursor["phrase"].strip() else ""
    if phrase and not cursor["epoch"]:
        cursor = cursor | {"epoch": epoch_that_answered(recording, phrase)}
    epoch, against, rows = _epochs_of(recording, cursor)
    tab = cursor["tab"] or ("served" if epoch.previous_position is None or phrase else "diff")
    links = Links(recording)
    not_served = list(not_served_at_epoch(epoch))
    turns = turns_of(recording)
    found: dict[str, Any] = {
        "epoch": epoch,
        **_left(epoch, not_served),
        "lane": recording.lanes[epoch.lane],
        "lane_links": _lane_links(recording),
        "tab": tab,
        # Walking on keeps the view that was asked for; the difference is shown anyway.
        "keep_tab": f"&tab={tab}" if cursor["tab"] in ("served", "raw") else "",
        "strip": strip_of(recording, epoch),
        "mix": mix_of(epoch.by_source),
        "happened": happened_around(recording, epoch, rows, links),
        "turns": turns,
        "not_served": not_served,
        "call_place": place_view("written by", _place_of_call(epoch), links),
        "called": {call["name"] for call in epoch.tool_calls or () if call["name"]},
    }
    if cursor["claims"]:
        found["claims"] = [claims_view(answer, epoch) for answer in claims_by_answer(recording)]
    if tab == "diff":
        return found | {"changes": changes_of(links, against, epoch, not_served, cursor["skip"] or 0)}
    trail = trail_of(recording, epoch, phrase, not_served) if phrase else None
    slots = window_of(epoch, cursor["open"], shown_presences(trail) if trail else ())
    hits = hits_of(trail) if trail else {}
    found["slots"] = [(slot, blocks_of(slot.items, links, epoch, hits)) for slot in slots]
    if trail:
        found["trail"] = trail_view(trail, recording, links, found["call_place"], cursor["rank"])
        found["n_searched"] = sum(epoch.n_pieces)
    return found


def _epochs_of(recording: Recording, cursor: dict[str, Any]) -> tuple[Epoch, Epoch, list[Epoch]]:
    """
    Return the epoch of the cursor, the one that it is compared with, and all around it, in one query.

    Raises:
        Http404: One of the first two is not there.
    """
    position, other = cursor["epoch"] or recording.n_epochs, cursor["against"]
    first, last = span_around(recording.n_epochs, position)
    wanted = Q(position=other) if other else Q(next_position=position)
    rows = list(recording.epochs.filter(Q(position__gte=first, position__lte=last) | wanted))
    found = {epoch.position: epoch for epoch in rows}
    if position not in found or (other and other not in found):
        raise Http404
    epoch = found[position]
    return epoch, found[other or epoch.previous_position or position], rows


def fold_blocks(recording: Recording, cursor: dict[str, Any]) -> dict[str, Any]:
    """Return the context of an opened fold alone. Raises `Http404` where the cursor names none."""
    opened: OpenFold | None = cursor["open"]
    if opened is None:
        raise Http404
    epoch = get_epoch(recording, cursor["epoch"] or recording.n_epochs)
    blocks = blocks_of(fold_of(epoch, opened), Links(recording), epoch)
    return {"epoch": epoch, "tab": cursor["tab"] or "served", "blocks": blocks, "slot_number": opened.slot}


def kin_of(recording: Recording) -> QuerySet[Recording]:
    """Return the other revisions and the legs of the run of *recording*, in one query."""
    kin = Q(earlier_leg=recording)
    if recording.engine_run_key:
        kin |= Q(engine_run_key=recording.engine_run_key)
    if recording.earlier_leg_id is not None:
        kin |= Q(pk=recording.earlier_leg_id)
    of_workspace = Recording.objects.filter(workspace_id=recording.workspace_id)
    return of_workspace.filter(kin).exclude(pk=recording.pk).order_by("revision", "pk")


def _left(epoch: Epoch, not_served: list[NotServed]) -> dict[str, int]:
    """Return how many messages left the window before *epoch*, and how many there were to serve."""
    told = sum(row.facts["n_messages"] or 0 for row in not_served if row.kind == "evicted")
    n_left = max(told, epoch.n_gone)
    return {"n_left": n_left, "n_available": epoch.n_pieces[1] + n_left}


def _lane_links(recording: Recording) -> list[tuple[str, int]]:
    """Return the first lanes with the position at which each begins; none when there is only one."""
    if len(recording.lanes) < 2:
        return []
    starts = recording.epochs.filter(previous_position=None).order_by("position")
    return [(recording.lanes[lane], position) for lane, position in starts.values_list("lane", "position")[:_MAX_LANES]]


def _place_of_call(epoch: Epoch) -> dict[str, Any]:
    return {
        "log": epoch.subflow_scope or "",
        "commit_index": epoch.call_index,
        "runtime_stage_id": epoch.call_runtime_stage_id,
        "epoch_position": epoch.position,
    }
