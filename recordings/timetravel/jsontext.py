"""
Reading JSON text piece by piece: what nobody asks for is skipped, and nothing in it is refused that JavaScript writes.

msgspec does the work. What it refuses although it is JSON (a number beyond a double, an integer of thousands of digits,
a lone surrogate) is read by the standard library, value by value.
"""

from __future__ import annotations

import json
import re
from typing import Any, Final

import msgspec

from recordings.timetravel.jsonspans import (
    JsonError,
    Text,
    element_spans,
    first_byte,
    member_spans,
    skip_space,
    spans_of_lengths,
)
from recordings.timetravel.values import Value

_MAX_INT_DIGITS: Final = 4_300
#: Text that is not there, for parts that a recording lacks.
NOTHING: Final = msgspec.Raw()
#: How often the rest of an object is handed to msgspec again; each try copies it.
_MAX_TRIES: Final = 3
#: An escape of half a character, and one of its length to stand in. After another backslash both are plain text.
_HALF: Final = re.compile(rb"\\u[dD][89a-fA-F][0-9a-fA-F]{2}")
_STAND_IN: Final = rb"\u0020"

_decode = msgspec.json.Decoder().decode
_decode_members = msgspec.json.Decoder(dict[str, msgspec.Raw]).decode
_decode_raw = msgspec.json.Decoder(msgspec.Raw).decode
_decode_elements = msgspec.json.Decoder(list[msgspec.Raw]).decode


class NumberText(str):
    """
    A number that no double holds, as it was written.

    It is text to whoever compares or shows it, and written back it is the number again.
    """

    __slots__ = ()


def _read_int(digits: str) -> int | NumberText:
    return int(digits) if len(digits) <= _MAX_INT_DIGITS else NumberText(digits)


def _read_float(text: str) -> float | NumberText:
    number = float(text)
    return NumberText(text) if number in (float("inf"), float("-inf")) else number


def _refuse_constant(name: str) -> Any:
    raise JsonError(f"{name} is not JSON")


_lenient = json.JSONDecoder(parse_int=_read_int, parse_float=_read_float, parse_constant=_refuse_constant)


def read_value(text: Text | msgspec.Raw) -> Value:
    """
    Return the value that *text* is.

    Raises:
        JsonError: *text* is no JSON, or nested deeper than the interpreter's stack.
    """
    try:
        return _decode(text)
    except (msgspec.DecodeError, RecursionError):
        return _read_leniently(text)


def _read_leniently(text: Text | msgspec.Raw) -> Value:
    try:
        # Raw surrogates in UTF-8 are not JSON; an escaped one is, and becomes a lone surrogate of a str.
        return _lenient.decode(bytes(text).decode("utf-8"))
    except json.JSONDecodeError as error:
        raise JsonError(f"{error.msg} at character {error.pos}", at=len(error.doc[: error.pos].encode())) from error
    except UnicodeDecodeError as error:
        raise JsonError(f"the text is not UTF-8 at byte {error.start}", at=error.start) from error
    except RecursionError as error:
        raise JsonError("the text is nested too deeply") from error


def read_members(text: Text | msgspec.Raw) -> dict[str, msgspec.Raw] | None:
    """Return the members of the object that *text* is, unread; None when it is no object. The last of two keys wins."""
    if first_byte(text) != b"{":
        return None
    try:
        return _decode_members(text)
    except (msgspec.DecodeError, RecursionError):
        # Also for JSON that msgspec does not even skip: a lone surrogate, or more levels than its stack.
        data = memoryview(text)
        return _members_beside_halves(data) or _scan_members(data)


def _members_beside_halves(data: memoryview) -> dict[str, msgspec.Raw] | None:
    """
    Return the members of the object *data* that has halves of characters; None when that is not all that is odd.

    With something else in their places msgspec tells how long each value is.
    """
    try:
        lengths = [len(memoryview(value)) for value in _decode_members(_without_halves(data)).values()]
        spans = list(spans_of_lengths(data, lengths, b"{}"))
    except (msgspec.DecodeError, RecursionError, JsonError):
        return None
    return {str(read_value(data[key])): msgspec.Raw(data[value]) for key, value in spans}


def _elements_beside_halves(data: memoryview) -> list[msgspec.Raw] | None:
    """Return the elements of the list *data*, in the way of `_members_beside_halves`."""
    try:
        lengths = [len(memoryview(value)) for value in _decode_elements(_without_halves(data))]
        return [msgspec.Raw(data[value]) for _, value in spans_of_lengths(data, lengths, b"[]")]
    except (msgspec.DecodeError, RecursionError, JsonError):
        return None


def _without_halves(data: memoryview) -> bytearray:
    # Not by a substitution, which needs the room for two copies.
    changed = bytearray(data)
    for match in _HALF.finditer(data):
        changed[match.start() : match.end()] = _STAND_IN
    return changed


def _scan_members(data: memoryview) -> dict[str, msgspec.Raw]:
    members: dict[str, msgspec.Raw] = {}
    n_tries = 0
    for key, value in member_spans(data):
        name = str(read_value(data[key]))
        members[name] = msgspec.Raw(data[value])
        if n_tries < _MAX_TRIES and not _is_skipped(members[name]):
            # This one was the trouble; what follows it is most likely to be skipped in no time.
            n_tries += 1
            rest = skip_space(data, value.stop)
            if bytes(data[rest : rest + 1]) == b",":
                try:
                    return members | _decode_members(b"{" + data[rest + 1 :])
                except (msgspec.DecodeError, RecursionError):
                    continue
    return members


def _is_skipped(text: msgspec.Raw) -> bool:
    """Whether msgspec gets over *text*."""
    try:
        _decode_raw(text)
    except (msgspec.DecodeError, RecursionError):
        return False
    return True


def read_elements(text: Text | msgspec.Raw) -> list[msgspec.Raw] | None:
    """Return the elements of the list that *text* is, unread; None when it is no list."""
    if first_byte(text) != b"[":
        return None
    try:
        return _decode_elements(text)
    except (msgspec.DecodeError, RecursionError):
        data = memoryview(text)
        found = _elements_beside_halves(data)
        return [msgspec.Raw(data[value]) for value in element_spans(data)] if found is None else found
