"""
The phrase that is asked for, made ready to be looked for in many texts.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import Final

from recordings.timetravel.trail.dates import traces
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
        """What an evenly folded text has when it has the phrase in any spelling: its longest words, digits of items."""
        words = [word for part in self.template.text.split(PLACE) for word in _WORD.findall(part)]
        anchors = sorted(set(words), key=lambda word: (-len(word), word))[:_MAX_ANCHORS]
        anchors += [item.anchor for item in self.template.items[:_MAX_ANCHORS]]
        return [anchor for anchor in dict.fromkeys(anchors) if anchor] or self._least_anchor()

    def _least_anchor(self) -> list[str]:
        """Return what there is in a phrase without words: a picture, a sign; nothing for dates without a year."""
        return [] if self.template.items else self.plain.split()[:1]

    def is_in(self, text: str) -> bool:
        """Whether *text*, folded, has all that the phrase has in any spelling."""
        return all(anchor in text for anchor in self.anchors) and all(p.search(text) for p in self._traces)

    def windows(self, text: str) -> Iterator[tuple[int, int]]:
        """Yield the stretches of *text*, folded, where the phrase may stand: those that have all of it."""
        begin = stop = 0
        for at, end in self._places_of_rarest(text):
            if at - self._reach > stop:
                if stop and all(pattern.search(text, begin, stop) for pattern in self._traces):
                    yield begin, stop
                begin = at - self._reach
            stop = min(len(text), end + self._reach)
        if stop and all(pattern.search(text, begin, stop) for pattern in self._traces):
            yield begin, stop

    def _places_of_rarest(self, text: str) -> Iterator[tuple[int, int]]:
        """Yield where the rarest part of the phrase stands in *text*."""
        if not self.anchors:
            yield from (found.span() for found in self._traces[-1].finditer(text)) if self._traces else [(0, len(text))]
            return
        anchor = min(self.anchors, key=text.count)
        at = text.find(anchor)
        while at >= 0:
            yield at, at + len(anchor)
            at = text.find(anchor, at + len(anchor))

    @cached_property
    def _traces(self) -> list[re.Pattern[str]]:
        """What every spelling of its dates has: most texts with the year of one hold another day of it."""
        return [pattern for item in self.template.items[:_MAX_ANCHORS] for pattern in traces(item.days)]

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
        """Whether there is an informative word beside its numbers and dates."""
        return bool(informative_words(self.template.text.replace(PLACE, " ")))

    @cached_property
    def literals(self) -> str:
        """The phrase as it was written, with `PLACE` for its numbers and dates."""
        offset = self._folded.text.find(self.plain)
        spans = (self._folded.span(offset + item.start, offset + item.end) for item in self.template.items)
        return Folded(self.text, ((start, end, PLACE) for start, end in spans)).text
