"""``manage.py sign_in_link``: a way in for somebody who lost their password."""

from typing import Any

from django.contrib.auth.models import User
from django.core.management.base import BaseCommand, CommandError, CommandParser

from footprint_site.access.audit import audit
from footprint_site.access.services.sign_in import sign_in_path
from footprint_site.address import site_address


class Command(BaseCommand):
    """Print a link that signs somebody in once."""

    help = "Print a link that signs somebody in once, within a day."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("username")

    def handle(self, *args: Any, **options: Any) -> None:
        person = User.objects.filter(username=options["username"], is_active=True).first()
        if person is None:
            raise CommandError(f"There is no active person called {options['username']!r}.")
        audit("sign_in_link_create", actor="manage.py sign_in_link", target=person.username)
        self.stdout.write(site_address() + sign_in_path(person))
