"""
Numbers in the spellings of several countries, read by value.

``1.500`` is fifteen hundred in Germany and one and a half in England: both readings are kept, and two numbers are the
same when they share one. They are looked for in folded text: plain digits, plain apostrophes, small letters.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

#: Groups of three with spaces or apostrophes and perhaps a fraction, else whatever points and commas hold together.
NUMBER: Final = re.compile(r"(?<!\d)(?:\d{1,3}(?:[ ']\d{3})+(?!\d)(?:[.,]\d+)?|\d+(?:[.,]\d+)*)")

_SEPARATORS: Final = re.compile(r"[^\d]")
#: No number is longer than this; a longer run of digits is data.
_MAX_LENGTH: Final = 40


def readings(token: str) -> frozenset[str]:
    """
    Return the values that *token*, a match of `NUMBER`, can have, each as plain digits with a point.

    Empty when it is none: a version, an address, an id with leading zeros.
    """
    if len(token) > _MAX_LENGTH:
        return frozenset()
    separators = _SEPARATORS.findall(token)
    if not separators:
        return _values(_whole(token))
    kinds = list(dict.fromkeys(separators))
    if len(kinds) == 1:
        if len(separators) == 1 and kinds[0] in ".,":
            return _values(_grouped(token), _decimal(token, kinds[0]))
        return _values(_grouped(token))
    if len(kinds) == 2 and separators.count(kinds[1]) == 1 and kinds[1] in ".,":
        whole, _, fraction = token.rpartition(kinds[1])
        grouped = _grouped(whole)
        return _values(grouped and _with_fraction(grouped, fraction))
    return frozenset()


@lru_cache(256)
def trace_of(values: frozenset[str]) -> re.Pattern[str]:
    """Return what every spelling of a number that has one of *values* has."""
    return re.compile(rf"(?<!\d)(?:{'|'.join(map(_spelled, sorted(values)))})(?!\d)")


def _spelled(value: str) -> str:
    whole, _, fraction = value.partition(".")
    spelled = "[.,' ]?".join(whole)
    return f"{spelled}[.,]{fraction}0*" if fraction else spelled


def is_inside_number(text: str, at: int) -> bool:
    """Whether *at* is beside a point, comma, apostrophe or space that holds the digits around it together."""
    left = text[at - 1].isdecimal() and text[at] in ".,' " and text[at + 1 : at + 2].isdecimal()
    right = text[at].isdecimal() and text[at - 1] in ".,' " and text[at - 2 : at - 1].isdecimal() and at > 1
    if not (left or right):
        return False
    from_ = max(0, at - _MAX_LENGTH)
    for found in NUMBER.finditer(text, from_, at + _MAX_LENGTH):
        if found.start() < at < found.end():
            return not _is_list(text, found) and bool(readings(found[0]))
    return False


def _is_list(text: str, found: re.Match[str]) -> bool:
    """Whether it is a JSON array of numbers, written without spaces."""
    is_bracketed = text[found.start() - 1 : found.start()] == "[" or text[found.end() : found.end() + 1] == "]"
    return is_bracketed and "," in found[0]


def _values(*values: str) -> frozenset[str]:
    return frozenset(value for value in values if value)


def _whole(digits: str) -> str:
    return digits if digits[0] != "0" or digits == "0" else ""


def _grouped(token: str) -> str:
    """Return the value of *token* read as a whole number in groups, empty when the groups are not of three."""
    groups = _SEPARATORS.split(token)
    is_thousands = all(len(group) == 3 for group in groups[1:])
    is_lakhs = len(groups[-1]) == 3 and all(len(group) == 2 for group in groups[1:-1])
    fits = 1 <= len(groups[0]) <= 3 and groups[0][0] != "0"
    return "".join(groups) if len(groups) == 1 or (fits and (is_thousands or is_lakhs)) else ""


def _decimal(token: str, point: str) -> str:
    whole, _, fraction = token.partition(point)
    return _with_fraction(whole, fraction) if _whole(whole) else ""


def _with_fraction(whole: str, fraction: str) -> str:
    fraction = fraction.rstrip("0")
    return f"{whole}.{fraction}" if fraction else whole
