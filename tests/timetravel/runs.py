"""Runs of our own: the rows of their logs, their mounts and their events; and the facts of their calls."""

import json
from typing import Any

from recordings.timetravel import Recording, all_epoch_locations, call_facts, decode_recording
from tests.timetravel.build import commit


def run(*rows: dict, events: list | None = None, **parts: Any) -> Recording:
    """A run with these rows in its log; *parts* are more members of its snapshot."""
    snapshot = {"initialState": {}, "commitLog": list(rows), **parts}
    return decode_recording(
        json.dumps(snapshot if events is None else {"snapshot": snapshot, "events": events}).encode()
    )


def event(kind: str, at: str, /, **payload: Any) -> dict:
    return {"type": f"agentfootprint.{kind}", "payload": payload, "meta": {"runtimeStageId": at}}


def mounts(**logs: list) -> dict:
    return {
        key.replace("__", "#").replace("_", "/"): {"treeContext": {"history": rows, "initialState": {}}}
        for key, rows in logs.items()
    }


def ended(lane: str, number: int, content: Any) -> dict:
    """The mount of the stage that ends the agent of a lane."""
    state = {} if content is None else {"finalContent": content}
    return {f"{lane}final#{number}": {"treeContext": {"history": [], "globalContext": state}}}


def asks(number: int, *calls: Any, lane: str = "") -> dict:
    """The commit of a call that asked for tools."""
    return commit(
        f"{lane}call-llm", number, ("llmLatestToolCalls", "set", list(calls)), ("totalOutputTokens", "set", 1)
    )


def tool_call(id_: str, args: Any = None) -> dict:
    return {"id": id_, "name": "look_up", "args": {} if args is None else args}


def result(id_: str, text: str) -> dict:
    return {"role": "tool", "content": text, "toolCallId": id_, "toolName": "look_up"}


def facts(recording: Recording) -> list:
    return [call_facts(recording, location) for location in all_epoch_locations(recording)]
