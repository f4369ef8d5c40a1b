"""``manage.py rebuild``: the index again, from the blobs."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from rich.progress import Progress

from footprint_site.locks import exclusive
from recordings.blobs import DamagedBlobError
from recordings.models import Recording
from recordings.services.indexing import index_lock_name, recording_index
from recordings.services.stored import run_of
from recordings.timetravel import TimeTravelError


class Command(BaseCommand):
    """Drop the index of every recording and build it again. Pages stay as they are."""

    help = "Drop the index and build it again from the stored bytes."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("ids", nargs="*", metavar="ID", help="only these recordings")

    def handle(self, *args: Any, **options: Any) -> None:
        rows = Recording.objects.order_by("pk")
        if options["ids"]:
            rows = rows.filter(public_id__in=options["ids"])
        n_failed = 0
        with Progress(disable=not self.stdout.isatty()) as progress:
            for recording in progress.track(
                rows.iterator(chunk_size=100), total=rows.count(), description="Rebuilding"
            ):
                try:
                    with exclusive(index_lock_name(recording.public_id)):
                        recording_index(recording=recording, run=run_of(recording))
                except (DamagedBlobError, TimeTravelError) as error:
                    n_failed += 1
                    self.stderr.write(f"{recording.public_id}: {error}")
        self.stdout.write(f"Rebuilt {rows.count() - n_failed} of {rows.count()} recordings.")
        if n_failed:
            raise CommandError(f"{n_failed} recordings could not be rebuilt.")
