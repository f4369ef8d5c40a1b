"""
Reading JSON text piece by piece: what nobody asks for is skipped, and nothing in it is refused that JavaScript writes.

msgspec does the work. What it refuses although it is JSON (a number beyond a double, an integer of thousands of digits,
a lone surrogate) is read by the standard library, value by value.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any, Final

import msgspec

from recordings.timetravel.errors import TimeTravelError
from recordings.timetravel.values import Value

_MAX_INT_DIGITS: Final = 4_300
#: Text that is not there, for parts that a recording lacks.
NOTHING: Final = msgspec.Raw()
#: How often the rest of an object is handed to msgspec again; each try copies it.
_MAX_TRIES: Final = 3
_FIRST_CHUNK: Final = 256
_CHUNK: Final = 1 << 16

_decode = msgspec.json.Decoder().decode
_decode_members = msgspec.json.Decoder(dict[str, msgspec.Raw]).decode
_decode_raw = msgspec.json.Decoder(msgspec.Raw).decode
_decode_elements = msgspec.json.Decoder(list[msgspec.Raw]).decode

# Possessive, so that no input makes them try twice.
_QUOTED: Final = rb'"[^"\\]*+(?:\\.[^"\\]*+)*+"'
_STRING: Final = re.compile(_QUOTED, re.DOTALL)
_WHOLE_TOKENS: Final = re.compile(rb'[^"]*+(?:%b[^"]*+)*+' % _QUOTED, re.DOTALL)
_BRACKET_OR_STRING: Final = re.compile(rb"[\[{]|[\]}]|%b" % _QUOTED, re.DOTALL)
_SPACE: Final = re.compile(rb"[ \t\n\r]*+")
_SCALAR: Final = re.compile(rb"[^,\]}\s]++")
_NO_BRACKETS: Final = bytes(set(range(256)) - set(b"[]{}"))
_OPENING: Final = frozenset(b"[{")


class JsonError(TimeTravelError):
    """The text is no JSON."""

    code = "json_invalid"


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


def read_value(text: bytes | msgspec.Raw) -> Value:
    """
    Return the value that *text* is.

    Raises:
        JsonError: *text* is no JSON, or nested deeper than the interpreter's stack.
    """
    try:
        return _decode(text)
    except (msgspec.DecodeError, RecursionError):
        return _read_leniently(text)


def _read_leniently(text: bytes | msgspec.Raw) -> Value:
    try:
        # Raw surrogates in UTF-8 are not JSON; an escaped one is, and becomes a lone surrogate of a str.
        return _lenient.decode(bytes(text).decode("utf-8"))
    except json.JSONDecodeError as error:
        raise JsonError(f"{error.msg} at character {error.pos}", at=len(error.doc[: error.pos].encode())) from error
    except UnicodeDecodeError as error:
        raise JsonError(f"the text is not UTF-8 at byte {error.start}", at=error.start) from error
    except RecursionError as error:
        raise JsonError("the text is nested too deeply") from error


def read_members(text: bytes | msgspec.Raw) -> dict[str, msgspec.Raw] | None:
    """Return the members of the object that *text* is, unread; None when it is no object. The last of two keys wins."""
    if first_byte(text) != b"{":
        return None
    try:
        return _decode_members(text)
    except (msgspec.DecodeError, RecursionError):
        # Also for JSON that msgspec does not even skip: a lone surrogate, or more levels than its stack.
        return _scan_members(bytes(text))


def _scan_members(data: bytes) -> dict[str, msgspec.Raw]:
    members: dict[str, msgspec.Raw] = {}
    n_tries = 0
    for key, value in member_spans(data):
        name = str(read_value(data[key]))
        members[name] = msgspec.Raw(data[value])
        if n_tries < _MAX_TRIES and not _is_skipped(members[name]):
            # This one was the trouble; what follows it is most likely to be skipped in no time.
            n_tries += 1
            rest = _skip_space(data, value.stop)
            if data[rest : rest + 1] == b",":
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


def read_elements(text: bytes | msgspec.Raw) -> list[msgspec.Raw] | None:
    """Return the elements of the list that *text* is, unread; None when it is no list."""
    if first_byte(text) != b"[":
        return None
    try:
        return _decode_elements(text)
    except (msgspec.DecodeError, RecursionError):
        data = bytes(text)
        return [msgspec.Raw(data[value]) for value in element_spans(data)]


def first_byte(text: bytes | msgspec.Raw) -> bytes:
    """Return the first byte of *text* that is no white space; empty when there is none."""
    match = _SPACE.match(text)
    end = match.end() if match else 0
    return memoryview(text)[end : end + 1].tobytes()


def member_spans(data: bytes) -> Iterator[tuple[slice, slice]]:
    """
    Yield where the key and the value of each member of the object *data* stand, however deep the values are.

    Not recursive, and without looking into strings. Assumes JSON; of anything else it raises `JsonError` where it stops
    making sense, which may be later than where it went wrong.
    """
    position = _skip_space(data, _expect(data, b"{", _skip_space(data, 0)))
    while data[position : position + 1] != b"}":
        key = slice(position, _string_end(data, position))
        position = _skip_space(data, _expect(data, b":", _skip_space(data, key.stop)))
        value = slice(position, value_end(data, position))
        yield key, value
        position = _after_comma(data, value.stop, b"}")
    _expect_end(data, position + 1)


def element_spans(data: bytes) -> Iterator[slice]:
    """Yield where each element of the list *data* stands, in the way of `member_spans`."""
    position = _skip_space(data, _expect(data, b"[", _skip_space(data, 0)))
    while data[position : position + 1] != b"]":
        value = slice(position, value_end(data, position))
        yield value
        position = _after_comma(data, value.stop, b"]")
    _expect_end(data, position + 1)


def _expect(data: bytes, byte: bytes, position: int) -> int:
    if data[position : position + 1] != byte:
        raise JsonError(f"“{byte.decode()}” was expected", at=position)
    return position + 1


def _after_comma(data: bytes, end: int, closing: bytes) -> int:
    """Return where the next part after one that ends at *end* starts, or where *closing* stands."""
    position = _skip_space(data, end)
    if data[position : position + 1] == closing:
        return position
    return _skip_space(data, _expect(data, b",", position))


def _expect_end(data: bytes, position: int) -> None:
    end = _skip_space(data, position)
    if end != len(data):
        raise JsonError("there is something after the end of the JSON", at=end)


def value_end(data: bytes, start: int) -> int:
    """Return where the value that starts at *start* ends, in time linear in its length whatever its depth."""
    first = data[start : start + 1]
    if first == b'"':
        return _string_end(data, start)
    if first not in (b"{", b"["):
        match = _SCALAR.match(data, start)
        if match is None:
            raise JsonError("a value was expected", at=start)
        return match.end()
    return _container_end(data, start)


def _container_end(data: bytes, start: int) -> int:
    depth, position, size = 0, start, _FIRST_CHUNK
    while position < len(data):
        match = _WHOLE_TOKENS.match(data, position, position + size)
        # Most containers are small, and a long one is worth long strides.
        size = min(2 * size, _CHUNK)
        end = match.end() if match else position
        if end == position:
            # A string that is longer than the chunk, or not ended.
            position = _string_end(data, position)
            continue
        brackets = _STRING.sub(b"", data[position:end]).translate(None, _NO_BRACKETS)
        closing = brackets.count(b"}") + brackets.count(b"]")
        if depth > closing:
            depth += len(brackets) - 2 * closing
        else:
            # It may end in here: look at each bracket.
            for token in _BRACKET_OR_STRING.finditer(data, position, end):
                byte = data[token.start()]
                if byte in _OPENING:
                    depth += 1
                elif byte != ord('"'):
                    depth -= 1
                    if depth == 0:
                        return token.end()
        position = end
    raise JsonError("the text ends inside an object or a list", at=len(data))


def _string_end(data: bytes, start: int) -> int:
    match = _STRING.match(data, start)
    if match is None:
        raise JsonError("a string was expected, or is not ended", at=start)
    return match.end()


def _skip_space(data: bytes, position: int) -> int:
    match = _SPACE.match(data, position)
    return match.end() if match else position
