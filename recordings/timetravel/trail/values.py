"""
Finding a phrase by the values of its numbers and dates, whatever their spelling, among the same words.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator
from typing import TypeAlias

from recordings.timetravel.trail.asked import PLACE, Phrase, Template
from recordings.timetravel.trail.differences import differences
from recordings.timetravel.trail.folding import Folded
from recordings.timetravel.trail.items import Item, items_in
from recordings.timetravel.trail.scripts import find_bounded, is_boundary

Span: TypeAlias = tuple[int, int]


def find_by_value(phrase: Phrase, source: str, folded: Folded) -> Iterator[tuple[Span, tuple[str, ...]]]:
    """
    Yield where the words and values of *phrase* stand, and what had to be overlooked for it.

    Args:
        phrase: what is asked for
        source: the original text
        folded: the same, folded

    """
    if not phrase.template.items:
        return
    is_dates_only = all(item.kind == "date" for item in phrase.template.items)
    for begin, stop in phrase.windows(folded.text):
        window = folded.text[begin:stop]
        template = Template(window, items_in(window, is_dates_only=is_dates_only))
        for at, end in find_bounded(phrase.template.text, template.text):
            items = _same_items(phrase.template, template, at)
            if items is None:
                continue
            first, last = _narrowed(phrase.template, items, *template.folded.span(at, end))
            if _is_whole(folded.text, begin + first, begin) and _is_whole(folded.text, begin + last, stop):
                spans = [folded.span(begin + item.start, begin + item.end) for item in items]
                span = folded.span(begin + first, begin + last)
                yield span, (*_values_how(phrase, items, window), *_words_how(phrase, source, span, spans))


def _is_whole(text: str, at: int, edge: int) -> bool:
    """Whether what stands at the *edge* of a window is not the rest of something longer."""
    return at != edge or is_boundary(text, at)


def _same_items(asked: Template, found: Template, at: int) -> list[Item] | None:
    """Return the items of *found* from *at* on when they are the same as what was asked for."""
    first = bisect_left(found.positions, at)
    last = first + len(asked.items)
    if [position - at for position in found.positions[first:last]] != asked.positions:
        return None
    items = list(found.items[first:last])
    return items if all(a.is_same(b) for a, b in zip(asked.items, items, strict=True)) else None


def _narrowed(asked: Template, items: list[Item], first: int, last: int) -> Span:
    """Return the stretch without a unit at its edge that nobody asked for."""
    if asked.text.startswith(PLACE) and asked.items[0].kind == "number":
        first = items[0].number[0]
    if asked.text.endswith(PLACE) and asked.items[-1].kind == "number":
        last = items[-1].number[1]
    return first, last


def _values_how(phrase: Phrase, items: list[Item], window: str) -> tuple[str, ...]:
    """Return the kinds of the values that are spelled differently."""
    pairs = zip(phrase.template.items, items, strict=True)
    kinds = (
        asked.kind if asked.kind == found.kind else "number"
        for asked, found in pairs
        if phrase.plain[asked.start : asked.end] != window[found.start : found.end]
    )
    return tuple(dict.fromkeys(kinds))


def _words_how(phrase: Phrase, source: str, span: Span, items: list[Span]) -> tuple[str, ...]:
    """Return what differs in the words between the values."""
    start, end = span
    places = ((max(start, first) - start, min(end, last) - start, PLACE) for first, last in items)
    return differences(phrase.literals, Folded(source[start:end], places).text)
