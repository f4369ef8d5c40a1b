"""
Ids of stages and of their executions: ``[subflow path/]stage id#execution index``.

Source: the id helpers of footprintjs and the milestone table of agentfootprint.
"""

from __future__ import annotations

import math
import re
from typing import Final, Literal

import msgspec

#: The integer that JavaScript's parseInt finds at the start of a text. It skips more white space than ``\s`` without
#: the flag, and knows ASCII digits alone.
_PARSE_INT: Final = re.compile(r"[\s\ufeff]*([+-]?[0-9]+)")
#: So many digits, with a sign, are surely an integer that a double holds.
_EXACT_DIGITS: Final = 15

MilestoneKind = Literal["iteration", "slot", "llm-turn", "tool-call", "decision"]


class RuntimeStageId(msgspec.Struct, frozen=True):
    """One execution of a stage."""

    stage_id: str
    #: Over the whole run, subflows included. NaN when there are no digits, 0 when there is no ``#``.
    execution_index: int | float
    #: None outside subflows; empty for an id that starts with a slash.
    subflow_path: str | None


class SplitStageId(msgspec.Struct, frozen=True):
    """A stage id, cut at its last slash."""

    local_stage_id: str
    subflow_path: str | None


class Milestone(msgspec.Struct, frozen=True):
    """What a stage means to people."""

    kind: MilestoneKind
    label: str


_MILESTONES: Final[dict[str, Milestone]] = {
    "sf-injection-engine": Milestone("iteration", "Iteration"),
    "sf-llm-call": Milestone("iteration", "Iteration"),
    "sf-system-prompt": Milestone("slot", "System prompt"),
    "sf-messages": Milestone("slot", "Messages"),
    "sf-tools": Milestone("slot", "Tools"),
    "call-llm": Milestone("llm-turn", "LLM turn"),
    "merge-llm": Milestone("llm-turn", "LLM turn"),
    "tool-calls": Milestone("tool-call", "Tool call"),
    "sf-tool-calls": Milestone("tool-call", "Tool call"),
    "sf-route": Milestone("decision", "Route"),
    "output-retry": Milestone("decision", "Schema retry"),
    "step-nudge": Milestone("decision", "Step nudge"),
    "evidence-recheck": Milestone("decision", "Evidence recheck"),
    "wrap-up": Milestone("decision", "Wrap up"),
}


def parse_int(text: str) -> int | float:
    """Return the integer that *text* starts with, as JavaScript's ``parseInt(text, 10)`` finds it; else NaN."""
    match = _PARSE_INT.match(text)
    if match is None:
        return math.nan
    # Beyond what a double holds exactly it is the next double, or infinity.
    return int(match[1]) if len(match[1]) <= _EXACT_DIGITS else float(match[1])


def split_stage_id(stage_id: str) -> SplitStageId:
    """Cut *stage_id* at its last slash. A ``#`` means nothing here."""
    front, slash, local = stage_id.rpartition("/")
    return SplitStageId(local, front if slash else None)


def parse_runtime_stage_id(runtime_stage_id: str) -> RuntimeStageId:
    """Read *runtime_stage_id*. Without a ``#`` it is a stage id whose path is not cut off."""
    front, mark, rest = runtime_stage_id.rpartition("#")
    if not mark:
        return RuntimeStageId(runtime_stage_id, 0, None)
    split = split_stage_id(front)
    return RuntimeStageId(split.local_stage_id, parse_int(rest), split.subflow_path)


def local_of(stage_id: str) -> str:
    """Return the part of *stage_id* after its last slash."""
    return stage_id[stage_id.rfind("/") + 1 :]


def milestone_for(stage_id: str) -> Milestone | None:
    """Return what the stage means, None when it means nothing. Takes stage ids and runtime stage ids."""
    return _MILESTONES.get(local_of(stage_id.partition("#")[0]))
