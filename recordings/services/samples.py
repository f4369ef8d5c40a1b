"""The sample runs: five wrong answers and some others, so that a new installation has something to look at."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Final

from footprint_site.access.audit import audit
from footprint_site.access.models import AuditLine, Workspace
from footprint_site.fields import text_key
from recordings.services.drafting import Stated
from recordings.services.files import import_file
from sessions_app.models import Incarnation, MemoryEntry
from sessions_app.services.dumps import memory_dump_import
from sessions_app.services.sessions import incarnation_close, incarnation_open

FOLDER: Final = Path(__file__).resolve().parent.parent / "samples"
_ACTOR: Final = "first start"
_LOADED: Final = "samples_load"
_CLOSED: Final = "The customer had left."


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
    """Import the samples into *workspace*, each with its session, occupant and turn. Returns how many there are."""
    n_samples = 0
    for session in manifest()["sessions"]:
        for number, occupant in enumerate(session["occupants"], 1):
            incarnation = _occupant(workspace, session["session_id"], number)
            for recording in occupant["recordings"]:
                stated = Stated(
                    session_id=session["session_id"],
                    turn=recording.get("turn"),
                    filename=recording["file"],
                    incarnation_sha256=incarnation.token_sha256,
                )
                import_file(path=FOLDER / recording["file"], workspace=workspace, stated=stated, actor=_ACTOR)
                n_samples += 1
            for memory in occupant.get("memory", []):
                _remember(workspace, incarnation, memory)
            if occupant["closed"] and incarnation.is_open:
                incarnation_close(incarnation=incarnation, reason=_CLOSED, actor=_ACTOR)
    for recording in manifest()["recordings"]:
        stated = Stated(filename=recording["file"])
        import_file(path=FOLDER / recording["file"], workspace=workspace, stated=stated, actor=_ACTOR)
        n_samples += 1
    return n_samples


def _occupant(workspace: Workspace, session_id: str, number: int) -> Incarnation:
    """Return the occupant with *number* of the session; a start that was killed may have opened it already."""
    known = Incarnation.objects.filter(workspace=workspace, session__session_key=text_key(session_id), number=number)
    incarnation = known.first()
    if incarnation is None:
        incarnation, _ = incarnation_open(workspace=workspace, session_id=session_id, actor=_ACTOR)
    return incarnation


def _remember(workspace: Workspace, incarnation: Incarnation, memory: dict[str, str]) -> None:
    """Put what the occupant remembered into its store, unless a start that was killed did so."""
    if MemoryEntry.objects.filter(store__conversation__incarnation=incarnation).exists() or not incarnation.is_open:
        return
    memory_dump_import(
        workspace=workspace,
        data=(FOLDER / memory["file"]).read_bytes(),
        store=memory["store"],
        actor=_ACTOR,
        incarnation=incarnation,
    )
