"""Taking recordings in: durable before they are acknowledged, refused before they leave a trace."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import msgspec
from django.conf import settings
from django.db import IntegrityError, transaction
from django.http import HttpRequest

from footprint_site.access.audit import audit
from footprint_site.access.models import Workspace
from footprint_site.access.principals import Viewer
from footprint_site.locks import exclusive
from recordings.blobs import blob_folder, blob_lock_name, blob_name
from recordings.ingest.limits import Limits
from recordings.ingest.receive import Received, ReceiveLimits, receive
from recordings.ingest.scan import Scan, scan
from recordings.models import Recording
from recordings.services.binding import thread_bind, turn_bind
from recordings.services.drafting import Stated, draft_of
from recordings.services.indexing import index_lock_name, recording_index
from recordings.services.linking import later_legs_link, leg_link, run_link
from recordings.services.words import words_keep


class Imported(msgspec.Struct, frozen=True):
    """What became of an upload."""

    #: Not saved for a preview.
    recording: Recording
    #: Whether it is here for the first time.
    is_new: bool
    #: What a preview has to say about the file: code, message, offset and path, as far as they are known.
    problems: list[dict[str, Any]] = []


def recording_import(
    *,
    workspace: Workspace,
    chunks: Iterable[bytes],
    is_gzip: bool,
    stated: Stated,
    actor: Viewer | str,
    request: HttpRequest | None = None,
    is_dry_run: bool = False,
    index_at_once: bool = False,
) -> Imported:
    """
    Take a recording in: receive, scan, store, index.

    Args:
        chunks: The body as it arrives.
        is_gzip: Whether it is compressed for transport.
        is_dry_run: Only look: nothing is stored.
        index_at_once: Index here whatever the size, instead of leaving a long file to the worker.

    Raises:
        Refused: The file must not come in. Nothing is left of it.
        OSError: It could not be stored. Nothing is left of it.
    """
    with blob_folder().temporary() as (file, path):
        received = receive(chunks, file, is_gzip=is_gzip, limits=receive_limits())
        known = Recording.objects.filter(workspace=workspace, sha256=received.sha256).first()
        if known is not None:
            return _replayed(known, actor, request, is_dry_run=is_dry_run)
        found = scan(path.read_bytes(), limits=_scan_limits(received))
        draft = draft_of(workspace=workspace, received=received, found=found, stated=stated, actor=actor)
        if is_dry_run:
            turn_bind(draft=draft)
            return Imported(draft, is_new=True, problems=_problems_of(found))
        with exclusive(blob_lock_name(draft.workspace_id, draft.sha256)):
            stored = _store(draft, found, path)
    if stored is not draft:
        return _replayed(stored, actor, request, is_dry_run=False)
    _audit("recording_import", stored, actor, request)
    _index(stored, found, at_once=index_at_once)
    return Imported(stored, is_new=True)


def receive_limits() -> ReceiveLimits:
    """Return the limits that the settings state."""
    return ReceiveLimits(
        max_wire_bytes=settings.RECORDING_MAX_WIRE_BYTES, max_inflated_bytes=settings.RECORDING_MAX_BYTES
    )


def _scan_limits(received: Received) -> Limits:
    limits, of_request = Limits(max_bytes=settings.RECORDING_MAX_BYTES), receive_limits()
    if received.n_wire_bytes < of_request.small_wire_bytes:
        return msgspec.structs.replace(
            limits, max_long_commits=of_request.max_small_commits, max_objects=of_request.max_small_objects
        )
    return limits


def _store(draft: Recording, found: Scan, path: Path) -> Recording:
    """
    Publish the blob, then its row. Returns the row, or the one of somebody who brought the same bytes at the same time.

    The blob goes first, so that a row never promises what is not there; one that gets no row is swept away.
    """
    blob_folder().publish(path, blob_name(draft.workspace_id, draft.sha256))
    # One at a time for one run, so that revisions are numbered without gaps and compared with all that came before.
    with exclusive(f"run {draft.workspace_id} {draft.engine_run_key or draft.sha256}"):
        run_link(draft=draft, run=found.recording)
        leg_link(draft=draft, run=found.recording)
        try:
            with transaction.atomic():
                thread_bind(draft=draft)
                draft.save(force_insert=True)
                words_keep(recording=draft)
        except IntegrityError:
            known = Recording.objects.filter(workspace_id=draft.workspace_id, sha256=draft.sha256).first()
            if known is None:
                raise
            return known
        later_legs_link(recording=draft, run=found.recording)
    return draft


def _index(recording: Recording, found: Scan, *, at_once: bool) -> None:
    from recordings.tasks import index_recording  # the task needs the services

    if at_once or recording.n_bytes <= settings.RECORDING_INDEX_AT_ONCE_BYTES:
        with exclusive(index_lock_name(recording.public_id)):
            recording_index(recording=recording, run=found.recording)
    else:
        index_recording.enqueue(str(recording.public_id))


def _replayed(known: Recording, actor: Viewer | str, request: HttpRequest | None, *, is_dry_run: bool) -> Imported:
    if not is_dry_run:
        _audit("recording_replay", known, actor, request)
    return Imported(known, is_new=False)


def _audit(action: str, recording: Recording, actor: Viewer | str, request: HttpRequest | None) -> None:
    audit(action, actor=actor, target=str(recording.public_id), workspace=recording.workspace, request=request)


def _problems_of(found: Scan) -> list[dict[str, Any]]:
    return [{"code": w.code, "message": w.message, "at": None, "path": None} for w in found.warnings]
