"""
Columns for what was recorded: whatever a recording holds comes out as it went in, on both databases.

PostgreSQL's JSON type reorders keys, changes numbers and refuses U+0000. So JSON is kept as the ASCII text of it.
"""

from __future__ import annotations

import json
from typing import Any

from django.db import models

from footprint_site.fields import RecordedText, pack_text, unpack_text
from recordings.timetravel import NumberText

__all__ = ["RecordedJson", "RecordedText", "dump_recorded", "pack_text", "unpack_text"]


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
