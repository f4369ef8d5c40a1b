"""
Letters without what spelling varies in: case, accents, width, kind of quote, dash and digit, forms of Arabic letters.
"""

from __future__ import annotations

import re
import unicodedata
from functools import cache
from typing import Final

from recordings.timetravel.trail.scripts import COMPOSING, INVISIBLE, MARKS

#: What Unicode does not decompose, and yet is written in more than one way.
_VARIANTS: Final = {
    **dict.fromkeys("‘’‚‛′ʼ´", "'"),
    **dict.fromkeys("“”„‟″«»‹›「」『』", '"'),
    **dict.fromkeys("‐‑‒–—―−﹘－", "-"),
    **dict.fromkeys("ٱأإآ", "ا"),
    **dict.fromkeys("ىیۍې", "ي"),
    "ک": "ك",
    "٪": "%",
    "٫": ".",
    "٬": ",",
    "đ": "d",
    "Đ": "d",
    "ø": "o",
    "Ø": "o",
    "ł": "l",
    "Ł": "l",
    "ı": "i",
    "æ": "ae",
    "Æ": "ae",
    "œ": "oe",
    "Œ": "oe",
}
_DROPPED: Final = re.compile(f"[{INVISIBLE}{MARKS}]")
_MARKS: Final = re.compile(f"[{MARKS}]+")
_COMPOSING: Final = re.compile(f"[{COMPOSING}]")
#: With fewer characters to replace, replacing one after the other is quicker than a table.
_MAX_REPLACED: Final = 24


@cache
def fold_character(character: str) -> str:
    """Return *character* as it is compared: none when it is dropped, several when it stands for several."""
    if character in _VARIANTS:
        return _VARIANTS[character]
    if _DROPPED.match(character):
        return ""
    if character.isspace():
        return " "
    if character.isdecimal():
        return str(unicodedata.decimal(character))
    if character.isnumeric() and not character.isalpha():
        return character  # A superscript two is no digit of the number before it.
    folded = unicodedata.normalize("NFKC", character).casefold()
    folded = unicodedata.normalize("NFC", _MARKS.sub("", unicodedata.normalize("NFD", folded))).lower()
    return character if not folded or " " in folded else folded


class _Table(dict[int, str]):
    """For `str.translate`: what folds into one character; filled as characters are met."""

    def __missing__(self, code: int) -> str:
        character = chr(code)
        folded = fold_character(character)
        self[code] = folded if len(folded) == 1 else character
        return self[code]


class _FullTable(dict[int, str]):
    """For `str.translate`: what each character folds into."""

    def __missing__(self, code: int) -> str:
        self[code] = fold_character(chr(code))
        return self[code]


_TABLE: Final = _Table()
_FULL_TABLE: Final = _FullTable()


def fold_evenly(text: str) -> tuple[str, str]:
    """
    Return *text* with all folded that stays one character, and the characters where that was not possible.

    Every character keeps its place, so that offsets need no map.
    """
    if text.isascii():
        return text.lower(), ""
    unusual = [character for character in set(text) if character >= "\x80"]
    uneven = [character for character in unusual if _is_uneven(character)]
    if len(unusual) > _MAX_REPLACED:
        return text.translate(_TABLE), "".join(sorted(uneven))
    for character in unusual:
        text = text.replace(character, _TABLE[ord(character)])
    return text.lower(), "".join(sorted(uneven))


def fold_letters(text: str) -> str:
    """Return *text* with each of its characters folded."""
    return text.translate(_FULL_TABLE)


def _is_uneven(character: str) -> bool:
    return len(fold_character(character)) != 1 or _COMPOSING.match(character) is not None
