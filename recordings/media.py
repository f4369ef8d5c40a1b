"""Data URLs inside recorded texts: found once, so that no page shows a megabyte of Base64."""

from __future__ import annotations

import re
from typing import Any, Final

#: Shorter ones are shown as they are.
_MIN_CHARS: Final = 400
_MAX_FOUND: Final = 50
_DATA_URL: Final = re.compile(
    r"data:([a-zA-Z0-9.+-]{1,40}/[a-zA-Z0-9.+-]{1,80})(?:;[a-zA-Z0-9=-]{1,40})*;base64,([A-Za-z0-9+/_-]+={0,2})"
)


def data_urls_of(text: str) -> list[dict[str, Any]]:
    """
    Return the long data URLs in *text*, the first fifty: where each starts and ends, its type, and its size in bytes.

    Offsets are characters of *text*.
    """
    if ";base64," not in text:
        return []
    found: list[dict[str, Any]] = []
    for match in _DATA_URL.finditer(text):
        n_chars = match.end() - match.start()
        if n_chars >= _MIN_CHARS and len(found) < _MAX_FOUND:
            n_bytes = len(match[2].rstrip("=")) * 3 // 4
            found.append({"start": match.start(), "end": match.end(), "type": match[1], "bytes": n_bytes})
    return found
