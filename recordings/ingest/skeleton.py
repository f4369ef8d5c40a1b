"""The frame of a recording: where its parts stand, found without reading them, and how many commits it holds."""

from __future__ import annotations

import re
from collections.abc import Mapping
from http import HTTPStatus
from typing import Any, Final, TypeAlias

from recordings.ingest.limits import Limits
from recordings.ingest.refusals import Refused
from recordings.ingest.syntax import JsonReader, malformed, trailing, truncated
from recordings.timetravel.jsonspans import JsonError
from recordings.timetravel.jsontext import read_value
from recordings.timetravel.wire import SHORT_ROW_BYTES

#: The names on the way to a value, from the document down.
Path: TypeAlias = tuple[str, ...]
#: What is looked into: an object by its members, a log by its rows; everything else is skipped.
_Plan: TypeAlias = Mapping[str, Any] | str | None

_LOG: Final = "log"
_TREE: Final = "tree"
_ANY: Final = "*"
_SNAPSHOT: Final = {
    "commitLog": _LOG,
    "executionTree": _TREE,
    "subflowResults": {_ANY: {"treeContext": {"history": _LOG}}},
}
_RECORDING: Final = {"snapshot": _SNAPSHOT}
_DOCUMENT: Final = {**_SNAPSHOT, **_RECORDING, "recording": _RECORDING, "run": {}, "producer": {}, "privacy": {}}
#: Paths are kept so far down; below are the executions of subflows.
_MAX_KEPT: Final = 3
#: So many keys that are there twice are kept.
_MAX_REPEATED: Final = 1_000

_KEY: Final = re.compile(rb'("[^"\\\x00-\x1f]*+(?:\\.[^"\\\x00-\x1f]*+)*+")[ \t\n\r]*+:[ \t\n\r]*+')


class Skeleton:
    """Where the parts of a document stand."""

    def __init__(self) -> None:
        #: By path, so far down as an envelope reaches; the last of two.
        self.spans: dict[Path, slice] = {}
        #: Keys that an object has twice, and where they stand the second time.
        self.repeated: list[tuple[Path, int]] = []
        #: Execution trees, the ones of other forms included.
        self.trees: list[tuple[Path, slice]] = []
        #: Where the objects start whose keys were counted.
        self.counted: set[int] = set()
        #: Rows in all logs.
        self.n_commits = 0
        #: Those of them that take room of their own once they are read.
        self.n_long_commits = 0

    @property
    def snapshot_path(self) -> Path:
        """Where the snapshot is, by the form that the document has."""
        if ("format",) in self.spans:
            return ("recording", "snapshot")
        return ("snapshot",) if ("snapshot",) in self.spans else ()

    def execution_trees(self) -> list[slice]:
        """Return where the snapshot's execution tree stands, and again where the key is there twice."""
        return [span for path, span in self.trees if path == (*self.snapshot_path, "executionTree")]


class SkeletonReader:
    """Finds the skeleton of a document, and checks every value on the way, but for those in `JsonReader.deep`."""

    def __init__(self, reader: JsonReader, limits: Limits) -> None:
        self._reader = reader
        self._limits = limits
        #: As far as it was read.
        self.skeleton = Skeleton()

    def read(self, start: int) -> None:
        """
        Go through the document, which begins at *start*.

        Raises:
            Refused: It is no JSON, or holds too many commits, or too many keys in an object that was looked into.
        """
        end = self._value(self._reader.space_end(start), _DOCUMENT, ())
        if end != len(self._reader.text):
            raise trailing(end)

    def _value(self, start: int, plan: _Plan, path: Path) -> int:
        """Go through the value at *start*; return where the text goes on after it."""
        byte = self._reader.text[start : start + 1]
        if plan == _TREE:
            self.skeleton.trees.append((path, slice(start, len(self._reader.text))))
            end = self._reader.after(start)
            self.skeleton.trees[-1] = (path, slice(start, end))
        elif byte == b"{" and isinstance(plan, Mapping):
            end = self._object(start, plan, path)
        elif byte == b"[" and plan == _LOG:
            end = self._log(start)
        else:
            end = self._reader.after(start)
        if len(path) <= _MAX_KEPT:
            self.skeleton.spans[path] = slice(start, end)
        return end

    def _object(self, start: int, plan: Mapping[str, Any], path: Path) -> int:
        names: set[str] = set()
        n_keys = 0
        if len(path) <= _MAX_KEPT:
            self.skeleton.counted.add(start)
        text, position = self._reader.text, self._reader.space_end(start + 1)
        if text[position : position + 1] == b"}":
            return self._reader.space_end(position + 1)
        while True:
            key = _KEY.match(text, position)
            if key is None:
                raise self._malformed(start, position)
            name = self._name(start, key)
            n_keys += 1
            if n_keys > self._limits.max_keys_per_object:
                raise _too_many_keys(start, self._limits)
            if name in names and len(self.skeleton.repeated) < _MAX_REPEATED:
                self.skeleton.repeated.append(((*path, name), position))
            names.add(name)
            position = self._value(key.end(), plan.get(name, plan.get(_ANY)), (*path, name))
            if text[position : position + 1] == b"}":
                return self._reader.space_end(position + 1)
            position = self._after_comma(start, position)

    def _name(self, start: int, key: re.Match[bytes]) -> str:
        try:
            return str(read_value(key[1]))
        except JsonError as error:
            raise self._malformed(start, key.start()) from error

    def _log(self, start: int) -> int:
        text, position = self._reader.text, self._reader.space_end(start + 1)
        if text[position : position + 1] == b"]":
            return self._reader.space_end(position + 1)
        after, skeleton = self._reader.after, self.skeleton
        limit, long_limit = self._limits.max_commits, self._limits.max_long_commits
        while True:
            skeleton.n_commits += 1
            if skeleton.n_commits > limit:
                raise _too_many_commits(position, limit)
            end = after(position)
            if end - position > SHORT_ROW_BYTES:
                skeleton.n_long_commits += 1
                if skeleton.n_long_commits > long_limit:
                    raise _too_many_commits(position, long_limit)
            byte = text[end : end + 1]
            if byte == b"]":
                return self._reader.space_end(end + 1)
            position = end + 1 if byte == b"," and text[end + 1 : end + 2] > b" " else self._after_comma(start, end)

    def _after_comma(self, start: int, position: int) -> int:
        if self._reader.text[position : position + 1] != b",":
            raise self._malformed(start, position)
        return self._reader.space_end(position + 1)

    def check_keys(self, start: int) -> None:
        """Raise `Refused` when the object at *start* has too many keys."""
        text, position = self._reader.text, self._reader.space_end(start + 1)
        n_keys = 0
        while key := _KEY.match(text, position):
            n_keys += 1
            if n_keys > self._limits.max_keys_per_object:
                raise _too_many_keys(start, self._limits)
            position = self._reader.space_end(self._reader.after(key.end()) + 1)

    def _malformed(self, start: int, position: int) -> Refused:
        """Return the refusal of the object or list at *start*, of which something is wrong at *position*."""
        try:
            self._reader.after(start)
        except Refused as refused:
            return refused
        # Too deep to be looked at as a whole.
        text = self._reader.text
        return (
            malformed(text, position, "unexpected character") if position < self._reader.end else truncated(len(text))
        )


def _too_many_keys(start: int, limits: Limits) -> Refused:
    """Return the refusal of the object at *start*."""
    limit = limits.max_keys_per_object
    message = f"The object at byte {start} has more than {limit} keys. Record a list instead, or less."
    return Refused("too_many_keys", message, status=HTTPStatus.UNPROCESSABLE_ENTITY, at=start, limit=limit)


def _too_many_commits(at: int, limit: int) -> Refused:
    message = f"The logs hold more than {limit} commits. Send the run in shorter recordings."
    status = HTTPStatus.REQUEST_ENTITY_TOO_LARGE
    return Refused("too_many_commits", message, status=status, at=at, limit=limit)
