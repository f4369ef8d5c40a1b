"""
Overlap: how many of the rarer words of a phrase a piece has, and the smallest stretch that holds them.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from typing import Final

from recordings.timetravel.trail.scripts import UNSPACED
from recordings.timetravel.trail.words import is_gram

#: A source has to share this many informative words with the phrase, and this part of them.
MIN_WORDS: Final = 2
MIN_PART: Final = 0.5

#: A letter or digit that a word could go on with.
_LETTER: Final = re.compile(rf"[^\W_{UNSPACED}]")
#: Of each word; the smallest window is looked for among them.
_MAX_PLACES: Final = 5_000


def weights_of(words: Sequence[str], texts: Sequence[str]) -> dict[str, float]:
    """Return how much each of *words* counts: the more, the fewer of *texts* have it."""
    weights = {}
    for word in words:
        n_texts = sum(word in text for text in texts)
        weights[word] = math.log(1 + len(texts) / max(1, n_texts))
    return weights


def is_enough(n_shared: int, n_words: int) -> bool:
    """Whether *n_shared* words of *n_words* in a phrase make a source."""
    return n_shared >= MIN_WORDS and n_shared >= MIN_PART * n_words


class Overlap:
    """Looks for the words of one phrase in texts."""

    def __init__(self, weights: Mapping[str, float]) -> None:
        self._weights = weights
        self._total = sum(weights.values())

    def in_text(self, text: str, start: int, end: int) -> tuple[float, int, int] | None:
        """Return the score and the smallest window of *text* between *start* and *end*; None when it is no source."""
        words = [word for word in self._weights if word in text]
        if not is_enough(len(words), len(self._weights)):
            return None
        places: list[tuple[int, int, str]] = []
        shared = [word for word in words if _add_places(places, word, text, start, end)]
        if not is_enough(len(shared), len(self._weights)):
            return None
        score = sum(self._weights[word] for word in shared) / self._total
        return (score, *smallest_window(sorted(places), len(shared)))


def _add_places(places: list[tuple[int, int, str]], word: str, text: str, start: int, end: int) -> bool:
    """Add where *word* stands in *text*, and return whether it does."""
    is_free = is_gram(word)
    before = len(places)
    at = text.find(word, start, end)
    while at >= 0 and len(places) - before < _MAX_PLACES:
        stop = at + len(word)
        if is_free or (_is_start(text, at) and not _LETTER.match(text, stop)):
            places.append((at, stop, word))
        at = text.find(word, stop, end)
    return len(places) > before


def _is_start(text: str, at: int) -> bool:
    """Whether no word goes on at *at*; in a JSON string inside a text, a line break is a backslash and a letter."""
    if at == 0 or not _LETTER.match(text, at - 1):
        return True
    return text[at - 2 : at - 1] == "\\" and text[at - 1] in "nrt"


def smallest_window(places: Sequence[tuple[int, int, str]], n_words: int) -> tuple[int, int]:
    """Return the first of the shortest stretches that hold all *n_words* words of *places*, which are in order."""
    counts: dict[str, int] = {}
    best = (places[0][0], places[-1][1])
    left = 0
    for _, end, word in places:
        counts[word] = counts.get(word, 0) + 1
        while len(counts) == n_words:
            start, _, first = places[left]
            if end - start < best[1] - best[0]:
                best = (start, end)
            counts[first] -= 1
            if not counts[first]:
                del counts[first]
            left += 1
    return best
