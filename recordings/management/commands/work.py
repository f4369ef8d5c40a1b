"""``manage.py work``: the background worker, which also looks after what was left behind."""

from __future__ import annotations

import logging
import threading
from typing import Any, Final

from django.core.management import call_command
from django.core.management.base import BaseCommand
from django.db import Error, close_old_connections

from recordings.services.upkeep import lost_work_enqueue, temporary_files_sweep

_EVERY_SECONDS: Final = 60
_INTERVAL_SECONDS: Final = 0.5
logger = logging.getLogger(__name__)


class Command(BaseCommand):
    """Do enqueued work until stopped; take up what a killed worker left, at the start and every minute."""

    help = "Index long recordings in the background. Any number of these may run."

    def handle(self, *args: Any, **options: Any) -> None:
        look_after(older_than_seconds=0)
        threading.Thread(target=_keep_looking_after, daemon=True).start()
        call_command("db_worker", interval=_INTERVAL_SECONDS, startup_delay=False)


def look_after(*, older_than_seconds: float) -> None:
    """Take up lost work and remove forgotten files."""
    n_enqueued, n_files = lost_work_enqueue(older_than_seconds=older_than_seconds), temporary_files_sweep()
    if n_enqueued or n_files:
        logger.warning("Took up %d lost recordings, removed %d forgotten files.", n_enqueued, n_files)


def _keep_looking_after() -> None:
    pause = threading.Event()
    while not pause.wait(_EVERY_SECONDS):
        try:
            look_after(older_than_seconds=_EVERY_SECONDS)
        except (Error, OSError) as error:
            logger.warning("Could not look after lost work: %s", error)
        finally:
            close_old_connections()
