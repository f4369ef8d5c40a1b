"""The parts of a recording: typed where the format is fixed, unread where it holds state."""

from __future__ import annotations

from typing import Any

import msgspec

from recordings.timetravel.values import UNDEFINED, Value


class TraceRow(msgspec.Struct):
    """One write of a commit: the path to a key, its segments parted by U+001F, and what was done there."""

    path: str
    verb: Any = UNDEFINED


class Row(msgspec.Struct, rename="camel"):
    """
    One row of a log: a commit, unless `problem` says why it is none.

    Its ids are text in every recording that the framework wrote, and `UNDEFINED` where a row has none.
    """

    trace: tuple[TraceRow, ...]
    #: Values of ``set`` and ``append``, unread, below the first segment of their path.
    overwrite: dict[str, msgspec.Raw]
    #: Values of ``merge``, in the same way.
    updates: dict[str, msgspec.Raw]
    stage: Any = UNDEFINED
    stage_id: Any = UNDEFINED
    runtime_stage_id: Any = UNDEFINED
    redacted_paths: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    untracked_sources: tuple[str, ...] = ()
    #: What keeps a row that is in the log from being a commit; None for a commit.
    flaw: str | None = None
    #: False for null and the other rows that JavaScript takes for nothing.
    is_there: bool = True

    @property
    def is_commit(self) -> bool:
        """Whether it is one."""
        return self.flaw is None and isinstance(self.runtime_stage_id, str)

    @property
    def problem(self) -> str | None:
        """Why the row is no commit, in the words of the reference; None for a commit."""
        if self.flaw is None and not isinstance(self.runtime_stage_id, str):
            return f"runtimeStageId is {type_name(self.runtime_stage_id)}, not a string"
        return self.flaw


class TreeContext(msgspec.Struct, rename="camel"):
    """What one execution of a subflow left: its own log and what that folds against."""

    history: list[Row]
    initial_state: msgspec.Raw = msgspec.Raw()
    global_context: msgspec.Raw = msgspec.Raw()


class Mount(msgspec.Struct, rename="camel"):
    """One execution of a subflow; without a tree when the recording holds none, or one that is no log."""

    tree_context: TreeContext | None = None


class EventMeta(msgspec.Struct, rename="camel"):
    """Where and when an event happened."""

    runtime_stage_id: str | None = None
    wall_clock_ms: float | None = None
    run_id: str | None = None


class Event(msgspec.Struct):
    """One event of the stream that the framework emitted beside the log."""

    type: str
    payload: msgspec.Raw = msgspec.Raw()
    meta: EventMeta | None = None


class Snapshot(msgspec.Struct):
    """The parts of a snapshot, the state in them unread. Empty text stands for a part that is missing."""

    rows: list[Row]
    #: False when there is no list of commits: such a snapshot has no log at all.
    has_log: bool
    initial_state: msgspec.Raw
    shared_state: msgspec.Raw
    execution_tree: msgspec.Raw
    #: By key, in the order of the file. Keys with a ``#`` name one execution, the others the last one.
    mounts: dict[str, Mount]
    run_id: str | None


class Document(msgspec.Struct):
    """A file, recognised and taken apart."""

    #: Which of the three forms it has.
    form: str
    snapshot: Snapshot
    #: None when the form has no event stream, which is not the same as an empty one.
    events: list[Event] | None
    #: The members of the envelope around it, unread; empty for the other forms.
    envelope: dict[str, msgspec.Raw]
    #: How much of nested runs was kept, as the recorder says: ``lean`` for their results alone. None where it does not.
    boundary_detail: str | None = None


def type_name(value: Value) -> str:
    """Return what the reference calls the type of *value*."""
    if value is UNDEFINED:
        return "missing"
    if value is None:
        return "null"
    names = {bool: "boolean", str: "string", int: "number", float: "number", list: "array"}
    return names.get(type(value), "object")
