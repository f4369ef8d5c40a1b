"""
Markup and codes between and inside words: Markdown, HTML tags and entities, escapes of JSON strings.

The patterns are for evenly folded text (small letters). None of them can be entered twice at one place, so that a text
is passed once.
"""

from __future__ import annotations

import html
import re
import unicodedata
from functools import lru_cache
from typing import Final

from recordings.timetravel.trail.letters import fold_character
from recordings.timetravel.trail.scripts import CONTROLS, INVISIBLE, MARKS

_BLANK: Final = rf"[\s{INVISIBLE}{MARKS}]+"
_TAG: Final = r"</?[a-z][^<>]{0,300}>"
#: Emphasis, code, struck out; a single star or underscore only at the edge of a word.
_EMPHASIS: Final = r"\*\*+|~~+|`+|(?<![^\W_])_+|_+(?![^\W_])|(?<!\w)\*|\*(?!\w)"
_LINK: Final = r"\[(?=[^\[\]\n]{1,200}\]\()|\]\([^()\s]{1,500}\)"
_HEADING: Final = r"(?<![^\n])(?:#{1,6}|>)(?= )"
_ESCAPED_SPACE: Final = r"\\[nrt]"
_RUN: Final = f"(?:{_BLANK}|{_TAG}|{_EMPHASIS}|{_LINK}|{_HEADING}|{_ESCAPED_SPACE})+"
_ENTITY: Final = r"&(?:#\d{1,7}|#x[0-9a-f]{1,6}|[a-z]{2,30}\d{0,2});"
_ESCAPED: Final = r"\\u(?:d[89ab][0-9a-f]{2}\\ud[c-f][0-9a-f]{2}|[0-9a-f]{4})|\\[\"\\/]"
#: A plain space in front of a plain character is the most common of all, and stays as it is.
_PLAIN_SPACE: Final = rf" [^\s{INVISIBLE}{MARKS}<*~`_\[\]#>\\]"

MARKUP: Final = rf"(?!{_PLAIN_SPACE}){_RUN}|{_ESCAPED}|{_ENTITY}"
#: Whether a text has letters that are written as codes.
HAS_CODED: Final = re.compile(rf"\\u[0-9a-fA-F]{{4}}|{_ENTITY}", re.IGNORECASE)

_INLINE_TAG: Final = re.compile(
    r"</?(?:a|abbr|b|cite|code|del|em|font|i|ins|kbd|label|mark|q|s|small|span|strong|sub|sup|u)(?:\s[^<>]*)?/?>"
)
_LINK_TARGET: Final = re.compile(r"\]\([^()\s]*\)")
#: What keeps words apart: white space, a control character that stands for some, a tag that is a block of its own.
_BREAK: Final = re.compile(rf"[\s{CONTROLS}<\\]")


@lru_cache(4096)
def fold_markup(found: str) -> str:
    """Return what *found*, a match of `MARKUP` or letters that fold into several, stands for."""
    if found[0] == "&" and len(found) > 1:
        return fold_decoded(html.unescape(found))
    if found[0] == "\\" and found[1:2] not in "nrt":
        return fold_decoded(_unescaped(found))
    if found[0].isalnum() if found[0].isascii() else fold_character(found[0]).strip():
        return fold_decoded(unicodedata.normalize("NFKC", found))
    bare = _LINK_TARGET.sub("", _INLINE_TAG.sub("", found))
    return " " if _BREAK.search(bare) else ""


def fold_decoded(text: str) -> str:
    """Return *text*, a few characters, folded."""
    return "".join(map(fold_character, text))


def _unescaped(found: str) -> str:
    if found[1] != "u":
        return found[1]
    units = bytes.fromhex(found.replace("\\u", ""))
    return units.decode("utf-16-be", "surrogatepass")
