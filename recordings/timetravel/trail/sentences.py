"""
Sentences, in scripts with and without spaces.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from recordings.timetravel.trail.dates import is_month
from recordings.timetravel.trail.letters import fold_evenly

_CLOSING: Final = "\"'”’»)\\]）」』】*_"
_END: Final = re.compile(
    rf"(?<![.!?…])(?P<latin>[.!?…]+)[{_CLOSING}]*(?=\s|$|[\u3000-\u9fff])|[。！？｡؟۔।॥]+[{_CLOSING}]*|(?P<line>[\r\n]+)"
)
_WORD_BEFORE: Final = re.compile(r"[^\s(\[\"“„«]{1,20}$")
_WORD_AFTER: Final = re.compile(r"\s+[\"“„«(\[]?([^\W_]+)")
_ABBREVIATIONS: Final = """
approx bspw bzw ca cf d.h dept dott dr e.g evtl ggf i.e inkl jr mlle mme mr mrs ms p.ex prof sig sr sra srta st u.a vs
z.b zzgl
"""
_BEFORE_NUMBERS: Final = "abs art bijv ed ext fig inv no nos nr num ord pag pp ref sec str tel vol"
#: After these a point ends no sentence; after the second ones not when a number follows.
_NEVER: Final = frozenset(_ABBREVIATIONS.split())
_NOT_BEFORE_NUMBER: Final = frozenset(_BEFORE_NUMBERS.split())
_ORDINAL: Final = re.compile(r"\d{1,2}")


def sentences_in(text: str) -> Iterator[tuple[int, int]]:
    """Yield start and end of each sentence of *text* and of each line, without the white space around it."""
    start = 0
    for found in _END.finditer(text):
        if found["latin"] == "." and not _ends(text, found, start):
            continue
        yield from _trimmed(text, start, found.end())
        start = found.end()
    yield from _trimmed(text, start, len(text))


def _trimmed(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    sentence = text[start:end]
    if any(character.isalnum() for character in sentence):
        first = start + len(sentence) - len(sentence.lstrip())
        yield first, first + len(sentence.strip())


def _ends(text: str, found: re.Match[str], start: int) -> bool:
    """Whether a single point ends the sentence that begins at *start*."""
    before = _WORD_BEFORE.search(text, max(start, found.start() - 20), found.start())
    after = _WORD_AFTER.match(text, found.end())
    word = before[0].lower() if before else ""
    following = after[1] if after else ""
    if not following:
        return True
    if following[0].islower():
        return False
    if _ORDINAL.fullmatch(word):
        return not is_month(fold_evenly(following)[0]) and bool(text[start : found.start() - len(word)].strip())
    if len(word) == 1 and word.isalpha():
        return False
    return word not in _NEVER and not (following[0].isdecimal() and word in _NOT_BEFORE_NUMBER)
