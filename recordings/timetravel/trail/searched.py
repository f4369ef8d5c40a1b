"""
The texts that are searched: each folded only as far as a phrase makes it worth while, and only once.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import Protocol

from recordings.timetravel.trail.asked import Phrase
from recordings.timetravel.trail.folding import Evenly, Folded, fold, fold_exactly, is_plain, is_visible_in
from recordings.timetravel.trail.scripts import is_boundary


class SearchedPiece(Protocol):
    """
    What can be searched: anything with a text, as a `Piece` of the core.

    Where it also has ``own``, the start and end of its own words inside the text, a match has to reach into them: the
    rest is wrapping that somebody put around it.
    """

    @property
    def text(self) -> str: ...


class Searched:
    """A piece and what became of its text so far."""

    def __init__(self, piece: SearchedPiece) -> None:
        self.piece = piece
        self.text = piece.text
        own: Sequence[int] = getattr(piece, "own", (0, len(self.text)))
        self.own = (own[0], own[1])

    @cached_property
    def evenly(self) -> Evenly:
        """The text, folded as far as every character keeps its place."""
        return Evenly(self.text)

    @cached_property
    def folded(self) -> Folded:
        """The text without spelling and markup."""
        return fold(self.evenly)

    @cached_property
    def exactly(self) -> Folded:
        """The text, with only what nobody sees folded."""
        return fold_exactly(self.text)

    @cached_property
    def _is_plain(self) -> bool:
        return is_plain(self.text)

    @property
    def words_text(self) -> str:
        """The text in which its words can be looked for."""
        return self.evenly.text if self.evenly.is_whole else self.folded.text

    @property
    def words_own(self) -> tuple[int, int]:
        """Where in `words_text` the piece's own words are."""
        start, end = self.own
        if self.evenly.is_whole:
            return start, end
        return self.folded.position(start), self.folded.position(end)

    def words_span(self, start: int, end: int) -> tuple[int, int]:
        """Return where a stretch of `words_text` stands in the text."""
        return (start, end) if self.evenly.is_whole else self.folded.span(start, end)

    def may_have_exactly(self, phrase: Phrase) -> bool:
        """Whether it is worth while to look for *phrase* in `exactly`."""
        anchor = phrase.exact_anchor
        return anchor in self.text or (not self._is_plain and is_visible_in(anchor, self.text))

    def folded_for(self, phrase: Phrase) -> Iterator[tuple[int, Folded]]:
        """Yield the stretches of the text, folded, where *phrase* may stand, each with where it starts."""
        evenly = self.evenly
        if not evenly.is_whole or (phrase.is_unspaced and evenly.has_marks):
            if (phrase.is_unspaced or evenly.may_hold(phrase.anchors)) and phrase.is_in(self.folded.text):
                yield 0, self.folded
        elif phrase.is_in(evenly.text):
            for start, end in phrase.windows(evenly.text):
                yield start, fold(evenly, start, end)

    def is_cut(self, start: int, end: int, offset: int, folded: Folded) -> bool:
        """Whether a match reaches the edge of what was folded, and is part of a word there."""
        last = offset + len(folded.source)
        return (start == offset and not is_boundary(self.evenly.text, start)) or (
            end == last and not is_boundary(self.evenly.text, end)
        )

    def is_own(self, start: int, end: int) -> bool:
        """Whether the stretch reaches into the piece's own words."""
        return start < self.own[1] and end > self.own[0]
