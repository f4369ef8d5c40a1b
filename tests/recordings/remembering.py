"""Recordings that wrote to memory: of real conversations with what their stores held, and small ones of our own."""

from __future__ import annotations

import json

from recordings.models import Recording
from sessions_app.services.writing import Identity
from tests.corpus import CORPUS, read_bytes, recording_files
from tests.recordings.seating import DANA, Seat, run_of
from tests.timetravel.build import commit

#: By conversation: the memory of its recordings, and what its dump calls the store.
STORES = {
    "flat-memory": {"chat": "chat"},
    "flat-beats": {"chat": "chat", "beats": "beats"},
    "flat-factmem": {"user-facts": "facts"},
    "grouped-causal": {"causal": "causal"},
}


def story(seated: Seat, name: str) -> list[Recording]:
    """Bring the recordings of a real conversation, and what its stores held in the end."""
    dump = json.loads((CORPUS / "memory" / f"{name}.json").read_text())
    claimed = dump["identity"]
    identity = Identity(claimed["conversationId"], principal=claimed.get("principal"), tenant=claimed.get("tenant"))
    files = [file for file in recording_files() if file.startswith(f"{name}-turn")]
    recordings = [
        seated.brings_file(read_bytes(recording_files()[file]), turn, identity)
        for turn, file in enumerate(sorted(files), 1)
    ]
    for memory_id, label in STORES[name].items():
        for entry in dump["stores"][label]["entries"]:
            seated.puts(entry["id"], entry["source"]["turn"], "x", store=memory_id, identity=identity)
    return recordings


def _writes(messages: list, turn: object, memory_id: str) -> bytes:
    """A small run that wrote *messages* to its memory at the end."""
    handed_on = commit("x", 0, ("turnNumber", "set", turn), ("newMessages", "set", messages))
    key = f"final/sf-memory-write-{memory_id}#8"
    mount = {"treeContext": {"history": [handed_on | {"runtimeStageId": ""}, _WRITE], "initialState": {}}}
    return json.dumps(run_of("hello", "hi") | {"subflowResults": {key: mount}}).encode()


_WRITE = commit("final/sf-memory-write-chat/write-messages", 9)


def wrote(seated: Seat, messages: list, turn: object = 2, memory_id: str = "chat") -> Recording:
    """Bring a run of turn 2 that wrote *messages* at its end, by its own account in *turn*."""
    return seated.brings_file(_writes(messages, turn, memory_id), 2, DANA)
