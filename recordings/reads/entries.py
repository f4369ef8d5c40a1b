"""What one entry of a memory says."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Final

from sessions_app.rawjson import read_value

#: The text of a longer entry is not looked for in its JSON: its first characters stand for it.
_MAX_READ_CHARS: Final = 200_000


@dataclass(frozen=True)
class Said:
    """What an entry says: who said it and the text; None where its JSON has none in a place that we know."""

    role: str | None
    text: str | None


def said_of(body: str) -> Said:
    """Return what the entry with the JSON *body* says."""
    entry = _read(body) if len(body) <= _MAX_READ_CHARS else None
    if not isinstance(entry, dict) or "value" not in entry:
        return Said(None, None)
    value = entry["value"]
    if isinstance(value, str):
        return Said(None, value)
    if not isinstance(value, dict):
        return Said(None, None)
    role = value.get("role")
    text = next((value[name] for name in ("content", "text") if isinstance(value.get(name), str)), None)
    return Said(role if isinstance(role, str) else None, text)


def _read(text: str) -> Any:
    try:
        return read_value(text)
    except (ValueError, RecursionError):
        return None


def moment(unix_ms: float) -> datetime | None:
    """Return *unix_ms* as a time; None for one that no calendar has."""
    try:
        return datetime.fromtimestamp(unix_ms / 1000, UTC)
    except (OverflowError, ValueError, OSError):
        return None
