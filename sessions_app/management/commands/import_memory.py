"""``manage.py import_memory FILE --store NAME``: what a conversation remembered, from a dump of its memory."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from footprint_site.access.models import Workspace
from sessions_app.rawjson import JsonRefusedError
from sessions_app.services.dumps import memory_dump_import
from sessions_app.services.errors import EntryInvalidError


class Command(BaseCommand):
    """Puts the entries of a dump into a store of the conversation that the dump names."""

    help = "Read a dump of a conversation's memory into one of its stores."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("file", type=Path, help="the dump, as JSON")
        parser.add_argument("--store", required=True, help="what recordings call the memory, such as chat")
        parser.add_argument("--label", help="which store of the dump, where it has several")
        parser.add_argument("--workspace", help="the slug; not needed where there is only one")

    def handle(self, *args: Any, **options: Any) -> None:
        workspace = _workspace(options["workspace"])
        try:
            n_entries = memory_dump_import(
                workspace=workspace,
                data=options["file"].read_bytes(),
                store=options["store"],
                label=options["label"],
                actor="manage.py import_memory",
            )
        except OSError as error:
            raise CommandError(f"{options['file']} cannot be read: {error.strerror}.") from error
        except (JsonRefusedError, EntryInvalidError) as error:
            raise CommandError(f"{options['file']}: {error}") from error
        self.stdout.write(f"{n_entries} entries are in the store {options['store']} of the conversation.")


def _workspace(slug: str | None) -> Workspace:
    found = list(Workspace.objects.filter(slug=slug) if slug else Workspace.objects.all()[:2])
    if len(found) != 1:
        slugs = ", ".join(Workspace.objects.values_list("slug", flat=True)[:20])
        raise CommandError(f"Name one workspace with --workspace. There are: {slugs}.")
    return found[0]
