"""``manage.py import_recordings``: from files and folders, without a server or a worker."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, Final

from django.core.management.base import BaseCommand, CommandError, CommandParser
from rich.progress import Progress

from footprint_site.access.models import Workspace
from recordings.ingest.refusals import Refused
from recordings.services.files import import_file
from recordings.services.importing import Imported

_ENDINGS: Final = (".json", ".json.gz")
_ACTOR: Final = "manage.py import_recordings"


class Command(BaseCommand):
    """Import recordings and index them here; says for each file what became of it."""

    help = "Import recordings: files, .gz files, or folders of them. Indexed when it returns."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("paths", nargs="+", type=Path, metavar="PATH")
        parser.add_argument("--workspace", metavar="SLUG", help="needed when there are several")

    def handle(self, *args: Any, **options: Any) -> None:
        workspace = workspace_called(options["workspace"])
        files = list(files_of(options["paths"]))
        n_refused = 0
        with Progress(disable=not self.stdout.isatty()) as progress:
            for path in progress.track(files, description="Importing"):
                try:
                    imported = import_file(path=path, workspace=workspace, actor=_ACTOR)
                except Refused as refused:
                    n_refused += 1
                    self.stderr.write(f"{path}: refused: {refused.message} ({refused.code})")
                    continue
                self.stdout.write(f"{path}: {_said(imported)}")
        if n_refused:
            raise CommandError(f"{n_refused} of {len(files)} files were refused.")


def files_of(paths: Iterable[Path]) -> Iterator[Path]:
    """Yield the files that *paths* name; of a folder those whose names end like recordings, in order."""
    for path in paths:
        if path.is_dir():
            yield from sorted(child for child in path.rglob("*") if child.name.endswith(_ENDINGS) and child.is_file())
        elif path.is_file():
            yield path
        else:
            raise CommandError(f"There is no file or folder {path}.")


def workspace_called(slug: str | None) -> Workspace:
    """Return the workspace called *slug*, or the only one. Raises `CommandError`."""
    if slug is not None:
        workspace = Workspace.objects.filter(slug=slug).first()
        if workspace is None:
            raise CommandError(f"There is no workspace {slug!r}.")
        return workspace
    some = list(Workspace.objects.all()[:2])
    if len(some) != 1:
        raise CommandError("Name the workspace: --workspace SLUG." if some else "There is no workspace yet.")
    return some[0]


def _said(imported: Imported) -> str:
    recording = imported.recording
    if not imported.is_new:
        return f"already here as {recording.public_id}"
    revision = f", revision {recording.revision} ({recording.relation})" if recording.revision > 1 else ""
    return f"{recording.status} as {recording.public_id}, {recording.n_epochs} epochs{revision}"
