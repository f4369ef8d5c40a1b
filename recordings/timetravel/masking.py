"""
Taking out of a log what its rows list as taken out, also where the recorder left it in.

The recorder replaces the value at a listed path by the text ``REDACTED`` in the commit that lists it. What other rows
of the log, its base or the state at its end hold at the same path is the same secret. Nothing else is changed: every
character around it stays as it was written.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Final, TypeAlias

import msgspec

from recordings.timetravel.document import Row
from recordings.timetravel.jsonspans import element_spans, first_byte, member_spans
from recordings.timetravel.jsontext import read_value
from recordings.timetravel.merge import SEPARATOR
from recordings.timetravel.values import REDACTED

#: A path, its segments; empty for the value itself.
Path: TypeAlias = tuple[str, ...]
#: By root key: what is masked below it.
Masks: TypeAlias = Mapping[str, Collection[Path]]

_MASK: Final = f'"{REDACTED}"'.encode()
#: Policies name a key, or a field of it. Of a longer path everything from here on down is masked, so that no file makes
#: its values be looked through once for each of hundreds of levels.
_MAX_SEGMENTS: Final = 8


def masks_of(rows: Sequence[Row]) -> Masks:
    """Return what any of *rows* lists, by root key."""
    masks: dict[str, set[Path]] = {}
    for listed in {bytes(row.raw_redacted_paths): row for row in rows}.values():
        for path in listed.redacted_paths:
            key, *below = path.split(SEPARATOR)[:_MAX_SEGMENTS]
            masks.setdefault(key, set()).add(tuple(below))
    return masks


def masked_rows(rows: Sequence[Row], masks: Masks) -> Sequence[Row]:
    """Return *rows* with what *masks* name taken out of what they write."""
    return [_masked_row(row, masks) for row in rows] if masks else rows


def masked_object(text: msgspec.Raw, masks: Masks) -> msgspec.Raw:
    """Return the object that *text* is, such as the base of a log, with what *masks* name taken out of it."""
    return _masked(text, [(key, *below) for key, paths in masks.items() for below in paths], frozenset())


def _masked_row(row: Row, masks: Masks) -> Row:
    if masks.keys().isdisjoint(row.overwrite) and masks.keys().isdisjoint(row.updates):
        return row
    appended = frozenset(tuple(trace.path.split(SEPARATOR)) for trace in row.trace if trace.verb == "append")
    return msgspec.structs.replace(
        row,
        overwrite=_masked_values(row.overwrite, masks, appended),
        updates=_masked_values(row.updates, masks, appended),
    )


def _masked_values(
    values: Mapping[str, msgspec.Raw], masks: Masks, appended: frozenset[Path]
) -> dict[str, msgspec.Raw]:
    return {
        key: _masked(text, masks[key], frozenset(path[1:] for path in appended if path[0] == key))
        if key in masks
        else text
        for key, text in values.items()
    }


def _masked(text: msgspec.Raw, paths: Collection[Path], tails: frozenset[Path]) -> msgspec.Raw:
    """
    Return *text* with the values at *paths* replaced.

    Args:
        tails: Paths at which *text* holds the tail of a list. Where its elements will be is not known here, so what is
            masked of any of the list is masked of each of them.
    """
    data = bytes(text)
    spans = sorted(_spans(data, paths, tails), key=lambda span: span.start)
    if not spans:
        return text
    parts, at = [], 0
    for span in spans:
        parts += [data[at : span.start], _MASK]
        at = span.stop
    return msgspec.Raw(b"".join([*parts, data[at:]]))


def _spans(data: bytes, paths: Collection[Path], tails: frozenset[Path]) -> Iterator[slice]:
    """Yield where the values at *paths* stand, none inside another."""
    pending: list[tuple[int, int, Collection[Path], Path]] = [(0, len(data), paths, ())]
    while pending:
        start, stop, wanted, where = pending.pop()
        if () in wanted:
            yield slice(start, stop)
            continue
        by_segment: dict[str, set[Path]] = {}
        for segment, *below in wanted:
            by_segment.setdefault(segment, set()).add(tuple(below))
        of_any = {path for segment, found in by_segment.items() if segment.isdecimal() for path in found}
        for part, span in _parts(memoryview(data)[start:stop]):
            found = of_any if isinstance(part, int) and where in tails else by_segment.get(str(part), ())
            if found:
                pending.append((start + span.start, start + span.stop, found, (*where, str(part))))


def _parts(data: memoryview) -> Iterator[tuple[str | int, slice]]:
    """Yield the parts of the object or list *data*, each by its key or index; nothing for any other value."""
    first = first_byte(data)
    if first == b"{":
        for key, value in member_spans(data):
            yield str(read_value(data[key])), value
    elif first == b"[":
        yield from enumerate(element_spans(data))
