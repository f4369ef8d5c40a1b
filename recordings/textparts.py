"""A long text in parts: where they are cut, and where in the text a phrase stands."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple

#: What one part shows. A data URL is shown as a chip, so it takes no room.
PART_CHARS: Final = 20_000
#: More places are not counted.
MAX_HITS: Final = 10_000
#: So much is searched at a time, which bounds the memory: a copy in small letters is four times as large at worst.
_CHUNK_CHARS: Final = 1_000_000


class Part(NamedTuple):
    """Characters *start* to *end* of a text, and where the parts around it start; None at either end of the text."""

    start: int
    end: int
    earlier: int | None
    later: int | None
    last: int


def part_at(offset: int, n_chars: int, media: Sequence[Mapping[str, Any]]) -> Part:
    """
    Return the part that holds character *offset* of a text of *n_chars*.

    media: the data URLs of the text, in order; none is cut. The cuts do not depend on *offset*.
    """
    starts = [0]
    while (end := _end_of(starts[-1], media)) < n_chars:
        starts.append(end)
    number = bisect_right(starts, offset) - 1
    has_later = number + 1 < len(starts)
    return Part(
        start=starts[number],
        end=starts[number + 1] if has_later else n_chars,
        earlier=starts[number - 1] if number else None,
        later=starts[number + 1] if has_later else None,
        last=starts[-1],
    )


def _end_of(start: int, media: Sequence[Mapping[str, Any]]) -> int:
    end = start + PART_CHARS
    for url in media:
        if start <= url["start"] < end:
            end += url["end"] - url["start"]
    return end


class Found:
    """The places of a phrase in a text, whatever the case of either; no two overlap."""

    def __init__(self, text: str, phrase: str) -> None:
        self._text = text
        self._phrase = _small(phrase)
        self.length = len(phrase)
        starts: list[int] = []
        for at in self._places(0, len(text)):
            starts.append(at)
            if len(starts) > MAX_HITS:
                break
        #: Whether there are more than could be counted.
        self.is_more = len(starts) > MAX_HITS
        self.starts = starts[:MAX_HITS]

    def between(self, start: int, end: int) -> list[int]:
        """Return where the ones start that reach into *start* to *end*."""
        if self._is_counted_to(end):
            return self.starts[bisect_right(self.starts, start - self.length) : bisect_left(self.starts, end)]
        return list(self._places(max(start - self.length + 1, 0), min(end + self.length - 1, len(self._text))))

    def before(self, at: int) -> int | None:
        """Return the last place before *at*."""
        number = bisect_left(self.starts, at)
        if number and self._is_counted_to(at):
            return self.starts[number - 1]
        return self._last_before(at) if self.is_more and number else None

    def after(self, at: int) -> int | None:
        """Return the first place after *at*."""
        number = bisect_right(self.starts, at)
        if number < len(self.starts):
            return self.starts[number]
        return next(self._places(at + 1, len(self._text)), None) if self.is_more else None

    def number_of(self, at: int) -> int | None:
        """Return which one starts *at*, from 1; None where none is known to."""
        number = bisect_left(self.starts, at)
        return number + 1 if number < len(self.starts) and self.starts[number] == at else None

    def _is_counted_to(self, end: int) -> bool:
        return not self.is_more or end <= self.starts[-1]

    def _places(self, start: int, end: int) -> Iterator[int]:
        for at in range(start, end, _CHUNK_CHARS):
            # So far into the next one as a place that begins here may reach.
            chunk = _small(self._text[at : min(at + _CHUNK_CHARS + self.length - 1, end)])
            found = chunk.find(self._phrase, max(start - at, 0))
            while found >= 0:
                yield at + found
                start = at + found + self.length
                found = chunk.find(self._phrase, found + self.length)

    def _last_before(self, at: int) -> int | None:
        for end in range(at, 0, -_CHUNK_CHARS):
            start = max(end - _CHUNK_CHARS, 0)
            found = _small(self._text[start : min(end + self.length - 1, at)]).rfind(self._phrase)
            if found >= 0:
                return start + found
        return None


def _small(text: str) -> str:
    """Return *text* in small letters, as many as there were."""
    if text.isascii():
        return text.lower()
    # The one letter that becomes two, and the one whose small form depends on where it stands.
    return text.replace("\u0130", "i").lower().replace("ς", "σ")
