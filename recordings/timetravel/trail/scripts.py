"""
Characters: which are invisible, which stand on their letter, which scripts put no space between words.

A match may not start or end inside a word, and what a word is depends on the script.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from typing import Final

from recordings.timetravel.trail.numbers import is_inside_number

#: For a class of a regular expression: controls without white space, soft hyphen, zero-width characters, directions,
#: variation selectors, byte order mark, tags.
CONTROLS: Final = "\x00-\x08\x0e-\x1b\x7f"
INVISIBLE: Final = (
    CONTROLS + "\xad\u034f\u061c\u180b-\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufe00-\ufe0f\ufeff"
    "\ufff9-\ufffb\U000e0000-\U000e007f\U000e0100-\U000e01ef"
)
#: Accents, Hebrew points, Arabic vowels and tatweel: what a writer may leave out. Vowels of Indic scripts and of Thai
#: and the voicing of kana are letters of their own, and stay.
MARKS: Final = (
    "\u0300-\u034e\u0350-\u036f\u0483-\u0489\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u0610-\u061a\u0640"
    "\u064b-\u065f\u0670\u06d6-\u06dc\u06df-\u06e4\u06e7\u06e8\u06ea-\u06ed\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff"
    "\ufe20-\ufe2f"
)
#: Characters that are no marks and yet become one with the character before them.
COMPOSING: Final = (
    "\u09be\u09d7\u0b3e\u0b56\u0b57\u0bbe\u0bd7\u0cc2\u0cd5\u0cd6\u0d3e\u0d57\u0dcf\u0ddf\u102e\u1161-\u1175"
    "\u11a8-\u11c2\u1b35\u3099\u309a\uff9e\uff9f"
)
#: Scripts that put no space between words: Thai, Lao, Myanmar, Khmer, kana, Han.
UNSPACED: Final = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3005\u3007\u3040-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff"
    "\uaa60-\uaa7f\uf900-\ufaff\uff66-\uff9f\U00020000-\U0003ffff"
)

_UNSPACED: Final = re.compile(f"[{UNSPACED}]")
#: The end of a date in front of its time.
_DATE_AND_TIME: Final = re.compile(r"-\d\d-\d\d[Tt]\d\d")
_SPACED_WORD: Final = re.compile(rf"[^\W_{UNSPACED}]+")
_MARK: Final = re.compile(f"[{MARKS}]")


def is_unspaced(text: str) -> bool:
    """Whether there is a letter in *text* of a script without spaces."""
    return not text.isascii() and _UNSPACED.search(text) is not None


def is_word_character(character: str) -> bool:
    """Whether *character* is a letter, a digit, or a mark on one."""
    return character.isalnum() or unicodedata.category(character)[0] == "M"


def marks_end(text: str, end: int) -> int:
    """Return where the marks end that stand on the letter before *end*."""
    while end < len(text) and _MARK.match(text, end):
        end += 1
    return end


def find_bounded(needle: str, text: str) -> Iterator[tuple[int, int]]:
    """Yield start and end of each place of *needle* in *text* that cuts no word and no number in two, one by one."""
    at = text.find(needle)
    while at >= 0:
        end = at + len(needle)
        if not is_boundary(text, at):
            # Straight to the end of the word: in a long run of one letter every place would be tried.
            word = _SPACED_WORD.match(text, at)
            end = word.end() if word else at + 1
        elif is_boundary(text, end):
            yield at, end
        else:
            end = at + 1
        at = text.find(needle, end)


def is_boundary(text: str, at: int) -> bool:
    """Whether a match may start or end at *at*, inside no word and no number of *text*."""
    if not 0 < at < len(text):
        return True
    before, after = text[at - 1], text[at]
    if before.isdecimal() and after.isdecimal():
        return False
    if is_word_character(before) and is_word_character(after):
        return is_unspaced(before) or is_unspaced(after) or _DATE_AND_TIME.match(text, max(0, at - 6)) is not None
    return not is_inside_number(text, at)
