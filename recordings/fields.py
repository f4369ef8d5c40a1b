"""
Columns for what was recorded: whatever a recording holds comes out as it went in, on both databases.

PostgreSQL refuses U+0000 in text, neither database takes a lone surrogate, and its JSON type reorders keys and changes
numbers. So text is kept as bytes, and JSON as the ASCII text of it.
"""

from __future__ import annotations

import json
from typing import Any, Final

import zstandard
from django.db import models

from recordings.timetravel import NumberText

#: Shorter texts grow when they are compressed.
_COMPRESS_FROM_BYTES: Final = 256
_PLAIN: Final = b"\x00"
_ZSTD: Final = b"\x01"
_LEVEL: Final = 3


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


class RecordedJson(models.TextField):  # type: ignore[type-arg]  # holds any JSON, None for SQL's null
    """Recorded JSON: order of keys, large integers and odd characters included."""

    _pyi_private_set_type: Any
    _pyi_private_get_type: Any

    def from_db_value(self, value: str | None, expression: object, connection: object) -> Any:
        return None if value is None else json.loads(value)

    def to_python(self, value: Any) -> Any:
        return value

    def get_prep_value(self, value: Any) -> str | None:
        return None if value is None else dump_recorded(value)


def dump_recorded(value: Any) -> str:
    """Return *value* as JSON in ASCII. A number that no double holds becomes the text it was written as."""
    return json.dumps(value, ensure_ascii=True, separators=(",", ":"), default=_plain)


def _plain(value: Any) -> Any:
    return str(value) if isinstance(value, NumberText) else None
