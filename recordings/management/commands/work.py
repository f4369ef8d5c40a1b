"""``manage.py work``: the background worker, which also looks after what was left behind."""

from __future__ import annotations

import logging
import threading
from typing import Any, Final

from django.core.management import call_command
from django.core.management.base import BaseCommand
from django.db import Error, close_old_connections

from recordings.services.upkeep import broken_uploads_sweep, lost_work_enqueue

_EVERY_SECONDS: Final = 30
_THOROUGH_EVERY_ROUNDS: Final = 120
_INTERVAL_SECONDS: Final = 0.5
logger = logging.getLogger(__name__)


class Command(BaseCommand):
    """Do enqueued work until stopped; take up what a killed worker left, at the start and every half minute."""

    help = "Index long recordings in the background. Any number of these may run."

    def handle(self, *args: Any, **options: Any) -> None:
        look_after(older_than_seconds=0, is_thorough=True)
        threading.Thread(target=_keep_looking_after, daemon=True).start()
        call_command("db_worker", interval=_INTERVAL_SECONDS, startup_delay=False)


def look_after(*, older_than_seconds: float, is_thorough: bool) -> None:
    """Take up lost work and remove forgotten files."""
    n_enqueued = lost_work_enqueue(older_than_seconds=older_than_seconds)
    n_files = broken_uploads_sweep(is_thorough=is_thorough)
    if n_enqueued or n_files:
        logger.warning("Took up %d lost recordings, removed %d forgotten files.", n_enqueued, n_files)


def _keep_looking_after() -> None:
    pause = threading.Event()
    n_rounds = 0
    while not pause.wait(_EVERY_SECONDS):
        n_rounds += 1
        try:
            look_after(older_than_seconds=_EVERY_SECONDS, is_thorough=n_rounds % _THOROUGH_EVERY_ROUNDS == 0)
        except (Error, OSError) as error:
            logger.warning("Could not look after lost work: %s", error)
        finally:
            close_old_connections()
