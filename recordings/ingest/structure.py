"""
How deep a text is nested, and how long its strings and how large its objects are: in one pass, a piece at a time.

A piece is reduced to its quotes and brackets, then to the brackets outside strings, each in one step that costs a
fraction of a nanosecond a byte. Whatever is too long or too large reaches over the end of a piece, so only what does is
measured. All of it is linear in the length of the text, whatever the text.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Container, Iterator
from http import HTTPStatus
from itertools import accumulate
from typing import Final

import msgspec

from recordings.ingest.escapes import count_nuls
from recordings.ingest.limits import Limits
from recordings.ingest.refusals import Refused

_PIECE_BYTES: Final = 1 << 16
#: The shortest member of an object, ``"":0``, is longer.
_MEMBER_BYTES: Final = 4
#: How often pairs of brackets are taken out before the rest is counted one by one.
_ROUNDS: Final = 8
#: From so many in a piece on it is faster to go over it twice than to stop at each.
_MANY_ESCAPES: Final = 2_000
#: Levels whose objects are measured; below are only those of an execution tree.
_MEASURED_LEVELS: Final = 4_096

_STRUCTURE: Final = b'"[]{}'
_NOT_STRUCTURE: Final = bytes(set(range(256)) - set(_STRUCTURE))
_ONE_KIND: Final = bytes.maketrans(b"[]", b"{}")
_ESCAPED: Final = re.compile(rb'\\[\\"]')
_QUOTE_OR_BRACKET: Final = re.compile(rb'"|[\[{]|[\]}]')
_COLON_AFTER_KEY: Final = re.compile(rb'"[ \t\n\r]*+:')
#: Halfway between the two brackets, which are two apart.
_BETWEEN_BRACKETS: Final = 124


class _Piece(msgspec.Struct, frozen=True):
    """A part of the text that parts no escape."""

    start: int
    stop: int
    #: Whether it starts inside a string.
    is_in_string: bool

    def masked(self, text: bytes) -> bytes:
        """Return it with escaped backslashes and quotes written over, so that every quote in it ends a string."""
        part = text[self.start : self.stop]
        if b"\\" not in part:
            return part
        if part.count(b"\\") < _MANY_ESCAPES:
            return _ESCAPED.sub(b"__", part)
        return part.replace(rb"\\", b"__").replace(rb"\"", b"__")


class _Container(msgspec.Struct):
    """An object or a list that reaches over the end of a piece."""

    piece: _Piece
    #: Its place among the brackets that the piece leaves open.
    number: int
    #: How long the pieces are in which it is touched: what is in it directly is not longer.
    n_bytes: int = 0
    is_counted: bool = False


class Structure:
    """
    A pass over parts of one text, in order.

    Args:
        check_keys: Raises `Refused` when the object at a position has too many keys.
        known: Positions of objects whose keys are counted already.
    """

    def __init__(self, text: bytes, limits: Limits, check_keys: Callable[[int], None], known: Container[int]) -> None:
        self._text = text
        self._limits = limits
        self._check_keys = check_keys
        self._known = known
        longest = min(limits.max_string_bytes, limits.max_key_bytes, _MEMBER_BYTES * limits.max_keys_per_object)
        self._step = max(1, min(_PIECE_BYTES, longest))
        self._open: list[_Container] = []
        self._n_unmeasured = 0
        self._string_start = 0
        #: Escapes of U+0000 so far.
        self.n_nuls = 0

    def check(self, start: int, stop: int, *, max_depth: int | None) -> None:
        """
        Check the text from *start* up to *stop*, both outside of strings.

        Args:
            max_depth: How deep it may be nested, counted from the start of the text. None for any depth.

        Raises:
            Refused: ``too_deep``, ``string_too_long``, ``key_too_long`` or ``too_many_keys``.
        """
        is_in_string = False
        while start < stop:
            piece = _Piece(start, self._piece_end(start, stop), is_in_string)
            masked = piece.masked(self._text)
            if b"\\" in masked:
                self.n_nuls += count_nuls(self._text, piece.start, piece.stop)
            tokens = _tokens(masked, is_in_string=is_in_string)
            rest, n_rounds = _without_pairs(tokens)
            if max_depth is not None and len(self._open) + n_rounds + rest.count(b"{") > max_depth:
                self._check_depth(piece, tokens, max_depth)
            brackets, is_in_string = _outside_strings(rest)
            self._measure_strings(piece, masked, is_open=is_in_string)
            self._measure_containers(piece, brackets)
            start = piece.stop

    def _piece_end(self, start: int, stop: int) -> int:
        end = min(start + self._step, stop)
        if self._text[end - 1 : end] == b"\\":
            piece = self._text[start:end]
            # An escape is not parted.
            end += (len(piece) - len(piece.rstrip(b"\\"))) % 2
        return min(end, stop)

    def _measure_strings(self, piece: _Piece, masked: bytes, *, is_open: bool) -> None:
        first = masked.find(b'"') if piece.is_in_string or is_open else -1
        if piece.is_in_string and first >= 0:
            self._measure_string(piece.start + first)
        if is_open and (first >= 0 or not piece.is_in_string):
            self._string_start = piece.start + masked.rfind(b'"')

    def _measure_string(self, end: int) -> None:
        start, limits = self._string_start, self._limits
        length = end - start - 1
        if length > limits.max_key_bytes and _COLON_AFTER_KEY.match(self._text, end):
            raise _too_long("key", start, limits.max_key_bytes, HTTPStatus.UNPROCESSABLE_ENTITY)
        if length > limits.max_string_bytes:
            raise _too_long("string", start, limits.max_string_bytes, HTTPStatus.REQUEST_ENTITY_TOO_LARGE)

    def _check_depth(self, piece: _Piece, tokens: bytes, limit: int) -> None:
        brackets, _ = _outside_strings(tokens)
        room = limit - len(self._open)
        if max(_heights(brackets), default=0) > room:
            at = next(at for at, depth in self._brackets(piece) if depth > room)
            message = f"The JSON is nested more than {limit} levels deep at byte {at}. Record such a value as text."
            raise Refused("too_deep", message, status=HTTPStatus.BAD_REQUEST, at=at, limit=limit)

    def _measure_containers(self, piece: _Piece, brackets: bytes) -> None:
        closing, opening = _levels(brackets)
        unmeasured = min(closing, self._n_unmeasured)
        self._n_unmeasured -= unmeasured
        for _ in range(min(closing - unmeasured, len(self._open))):
            self._touch(self._open.pop(), piece)
        if self._open:
            self._touch(self._open[-1], piece)
        n_measured = max(0, min(opening, _MEASURED_LEVELS - len(self._open)))
        self._n_unmeasured += opening - n_measured
        for number in range(n_measured):
            self._open.append(_Container(piece, number))
            self._touch(self._open[-1], piece)

    def _touch(self, container: _Container, piece: _Piece) -> None:
        """Note that *piece* has something of *container*, and count its keys once it is so large that it matters."""
        container.n_bytes += piece.stop - piece.start
        if container.is_counted or container.n_bytes <= _MEMBER_BYTES * self._limits.max_keys_per_object:
            return
        container.is_counted = True
        start = self._left_open(container.piece)[container.number]
        if start not in self._known and self._text[start : start + 1] == b"{":
            self._check_keys(start)

    def _left_open(self, piece: _Piece) -> list[int]:
        """Return where the brackets stand that *piece* opens and does not close."""
        found: list[int] = []
        height = 0
        for at, depth in self._brackets(piece):
            if depth > height:
                found.append(at)
            elif found:
                found.pop()
            height = depth
        return found

    def _brackets(self, piece: _Piece) -> Iterator[tuple[int, int]]:
        """Yield where each bracket of *piece* stands, and the level after it, counted from the start of the piece."""
        is_in_string, depth = piece.is_in_string, 0
        for token in _QUOTE_OR_BRACKET.finditer(piece.masked(self._text)):
            if token[0] == b'"':
                is_in_string = not is_in_string
            elif not is_in_string:
                depth += 1 if token[0] in (b"[", b"{") else -1
                yield piece.start + token.start(), depth


def _too_long(what: str, at: int, limit: int, status: HTTPStatus) -> Refused:
    message = f"The {what} at byte {at} is longer than {limit} bytes. Record it in parts, or leave it out."
    return Refused(f"{what}_too_long", message, status=status, at=at, limit=limit)


def _tokens(masked: bytes, *, is_in_string: bool) -> bytes:
    """Return the quotes and brackets of *masked*, every bracket as ``{`` or ``}``, beginning outside strings."""
    tokens = masked.translate(_ONE_KIND, _NOT_STRUCTURE)
    return b'"' + tokens if is_in_string else tokens


def _without_pairs(tokens: bytes) -> tuple[bytes, int]:
    """
    Return what is left of *tokens* without pairs of brackets and of quotes, and how many levels that took at most.

    Where it takes the end of a string and the start of the next, nothing stood between them: the two become one.
    """
    for n_rounds in range(_ROUNDS):
        shorter = tokens.replace(b'""', b"").replace(b"{}", b"")
        if len(shorter) == len(tokens):
            return tokens, n_rounds
        tokens = shorter
    return tokens, _ROUNDS


def _outside_strings(tokens: bytes) -> tuple[bytes, bool]:
    """Return the brackets of *tokens* that are in no string, and whether they end in a string."""
    parts = tokens.split(b'"')
    return b"".join(parts[::2]), len(parts) % 2 == 0


def _levels(brackets: bytes) -> tuple[int, int]:
    """Return how many levels *brackets* close that they did not open, and the other way round."""
    rest, _ = _without_pairs(brackets)
    n_opening = rest.count(b"{")
    if b"{}" not in rest:
        return len(rest) - n_opening, n_opening
    lowest = min(0, min(_heights(rest)))
    return -lowest, 2 * n_opening - len(rest) - lowest


def _heights(brackets: bytes) -> Iterator[int]:
    """Yield on which level each of *brackets* ends, counted from where they start."""
    return accumulate(map(_BETWEEN_BRACKETS.__sub__, brackets))
