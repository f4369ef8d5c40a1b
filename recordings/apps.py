"""App configuration."""

from django.apps import AppConfig


class RecordingsConfig(AppConfig):
    """Recordings of agent runs."""

    name = "recordings"
