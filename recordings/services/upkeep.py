"""What has to be looked after from time to time: work that was lost, and files that nobody needs."""

from __future__ import annotations

from datetime import timedelta
from typing import Final

from django.utils import timezone
from django_tasks import TaskResultStatus
from django_tasks_db.models import DBTaskResult

from footprint_site.locks import exclusive_if_free
from recordings.blobs import blob_folder
from recordings.models import Recording
from recordings.tasks import index_recording, lock_name

#: An upload that took longer broke off.
TEMPORARY_FILES_SECONDS: Final = 60 * 60


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
        with exclusive_if_free(lock_name(public_id)) as is_free:
            if is_free:
                index_recording.enqueue(public_id)
                n_enqueued += 1
    return n_enqueued


def temporary_files_sweep() -> int:
    """Remove what broken uploads left. Returns how many files."""
    return blob_folder().sweep(TEMPORARY_FILES_SECONDS)
