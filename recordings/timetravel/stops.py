"""
Stops: the places in a log where a reader can stand, from before the first row to the last.

Source: ``stops.ts`` of agentfootprint's time travel.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Final, Literal, TypeAlias
from weakref import WeakKeyDictionary

import msgspec

from recordings.timetravel.document import Row
from recordings.timetravel.fold import Log
from recordings.timetravel.ids import Milestone, milestone_for, parse_runtime_stage_id
from recordings.timetravel.jsonspans import JsonError, first_byte
from recordings.timetravel.jsontext import read_value
from recordings.timetravel.recording import Recording, keyed_fold, recording_of
from recordings.timetravel.values import Value

Source: TypeAlias = Recording | Log | Mapping[str, Value]
Kind: TypeAlias = Literal["start", "commit", "mount", "end"]

_MILESTONE_TAG: Final = "milestone:"
#: What a kind is called where the stage's id says nothing better. The other kinds go by the name of their stage.
_KIND_LABELS: Final = {"iteration": "Iteration", "llm-turn": "LLM turn", "tool-call": "Tool call"}


class Stop(msgspec.Struct, frozen=True, eq=False):
    """One place to stand: the start, one execution of a stage, or the end."""

    #: Its place among the stops, from 0.
    step: int
    #: Empty at the start and at the end.
    runtime_stage_id: str
    #: Empty at the start and at the end; `UNDEFINED` when the row has none.
    stage_id: Value
    #: The first row of the stage: -1 at the start, the last row of the log at the end.
    commit_index: int
    #: The row before the next stop.
    last_commit_index: int
    label: str
    #: None outside subflows, at the start and at the end.
    subflow_path: str | None = None
    #: Whether the start stands for stages that were left out.
    prologue: bool = False
    #: What the stage means, on milestones.
    meta: Milestone | None = None
    #: Which end of the log it is; None for a stage.
    edge: Literal["start", "end"] | None = None
    #: What `kind` asks; None for an end.
    kinds: _Kinds | None = None

    @property
    def kind(self) -> Kind:
        """``start``, ``end``, ``mount`` when the stage ran a subflow, else ``commit``."""
        if self.edge is not None:
            return self.edge
        return "mount" if self.kinds is not None and self.kinds.is_mount(self.commit_index) else "commit"


class _Kinds:
    """Tells mounts from other stages, when it is asked."""

    def __init__(self, rows: Sequence[Row], recording: Recording | None) -> None:
        self._rows = rows
        self._recording = recording

    def is_mount(self, index: int) -> bool:
        runtime_stage_id = self._rows[index].runtime_stage_id
        mounts = None if self._recording is None else _mounts_of(self._recording)
        if mounts is not None:
            return runtime_stage_id in mounts
        # Without a tree: a mount commits its outputs and then its exit, one after the other.
        return index + 1 < len(self._rows) and self._rows[index + 1].runtime_stage_id == runtime_stage_id


def commit_stops(source: Source) -> list[Stop]:
    """
    Return the stops of a log: the start, each execution of a stage at its first row, and the end.

    A recording, or the parsed JSON of one, is asked for its run's log, and its execution tree tells mounts from other
    stages; it is read when the first `kind` is. A `Log`, or the parsed JSON of a subflow's tree, has no such tree.

    Where the reference throws (a row that is null) the row is passed over, and where it gives two stops that stand
    nowhere (``commitLog`` is no list) there are none.

    Returns:
        The stops in order; none for an empty log.

    Raises:
        NoSourceError: *source* is none of these.
    """
    log, recording = _log_of(source)
    if not log.length:
        return []
    last = log.length - 1
    firsts = _first_rows(log.rows)
    ends = [index - 1 for index in [*firsts.values(), log.length]]
    kinds = _Kinds(log.rows, recording)
    return [
        Stop(0, "", "", -1, ends[0], "Run start", edge="start"),
        *(
            _stage_stop(log.rows[index], step, index, ends[step], kinds)
            for step, index in enumerate(firsts.values(), 1)
        ),
        Stop(len(firsts) + 1, "", "", last, last, "Run end", edge="end"),
    ]


def milestone_stops(source: Source) -> list[Stop]:
    """
    Return the stops of a log that mean something to people, labelled with what they mean.

    What the first row of a stage declares by a tag ``milestone:<kind>`` goes before what its id says; other tags say
    nothing about it. Takes what `commit_stops` takes, and differs from the reference where that does.
    """
    log, _ = _log_of(source)
    stops = commit_stops(source)
    meant = {stop.commit_index: _meaning(stop, log.rows[stop.commit_index]) for stop in stops if stop.edge is None}
    kept = filter_stops(stops, lambda stop: meant[stop.commit_index] is not None)
    return [_with_meaning(stop, meant.get(stop.commit_index)) if stop.edge is None else stop for stop in kept]


def filter_stops(stops: Sequence[Stop], keep: Callable[[Stop], object]) -> list[Stop]:
    """
    Return the start, the stages that *keep* is true of, and the end, numbered anew.

    Each stop runs up to the one after it, so no row is lost: what is left out before the first kept stage belongs to
    the start, which then is a prologue.
    """
    if not stops:
        return []
    start, *stages, end = stops
    kept = [stop for stop in stages if keep(stop)]
    ends = [*(stop.commit_index - 1 for stop in kept), end.last_commit_index]
    absorbs = kept[0].step > 1 if kept else bool(stages)
    return [
        msgspec.structs.replace(start, last_commit_index=ends[0], prologue=absorbs or start.prologue),
        *(msgspec.structs.replace(stop, step=step, last_commit_index=ends[step]) for step, stop in enumerate(kept, 1)),
        msgspec.structs.replace(end, step=len(kept) + 1),
    ]


def _log_of(source: Source) -> tuple[Log, Recording | None]:
    """Return the log of *source*, and the recording whose tree belongs to it."""
    if isinstance(source, Log):
        return source, None
    if isinstance(source, Mapping) and "history" in source and not isinstance(source.get("commitLog"), list):
        return keyed_fold(source), None
    recording = recording_of(source)
    return recording.run_log, recording


def _first_rows(rows: Sequence[Row]) -> dict[str, int]:
    """Return where each execution of a stage commits first. The rows without an id belong to the stop before them."""
    firsts: dict[str, int] = {}
    for index, row in enumerate(rows):
        if isinstance(row.runtime_stage_id, str) and row.runtime_stage_id:
            firsts.setdefault(row.runtime_stage_id, index)
    return firsts


def _stage_stop(row: Row, step: int, index: int, last: int, kinds: _Kinds) -> Stop:
    runtime_stage_id: str = row.runtime_stage_id
    names = (name for name in (row.stage, row.stage_id) if isinstance(name, str) and name)
    return Stop(
        step=step,
        runtime_stage_id=runtime_stage_id,
        stage_id=row.stage_id,
        commit_index=index,
        last_commit_index=last,
        label=next(names, runtime_stage_id),
        subflow_path=parse_runtime_stage_id(runtime_stage_id).subflow_path,
        kinds=kinds,
    )


def _meaning(stop: Stop, row: Row) -> Milestone | None:
    by_id = milestone_for(stop.runtime_stage_id)
    kinds = (tag.removeprefix(_MILESTONE_TAG) for tag in row.tags if tag.startswith(_MILESTONE_TAG))
    kind = next(filter(None, kinds), None)
    if kind is None or (by_id is not None and by_id.kind == kind):
        return by_id
    # A chart may declare kinds that no table knows.
    return Milestone(kind, _KIND_LABELS.get(kind, stop.label))  # type: ignore[arg-type]


def _with_meaning(stop: Stop, meaning: Milestone | None) -> Stop:
    return msgspec.structs.replace(stop, label=meaning.label, meta=meaning) if meaning is not None else stop


_mounts: WeakKeyDictionary[Recording, frozenset[str] | None] = WeakKeyDictionary()


def _mounts_of(recording: Recording) -> frozenset[str] | None:
    """Return the executions that ran a subflow, by the execution tree; None when there is no tree on record."""
    if recording not in _mounts:
        tree = recording.execution_tree
        _mounts[recording] = frozenset(mounts_in_tree(tree)) if first_byte(tree) == b"{" else None
    return _mounts[recording]


_STRING: Final = rb'"(?:[^"\\]++|\\.)*+"'
_NODE: Final = re.compile(rb"[\s,]*+\{")
_KEY: Final = re.compile(rb"[\s,]*+(" + _STRING + rb")\s*+:\s*+", re.DOTALL)
_CLOSING: Final = re.compile(rb"[\s,]*+[\]}]")
#: Where more nodes are: in the members of a node, and (without a name) in the elements of a list of them.
_BRANCHES: Final = {b'"next"': _NODE, b'"children"': re.compile(rb"\["), b"": _NODE}
_TOLD: Final = frozenset({b'"runtimeStageId"', b'"subflowId"'})
#: A value with no container inside it, which almost every value of a node is.
_FLAT_VALUE: Final = re.compile(
    rb"[\s,]*+(?:" + _STRING + rb'|[^\s"\[\]{},]++|[\[{](?:[^"\[\]{}]++|' + _STRING + rb")*+[\]}])", re.DOTALL
)
_BRACKET_OR_STRING: Final = re.compile(rb"[\[{]|[\]}]|" + _STRING, re.DOTALL)


def mounts_in_tree(tree: bytes) -> Iterator[str]:
    """
    Yield the executions of an execution tree that have a ``subflowId``.

    Not recursive, as the tree may have any depth, and each byte is looked at a bounded number of times. Only nodes
    count, which hang on ``next`` and ``children``: state that was recorded in them may look like one.

    Raises:
        JsonError: *tree* is no JSON object. It is read only as far as it is needed, and not checked beyond that.
    """
    # Each entry: what an open node told so far, or None for an open list of nodes.
    pending: list[dict[bytes, Value] | None] = [{}]
    position = _match(_NODE, tree, 0).end()
    while pending:
        node, name = pending[-1], b""
        closing = _CLOSING.match(tree, position)
        if closing is not None:
            position = closing.end()
            pending.pop()
            yield from _mount(node)
            continue
        if node is not None:
            key = _match(_KEY, tree, position)
            name, position = key[1], key.end()
        branch = _BRANCHES[name].match(tree, position) if name in _BRANCHES else None
        if branch is not None:
            pending.append(None if name == b'"children"' else {})
            position = branch.end()
            continue
        end = _value_end(tree, position)
        if node is not None and name in _TOLD:
            node[name] = read_value(tree[position:end])
        position = end


def _mount(node: Mapping[bytes, Value] | None) -> Iterator[str]:
    told = node or {}
    runtime_stage_id = told.get(b'"runtimeStageId"')
    if told.get(b'"subflowId"') and isinstance(runtime_stage_id, str):
        yield runtime_stage_id


def _match(pattern: re.Pattern[bytes], tree: bytes, position: int) -> re.Match[bytes]:
    match = pattern.match(tree, position)
    if match is None:
        raise JsonError("an object of the execution tree was expected to go on here", at=position)
    return match


def _value_end(tree: bytes, position: int) -> int:
    flat = _FLAT_VALUE.match(tree, position)
    if flat is not None:
        return flat.end()
    depth = 0
    for token in _BRACKET_OR_STRING.finditer(tree, position):
        byte = tree[token.start()]
        depth += (byte in b"[{") - (byte in b"]}")
        if depth == 0 and byte in b"]}":
            return token.end()
    raise JsonError("the execution tree ends inside a value", at=len(tree))
