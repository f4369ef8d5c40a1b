"""App configuration."""

from __future__ import annotations

import gc
from typing import Final

from django.apps import AppConfig

#: A decoded recording is millions of objects without a cycle. Looking through them each time some hundred more are
#: there makes up an eighth of the time of an import; at these thresholds it is lost in the noise.
_GC_THRESHOLDS: Final = (10_000, 50, 50)


class RecordingsConfig(AppConfig):
    """Recordings of agent runs."""

    name = "recordings"

    def ready(self) -> None:
        """Let the garbage collector look less often."""
        gc.set_threshold(*_GC_THRESHOLDS)
