"""Whether the bytes of a file are the text that a recording has to be: UTF-8."""

from __future__ import annotations

import codecs
from http import HTTPStatus
from typing import Final

from recordings.ingest.refusals import Refused

_CHUNK_BYTES: Final = 1 << 16
_GZIP_MAGIC: Final = b"\x1f\x8b"
_UTF_16_MARKS: Final = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
_SPACE: Final = b" \t\r\n"
_SAVE_AS_UTF_8: Final = "A recording is UTF-8: write it as UTF-8 and send it again."


def utf8_span(data: bytes) -> slice:
    """
    Return where the text in *data* stands: after a byte order mark, and before a last character that is cut off.

    Raises:
        Refused: There is no text (``empty_body``), it is compressed (``bad_gzip``), or is not UTF-8 (``utf8_only``).
    """
    if data.startswith(_GZIP_MAGIC):
        message = "The recording is compressed with gzip. Send it with the header “Content-Encoding: gzip”."
        raise Refused("bad_gzip", message, status=HTTPStatus.BAD_REQUEST, at=0)
    # In two or four bytes a unit, one of the first two bytes of any JSON is a NUL, where UTF-8 has none.
    if data.startswith(_UTF_16_MARKS) or 0 in data[:2]:
        raise _utf8_only("The file is UTF-16 or UTF-32.", 0)
    start = len(codecs.BOM_UTF8) if data.startswith(codecs.BOM_UTF8) else 0
    end = _utf8_end(data)
    if not data[start : start + _CHUNK_BYTES].strip(_SPACE) and not data[start:].strip(_SPACE):
        raise Refused("empty_body", "No recording in the request.", status=HTTPStatus.BAD_REQUEST)
    return slice(start, end)


def _utf8_end(data: bytes) -> int:
    """Return how much of *data* is whole characters. In pieces, so that there is no second copy of it in memory."""
    position, is_last = 0, not data
    while not is_last:
        chunk = data[position : position + _CHUNK_BYTES]
        is_last = position + len(chunk) == len(data)
        n_read = len(chunk)
        if not chunk.isascii():
            try:
                n_read = codecs.utf_8_decode(chunk, "strict", False)[1]  # noqa: FBT003  # it takes no keywords
            except UnicodeDecodeError as error:
                at = position + error.start
                raise _utf8_only(f"Byte {at} (0x{data[at]:02X}) is not UTF-8.", at) from error
        # A character that the chunk cuts goes into the next one.
        position += n_read
    return position


def _utf8_only(what: str, at: int) -> Refused:
    return Refused("utf8_only", f"{what} {_SAVE_AS_UTF_8}", status=HTTPStatus.UNSUPPORTED_MEDIA_TYPE, at=at)
