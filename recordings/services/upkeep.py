"""What has to be looked after from time to time: work that was lost, and files that nobody needs."""

from __future__ import annotations

from datetime import timedelta

from django.utils import timezone
from django_tasks import TaskResultStatus
from django_tasks_db.models import DBTaskResult

from footprint_site.locks import exclusive, exclusive_if_free
from recordings.blobs import blob_folder, blob_lock_name, blob_name
from recordings.models import INDEX_VERSION, Recording
from recordings.services.bulk import batched
from recordings.services.indexing import index_lock_name
from recordings.tasks import index_recording


def lost_work_enqueue(*, older_than_seconds: float) -> int:
    """
    Enqueue the recordings that wait for an index that nobody makes: their worker was killed. Returns how many.

    Args:
        older_than_seconds: Younger ones are on their way.
    """
    waiting = {
        str(public_id)
        for arguments in DBTaskResult.objects.filter(status=TaskResultStatus.READY).values_list(
            "args_kwargs", flat=True
        )
        for public_id in arguments["args"]
    }
    before = timezone.now() - timedelta(seconds=older_than_seconds)
    received = Recording.objects.filter(status=Recording.Status.RECEIVED, created_at__lte=before)
    n_enqueued = 0
    for public_id in map(str, received.values_list("public_id", flat=True)):
        if public_id in waiting:
            continue
        with exclusive_if_free(index_lock_name(public_id)) as is_free:
            if is_free:
                index_recording.enqueue(public_id)
                n_enqueued += 1
    return n_enqueued


def broken_uploads_sweep(*, is_thorough: bool) -> int:
    """
    Remove what uploads left that were killed: files that were arriving, and blobs that got no row. Returns how many.

    Args:
        is_thorough: Look at all blobs in any case. Else only when a file was left, as it is by whoever left a blob.
    """
    n_files = blob_folder().sweep()
    return n_files + _blobs_sweep() if n_files or is_thorough else 0


def _blobs_sweep() -> int:
    n_blobs = 0
    for batch in batched(blob_folder().blobs()):
        sha256s = [sha256 for _, sha256 in batch]
        known = set(Recording.objects.filter(sha256__in=sha256s).values_list("workspace_id", "sha256"))
        for workspace_id, sha256 in set(batch) - known:
            with exclusive(blob_lock_name(workspace_id, sha256)):
                # It may have got its row by now.
                if not Recording.objects.filter(workspace_id=workspace_id, sha256=sha256).exists():
                    blob_folder().delete(blob_name(workspace_id, sha256))
                    n_blobs += 1
    return n_blobs


def outdated_indexes_renew() -> int:
    """Have the worker build again what another version of this program indexed. Returns how many recordings wait."""
    outdated = Recording.objects.filter(status=Recording.Status.READY).exclude(index_version=INDEX_VERSION)
    return outdated.update(status=Recording.Status.RECEIVED)
