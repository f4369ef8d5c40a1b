"""
JSON read one level deep: each member as a value to look at, and as the text it was written in.

What is kept is the text, so that no digit, escape or unknown member of it changes.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any, Final, NamedTuple

MAX_DEPTH: Final = 512
#: Longer integers are beyond every double, and slow to read.
_MAX_INT_DIGITS: Final = 300

_STRING: Final = r'"[^"\\]*+(?:\\.[^"\\]*+)*+"'
_BRACKET: Final = re.compile(rf"[\[{{]|[\]}}]|{_STRING}", re.DOTALL)
_CONSTANT: Final = re.compile(rf"{_STRING}|(NaN|-?Infinity)", re.DOTALL)
_CUT_OFF: Final = re.compile(r"\\u[0-9a-fA-F]{0,3}|t(?:r|ru)?|f(?:a|al|als)?|n(?:u|ul)?|-")
_SPACE: Final = re.compile(r"[ \t\n\r]*+")


class RawMember(NamedTuple):
    """One value of a document."""

    value: Any
    #: As it was written.
    text: str
    #: Where *text* starts in the document that it was read from, in characters.
    start: int


class JsonRefusedError(Exception):
    """
    A text that is no JSON, or not to be read.

    Attributes:
        code: A word for programs.
        message: A sentence for people.
        at: The byte offset, None where there is no one place.
        limit: What was exceeded, None where nothing was.
    """

    def __init__(self, code: str, message: str, *, at: int | None = None, limit: int | None = None) -> None:
        super().__init__(message)
        self.code, self.message, self.at, self.limit = code, message, at, limit


def decode_text(data: bytes) -> str:
    """
    Return the text of *data*, without a byte order mark.

    Raises:
        JsonRefusedError: It is not UTF-8, or there is nothing in it.
    """
    try:
        text = data.removeprefix(b"\xef\xbb\xbf").decode()
    except UnicodeDecodeError as error:
        message = f"The request is not UTF-8 at byte {error.start}."
        raise JsonRefusedError("utf8_only", message, at=error.start) from error
    if not text.strip(" \t\r\n"):
        raise JsonRefusedError("empty_body", "The request is empty. Send a JSON object.")
    return text


def read_document(text: str) -> dict[str, RawMember]:
    """
    Return the members of the object that *text* is; of two with one name the last.

    Raises:
        JsonRefusedError: It is no JSON, deeper than `MAX_DEPTH`, or no object.
    """
    _check_depth(text)
    start = _SPACE.match(text, 0).end()  # type: ignore[union-attr]  # it matches nothing too
    try:
        if text[start] != "{":
            _, end = _decoder.raw_decode(text, start)
            _check_end(text, end)
            raise JsonRefusedError("not_an_object", "The request is JSON, but not an object.", at=0)
        members, end = _members(text, start)
        _check_end(text, end)
    except json.JSONDecodeError as error:
        raise _malformed(text, error) from error
    except _ConstantFoundError as error:
        raise _constant(text) from error
    return members


def read_elements(array: RawMember) -> list[RawMember]:
    """Return the elements of *array*, which was read as a list."""
    text, found = array.text, []
    position = _skip(text, 1)
    while text[position] != "]":
        value, end = _decoder.raw_decode(text, position)
        found.append(RawMember(value, text[position:end], position))
        position = _skip(text, end)
        if text[position] == ",":
            position = _skip(text, position + 1)
    return found


def read_value(text: str) -> Any:
    """Return the value that *text* is, which was read before."""
    return _decoder.decode(text)


def with_members(text: str, members: Mapping[str, str]) -> str:
    """
    Return the object *text* with *members*, given as JSON, in place of what it had under their names.

    Everything else stays as it is written. Members that it does not have come last.
    """
    start = _skip(text, 0)
    known, end = _members(text, start)
    places = sorted(
        ((known[name], new) for name, new in members.items() if name in known), key=lambda place: -place[0].start
    )
    added = "".join(f",{json.dumps(name)}:{new}" for name, new in members.items() if name not in known)
    text = text[: end - 1] + (added if known else added[1:]) + text[end - 1 :]
    for old, new in places:
        text = text[: old.start] + new + text[old.start + len(old.text) :]
    return text


class _ConstantFoundError(Exception):
    pass


def _refuse_constant(name: str) -> Any:
    raise _ConstantFoundError(name)


def _read_int(digits: str) -> int | float:
    # As in JavaScript, an integer beyond every double is infinite.
    return int(digits) if len(digits) <= _MAX_INT_DIGITS else float(digits)


_decoder: Final = json.JSONDecoder(parse_int=_read_int, parse_constant=_refuse_constant)


def _skip(text: str, position: int) -> int:
    return _SPACE.match(text, position).end()  # type: ignore[union-attr]  # it matches nothing too


def _members(text: str, start: int) -> tuple[dict[str, RawMember], int]:
    """Return the members of the object at *start*, and where it ends."""
    found: dict[str, RawMember] = {}
    position = _skip(text, start + 1)
    if text[position : position + 1] == "}":
        return found, position + 1
    while True:
        if text[position : position + 1] != '"':
            raise json.JSONDecodeError("a name in double quotes is missing", text, position)
        name, position = _decoder.raw_decode(text, position)
        position = _skip(text, position)
        if text[position : position + 1] != ":":
            raise json.JSONDecodeError("a colon is missing", text, position)
        position = _skip(text, position + 1)
        value, end = _decoder.raw_decode(text, position)
        found[name] = RawMember(value, text[position:end], position)
        position = _skip(text, end)
        if text[position : position + 1] == "}":
            return found, position + 1
        if text[position : position + 1] != ",":
            raise json.JSONDecodeError("a comma is missing", text, position)
        position = _skip(text, position + 1)


def _check_depth(text: str) -> None:
    depth = 0
    for token in _BRACKET.finditer(text):
        character = text[token.start()]
        if character in "[{":
            depth += 1
            if depth > MAX_DEPTH:
                at = _byte(text, token.start())
                message = f"The JSON is nested deeper than {MAX_DEPTH} levels at byte {at}."
                raise JsonRefusedError("too_deep", message, at=at, limit=MAX_DEPTH)
        elif character != '"':
            depth -= 1


def _check_end(text: str, end: int) -> None:
    end = _skip(text, end)
    if end < len(text):
        at = _byte(text, end)
        raise JsonRefusedError("trailing_data", f"Something follows the end of the JSON at byte {at}.", at=at)


def _malformed(text: str, error: json.JSONDecodeError) -> JsonRefusedError:
    is_cut_off = error.pos >= len(text) or error.msg.startswith("Unterminated string")
    # The error stands at the start of a literal, and within an escape.
    if is_cut_off or any(_CUT_OFF.fullmatch(text, start) for start in range(max(error.pos - 2, 0), error.pos + 1)):
        at = _byte(text, len(text))
        return JsonRefusedError("json_truncated", f"The JSON ends too early, at byte {at}.", at=at)
    at = _byte(text, error.pos)
    return JsonRefusedError("json_invalid", f"The request is not JSON at byte {at}: {error.msg}.", at=at)


def _constant(text: str) -> JsonRefusedError:
    match = next(match for match in _CONSTANT.finditer(text) if match[1])
    at = _byte(text, match.start())
    message = f"{match[1]} at byte {at} is not JSON; write null or a string."
    return JsonRefusedError("json_invalid_number", message, at=at)


def _byte(text: str, position: int) -> int:
    return len(text[:position].encode())
