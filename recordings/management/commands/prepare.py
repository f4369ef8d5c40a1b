"""``manage.py prepare``: everything that has to be true before the servers start."""

import socket
from typing import Any

from django.conf import settings
from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandError

from footprint_site.access.models import Workspace
from footprint_site.access.services.first_start import first_start
from footprint_site.access.services.sign_in import sign_in_path
from footprint_site.address import site_address
from recordings.services.samples import first_samples_load
from recordings.services.upkeep import outdated_indexes_renew


class Command(BaseCommand):
    """Migrate, collect static files, make the first admin, load the samples. Quick and harmless when it is done."""

    help = "Migrate the database, collect static files and make the first admin. Harmless when done already."

    def handle(self, *args: Any, **options: Any) -> None:
        _check_port()
        call_command("migrate", verbosity=0, interactive=False)
        call_command("collectstatic", verbosity=0, interactive=False)
        admin = first_start()
        n_samples = first_samples_load(workspace=Workspace.objects.order_by("pk")[0])
        if n_samples is not None:
            self.stdout.write(f"Loaded {n_samples} sample runs.")
        n_outdated = outdated_indexes_renew()
        if n_outdated:
            self.stdout.write(f"{n_outdated} recordings are indexed again, by the worker.")
        self.stdout.write(f"Footprint: {site_address()}/")
        if admin is not None:
            self.stdout.write(f"Sign in once as {admin.username}: {site_address()}{sign_in_path(admin)}")


def _check_port() -> None:
    family = socket.AF_INET6 if ":" in settings.HOST else socket.AF_INET
    with socket.socket(family) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((settings.HOST.strip("[]"), settings.PORT))
        except OSError as error:
            raise CommandError(
                f"Footprint cannot listen on {settings.HOST} port {settings.PORT}: {error.strerror}. "
                "Stop what is there, or set FOOTPRINT_PORT."
            ) from error
