"""
JSON text as JavaScript writes it: what digests are taken of has to be the same to the byte.

Source: ``JSON.stringify``, and the stable JSON of agentfootprint's receipts.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator, Mapping
from decimal import Decimal
from typing import Final

from recordings.timetravel.jsontext import NumberText
from recordings.timetravel.values import UNDEFINED, Value

#: From this power of ten on JavaScript writes an exponent, and below the second one too.
_MAX_PLAIN_DIGITS: Final = 21
_MIN_PLAIN_POINT: Final = -6

#: A str holds pairs of surrogates as one character, so what is left of them stands alone.
_LONE_SURROGATE: Final = re.compile("[\ud800-\udfff]")

_encode = json.JSONEncoder(ensure_ascii=False).encode


def stable_json(value: Value) -> str:
    """
    Return *value* as JSON without white space, the keys of each object sorted by their UTF-16 units.

    What is `UNDEFINED` is left out of an object and null elsewhere. Integers keep every digit, and a number that no
    double holds is written as it was read, where JavaScript would have written null. Not recursive: recorded values may
    be nested deeper than Python's stack.
    """
    parts: list[str] = []
    pending: list[tuple[Iterator[tuple[str, Value]], str]] = [(iter([("", value)]), "")]
    while pending:
        children, closing = pending[-1]
        for lead, child in children:
            parts.append(lead)
            if isinstance(child, Mapping):
                parts.append("{")
                pending.append((_members(child), "}"))
                break
            if isinstance(child, list | tuple):
                parts.append("[")
                pending.append((_elements(child), "]"))
                break
            parts.append(_scalar(child))
        else:
            parts.append(closing)
            pending.pop()
    return "".join(parts)


def _members(value: Mapping[str, Value]) -> Iterator[tuple[str, Value]]:
    """Yield each member of *value*, in order, with the text in front of it."""
    held = (key for key in value if value[key] is not UNDEFINED)
    for count, key in enumerate(sorted(held, key=utf16_units)):
        yield f"{',' if count else ''}{text_json(key)}:", value[key]


def _elements(value: list[Value] | tuple[Value, ...]) -> Iterator[tuple[str, Value]]:
    for count, child in enumerate(value):
        yield "," if count else "", child


def _scalar(value: Value) -> str:
    if isinstance(value, NumberText):
        return str(value)
    if isinstance(value, str):
        return text_json(value)
    if value is None or value is UNDEFINED:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    return number_json(value)


def text_json(text: str) -> str:
    """Return *text* in quotes; only what JSON has to escape is escaped, and surrogates that stand alone."""
    quoted = _encode(text)
    return quoted if quoted.isascii() else _LONE_SURROGATE.sub(lambda match: f"\\u{ord(match[0]):04x}", quoted)


def number_json(number: float) -> str:
    """
    Return *number* as JavaScript spells it: ``1e+21``, ``1e-7``, ``0`` for minus zero, ``null`` for no finite number.

    An integer keeps every digit.
    """
    if isinstance(number, int):
        return str(number)
    if not math.isfinite(number):
        return "null"
    if number == 0:
        return "0"
    # Both languages choose the shortest digits that read back as the same double; they differ in where they put them.
    sign, figures, exponent = Decimal(repr(number)).normalize().as_tuple()
    return ("-" if sign else "") + _placed("".join(map(str, figures)), int(exponent))


def _placed(digits: str, exponent: int) -> str:
    """Return *digits* times ten to the *exponent*."""
    point = len(digits) + exponent
    if len(digits) <= point <= _MAX_PLAIN_DIGITS:
        return digits + "0" * exponent
    if 0 < point <= _MAX_PLAIN_DIGITS:
        return f"{digits[:point]}.{digits[point:]}"
    if _MIN_PLAIN_POINT < point <= 0:
        return f"0.{'0' * -point}{digits}"
    fraction = f".{digits[1:]}" if len(digits) > 1 else ""
    return f"{digits[0]}{fraction}e{point - 1:+d}"


def utf16_units(text: str) -> bytes:
    """Return a key that sorts texts as JavaScript sorts them."""
    return text.encode("utf-16-be", "surrogatepass")


def well_formed(text: str) -> str:
    """Return *text* with each surrogate that stands alone replaced by U+FFFD, as on its way into UTF-8."""
    return text if text.isascii() else _LONE_SURROGATE.sub("\ufffd", text)
