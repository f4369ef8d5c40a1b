"""The sample runs: five wrong answers and some others, so that a new installation has something to look at."""

from __future__ import annotations

import json
import secrets
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from footprint_site.access.audit import audit
from footprint_site.access.models import AuditLine, Workspace
from recordings.services.drafting import Stated
from recordings.services.files import import_file

FOLDER: Final = Path(__file__).resolve().parent.parent / "samples"
_ACTOR: Final = "first start"
_LOADED: Final = "samples_load"


def manifest() -> dict[str, Any]:
    """Return how the samples belong together."""
    content: dict[str, Any] = json.loads((FOLDER / "manifest.json").read_text(encoding="utf-8"))
    return content


def first_samples_load(*, workspace: Workspace) -> int | None:
    """Import the samples, unless that was done before in this installation: then None. A killed start goes on here."""
    if AuditLine.objects.filter(action=_LOADED).exists():
        return None
    n_samples = samples_load(workspace=workspace)
    audit(_LOADED, actor=_ACTOR, workspace=workspace, target=f"{n_samples} recordings")
    return n_samples


def samples_load(*, workspace: Workspace) -> int:
    """Import the samples into *workspace*, each with its session and turn. Returns how many there are."""
    n_samples = 0
    for name, stated in _stated():
        import_file(path=FOLDER / name, workspace=workspace, stated=stated, actor=_ACTOR)
        n_samples += 1
    return n_samples


def _stated() -> Iterator[tuple[str, Stated]]:
    for session in manifest()["sessions"]:
        for occupant in session["occupants"]:
            # Recordings do not carry the token of their occupant; the samples' occupants get one each.
            token = secrets.token_urlsafe(32)
            for recording in occupant["recordings"]:
                yield (
                    recording["file"],
                    Stated(
                        session_id=session["session_id"],
                        turn=recording.get("turn"),
                        filename=recording["file"],
                        incarnation=token,
                    ),
                )
    for recording in manifest()["recordings"]:
        yield recording["file"], Stated(filename=recording["file"])
