r"""
Escapes in JSON text that stand for what most systems have no character for: ``\u0000``, and halves of a surrogate pair.

A backslash may itself be escaped; then ``\\ud83d`` is a backslash and four letters.
"""

from __future__ import annotations

import io
import re
from collections.abc import Iterator
from typing import Final

_ESCAPE_BYTES: Final = 6
_REPLACEMENT: Final = rb"\ufffd"
_HIGH: Final = rb"\\u[dD][89abAB][0-9a-fA-F]{2}"
_LOW: Final = rb"\\u[dD][c-fC-F][0-9a-fA-F]{2}"
_SURROGATES: Final = re.compile(rb"\\u[dD][89a-fA-F][0-9a-fA-F]{2}(?:%b|%b)*+" % (_HIGH, _LOW))
_PAIR: Final = re.compile(_HIGH + _LOW)
_PAIRS: Final = re.compile(rb"(?:%b%b)*+" % (_HIGH, _LOW))
_NUL: Final = re.compile(rb"\\u0000")
_WINDOW_BYTES: Final = 1 << 12


def lone_surrogates(text: bytes) -> Iterator[int]:
    """Yield where in *text* the escape of a surrogate stands that is no part of a pair."""
    for run in _SURROGATES.finditer(text):
        position, end = run.span()
        if is_escaped(text, position):
            position += _ESCAPE_BYTES
        if _PAIRS.fullmatch(text, position, end):
            continue
        while position < end:
            if _PAIR.match(text, position):
                position += 2 * _ESCAPE_BYTES
            else:
                yield position
                position += _ESCAPE_BYTES


def without_lone_surrogates(text: bytes) -> tuple[bytes, int]:
    r"""Return *text* with each lone surrogate replaced by ``\ufffd``, which is as long, and how many there were."""
    # Copies once, when it is first written to.
    stream = io.BytesIO(text)
    n_replaced = 0
    for position in lone_surrogates(text):
        stream.seek(position)
        stream.write(_REPLACEMENT)
        n_replaced += 1
    return (stream.getvalue() if n_replaced else text), n_replaced


def count_nuls(text: bytes, start: int, end: int) -> int:
    r"""Return how many ``\u0000`` start in ``text[start:end]``."""
    matches = _NUL.finditer(text, start, end + _ESCAPE_BYTES - 1)
    return sum(not is_escaped(text, match.start()) for match in matches)


def is_escaped(text: bytes, position: int) -> bool:
    """Whether an odd number of backslashes stands before *position*."""
    n_backslashes, end = 0, position
    while text[end - 1 : end] == b"\\":
        window = text[max(0, end - _WINDOW_BYTES) : end]
        n_here = len(window) - len(window.rstrip(b"\\"))
        n_backslashes += n_here
        end -= n_here
    return n_backslashes % 2 == 1
