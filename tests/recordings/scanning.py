"""Files to scan, and what becomes of them."""

import json
from typing import Any

import pytest

from recordings.ingest.limits import Limits
from recordings.ingest.refusals import Refused
from recordings.ingest.scan import Scan, scan

RUN = {"runId": "run-1", "startedAt": "2026-11-30T13:38:47.504Z", "complete": True, "droppedEvents": 0}


def envelope(**members: Any) -> bytes:
    """An envelope as the library writes it, with *members* in place of its own."""
    document = {
        "format": "agentfootprint.recording.v1",
        "producer": {"agentfootprintVersion": "9.62.0", "footprintjsVersion": "9.24.0"},
        "run": RUN,
        "privacy": {"mode": "full", "policyId": "agentfootprint.privacy.full.v1"},
        "recording": {"snapshot": {"commitLog": []}, "events": []},
    }
    return json.dumps(document | members, indent=2).encode() + b"\n"


def snapshot(inside: bytes) -> bytes:
    """A bare snapshot with *inside* in its state."""
    return b'{"commitLog":[],"sharedState":{"a":' + inside + b"}}"


def refusal(data: bytes, **limits: int) -> Refused:
    """The refusal of *data*, which must not come in."""
    with pytest.raises(Refused) as caught:
        scan(data, limits=Limits(**limits))
    assert caught.value.message.endswith("."), caught.value.message
    return caught.value


def labels(found: Scan) -> list[str]:
    return [warning.label for warning in found.warnings]
