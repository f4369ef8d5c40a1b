"""
Columns for text that others wrote: whatever it holds comes out as it went in, on both databases.

PostgreSQL refuses U+0000 in text, and neither database takes a lone surrogate. So text is kept as bytes.
"""

from __future__ import annotations

import hashlib
from typing import Any, Final

import zstandard
from django.db import models

#: Shorter texts grow when they are compressed.
_COMPRESS_FROM_BYTES: Final = 256
_PLAIN: Final = b"\x00"
_ZSTD: Final = b"\x01"
_LEVEL: Final = 3


def text_key(text: str) -> str:
    """
    Return what *text* is found by: its SHA-256 in hex.

    An id may be 1,000 characters long, which is more than an index of PostgreSQL holds.
    """
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def pack_text(text: str) -> bytes:
    """Return *text*, lone surrogates included, as bytes that `unpack_text` reads."""
    data = text.encode("utf-8", "surrogatepass")
    if len(data) < _COMPRESS_FROM_BYTES:
        return _PLAIN + data
    return _ZSTD + zstandard.ZstdCompressor(_LEVEL).compress(data)


def unpack_text(packed: bytes) -> str:
    """Return the text that *packed* holds."""
    data = packed[1:]
    if packed[:1] == _ZSTD:
        data = zstandard.ZstdDecompressor().decompress(data)
    return data.decode("utf-8", "surrogatepass")


class RecordedText(models.BinaryField):  # type: ignore[type-arg]  # the stubs know bytes only
    """Recorded text of any length and any characters."""

    _pyi_private_set_type: Any
    _pyi_private_get_type: Any

    def from_db_value(self, value: bytes | memoryview | None, expression: object, connection: object) -> str | None:
        return None if value is None else unpack_text(bytes(value))

    def to_python(self, value: Any) -> Any:
        return value

    def get_db_prep_value(self, value: Any, connection: Any, prepared: bool = False) -> Any:  # noqa: FBT001, FBT002
        packed = pack_text(value) if isinstance(value, str) else value
        return super().get_db_prep_value(packed, connection, prepared)
