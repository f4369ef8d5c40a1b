"""Deleting a recording and everything that was read from it."""

from __future__ import annotations

from typing import Final

from django.db import models, transaction
from django.http import HttpRequest

from footprint_site.access.audit import audit
from footprint_site.access.principals import Viewer
from footprint_site.locks import exclusive
from recordings.blobs import blob_folder, blob_lock_name, blob_name
from recordings.models import Epoch, NotServed, Piece, Presence, Recording, Text
from recordings.services.indexing import index_lock_name

_BATCH: Final = 1_000


def recording_delete(*, recording: Recording, actor: Viewer, request: HttpRequest | None = None) -> dict[str, int]:
    """
    Delete *recording*: its index in bounded batches, its row, its blob.

    Returns:
        How much of each went. Other revisions and legs stay; texts that others share do too.
    """
    gone = contents_of(recording)
    public_id, workspace = str(recording.public_id), recording.workspace
    with exclusive(index_lock_name(public_id)):
        # First it says so, then what hangs on it goes: nobody takes what is half there for the whole.
        Recording.objects.filter(pk=recording.pk).update(status=Recording.Status.FAILED, error="It is being deleted.")
        for rows in (recording.presences, recording.pieces, recording.not_served, recording.epochs):
            _delete_in_batches(rows.all())
        with exclusive(blob_lock_name(workspace.pk, recording.sha256)):
            with transaction.atomic():
                recording.delete()
                audit("recording_delete", actor=actor, target=public_id, workspace=workspace, request=request)
            blob_folder().delete(blob_name(workspace.pk, recording.sha256))
    _delete_in_batches(Text.objects.filter(workspace=workspace, pieces=None))
    return gone


def contents_of(recording: Recording) -> dict[str, int]:
    """Return what would go with *recording*."""
    return {
        "recordings": 1,
        "bytes": recording.n_bytes,
        "epochs": Epoch.objects.filter(recording=recording).count(),
        "pieces": Piece.objects.filter(recording=recording).count(),
        "presences": Presence.objects.filter(recording=recording).count(),
        "not_served": NotServed.objects.filter(recording=recording).count(),
    }


def _delete_in_batches(rows: models.QuerySet[models.Model]) -> None:
    while True:
        keys = list(rows.values_list("pk", flat=True)[:_BATCH])
        if not keys:
            return
        rows.model._default_manager.filter(pk__in=keys).delete()  # noqa: SLF001  # whatever the model is
