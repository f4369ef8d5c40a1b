"""Characters that cannot be seen or that reorder what stands around them: which they are, and what each is called."""

from __future__ import annotations

import re
import unicodedata
from typing import Final

_C0: Final = (
    "NULL, START OF HEADING, START OF TEXT, END OF TEXT, END OF TRANSMISSION, ENQUIRY, ACKNOWLEDGE, BELL, BACKSPACE, "
    "CHARACTER TABULATION, LINE FEED, LINE TABULATION, FORM FEED, CARRIAGE RETURN, SHIFT OUT, SHIFT IN, "
    "DATA LINK ESCAPE, DEVICE CONTROL ONE, DEVICE CONTROL TWO, DEVICE CONTROL THREE, DEVICE CONTROL FOUR, "
    "NEGATIVE ACKNOWLEDGE, SYNCHRONOUS IDLE, END OF TRANSMISSION BLOCK, CANCEL, END OF MEDIUM, SUBSTITUTE, ESCAPE, "
    "INFORMATION SEPARATOR FOUR, INFORMATION SEPARATOR THREE, INFORMATION SEPARATOR TWO, INFORMATION SEPARATOR ONE"
)
_C1: Final = (
    "PAD HOP BPH NBH IND NEL SSA ESA HTS HTJ VTS PLD PLU RI SS2 SS3 "
    "DCS PU1 PU2 STS CCH MW SPA EPA SOS SGC SCI CSI ST OSC PM APC"
)
_C0_NAMES: Final = _C0.split(", ")
_C1_LABELS: Final = _C1.split()
_LABELS: Final = {
    "\x7f": "␡",
    "\u00ad": "SHY",
    "\u034f": "CGJ",
    "\u061c": "ALM",
    "\u115f": "HCF",
    "\u1160": "HJF",
    "\u17b4": "KIVAQ",
    "\u17b5": "KIVAA",
    "\u180b": "FVS1",
    "\u180c": "FVS2",
    "\u180d": "FVS3",
    "\u180e": "MVS",
    "\u180f": "FVS4",
    "\u200b": "ZWSP",
    "\u200c": "ZWNJ",
    "\u200d": "ZWJ",
    "\u200e": "LRM",
    "\u200f": "RLM",
    "\u2028": "LS",
    "\u2029": "PS",
    "\u202a": "LRE",
    "\u202b": "RLE",
    "\u202c": "PDF",
    "\u202d": "LRO",
    "\u202e": "RLO",
    "\u2060": "WJ",
    "\u2066": "LRI",
    "\u2067": "RLI",
    "\u2068": "FSI",
    "\u2069": "PDI",
    "\u3164": "HF",
    "\ufeff": "BOM",
    "\uffa0": "HHF",
    "\ufff9": "IAA",
    "\ufffa": "IAS",
    "\ufffb": "IAT",
}
#: Those with a label, and everything else that Unicode tells programs to leave out when they draw a text.
_HIDDEN_CLASS: Final = (
    r"\x00-\x08\x0b-\x1f\x7f-\x9f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202e"
    r"\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb"
    r"\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff"
)
HIDDEN: Final = re.compile(f"[{_HIDDEN_CLASS}]+")

_EMOJI: Final = re.compile(
    r"[\u00a9\u00ae\u203c\u2049\u2122\u2139\u2190-\u21ff\u2300-\u23ff\u24c2\u25a0-\u27bf\u2900-\u297f\u2b00-\u2bff"
    r"\u3030\u303d\u3297\u3299\U0001f000-\U0001faff]"
)
_IDEOGRAPH: Final = re.compile(r"[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]")
_HAS_FORMS: Final = re.compile(r"[\u2200-\u22ff\u2a00-\u2aff\u3000-\u303f\uff01-\uff9f]")
#: Letters, marks and digits of scripts in which a joiner makes another word: Arabic, Indic, Mongolian and their kin.
_JOINED: Final = re.compile(
    r"[\u0620-\u06dc\u06df-\u06ff\u0710-\u074a\u074d-\u07f5\u0840-\u085b\u0860-\u08e1\u08e3-\u0df3\u0f40-\u0fbc"
    r"\u1000-\u109f\u1780-\u17b3\u17b6-\u17dd\u1820-\u18aa\u1900-\u1aad\u1b00-\u1c4f\ua840-\ua877\ua880-\uaadf"
    r"\ufb50-\ufdff\ufe70-\ufefc\U00010a00-\U00010a4f\U00011000-\U00011fff\U0001e900-\U0001e95f]"
)
_MONGOLIAN: Final = re.compile(r"[\u1807\u1820-\u18aa]")
_VIRAMA_CLASS: Final = 9


def is_tag(char: str) -> bool:
    """Tell whether *char* is a tag: ASCII that nobody sees and a model reads."""
    return "\U000e0000" <= char <= "\U000e007f"


def label_of(char: str) -> str:
    """Return the short label of a hidden character, a different one for each: ``␛``, ``RLO``, ``VS16``."""
    code = ord(char)
    if code < 0x20:
        return chr(0x2400 + code)
    if 0x80 <= code < 0xA0:
        return _C1_LABELS[code - 0x80]
    if 0xFE00 <= code <= 0xFE0F:
        return f"VS{code - 0xFE00 + 1}"
    if 0xE0100 <= code <= 0xE01EF:
        return f"VS{code - 0xE0100 + 17}"
    return _LABELS.get(char) or f"U+{code:04X}"


def name_of(char: str) -> str:
    """Return what Unicode calls a hidden character, with its number."""
    code = ord(char)
    if code < 0x20:
        name = _C0_NAMES[code]
    elif 0x80 <= code < 0xA0:
        name = f"CONTROL CHARACTER {_C1_LABELS[code - 0x80]}"
    else:
        name = unicodedata.name(char, "DELETE" if char == "\x7f" else "INVISIBLE CHARACTER")
    return f"U+{code:04X} {name}"


def is_of_use(text: str, at: int) -> bool:
    """Tell whether the hidden character at *at* does what it is for, in an emoji, a word or the end of a line."""
    char, after = text[at], text[at + 1 : at + 2]
    before = text[at - 1] if at else ""
    if char == "\r":
        return after == "\n"
    if char in "\u200c\u200d":
        return _joins_emoji(text, at, char) or _joins_letters(before, after)
    if char in "\u180b\u180c\u180d\u180f":
        return bool(_MONGOLIAN.match(before))
    if "\ufe00" <= char <= "\ufe0f":
        is_keycap = char == "\ufe0f" and after == "\u20e3" and bool(re.match("[0-9#*]", before))
        bases = _EMOJI if char >= "\ufe0e" else _HAS_FORMS
        return is_keycap or bool(bases.match(before) or (char <= "\ufe02" and _IDEOGRAPH.match(before)))
    return "\U000e0100" <= char <= "\U000e01ef" and bool(_IDEOGRAPH.match(before))


def _joins_emoji(text: str, at: int, char: str) -> bool:
    last = at - 2 if at > 1 and text[at - 1] == "\ufe0f" else at - 1
    is_after_one = last >= 0 and bool(_EMOJI.match(text[last]))
    return char == "\u200d" and is_after_one and bool(_EMOJI.match(text[at + 1 : at + 2]))


def _joins_letters(before: str, after: str) -> bool:
    if not _JOINED.match(before):
        return False
    # After a virama, one makes half of a letter or parts two, at the end of a word too.
    return bool(_JOINED.match(after)) or unicodedata.combining(before) == _VIRAMA_CLASS
