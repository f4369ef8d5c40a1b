"""The parts of a recording: typed where the format is fixed, unread where it holds state."""

from __future__ import annotations

import re
from itertools import islice
from typing import Any, Final

import msgspec

from recordings.timetravel.jsontext import NOTHING, read_value
from recordings.timetravel.values import UNDEFINED, Value

_EMPTY_LIST_BYTES: Final = 2
_BRACKET: Final = ord("[")
_MAX_LIST_BYTES: Final = 1 << 20
_MAX_TEXTS: Final = 100_000
_TEXT: Final = re.compile(rb'"[^"\\]*+(?:\\.[^"\\]*+)*+"', re.DOTALL)


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
    #: Lists of texts, unread: a few bytes of a file may name millions. See the properties for what is in them.
    raw_redacted_paths: msgspec.Raw = msgspec.field(name="redactedPaths", default=NOTHING)
    raw_tags: msgspec.Raw = msgspec.field(name="tags", default=NOTHING)
    raw_untracked_sources: msgspec.Raw = msgspec.field(name="untrackedSources", default=NOTHING)
    #: What keeps a row that is in the log from being a commit; None for a commit.
    flaw: str | None = None
    #: False for null and the other rows that JavaScript takes for nothing.
    is_there: bool = True

    @property
    def redacted_paths(self) -> tuple[str, ...]:
        """The paths that a policy emptied."""
        return texts_in(self.raw_redacted_paths)

    @property
    def tags(self) -> tuple[str, ...]:
        """What the stage was marked with."""
        return texts_in(self.raw_tags)

    @property
    def untracked_sources(self) -> tuple[str, ...]:
        """What the stage read without its being tracked."""
        return texts_in(self.raw_untracked_sources)

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


def texts_in(text: msgspec.Raw) -> tuple[str, ...]:
    """Return the texts in the list that *text* is; of a longer one than any run writes the first of them."""
    data = memoryview(text)
    if len(data) <= _EMPTY_LIST_BYTES or data[0] != _BRACKET:
        return ()
    if len(data) > _MAX_LIST_BYTES:
        return tuple(str(read_value(match[0])) for match in islice(_TEXT.finditer(data), _MAX_TEXTS))
    return tuple(item for item in read_value(text) if isinstance(item, str))


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
