"""Real runs with one thing about them changed: what readers have to be told."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from tests.recordings.material import envelope, real

Rows = list[dict[str, Any]]


def edited(name: str, change: Callable[[Rows], None]) -> bytes:
    """Return the bare snapshot *name* with its commits changed in place."""
    snapshot = json.loads(real(name))
    change(snapshot["commitLog"])
    return json.dumps(snapshot).encode()


def row_of(rows: Rows, runtime_stage_id: str) -> dict[str, Any]:
    return next(row for row in rows if row["runtimeStageId"] == runtime_stage_id)


def commit(runtime_stage_id: str, key: str, value: Any, **others: Any) -> dict[str, Any]:
    """Return a commit that sets *key*."""
    return {
        "stage": "Edited",
        "stageId": runtime_stage_id.partition("#")[0],
        "runtimeStageId": runtime_stage_id,
        "trace": [{"path": key, "verb": "set"}],
        "updates": {},
        "redactedPaths": [],
        "overwrite": {key: value},
        **others,
    }


def with_dropped_history() -> bytes:
    """Of five messages the last call is served one, and nothing in the log says why."""

    def drop(rows: Rows) -> None:
        last = row_of(rows, "seed#0")["overwrite"]["history"]
        at = rows.index(row_of(rows, "call-llm#84"))
        rows.insert(at, commit("trim#83", "history", last))

    return edited("flat-multi-tools", drop)


def with_missing_and_late_result() -> bytes:
    """Of two calls side by side, the result of t1 is in no record, and that of t2 arrives one call late."""

    def lose(rows: Rows) -> None:
        first = row_of(rows, "tool-calls#22")["overwrite"]["history"]
        late = first.pop(2)
        first.pop(1)
        row_of(rows, "tool-calls#44")["overwrite"]["history"].append(late)

    return edited("flat-multi-tools", lose)


def with_tool_text(text: str, name: str = "flat-wrong-tool") -> bytes:
    """The first tool answers *text*."""

    def answer(rows: Rows) -> None:
        row_of(rows, "tool-calls#22")["overwrite"]["history"][1]["content"] = text

    return edited(name, answer)


def incomplete_envelope() -> bytes:
    """Cut off, with dropped events, a redacted path, lean nested runs and a source that was not tracked."""
    content = json.loads(envelope("flat-wrong-tool"))
    content["run"] |= {"complete": False, "droppedEvents": 12}
    content["recording"]["boundaryDetail"] = "lean"
    rows = content["recording"]["snapshot"]["commitLog"]
    rows.append(
        commit(
            "note#90",
            "customer",
            {"ssn": "REDACTED", "name": "Dana"},
            redactedPaths=["customer\u001fssn"],
            untrackedSources=["env"],
        )
    )
    return json.dumps(content).encode()
