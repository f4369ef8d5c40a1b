"""``manage.py create_api_key``: a key for a program, without a browser."""

from datetime import timedelta
from typing import Any

from django.core.exceptions import ValidationError
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.core.validators import validate_slug
from django.utils import timezone

from footprint_site.access.models import Scope, Workspace
from footprint_site.access.models.workspace import SLUG_MAX_LENGTH
from footprint_site.access.services.keys import api_key_create
from footprint_site.access.services.workspaces import workspace_create

_MAX_DAYS = 36_500


class Command(BaseCommand):
    """Make an API key and print it as the last word."""

    help = "Make an API key and print it as the last word. It cannot be shown again."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--workspace", required=True, metavar="SLUG", help="made when it does not exist")
        parser.add_argument(
            "--scope", required=True, action="append", choices=Scope.values, help="what the key may do; repeatable"
        )
        parser.add_argument("--name", default="command line", help="what will use it (default: %(default)s)")
        parser.add_argument("--expires-days", type=int, metavar="N", help="refused after N days (default: never)")

    def handle(self, *args: Any, **options: Any) -> None:
        days = options["expires_days"]
        if days is not None and not 0 < days <= _MAX_DAYS:
            raise CommandError(f"--expires-days has to be 1 to {_MAX_DAYS}.")
        workspace = self._workspace(options["workspace"])
        _, key = api_key_create(
            workspace=workspace,
            name=options["name"][:120],
            scopes=[Scope(scope) for scope in options["scope"]],
            actor="manage.py create_api_key",
            expires_at=timezone.now() + timedelta(days=days) if days else None,
        )
        self.stdout.write(f"API key for the workspace {workspace.slug}: {key}")

    def _workspace(self, slug: str) -> Workspace:
        workspace = Workspace.objects.filter(slug=slug).first()
        if workspace is not None:
            return workspace
        try:
            validate_slug(slug)
        except ValidationError as error:
            raise CommandError(f"{slug!r} cannot be the slug of a workspace: {error.message}") from error
        if len(slug) > SLUG_MAX_LENGTH:
            raise CommandError(f"The slug of a workspace has at most {SLUG_MAX_LENGTH} characters.")
        workspace = workspace_create(slug=slug, name=slug, actor="manage.py create_api_key")
        self.stdout.write(f"Made the workspace {slug}.")
        return workspace
