"""
Values whose numbers keep the characters in which they were written, whatever several commits did to them.

A fold computes: between two doubles ``1.10`` becomes 1.1 and ``1e-999`` nothing at all. Here each number carries its
text along, so a value that was put together by many commits is shown with the digits of each.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import Any, Final

import msgspec

from recordings.timetravel import UNDEFINED, Log, NumberText
from recordings.timetravel.fold import Basis, Touch
from recordings.timetravel.jsonspans import JsonError, first_byte
from recordings.timetravel.jsontext import NOTHING
from recordings.timetravel.values import Value

_MAX_INT_DIGITS: Final = 4_300
#: Deeper levels are no longer indented: a small file could make a huge page.
_MAX_INDENT: Final = 24
_HALF: Final = re.compile("[\ud800-\udfff]")
# Possessive, so that no input makes it try twice.
_TOKEN: Final = re.compile(r'"[^"\\]*+(?:\\.[^"\\]*+)*+"|[\[\]{},:]|[^\s\[\]{},:"]++', re.DOTALL)


class WrittenFloat(float):
    """A double, and how it was written. It folds, compares and merges as the number."""

    text: str

    def __new__(cls, text: str) -> WrittenFloat:
        number = super().__new__(cls, text)
        number.text = text
        return number


def _read_float(text: str) -> WrittenFloat | NumberText:
    number = WrittenFloat(text)
    return NumberText(text) if number in (float("inf"), float("-inf")) else number


def _read_int(digits: str) -> int | WrittenFloat | NumberText:
    if digits == "-0":
        return WrittenFloat(digits)
    return int(digits) if len(digits) <= _MAX_INT_DIGITS else NumberText(digits)


def _refuse_constant(name: str) -> Any:
    raise JsonError(f"{name} is not JSON")


_decode = json.JSONDecoder(parse_int=_read_int, parse_float=_read_float, parse_constant=_refuse_constant).decode


class VerbatimLog(Log):
    """The same log, whose values keep their numbers as they were written. It shares the index of the other."""

    def __init__(self, log: Log) -> None:
        super().__init__(log.rows, NOTHING)
        self._log = log

    @property
    def basis(self) -> Basis:
        return self._log.basis

    def touches(self, key: str) -> Sequence[Touch]:
        return self._log.touches(key)

    def key_names(self) -> Sequence[str]:
        return self._log.key_names()

    def base_text(self, key: str) -> msgspec.Raw:
        return self._log.base_text(key)

    def base_value(self, key: str) -> Value:
        text = self.base_text(key)
        return _decode(bytes(text).decode()) if first_byte(text) else UNDEFINED

    def patch(self, row: int, key: str, verb: Value) -> Value:
        if verb == "delete":
            return UNDEFINED
        commit = self.rows[row]
        raw = (commit.overwrite if verb in ("set", "append") else commit.updates).get(key)
        return UNDEFINED if raw is None else _decode(bytes(raw).decode())


def json_as_written(value: Value) -> str:
    """
    Return *value* as JSON, every number as it was written.

    What is absent is left out of an object and null in a list, as the recorder's language writes it. Not recursive:
    the paths of a log nest values deeper than any file may.
    """
    parts: list[str] = []
    pending: list[Value] = [value]
    while pending:
        item = pending.pop()
        if isinstance(item, dict):
            pending += reversed(_object_parts(item))
        elif isinstance(item, list):
            pending += reversed(_list_parts(item))
        elif isinstance(item, NumberText):
            parts.append(item)
        elif isinstance(item, WrittenFloat):
            parts.append(item.text)
        else:
            parts.append(_scalar(item))
    return "".join(parts)


def _object_parts(value: dict[str, Value]) -> list[Value]:
    """Return the parts of an object: those of its own punctuation are texts that are written as they are."""
    parts: list[Value] = []
    for key, child in value.items():
        if child is not UNDEFINED:
            parts += [NumberText(("," if parts else "") + _scalar(key) + ":"), child]
    return [NumberText("{"), *parts, NumberText("}")]


def _list_parts(value: list[Value]) -> list[Value]:
    parts: list[Value] = []
    for child in value:
        if parts:
            parts.append(NumberText(","))
        parts.append(None if child is UNDEFINED else child)
    return [NumberText("["), *parts, NumberText("]")]


def _scalar(value: Value) -> str:
    # Half a character cannot be sent; its escape can.
    return _HALF.sub(lambda half: f"\\u{ord(half[0]):04x}", json.dumps(value, ensure_ascii=False))


def laid_out(text: str) -> str:
    """Return the JSON *text* over several lines: the same tokens, each in the very characters, with other space."""
    parts: list[str] = []
    depth = 0
    before = ""
    for match in _TOKEN.finditer(text):
        piece = match[0]
        if piece in ("]", "}"):
            depth -= 1
            parts.append(piece if before in ("[", "{") else _line(depth) + piece)
        else:
            if before in ("[", "{", ","):
                parts.append(_line(depth))
            parts.append(": " if piece == ":" else piece)
            depth += piece in ("[", "{")
        before = piece
    return "".join(parts)


def _line(depth: int) -> str:
    return "\n" + "  " * min(depth, _MAX_INDENT)
