"""Work that does not hold up a request."""

from __future__ import annotations

from django_tasks import task

from footprint_site.locks import exclusive
from recordings.blobs import DamagedBlobError
from recordings.models import Recording
from recordings.services.indexing import index_lock_name, recording_index
from recordings.services.stored import run_of
from recordings.timetravel import TimeTravelError


@task()
def index_recording(public_id: str) -> None:
    """Index a recording; say on it why, when that fails. One that is gone, or indexed, needs nothing."""
    with exclusive(index_lock_name(public_id)):
        recording = Recording.objects.filter(public_id=public_id, status=Recording.Status.RECEIVED).first()
        if recording is None:
            return
        try:
            recording_index(recording=recording, run=run_of(recording))
        except (DamagedBlobError, TimeTravelError) as error:
            Recording.objects.filter(pk=recording.pk).update(status=Recording.Status.FAILED, error=str(error)[:500])
