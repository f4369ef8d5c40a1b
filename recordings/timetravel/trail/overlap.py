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
_LETTER: Final = rf"[^\W_{UNSPACED}]"


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
        spaced = sorted((w for w in weights if not is_gram(w)), key=len, reverse=True)
        self._grams = sorted(w for w in weights if is_gram(w))
        self._pattern = re.compile(
            rf"(?:(?<!{_LETTER})|(?<=\\[nrt]))(?:{'|'.join(map(re.escape, spaced))})(?!{_LETTER})" if spaced else "(?!)"
        )
        # One gram starts inside another, so each place is looked at.
        self._gram_pattern = re.compile(f"(?=({'|'.join(map(re.escape, self._grams))}))" if self._grams else "(?!)")

    def in_text(self, text: str, start: int, end: int) -> tuple[float, int, int] | None:
        """Return the score and the smallest window of *text* between *start* and *end*; None when it is no source."""
        text = text[:end]
        if not is_enough(sum(word in text for word in self._weights), len(self._weights)):
            return None
        places = [(m.start(), m.end(), m[0]) for m in self._pattern.finditer(text, start)]
        places += [(m.start(), m.end(1), m[1]) for m in self._gram_pattern.finditer(text, start)]
        shared = {word for _, _, word in places}
        if not is_enough(len(shared), len(self._weights)):
            return None
        score = sum(weight for word, weight in self._weights.items() if word in shared) / self._total
        return (score, *smallest_window(sorted(places), len(shared)))


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
