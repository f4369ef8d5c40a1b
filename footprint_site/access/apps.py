"""App configuration."""

from django.apps import AppConfig


class AccessConfig(AppConfig):
    """Workspaces, members and keys."""

    name = "footprint_site.access"
    label = "access"
    verbose_name = "Access"
