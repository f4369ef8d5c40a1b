"""One file of the upload form, taken in or refused for itself."""

from __future__ import annotations

from typing import Any, Final

import msgspec
from django.contrib.auth.models import User
from django.core.files.uploadedfile import UploadedFile
from django.http import HttpRequest

from footprint_site.access.models import Workspace
from recordings.ingest.receive import is_gzip_file
from recordings.ingest.refusals import Refused
from recordings.models import Recording
from recordings.services.drafting import Stated
from recordings.services.importing import recording_import

_CHUNK_BYTES: Final = 1 << 20


class UploadResult(msgspec.Struct, frozen=True):
    """What became of one file."""

    filename: str
    #: The recording; not saved for a preview. None when it was refused.
    recording: Recording | None
    is_new: bool = False
    problems: list[dict[str, Any]] = []
    refused: Refused | None = None


def upload_file(
    *,
    file: UploadedFile[Any],
    workspace: Workspace,
    stated: Stated,
    actor: User,
    request: HttpRequest,
    is_dry_run: bool,
) -> UploadResult:
    """Take *file* in, or look at it. A refusal is a result, not an exception: the other files go on."""
    name = stated.filename or "unnamed"
    try:
        imported = recording_import(
            workspace=workspace,
            chunks=file.chunks(_CHUNK_BYTES),
            # A browser does not say that a file is compressed; the file does.
            is_gzip=is_gzip_file(file),
            stated=stated,
            actor=actor,
            request=request,
            is_dry_run=is_dry_run,
        )
    except Refused as refused:
        return UploadResult(name, None, refused=refused)
    return UploadResult(name, imported.recording, imported.is_new, imported.problems)
