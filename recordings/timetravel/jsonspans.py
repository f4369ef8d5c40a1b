"""
Where the parts of JSON text stand, without reading them: linear in its length, whatever its depth.

For what msgspec does not even skip: more levels than its stack, and lone surrogates.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Final, TypeAlias

import msgspec

from recordings.timetravel.errors import TimeTravelError

Text: TypeAlias = bytes | memoryview

_FIRST_CHUNK: Final = 256
_CHUNK: Final = 1 << 16

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


def first_byte(text: Text | msgspec.Raw) -> bytes:
    """Return the first byte of *text* that is no white space; empty when there is none."""
    match = _SPACE.match(text)
    end = match.end() if match else 0
    return memoryview(text)[end : end + 1].tobytes()


def member_spans(data: Text) -> Iterator[tuple[slice, slice]]:
    """
    Yield where the key and the value of each member of the object *data* stand, however deep the values are.

    Not recursive, and without looking into strings. Assumes JSON; of anything else it raises `JsonError` where it stops
    making sense, which may be later than where it went wrong.
    """
    position = skip_space(data, _expect(data, b"{", skip_space(data, 0)))
    while data[position : position + 1] != b"}":
        key = slice(position, _string_end(data, position))
        position = skip_space(data, _expect(data, b":", skip_space(data, key.stop)))
        value = slice(position, value_end(data, position))
        yield key, value
        position = _after_comma(data, value.stop, b"}")
    _expect_end(data, position + 1)


def element_spans(data: Text) -> Iterator[slice]:
    """Yield where each element of the list *data* stands, in the way of `member_spans`."""
    position = skip_space(data, _expect(data, b"[", skip_space(data, 0)))
    while data[position : position + 1] != b"]":
        value = slice(position, value_end(data, position))
        yield value
        position = _after_comma(data, value.stop, b"]")
    _expect_end(data, position + 1)


def spans_of_lengths(data: Text, lengths: Iterable[int], brackets: bytes) -> Iterator[tuple[slice, slice]]:
    """
    Yield where the parts of *data* stand whose values have these *lengths*, in the way of `member_spans`.

    Args:
        brackets: ``{}`` for an object; ``[]`` for a list, whose keys are empty.

    Raises:
        JsonError: The lengths do not fit.
    """
    opening, closing = brackets[:1], brackets[1:]
    position = skip_space(data, _expect(data, opening, skip_space(data, 0)))
    for length in lengths:
        key = slice(position, position)
        if opening == b"{":
            key = slice(position, _string_end(data, position))
            position = skip_space(data, _expect(data, b":", skip_space(data, key.stop)))
        yield key, slice(position, position + length)
        position = _after_comma(data, position + length, closing)
    _expect_end(data, _expect(data, closing, position))


def _expect(data: Text, byte: bytes, position: int) -> int:
    if data[position : position + 1] != byte:
        raise JsonError(f"“{byte.decode()}” was expected", at=position)
    return position + 1


def _after_comma(data: Text, end: int, closing: bytes) -> int:
    """Return where the next part after one that ends at *end* starts, or where *closing* stands."""
    position = skip_space(data, end)
    if data[position : position + 1] == closing:
        return position
    return skip_space(data, _expect(data, b",", position))


def _expect_end(data: Text, position: int) -> None:
    end = skip_space(data, position)
    if end != len(data):
        raise JsonError("there is something after the end of the JSON", at=end)


def value_end(data: Text, start: int) -> int:
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


def _container_end(data: Text, start: int) -> int:
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
        brackets = _STRING.sub(b"", bytes(data[position:end])).translate(None, _NO_BRACKETS)
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


def _string_end(data: Text, start: int) -> int:
    match = _STRING.match(data, start)
    if match is None:
        raise JsonError("a string was expected, or is not ended", at=start)
    return match.end()


def skip_space(data: Text, position: int) -> int:
    match = _SPACE.match(data, position)
    return match.end() if match else position
