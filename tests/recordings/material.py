"""Recordings to send, of the corpus and a small one of our own, and what a folder holds."""

from pathlib import Path

from tests.corpus import CORPUS, read_bytes, recording_files

#: A run of one call, whose log has nothing else.
SMALL_RUN = {
    "initialState": {"history": [{"role": "user", "content": "Hello"}]},
    "commitLog": [
        {
            "stage": "call-llm",
            "stageId": "call-llm",
            "runtimeStageId": "call-llm#1",
            "trace": [],
            "overwrite": {},
            "updates": {},
            "redactedPaths": [],
        }
    ],
}


def real(name: str) -> bytes:
    return read_bytes(recording_files()[name])


def envelope(name: str) -> bytes:
    return (CORPUS / "envelopes" / f"{name}.envelope.json").read_bytes()


def files_in(folder: Path) -> list[str]:
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file())
