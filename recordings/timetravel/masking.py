"""
Taking out of a recording what its rows list as taken out, also where the recorder left it in.

The recorder replaces the value at a listed path by the text ``REDACTED`` in the commit that lists it. What any other
row, base or final state of the recording holds at the same path is the same secret. Nothing else is changed: every
character around it stays as it was written.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final, TypeAlias

import msgspec

from recordings.timetravel.document import Row, TraceRow
from recordings.timetravel.jsonspans import element_spans, first_byte, member_spans
from recordings.timetravel.jsontext import read_value
from recordings.timetravel.merge import SEPARATOR
from recordings.timetravel.values import REDACTED

#: The listed paths by their segments; None where one ends. What would be below an end is masked with it.
Trie: TypeAlias = "dict[str, Trie | None]"

_MASK: Final = f'"{REDACTED}"'.encode()
#: Policies name a key, or a field of it. Of a longer path everything from here on down is masked, so that no file makes
#: its values be looked through once for each of hundreds of levels.
_MAX_SEGMENTS: Final = 8


class Masks:
    """What is to be taken out, wherever it stands. False when that is nothing."""

    def __init__(self, paths: Iterable[str]) -> None:
        """Take delimited *paths*."""
        self._trie: Trie = {}
        for path in paths:
            _insert(self._trie, path.split(SEPARATOR)[:_MAX_SEGMENTS])
        #: By the id of a part of the trie, what it says of any element of a list.
        self._of_any: dict[int, Trie | None] = {}

    def __bool__(self) -> bool:
        return bool(self._trie)

    def object(self, text: msgspec.Raw) -> msgspec.Raw:
        """Return the object that *text* is, such as the base of a log, without what is to be taken out of it."""
        return self._masked(text, self._trie, is_anywhere=False)

    def row(self, row: Row) -> Row:
        """
        Return *row* without what is to be taken out of what it writes.

        Where its elements will be in a list that it adds to is not known here: what is masked of any of the list is
        masked of each of them. A write below a masked value is one of that value.
        """
        keys = {trace.path.partition(SEPARATOR)[0] for trace in row.trace}.union(row.overwrite, row.updates)
        if self._trie.keys().isdisjoint(keys):
            return row
        appended = {trace.path.partition(SEPARATOR)[0] for trace in row.trace if trace.verb == "append"}
        overwrite = {key: self._value(key, text, is_anywhere=key in appended) for key, text in row.overwrite.items()}
        updates = {key: self._value(key, text, is_anywhere=True) for key, text in row.updates.items()}
        changed = {key for key, text in overwrite.items() if text is not row.overwrite[key]}
        changed |= {key for key, text in updates.items() if text is not row.updates[key]}
        trace: list[TraceRow] = []
        for entry in row.trace:
            segments = entry.path.split(SEPARATOR)
            end = self._end(segments)
            if end is None or end == len(segments) or segments[0] not in changed:
                trace.append(entry)
            elif entry.verb != "delete":
                trace.append(TraceRow(SEPARATOR.join(segments[:end]), "merge" if entry.verb == "merge" else "set"))
        return msgspec.structs.replace(row, trace=tuple(trace), overwrite=overwrite, updates=updates)

    def _end(self, segments: list[str]) -> int | None:
        """Return how many of *segments* lead to a masked value; None when they lead past all."""
        node: Trie | None = self._trie
        for place, segment in enumerate(segments):
            if node is None or segment not in node:
                return None
            node = node[segment]
            if node is None:
                return place + 1
        return None

    def _value(self, key: str, text: msgspec.Raw, *, is_anywhere: bool) -> msgspec.Raw:
        if key not in self._trie:
            return text
        below = self._trie[key]
        if below is not None:
            return self._masked(text, below, is_anywhere=is_anywhere)
        # What the recorder took out part by part is left as it is.
        return text if _is_all_masked(text) else msgspec.Raw(_MASK)

    def _masked(self, text: msgspec.Raw, trie: Trie, *, is_anywhere: bool) -> msgspec.Raw:
        data, masked, at = bytes(text), bytearray(), 0
        for start, stop in self._spans(memoryview(data), 0, trie, is_anywhere=is_anywhere):
            masked += data[at:start]
            masked += _MASK
            at = stop
        return msgspec.Raw(bytes(masked + data[at:])) if at else text

    def _spans(self, data: memoryview, offset: int, node: Trie, *, is_anywhere: bool) -> Iterator[tuple[int, int]]:
        """Yield where masked values stand in *data*, which starts at *offset*: in order, none inside another."""
        for part, span in _parts(data):
            is_any = is_anywhere and isinstance(part, int)
            below = self._any_of(node) if is_any else node.get(str(part), {})
            if below is None:
                yield offset + span.start, offset + span.stop
            elif below:
                # As deep as the longest path, which is not long.
                yield from self._spans(data[span], offset + span.start, below, is_anywhere=is_anywhere)

    def _any_of(self, node: Trie) -> Trie | None:
        if id(node) not in self._of_any:
            merged: Trie = {"": {}}
            for segment, below in node.items():
                if segment.isdecimal():
                    _merge(merged, "", below)
            self._of_any[id(node)] = merged[""]
        return self._of_any[id(node)]


def _insert(trie: Trie, segments: list[str]) -> None:
    *parents, last = segments
    for segment in parents:
        below = trie.setdefault(segment, {})
        if below is None:
            return
        trie = below
    trie[last] = None


def _merge(into: Trie, segment: str, other: Trie | None) -> None:
    """Add *other* to what *into* has under *segment*."""
    mine = into.setdefault(segment, {})
    if mine is None or other is None:
        into[segment] = None
        return
    for name, below in other.items():
        _merge(mine, name, below)


def _parts(data: memoryview) -> Iterator[tuple[str | int, slice]]:
    """Yield the parts of the object or list *data*, each by its key or index; nothing for any other value."""
    first = first_byte(data)
    if first == b"{":
        for key, value in member_spans(data):
            yield str(read_value(data[key])), value
    elif first == b"[":
        yield from enumerate(element_spans(data))


def _is_all_masked(text: msgspec.Raw) -> bool:
    """Return whether *text* is the mask, or an object that holds nothing else."""
    data = bytes(text)
    if data.strip() == _MASK:
        return True
    are_masks = (data[span] == _MASK for _, span in _parts(memoryview(data)))
    return first_byte(data) == b"{" and next(are_masks, False) and all(are_masks)
