"""Runs with pieces of our own, and the pages of pieces."""

import json

from recordings.models import Piece


def run_with(*messages: dict[str, object]) -> bytes:
    """A run of one call, which was served *messages*."""
    row = {
        "stage": "call-llm",
        "stageId": "call-llm",
        "runtimeStageId": "call-llm#1",
        "trace": [],
        "overwrite": {},
        "updates": {},
        "redactedPaths": [],
    }
    return json.dumps({"initialState": {"history": list(messages)}, "commitLog": [row]}).encode()


def url_of(piece: Piece) -> str:
    return f"/recordings/{piece.recording.public_id}/pieces/{piece.piece_id}/"
