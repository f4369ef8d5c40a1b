"""Recordings of our own, for what the corpus lacks: written as the framework writes, as little of it as matters."""

import json
from typing import Any

from recordings.timetravel import Recording, decode_recording

US = "\x1f"


def commit(stage: str, number: int, *writes: tuple[Any, ...], **fields: Any) -> dict[str, Any]:
    """
    One row of a log: the commit of execution *number* of *stage*.

    Each of *writes* is ``(path, verb, value)``; the value is left out for ``delete``, and for what JSON lost.
    """
    overwrite: dict[str, Any] = {}
    updates: dict[str, Any] = {}
    for path, verb, *value in writes:
        target = updates if verb == "merge" else overwrite
        *parents, last = path.split(US)
        for key in parents:
            target = target.setdefault(key, {})
        if value:
            target[last] = value[0]
    return {
        "stage": stage,
        "stageId": stage,
        "runtimeStageId": f"{stage}#{number}",
        "trace": [{"path": path, "verb": verb} for path, verb, *_ in writes],
        "overwrite": overwrite,
        "updates": updates,
        "redactedPaths": [],
        **fields,
    }


def recording(*rows: dict[str, Any], base: Any = None, mounts: dict[str, list[Any]] | None = None) -> Recording:
    """A bare snapshot with these rows in its log; *mounts* are the logs of subflows by their keys."""
    snapshot: dict[str, Any] = {"initialState": {} if base is None else base, "commitLog": list(rows)}
    if mounts is not None:
        snapshot["subflowResults"] = {
            key: {"treeContext": {"history": history, "initialState": {}}} for key, history in mounts.items()
        }
    return decode_recording(json.dumps(snapshot).encode())


def record(raw: str, source: str = "base", source_id: str | None = None, **fields: Any) -> dict[str, Any]:
    """One record of the system prompt."""
    named = {} if source_id is None else {"sourceId": source_id}
    return {"slot": "system-prompt", "source": source, "rawContent": raw, "reason": "a test", **named, **fields}


def user(text: str) -> dict[str, Any]:
    return {"role": "user", "content": text}


def tool(name: str, description: str = "") -> dict[str, Any]:
    return {"name": name, "description": description, "inputSchema": {"type": "object"}}


def call(number: int) -> dict[str, Any]:
    return commit("call-llm", number)


def flat(*contexts: dict[str, Any]) -> Recording:
    """A flat run whose n-th call is served the n-th of *contexts*: keys of state, written whole before the call."""
    rows = []
    for number, context in enumerate(contexts, 1):
        writes = [(key, "set", value) for key, value in {"iteration": number, **context}.items()]
        rows += [commit("context", number * 10, *writes), call(number * 10 + 5)]
    return recording(*rows)
