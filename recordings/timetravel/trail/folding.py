"""
Folded text that knows where each of its characters came from.

Two foldings: `fold_exactly` undoes only what nobody sees (the kind and amount of white space, the composition of
letters, invisible characters); `fold` undoes spelling and markup too.
"""

from __future__ import annotations

import re
import sys
import unicodedata
from bisect import bisect_right
from collections.abc import Iterable
from functools import lru_cache
from typing import Final, TypeAlias

from recordings.timetravel.trail.letters import fold_character, fold_evenly, fold_letters
from recordings.timetravel.trail.markup import HAS_CODED, MARKUP, fold_markup
from recordings.timetravel.trail.scripts import COMPOSING, INVISIBLE

#: Start and end of what is replaced, and by what; in order, and not overlapping.
Change: TypeAlias = tuple[int, int, str]

_BLANK: Final = rf"[\s{INVISIBLE}]"
#: White space that is not one plain space, and invisible characters.
_IRREGULAR: Final = rf" {_BLANK}+|(?! ){_BLANK}{_BLANK}*"
_INVISIBLE: Final = re.compile(f"[{INVISIBLE}]")
_CONTROLS: Final = bytes([*range(9), *range(0x0E, 0x1C), 0x7F])
_COMPOSES: Final = re.compile(f"[{COMPOSING}]")


class Folded:
    """A text made out of another, the source, by replacing stretches of it."""

    __slots__ = ("_at", "_from", "_to", "source", "text")

    def __init__(self, source: str, changes: Iterable[Change]) -> None:
        parts: list[str] = []
        self.source = source
        self._at, self._from, self._to = [0], [0], [0]
        length = done = 0
        for start, end, text in changes:
            if start > done:
                parts.append(source[done:start])
                self._note(length, done, start)
                length += start - done
            parts.append(text)
            self._note(length, start, end)
            length += len(text)
            done = end
        self._note(length, done, len(source))
        parts.append(source[done:])
        self.text = "".join(parts)
        self._at.append(len(self.text))

    def _note(self, at: int, start: int, end: int) -> None:
        if at == self._at[-1]:  # What was there has no length: it is passed over.
            self._from[-1], self._to[-1] = start, end
        else:
            self._at.append(at)
            self._from.append(start)
            self._to.append(end)

    def span(self, start: int, end: int) -> tuple[int, int]:
        """Return where the non-empty stretch from *start* to *end* of the text stands in the source."""
        first = bisect_right(self._at, start, 0, len(self._from)) - 1
        last = bisect_right(self._at, end - 1, 0, len(self._from)) - 1
        begin = self._from[first] + (start - self._at[first] if self._is_kept(first) else 0)
        finish = self._from[last] + end - self._at[last] if self._is_kept(last) else self._to[last]
        return begin, finish

    def position(self, offset: int) -> int:
        """Return where in the text is what stands at *offset* of the source, or what follows it."""
        stretch = max(0, bisect_right(self._from, offset) - 1)
        beyond = offset - self._from[stretch]
        return min(self._at[stretch] + beyond, self._at[stretch + 1])

    def _is_kept(self, stretch: int) -> bool:
        """Whether the characters of a stretch stand for one character each."""
        return self._to[stretch] - self._from[stretch] == self._at[stretch + 1] - self._at[stretch]


def has_controls(text: str) -> bool:
    """Whether there is a control character in *text*, which is ASCII, that is no white space."""
    data = text.encode()
    return len(data.translate(None, _CONTROLS)) != len(data)


def is_plain(text: str) -> bool:
    """Whether letters stand side by side in *text* as they do in its exact folding."""
    if text.isascii():
        return not has_controls(text)
    return not _INVISIBLE.search(text) and unicodedata.is_normalized("NFC", text)


def is_visible_in(words: str, text: str) -> bool:
    """Whether *words*, without white space, stand in the exact folding of *text*."""
    return words in unicodedata.normalize("NFC", _INVISIBLE.sub("", text))


def fold_exactly(text: str) -> Folded:
    """Return *text* composed (NFC), white space collapsed to single spaces, invisible characters dropped."""
    pattern = _IRREGULAR
    if not unicodedata.is_normalized("NFC", text):
        pattern = f"{_composed_pattern(text)}|{pattern}"
    return Folded(text, ((m.start(), m.end(), _exact_text(m[0])) for m in re.finditer(pattern, text, re.DOTALL)))


def _composed_pattern(text: str) -> str:
    """Return a pattern for letters with what composes with them, and for what is composed otherwise."""
    characters = sorted(character for character in set(text) if character >= "\x80")
    joining = "".join(c for c in characters if unicodedata.combining(c) or _COMPOSES.match(c))
    changing = "".join(c for c in characters if c not in joining and not unicodedata.is_normalized("NFC", c))
    patterns = [rf"[^\s{INVISIBLE}][{joining}]+"] if joining else []
    return "|".join([*patterns, f"[{changing}]"] if changing else patterns) or "(?!)"


@lru_cache(4096)
def _exact_text(found: str) -> str:
    if found.isspace():
        return " "
    visible = _INVISIBLE.sub("", found)
    return " " if visible.isspace() else unicodedata.normalize("NFC", visible)


class Evenly:
    """A text folded as far as every character keeps its place: enough to see whether looking closer is worth it."""

    __slots__ = ("_is_coded", "_source", "has_marks", "is_whole", "text", "uneven")

    def __init__(self, source: str) -> None:
        self._source = source
        self.text, self.uneven = fold_evenly(source)
        self._is_coded = ("\\u" in source or "&" in source) and HAS_CODED.search(source) is not None
        #: Whether words are whole in it: nothing inside them was left to be dropped or decoded.
        self.is_whole = not self.uneven and not self._is_coded
        if self.is_whole:
            hidden = has_controls(source) if source.isascii() else _INVISIBLE.search(source) is not None
            self.is_whole = not hidden
        #: Whether markup may stand inside a run of letters, in scripts without spaces.
        self.has_marks = any(mark in source for mark in ("**", "`", "<", "~~", "__", "*"))

    def may_hold(self, words: Iterable[str]) -> bool:
        """Whether all of *words*, which are folded, may be in the text when it is folded in full."""
        if self.is_whole:
            return all(word in self.text for word in words)
        if self._is_coded:
            return True
        letters = fold_letters(unicodedata.normalize("NFC", self._source))
        return all(word in letters for word in words)


def fold(evenly: Evenly, start: int = 0, end: int = sys.maxsize) -> Folded:
    """Return what was folded *evenly*, or a stretch of it, without the rest of its spelling and without markup."""
    pattern = _markup_pattern(evenly.uneven)
    text = evenly.text[start:end]
    return Folded(text, ((m.start(), m.end(), fold_markup(m[0])) for m in pattern.finditer(text)))


@lru_cache(256)
def _markup_pattern(uneven: str) -> re.Pattern[str]:
    # By now they may be folded themselves, as the voicing marks of narrow kana are.
    joining = "".join(c + fold_character(c) for c in uneven if _COMPOSES.match(c))
    several = "".join(c for c in uneven if len(fold_character(c)) > 1)
    patterns = [rf"[^\s{INVISIBLE}][{joining}]+"] if joining else []
    patterns += [MARKUP]
    patterns += [f"[{several}]"] if several else []
    return re.compile("|".join(patterns))
