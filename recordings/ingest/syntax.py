"""
Whether a text is JSON, and where it is not, at the speed of skipping it.

msgspec checks a value while it skips it, and says in its error where the value ended. What it refuses although it is
JSON (a lone surrogate, more levels than its stack) is changed or cut up first; it always has the last word.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from http import HTTPStatus
from typing import Final

import msgspec

from recordings.ingest.escapes import without_lone_surrogates
from recordings.ingest.refusals import Refused
from recordings.timetravel.jsonspans import JsonError, value_end

_decode_raw = msgspec.json.Decoder(msgspec.Raw).decode

_TRAILING: Final = "JSON is malformed: trailing characters"
_MALFORMED: Final = re.compile(r"JSON is malformed: (.*) \(byte ([0-9]+)\)")
_PADDING: Final = b" " * 16
#: Longer than an escape, shorter than two.
_ESCAPE_WINDOW: Final = 8
_NOT_A_NUMBER: Final = re.compile(rb"-?(?:NaN|Infinity)")
_LITERALS: Final = {b"t": b"true", b"f": b"false", b"n": b"null"}
_SPACE: Final = re.compile(rb"[ \t\n\r]*+")
#: A short value that holds no other, with the white space after it. Only what is surely right: the rest is msgspec's.
_SHORT: Final = re.compile(
    rb'(?:"[^"\\\x00-\x1f]{0,64}+"|-?(?:0|[1-9][0-9]{0,18}+)(?:\.[0-9]{1,18}+)?+(?=[ ,\]}\t\n\r])'
    rb"|true|false|null|\{\}|\[\])[ \t\n\r]*+(?=[,\]}])"
)
_TOKEN: Final = re.compile(rb'[\[{]|[\]}]|"[^"\\]*+(?:\\.[^"\\]*+)*+"', re.DOTALL)
_OPENING: Final = frozenset(b"[{")
_QUOTE: Final = ord('"')
#: Levels that are checked at once; msgspec takes as many and twice over, however deep our own stack is.
_PIECE_LEVELS: Final = 200
#: Stands where a deeper piece is taken out. A digit would not do: it makes a number of “1.”.
_STAND_IN: Final = b"{}"


class JsonReader:
    """
    A text, read value by value.

    Every position is a byte offset in the text, every refusal a `Refused` that carries one.

    Args:
        text: UTF-8, but for a character that is cut off at its end.
        end: Where that character starts; the end of the text where there is none.
    """

    def __init__(self, text: bytes, end: int) -> None:
        #: As it was, or with lone surrogates replaced by something as long.
        self.text = text
        self.end = end
        self.n_lone_surrogates = 0
        #: Values that are nested too deeply for msgspec. Where they end is known, but not that they are JSON.
        self.deep: list[slice] = []
        self._view = memoryview(text)
        self._has_looked_for_surrogates = False

    def space_end(self, position: int) -> int:
        """Return where the white space at *position* ends."""
        if self.text[position : position + 1] > b" ":
            return position
        match = _SPACE.match(self.text, position)
        return match.end() if match else position

    def after(self, start: int) -> int:
        """
        Return where the text goes on after the value at *start* and the white space behind it.

        Raises:
            Refused: The value is no JSON.
        """
        match = _SHORT.match(self.text, start)
        if match:
            return match.end()
        try:
            return self._skip(start)
        except RecursionError:
            pass
        # So that the value counts as deep, even when it does not end.
        self.deep.append(slice(start, len(self.text)))
        try:
            end = value_end(self.text, start)
        except JsonError as error:
            raise truncated(len(self.text)) from error
        self.deep[-1] = slice(start, end)
        return self.space_end(end)

    def _skip(self, start: int) -> int:
        try:
            _decode_raw(self._view[start:])
        except msgspec.DecodeError as error:
            message = str(error)
        else:
            return len(self.text)
        if message.startswith(_TRAILING):
            return start + int(message[message.rindex(" ") + 1 : -1]) - 1
        if self._has_replaced_surrogates():
            return self._skip(start)
        raise self._refusal(start, message)

    def _has_replaced_surrogates(self) -> bool:
        """Replace lone surrogates, which msgspec does not skip; once, and False when there are none."""
        if self._has_looked_for_surrogates:
            return False
        self._has_looked_for_surrogates = True
        self.text, self.n_lone_surrogates = without_lone_surrogates(self.text)
        self._view = memoryview(self.text)
        return self.n_lone_surrogates > 0

    def _refusal(self, start: int, message: str) -> Refused:
        match = _MALFORMED.fullmatch(message)
        if match is None:
            # msgspec says so too when the text ends in the middle of a token that is wrong already.
            try:
                _decode_raw(bytes(self._view[start:]) + _PADDING)
            except msgspec.DecodeError as error:
                match = _MALFORMED.fullmatch(str(error))
        at = _in_literal(self.text, start + int(match[2])) if match else len(self.text)
        if match is None or at >= self.end:
            return truncated(len(self.text))
        return malformed(self.text, at, match[1])

    def check_deep(self) -> None:
        """
        Check the values that were too deep to be skipped, a number of levels at a time.

        Raises:
            Refused: One of them is no JSON.
        """
        for span in self.deep:
            for piece in _pieces(self.text, span):
                self._check_piece(piece)

    def _check_piece(self, piece: list[slice]) -> None:
        try:
            _decode_raw(_STAND_IN.join([self._view[part] for part in piece]))
        except msgspec.DecodeError as error:
            message = str(error)
        else:
            return
        if self._has_replaced_surrogates():
            self._check_piece(piece)
            return
        match = _MALFORMED.fullmatch(message)
        at = _in_literal(self.text, _position(piece, int(match[2]))) if match else piece[-1].stop - 1
        raise malformed(self.text, at, match[1] if match else "unexpected end of a value")


def _pieces(text: bytes, span: slice) -> Iterator[list[slice]]:
    """
    Yield the value at *span* in pieces of few levels, the innermost ones first.

    A piece is an object or a list, given by the parts of it that are left where deeper pieces are taken out.
    """
    open_pieces: list[list[slice]] = []
    starts: list[int] = []
    depth = 0
    for token in _TOKEN.finditer(text, span.start, span.stop):
        byte = text[token.start()]
        if byte in _OPENING:
            if depth % _PIECE_LEVELS == 0:
                if starts:
                    open_pieces[-1].append(slice(starts[-1], token.start()))
                open_pieces.append([])
                starts.append(token.start())
            depth += 1
        elif byte != _QUOTE:
            depth -= 1
            if depth % _PIECE_LEVELS == 0 and starts:
                piece = open_pieces.pop()
                piece.append(slice(starts.pop(), token.end()))
                yield piece
                if starts:
                    starts[-1] = token.end()


def _position(piece: list[slice], offset: int) -> int:
    """Return where in the text byte *offset* of the joined *piece* stands."""
    for part in piece:
        length = part.stop - part.start
        if offset <= length:
            return int(part.start + offset)
        offset -= length + len(_STAND_IN)
    return int(piece[-1].stop) - 1


def _in_literal(text: bytes, at: int) -> int:
    """Return where a literal goes wrong of which msgspec says so after its first letter; else *at*."""
    start, n_right = at - 1, 1
    literal = _LITERALS.get(text[start:at], b"")
    while n_right < len(literal) and text[start + n_right : start + n_right + 1] == literal[n_right : n_right + 1]:
        n_right += 1
    return start + n_right


def truncated(at: int) -> Refused:
    """Return the refusal of a text that ends at *at*, too early."""
    message = f"The JSON ends too early, at byte {at}: the file was cut off. Send the whole file."
    return Refused("json_truncated", message, status=HTTPStatus.BAD_REQUEST, at=at)


def trailing(at: int) -> Refused:
    """Return the refusal of a text that goes on at *at*, after its end."""
    message = f"Something follows the end of the JSON at byte {at}. Send one recording in one request."
    return Refused("trailing_data", message, status=HTTPStatus.BAD_REQUEST, at=at)


def malformed(text: bytes, at: int, reason: str) -> Refused:
    """Return the refusal of *text* for what msgspec calls *reason* at *at*."""
    if "escape" in reason:
        # It is reported a few bytes later.
        at = max(text.rfind(b"\\", max(0, at - _ESCAPE_WINDOW), at + 1), 0)
    number = at - 1 if text[at - 1 : at] == b"-" else at
    match = _NOT_A_NUMBER.match(text, number)
    if match and reason == "invalid character":
        name = match[0].decode()
        message = f"{name} at byte {number} is not JSON; the recorder must write null or a string."
        return Refused("json_invalid_number", message, status=HTTPStatus.BAD_REQUEST, at=number)
    message = f"The file is not JSON: {reason} at byte {at}. Send it as the recorder wrote it."
    return Refused("json_invalid", message, status=HTTPStatus.BAD_REQUEST, at=at)
