"""
The phrase that is asked for, made ready to be looked for in many texts.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import Final

from recordings.timetravel.trail.differences import EDGES
from recordings.timetravel.trail.folding import Evenly, Folded, fold, fold_exactly
from recordings.timetravel.trail.items import Item, items_in
from recordings.timetravel.trail.scripts import is_unspaced
from recordings.timetravel.trail.words import informative_words

#: Stands for a number or date; for private use, so that no text holds it but by chance.
PLACE: Final = "\ue0f0"
#: Pictures of control characters, which a page shows where it cannot show the character.
_PICTURES: Final = dict.fromkeys([*range(0x2400, 0x2422), 0x2424, 0xFFFD], "\0")
_WORD: Final = re.compile(r"[^\W_]+")
#: More would only say again that a text is worth a look.
_MAX_ANCHORS: Final = 12
#: In characters; a longer stretch is looked at in parts, which overlap.
_MAX_WINDOW: Final = 50_000
#: Of a longer phrase the first ones stand for all.
_MAX_WORDS: Final = 200


class Template:
    """A folded text in which every number and date is `PLACE`."""

    def __init__(self, text: str, items: Sequence[Item]) -> None:
        self.items = items
        self.folded = Folded(text, ((item.start, item.end, PLACE) for item in items))
        self.text = self.folded.text
        shrunk = 0
        #: Where they are in it.
        self.positions: list[int] = []
        for item in items:
            self.positions.append(item.start - shrunk)
            shrunk += item.end - item.start - len(PLACE)


class Phrase:
    """A phrase in the shapes in which it is looked for."""

    def __init__(self, text: str) -> None:
        self.text = text.translate(_PICTURES)
        self.exact = fold_exactly(self.text).text.strip()
        self._folded = fold(Evenly(self.text))
        #: Without spelling and markup.
        self.whole = self._folded.text.strip()
        #: And without the punctuation around it.
        self.plain = self.whole.strip(EDGES)
        self.template = Template(self.plain, items_in(self.plain))
        self.is_unspaced = is_unspaced(self.plain)

    @property
    def is_empty(self) -> bool:
        """Whether there is no letter, digit or picture in it."""
        return not any(unicodedata.category(c)[0] in "LN" or unicodedata.category(c) == "So" for c in self.exact)

    @cached_property
    def exact_anchor(self) -> str:
        """The longest part without white space: a text without it does not have the phrase."""
        return max(self.exact.split(), key=len)

    @cached_property
    def anchors(self) -> list[str]:
        """What an evenly folded text has when it has the phrase in any spelling: its longest words."""
        words = {word for part in self.template.text.split(PLACE) for word in _WORD.findall(part)}
        anchors = sorted(words, key=lambda word: (-len(word), word))[:_MAX_ANCHORS]
        # A picture or a sign, where there is no word.
        return anchors if anchors or self.template.items else self.plain.split()[:1]

    @cached_property
    def _traces(self) -> list[re.Pattern[str]]:
        """What it has of its values in any spelling."""
        return [trace for item in self.template.items[:_MAX_ANCHORS] for trace in item.traces]

    def is_in(self, text: str) -> bool:
        """Whether *text*, folded, has all that the phrase has in any spelling."""
        return all(anchor in text for anchor in self.anchors) and all(trace.search(text) for trace in self._traces)

    def windows(self, text: str) -> Iterator[tuple[int, int]]:
        """Yield the stretches of *text*, folded, where the phrase may stand: those that have all of it."""
        begin = stop = 0
        max_length = max(_MAX_WINDOW, 8 * self._reach)  # So that the parts are much longer than what they share.
        for at, end in self._places_of_one_part(text):
            if at - self._reach > stop or stop - begin > max_length:
                if stop and self._is_all_in(text, begin, stop):
                    yield begin, stop
                begin = max(0, at - self._reach)
            stop = min(len(text), end + self._reach)
        if stop and self._is_all_in(text, begin, stop):
            yield begin, stop

    def _is_all_in(self, text: str, begin: int, stop: int) -> bool:
        return all(text.find(anchor, begin, stop) >= 0 for anchor in self.anchors) and all(
            trace.search(text, begin, stop) for trace in self._traces
        )

    def _places_of_one_part(self, text: str) -> Iterator[tuple[int, int]]:
        """Yield where the rarest word of the phrase stands in *text*, or its first value where it has no words."""
        if not self.anchors:
            yield from (found.span() for found in self._traces[0].finditer(text))
            return
        anchor = min(self.anchors, key=text.count)
        at = text.find(anchor)
        while at >= 0:
            yield at, at + len(anchor)
            at = text.find(anchor, at + len(anchor))

    @cached_property
    def _reach(self) -> int:
        """How far from a part of the phrase another may stand: values and markup make it longer, but not more."""
        return 2 * len(self.plain) + 40

    @cached_property
    def words(self) -> list[str]:
        """Its informative words."""
        return informative_words(self.plain)[:_MAX_WORDS]

    @cached_property
    def has_words(self) -> bool:
        """Whether there is an informative word of letters beside its numbers and dates."""
        return any(not word.isdecimal() for word in informative_words(self.template.text.replace(PLACE, " ")))

    @cached_property
    def literals(self) -> str:
        """The phrase as it was written, with `PLACE` for its numbers and dates."""
        offset = self._folded.text.find(self.plain)
        spans = (self._folded.span(offset + item.start, offset + item.end) for item in self.template.items)
        return Folded(self.text, ((start, end, PLACE) for start, end in spans)).text
