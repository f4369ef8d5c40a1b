"""App configuration."""

from django.apps import AppConfig


class SessionsAppConfig(AppConfig):
    """Conversations, memory and sessions. Not to be confused with ``django.contrib.sessions``."""

    name = "sessions_app"
    verbose_name = "Sessions and memory"
