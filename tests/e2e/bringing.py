"""Recordings to bring: by hand, in a browser, and by the service."""

from pathlib import Path

import pytest
from django.core.files.base import ContentFile
from playwright.sync_api import Page

from footprint_site.access.models import Workspace
from recordings.models import Epoch, Recording
from recordings.services.drafting import Stated
from recordings.services.importing import recording_import
from tests.corpus import ROOT
from tests.hostile import HOSTILE

SAMPLES = (ROOT / "../shared/samples").resolve()
GOOD = SAMPLES / "delivery-address-turn-4.json.gz"
ANSWER = "We will send the replacement to 12 Mill Lane, Leeds LS1 4AB."
UPLOAD = "/recordings/new/"

needs_samples = pytest.mark.skipif(not SAMPLES.is_dir(), reason=f"there are no samples in {SAMPLES}")


def bring(workspace: Workspace, path: Path = GOOD, filename: str = GOOD.name) -> Recording:
    chunks = ContentFile(path.read_bytes()).chunks()
    stated = Stated(filename=filename)
    return recording_import(workspace=workspace, chunks=chunks, is_gzip=True, stated=stated, actor="tests").recording


def choose(page: Page, *paths: Path) -> None:
    page.get_by_label("Drop recordings here").set_input_files(paths)


def hostile_recording(workspace: Workspace) -> Recording:
    """A recording whose every field is hostile, and long."""
    text = " ".join(HOSTILE)
    recording = bring(workspace)
    fields = ["run_id", "started_at", "ended_at", "tenant", "principal", "conversation_id", "session_id", "question"]
    fields += ["outcome_reason", "engine_run_id"]
    changes = dict.fromkeys(fields, text + "x" * 400)
    Recording.objects.filter(pk=recording.pk).update(
        **changes,
        filename=(HOSTILE[1] + text)[:300],
        lanes=[text, ""],
        answers=[
            {"lane": text, "text": text * 20, "is_redacted": False},
            {"lane": "", "text": None, "is_redacted": True},
        ],
        outcome="failed",
        warnings=[{"code": "odd", "message": text}],
        producer={"agentfootprintVersion": text, "items": text},
        is_complete=False,
        n_dropped_events=812,
        turn=2**62,
        status=Recording.Status.READY,
    )
    calls = [{"id": "1", "name": text, "args": None, "has_args": False, "duration_ms": None, "has_failed": True}]
    Epoch.objects.filter(recording=recording).update(model=text, tool_calls=calls, has_failed=True, error=text * 3)
    return recording
