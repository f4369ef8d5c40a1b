"""Reading one key at one call after the other, doing nothing where nothing changed."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence

from recordings.timetravel.fold import Log, Touch
from recordings.timetravel.places import BASE
from recordings.timetravel.values import UNDEFINED, Value


class KeyReader:
    """
    The values of one key at the calls of a lane.

    The calls of a grouped run have logs of their own, which write the same values again and again; what is written
    alike, byte for byte, is read once.
    """

    def __init__(self, key: str) -> None:
        self.key = key
        self._value: Value = UNDEFINED
        self._seen: tuple[Log | None, int] = (None, -1)
        self._written: list[tuple[object, ...]] | None = None
        #: The row that wrote the key last before the call that was read last; −1 for the base.
        self.row = BASE

    def read(self, log: Log, call_index: int) -> tuple[Value, bool]:
        """Return what *key* is before row *call_index* of *log*, and whether that is what it was at the call before."""
        touches = log.touches(self.key)
        count = bisect_left(touches, call_index, key=lambda touch: touch.row)
        self.row = log.last_row(self.key, call_index)
        if self._seen == (log, count):
            return self._value, True
        written = _written(log, self.key, touches[:count])
        is_same = written == self._written
        if not is_same:
            self._value = log.value_at(self.key, call_index - 1)
        self._seen, self._written = (log, count), written
        return self._value, is_same


def _written(log: Log, key: str, touches: Sequence[Touch]) -> list[tuple[object, ...]]:
    """Return all that the value depends on: what was written since it was last written as a whole."""
    parts: list[tuple[object, ...]] = []
    for touch in reversed(touches):
        row = log.rows[touch.row]
        patch = (row.overwrite if touch.verb in ("set", "append", "delete") else row.updates).get(key, b"")
        parts.append((touch.segments, str(touch.verb), bytes(patch)))
        if touch.is_anchor:
            return parts
    parts.append(("base", bytes(log.base_text(key))))
    return parts
