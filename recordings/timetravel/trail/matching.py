"""
Matching: where a phrase stands in the pieces of a context, whatever its spelling.

Three kinds, of which a piece has only the best:

- ``exact``: the same characters after composition (NFC), with any white space (no-break and typographic spaces
  included) for any other, and nothing for what cannot be seen: zero-width and direction characters, soft hyphens, byte
  order marks, control characters.
- ``normalised``: the same words in another spelling or markup, and the same numbers, amounts and dates by value.
- ``overlap``: at least two of the phrase's informative words, and half of them.

A match starts and ends where words do; a word that is broken by markup is found only in scripts without spaces. A
selection that was cut out of a sentence is found without the punctuation around it. Money is found without its currency
where no word follows the number. No model, no dictionary: the same texts give the same matches.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Any, Final, Literal, TypeAlias

import msgspec

from recordings.timetravel.trail.asked import Phrase
from recordings.timetravel.trail.differences import differences
from recordings.timetravel.trail.folding import Folded
from recordings.timetravel.trail.overlap import MIN_WORDS, Overlap, weights_of
from recordings.timetravel.trail.scripts import find_bounded, marks_end
from recordings.timetravel.trail.searched import Searched, SearchedPiece
from recordings.timetravel.trail.values import Span, find_by_value

MatchKind: TypeAlias = Literal["exact", "normalised", "overlap"]

#: More places of one phrase in one piece are not listed.
MAX_MATCHES: Final = 1_000
_KINDS: Final[tuple[MatchKind, ...]] = ("exact", "normalised", "overlap")


class Match(msgspec.Struct, frozen=True):
    """One place in the text of a piece: ``piece.text[start:end] == text``."""

    #: The one that was searched, itself.
    piece: Any
    kind: MatchKind
    #: The characters as they are recorded.
    text: str
    #: In characters.
    start: int
    end: int
    #: 1 for exact and normalised; else the part of the phrase's informative words that it has, by weight.
    score: float = 1.0
    #: What had to be overlooked, for normalised, in words with commas between: ``number``, ``money``, ``percentage``,
    #: ``date``, ``markup``, ``white space``, ``quotes and dashes``, ``width``, ``digits``, ``letter forms``, ``case``,
    #: ``diacritics``, ``punctuation``.
    how: str = ""


def find_matches(phrase: str, pieces: Iterable[SearchedPiece]) -> list[Match]:
    """
    Return where *phrase* stands in *pieces*: exact, then normalised, then overlaps by score; each in their order.

    Args:
        phrase: what a reader selected, of any length; nothing is found for one without a letter, a digit or a picture
        pieces: in the order of a request

    Returns:
        all places in a piece of its best kind, at most `MAX_MATCHES`, not overlapping; one for an overlap

    """
    return SearchedPieces(pieces).find(phrase)


class SearchedPieces:
    """Pieces that are searched for one phrase after another: their texts are folded once."""

    def __init__(self, pieces: Iterable[SearchedPiece]) -> None:
        self._searched = [Searched(piece) for piece in pieces]

    def find(self, text: str) -> list[Match]:
        """Return what `find_matches` returns."""
        phrase = Phrase(text)
        if phrase.is_empty:
            return []
        found: list[Match] = []
        rest: list[Searched] = []
        for searched in self._searched:
            matches = _exact_matches(phrase, searched) or _normalised_matches(phrase, searched)
            found += matches
            if not matches:
                rest.append(searched)
        found += self._overlaps(phrase, rest)
        return sorted(found, key=lambda match: (_KINDS.index(match.kind), -match.score))

    def _overlaps(self, phrase: Phrase, rest: list[Searched]) -> Iterator[Match]:
        # What is nothing but values has its value or has not: the words in a date say nothing of their own.
        if len(phrase.words) < MIN_WORDS or not phrase.has_words or not rest:
            return
        overlap = Overlap(weights_of(phrase.words, [searched.words_text for searched in self._searched]))
        for searched in rest:
            match = _overlap_match(overlap, searched)
            if match is not None:
                yield match


def _exact_matches(phrase: Phrase, searched: Searched) -> list[Match]:
    if not searched.may_have_exactly(phrase):
        return []
    folded = searched.exactly
    return _matches(searched, "exact", ((folded.span(*at), ()) for at in find_bounded(phrase.exact, folded.text)))


def _normalised_matches(phrase: Phrase, searched: Searched) -> list[Match]:
    if not phrase.plain:
        return []
    found: dict[Span, tuple[str, ...]] = {}
    for offset, folded in searched.folded_for(phrase):
        source = searched.text[offset : offset + len(folded.source)]
        for (first, last), how in islice(_spans_in(phrase, source, folded), 2 * MAX_MATCHES):
            if not searched.is_cut(offset + first, offset + last, offset, folded):
                found.setdefault((offset + first, offset + last), how)
        if len(found) >= MAX_MATCHES:
            break
    return _matches(searched, "normalised", sorted(found.items(), key=lambda item: (item[0][0], -item[0][1])))


def _spans_in(phrase: Phrase, source: str, folded: Folded) -> Iterator[tuple[Span, tuple[str, ...]]]:
    """Yield where *phrase* stands in *source*, as a whole and without its ends, and what had to be overlooked."""
    for needle in dict.fromkeys((phrase.whole, phrase.plain)):
        for place in find_bounded(needle, folded.text):
            start, end = folded.span(*place)
            yield (start, end), differences(phrase.text, source[start:end])
    yield from find_by_value(phrase, source, folded)


def _matches(searched: Searched, kind: MatchKind, found: Iterable[tuple[Span, tuple[str, ...]]]) -> list[Match]:
    """Return the matches among *found*, which is in order: own words, not overlapping, no more than a page can hold."""
    matches: list[Match] = []
    done = 0
    for (start, end), how in found:
        if start < done or not searched.is_own(start, end):
            continue
        done = marks_end(searched.text, end)
        words = ", ".join(dict.fromkeys(how)) or ("spelling" if kind == "normalised" else "")
        matches.append(Match(searched.piece, kind, searched.text[start:done], start, done, how=words))
        if len(matches) == MAX_MATCHES:
            break
    return matches


def _overlap_match(overlap: Overlap, searched: Searched) -> Match | None:
    found = overlap.in_text(searched.words_text, *searched.words_own)
    if found is None:
        return None
    score, first, last = found
    start, end = searched.words_span(first, last)
    return Match(searched.piece, "overlap", searched.text[start:end], start, end, score)
