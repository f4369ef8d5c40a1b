"""One recording, located and read on demand."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from itertools import chain
from typing import Final, Literal, TypeAlias

import msgspec

from recordings.timetravel.document import Document, Event, Row
from recordings.timetravel.errors import TimeTravelError
from recordings.timetravel.fold import Log
from recordings.timetravel.jsontext import NumberText, read_value
from recordings.timetravel.masking import Masks
from recordings.timetravel.values import UNDEFINED, UndefinedType, Value
from recordings.timetravel.wire import read_document

Form: TypeAlias = Literal["snapshot", "recording", "envelope"]

_NO_VALUE: Final = msgspec.Raw()


class Recording:
    """
    A recording of one run.

    It is read as far as it is asked for, and what was read once is kept. It is not changed by any question, and nothing
    that it answers is to be changed.
    """

    def __init__(self, data: bytes, *, is_masked: bool = False, document: Document | None = None) -> None:
        self._data = data
        self._is_masked = is_masked
        self._document: Document = document if document is not None else read_document(data)
        self._logs: dict[str, Log | None] = {}

    @property
    def form(self) -> str:
        """``snapshot``, ``recording`` (with its events) or ``envelope``."""
        return self._document.form

    @cached_property
    def sha256(self) -> str:
        """The SHA-256 of the bytes it was decoded from, in hex."""
        return hashlib.sha256(self._data).hexdigest()

    @property
    def engine_run_id(self) -> str | None:
        """The id that the engine gave to the run. None when there is none on record."""
        return self._document.snapshot.run_id

    @cached_property
    def run_log(self) -> Log:
        """The run's own log; empty when the recording holds none."""
        return self._log(self._document.snapshot.rows, self._document.snapshot.initial_state)

    @property
    def has_commit_log(self) -> bool:
        """Whether there is a list of commits at all, even an empty one."""
        return self._document.snapshot.has_log

    @property
    def mount_keys(self) -> list[str]:
        """The keys of ``subflowResults``, in the order of the file."""
        return list(self._document.snapshot.mounts)

    def mount_log(self, key: str) -> Log | None:
        """Return the log of the mount *key*, None when the recording holds none for it."""
        if key not in self._logs:
            mount = self._document.snapshot.mounts.get(key)
            tree = mount.tree_context if mount is not None else None
            self._logs[key] = self._log(tree.history, tree.initial_state) if tree is not None else None
        return self._logs[key]

    @cached_property
    def as_recorded(self) -> Recording:
        """The same recording with what was left in: to be compared with others, and never to be shown."""
        return Recording(self._data, document=self._document) if self._is_masked else self

    @cached_property
    def redacted_paths(self) -> frozenset[str]:
        """The delimited paths that any row of any log lists as taken out."""
        snapshot = self._document.snapshot
        trees = [mount.tree_context for mount in snapshot.mounts.values() if mount.tree_context is not None]
        lists: dict[bytes, Row] = {}
        previous = None
        for row in chain(snapshot.rows, *(tree.history for tree in trees)):
            # Short rows that say the same are one object, and many rows have the same list.
            if row is not previous:
                previous = row
                lists[bytes(row.raw_redacted_paths)] = row
        return frozenset(path for row in lists.values() for path in row.redacted_paths)

    @cached_property
    def _masks(self) -> Masks:
        return Masks(self.redacted_paths)

    def _log(self, rows: Sequence[Row], base: msgspec.Raw) -> Log:
        if not self._is_masked or not self._masks:
            return Log(rows, base)
        masked: list[Row] = []
        previous = None
        for row in rows:
            masked.append(masked[-1] if row is previous else self._masks.row(row))
            previous = row
        return Log(masked, self._masks.object(base))

    def mount_state(self, key: str) -> Value:
        """Return the final state of the mount *key*, `UNDEFINED` when there is none on record."""
        mount = self._document.snapshot.mounts.get(key)
        tree = mount.tree_context if mount is not None else None
        if tree is None or not bytes(tree.global_context):
            return UNDEFINED
        is_masked = self._is_masked and self._masks
        return read_value(self._masks.object(tree.global_context) if is_masked else tree.global_context)

    @cached_property
    def shared_state(self) -> Value:
        """
        The final state as the engine exported it, `UNDEFINED` when it is not on record.

        No policy reaches it, so nothing that is shown may come from it.
        """
        raw = self._document.snapshot.shared_state
        return read_value(raw) if bytes(raw) else UNDEFINED

    @property
    def execution_tree(self) -> bytes:
        """The text of the execution tree, of any depth; empty when it is not on record."""
        return bytes(self._document.snapshot.execution_tree)

    @property
    def events(self) -> list[Event] | None:
        """The event stream. None when the form has none: then what only events tell is not recorded."""
        return self._document.events

    @property
    def boundary_detail(self) -> str | None:
        """How much of nested runs was kept, as the recorder says: ``lean``, for one. None where it does not say."""
        return self._document.boundary_detail

    @property
    def clock_span(self) -> tuple[float, float] | None:
        """When its first and its last event happened, in Unix milliseconds; None when no event tells."""
        clocks = [event.meta.wall_clock_ms for event in self.events or () if event.meta]
        told = [clock for clock in clocks if clock is not None]
        return (min(told), max(told)) if told else None

    @cached_property
    def envelope(self) -> Mapping[str, Value]:
        """The members of the envelope but the recording in it; empty for the other forms."""
        members = self._document.envelope
        return {key: read_value(raw) for key, raw in members.items() if key != "recording"}


class NoSourceError(TimeTravelError):
    """What was handed over is neither a recording nor the JSON of one."""

    code = "no_source"


def decode_recording(data: bytes, *, is_masked: bool = False) -> Recording:
    """
    Decode a recording in any of its three forms: a bare snapshot, one with events, or an envelope.

    Args:
        data: UTF-8 JSON without transport compression. It is kept, and read where it is asked about.
        is_masked: Whether it is without what any of its rows lists as taken out, also where it was left in. The
            reference reads it as it is.

    Returns:
        The recording. ``{}`` is a snapshot without a log, and so without epochs.

    Raises:
        JsonError: *data* is no JSON; `at` is the byte offset where one is known.
        NotARecordingError: It is JSON of another kind.
        UnknownFormatError: It is an envelope of a format that is not read here.
    """
    return Recording(data, is_masked=is_masked)


def recording_of(source: Recording | Mapping[str, Value]) -> Recording:
    """
    Return *source* itself, or the recording that the parsed JSON in it is.

    Raises:
        NoSourceError: It is neither.
    """
    if isinstance(source, Recording):
        return source
    return decode_recording(_encode(source))


def keyed_fold(source: Recording | Log | Mapping[str, Value]) -> Log:
    """
    Return the fold of *source*: a recording, a log, or the parsed JSON of a snapshot or of a subflow's tree.

    A ``commitLog`` that is a list wins over a ``history``.

    Raises:
        NoSourceError: It is none of these.
    """
    if isinstance(source, Log):
        return source
    if isinstance(source, Mapping) and not isinstance(source.get("commitLog"), list) and "history" in source:
        source = {**source, "commitLog": source["history"]}
    if isinstance(source, Mapping) and "snapshot" not in source:
        source = {key: value for key, value in source.items() if key != "format"}
    return recording_of(source).run_log


def _encode(source: Value) -> bytes:
    if not isinstance(source, Mapping):
        raise NoSourceError(f"a recording or the JSON of one was expected, not {type(source).__name__}")
    try:
        return "".join(_Encoder(ensure_ascii=True).iterencode(source)).encode("ascii")
    except (TypeError, ValueError, RecursionError) as error:
        raise NoSourceError(f"the JSON of a recording was expected: {error}") from error


class _Encoder(json.JSONEncoder):
    """Writes parsed JSON back; what is absent is left out."""

    def iterencode(self, o: Value, _one_shot: bool = False) -> Iterator[str]:  # noqa: FBT001, FBT002  # json's own
        return super().iterencode(_without_undefined(o), _one_shot=_one_shot)


def _without_undefined(value: Value) -> Value:
    if isinstance(value, Mapping):
        return {key: _without_undefined(child) for key, child in value.items() if not isinstance(child, UndefinedType)}
    if isinstance(value, list | tuple):
        return [None if isinstance(child, UndefinedType) else _without_undefined(child) for child in value]
    return str(value) if isinstance(value, NumberText) else value
