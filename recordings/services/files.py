"""Importing from the disk, for commands and samples."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from footprint_site.access.models import Workspace
from recordings.ingest.receive import is_gzip_file
from recordings.services.drafting import Stated
from recordings.services.importing import Imported, recording_import

_CHUNK_BYTES: Final = 1 << 20


def import_file(*, path: Path, workspace: Workspace, actor: str, stated: Stated | None = None) -> Imported:
    """Import the file at *path*, which may be compressed with gzip, and index it here. Raises `Refused`."""
    with path.open("rb") as file:
        return recording_import(
            workspace=workspace,
            chunks=iter(lambda: file.read(_CHUNK_BYTES), b""),
            is_gzip=is_gzip_file(file),
            stated=stated or Stated(filename=path.name),
            actor=actor,
            index_at_once=True,
        )
