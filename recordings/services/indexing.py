"""The index: everything that can be derived from a recording's bytes, dropped and built again at will."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Collection, Iterable
from typing import Final

from django.db import transaction

from recordings.media import data_urls_of
from recordings.models import INDEX_VERSION, Epoch, MemoryLink, NotServed, Piece, Presence, Recording, Text
from recordings.models.piece import HEAD_CHARS
from recordings.models.recording import id_key
from recordings.services.bulk import batched, objects_insert, rows_insert
from recordings.services.ending import ending_of
from recordings.services.memorylinks import memory_links
from recordings.services.rows import epoch_row, facts_of_piece, facts_of_unserved
from recordings.services.summary import Summary
from recordings.services.totals import totals_of
from recordings.services.words import words_keep
from recordings.timetravel import Context, all_epoch_locations, context_of, epochs_of_lane, not_served_at
from recordings.timetravel import NotServed as Unserved
from recordings.timetravel import Recording as Run
from recordings.timetravel.pieces import SLOTS

_BATCH: Final = 500


def index_lock_name(public_id: object) -> str:
    """Return the lock to hold while a recording is indexed or deleted: who finds it free knows that nobody is at it."""
    return f"index {public_id}"


def recording_index(*, recording: Recording, run: Run) -> None:
    """
    Build the index of *recording*, whose decoded bytes *run* is, in the place of what was there.

    The caller holds the lock that `index_lock_name` names.
    """
    context = context_of(run)
    lane_numbers = {lane: number for number, lane in enumerate(recording.lanes)}
    with transaction.atomic():
        index_drop(recording=recording)
        evicted_at = _add_unserved(recording, run, lane_numbers)
        summary = _add_epochs(recording, run, context, lane_numbers, evicted_at)
        piece_keys = _add_presences(recording, context, lane_numbers)
        objects_insert(model=MemoryLink, rows=memory_links(recording, run, context, piece_keys))
        columns = {
            **summary.fields(run, context),
            **ending_of(run),
            "status": Recording.Status.READY,
            "error": "",
            "index_version": INDEX_VERSION,
        }
        Recording.objects.filter(pk=recording.pk).update(**columns)
        words_keep(recording=Recording.objects.get(pk=recording.pk))
    for name, value in columns.items():
        setattr(recording, name, value)


def index_drop(*, recording: Recording) -> None:
    """Remove the index of *recording*. Texts that other recordings share stay."""
    text_keys = set(recording.pieces.values_list("text_id", flat=True))
    for rows in (
        recording.memory_links,
        recording.presences,
        recording.pieces,
        recording.not_served,
        recording.epochs,
    ):
        rows.all().delete()
    for keys in batched(sorted(text_keys)):
        Text.objects.filter(pk__in=keys, pieces=None).delete()


def _add_epochs(
    recording: Recording, run: Run, context: Context, lane_numbers: dict[str, int], evicted_at: Collection[int]
) -> Summary:
    totals, summary = totals_of(context), Summary(recording.n_epochs)
    rows = (
        summary.add(
            epoch_row(
                recording,
                run,
                location,
                context,
                lane_numbers[location.lane],
                totals[location.position],
                is_evicted=location.position in evicted_at,
            )
        )
        for location in all_epoch_locations(run)
    )
    objects_insert(model=Epoch, rows=rows)
    return summary


def _add_presences(recording: Recording, context: Context, lane_numbers: dict[str, int]) -> dict[str, int]:
    """Keep the pieces and the spans in which they were served. Returns the keys of the pieces by their ids."""
    workspace_id, pieces = recording.workspace_id, context.pieces
    texts = texts_store(workspace_id=workspace_id, contents=(piece.text for piece in pieces))
    rows_insert(
        model=Piece,
        fields=["workspace", "recording", "piece_id", "text", "slot", "state", "call_key", "facts"],
        rows=(
            (
                workspace_id,
                recording.pk,
                piece.id,
                texts[_text_sha256(piece.text)],
                piece.slot,
                piece.state,
                id_key(piece.tool_call_id),
                facts_of_piece(piece),
            )
            for piece in pieces
        ),
    )
    keys = dict(recording.pieces.values_list("piece_id", "pk"))
    rows_insert(
        model=Presence,
        fields=[
            "workspace",
            "recording",
            "piece",
            "lane",
            "slot_order",
            "first_position",
            "last_position",
            "order",
            "is_moved",
        ],
        rows=(
            (
                workspace_id,
                recording.pk,
                keys[presence.piece.id],
                lane_numbers[presence.lane],
                SLOTS.index(presence.slot),
                presence.first,
                presence.last,
                presence.order,
                presence.moved,
            )
            for presence in context.presences
        ),
    )
    return keys


def texts_store(*, workspace_id: int, contents: Iterable[str]) -> dict[str, int]:
    """Keep each of *contents* once in the workspace. Returns the key of the row of each by the hash of the text."""
    by_hash = {_text_sha256(content): content for content in contents}
    rows = [
        text_row(workspace_id, sha256, content)
        # In one order everywhere, so that two uploads with the same texts wait for each other instead of locking up.
        for sha256, content in sorted(by_hash.items())
    ]
    Text.objects.bulk_create(rows, batch_size=_BATCH, ignore_conflicts=True)
    found: dict[str, int] = {}
    hashes = list(by_hash)
    for start in range(0, len(hashes), _BATCH):
        known = Text.objects.filter(workspace_id=workspace_id, sha256__in=hashes[start : start + _BATCH])
        found |= dict(known.values_list("sha256", "pk"))
    return found


def text_row(workspace_id: int, sha256: str, content: str) -> Text:
    """Return the row that keeps *content*."""
    return Text(
        workspace_id=workspace_id,
        sha256=sha256,
        head=content[:HEAD_CHARS],
        rest=content[HEAD_CHARS:] or None,
        n_chars=len(content),
        media=data_urls_of(content),
    )


def _text_sha256(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def _add_unserved(recording: Recording, run: Run, lane_numbers: dict[str, int]) -> set[int]:
    """
    Keep what was not served: one row for what stays missing from epoch to epoch, as the context has one for what stays.

    Returns the positions of the epochs at which a message left the window.
    """
    rows: list[NotServed] = []
    for lane, number in lane_numbers.items():
        spans: dict[tuple[Unserved, int], NotServed] = {}
        for location in epochs_of_lane(run, lane):
            seen: Counter[Unserved] = Counter()
            before, spans = spans, {}
            for item in not_served_at(run, location):
                seen[item] += 1
                key = (item, seen[item])
                spans[key] = _lengthened(before.get(key), location.position) or _unserved_row(recording, number, item)
                if key not in before:
                    spans[key].first_position = spans[key].last_position = location.position
                    spans[key].order = len(rows)
                    rows.append(spans[key])
    objects_insert(model=NotServed, rows=rows)
    return {row.first_position for row in rows if row.kind == "evicted" and row.facts["since"] == row.first_position}


def _lengthened(row: NotServed | None, position: int) -> NotServed | None:
    if row is not None:
        row.last_position = position
    return row


def _unserved_row(recording: Recording, lane: int, item: Unserved) -> NotServed:
    return NotServed(
        workspace_id=recording.workspace_id,
        recording=recording,
        lane=lane,
        kind=item.kind,
        facts=facts_of_unserved(item),
        text=item.text,
    )
