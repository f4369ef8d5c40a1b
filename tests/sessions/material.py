"""Ids and entries as they come, the odd ones too."""

import json
from typing import Any

from sessions_app.rawjson import RawMember, read_value
from sessions_app.services.entries import EntryDraft, entry_read

ODD_IDS = [
    "a/b/../c",
    "100% %2F _",
    "_",
    "  spaces  ",
    "Desk-7",
    "desk-7",
    "🦊👩‍👩‍👧",
    "שלום \u202eabc",
    "caf\u00e9",
    "cafe\u0301",
    "nul\u0000 here",
    "half \ud83d",
    "\n\t\r",
    "x" * 1000,
]


def entry_json(entry_id: str = "msg-1-0", turn: int = 1, content: str = "hello", **more: Any) -> str:
    return json.dumps(
        {
            "id": entry_id,
            "value": {"role": "user", "content": content},
            "version": 1,
            "createdAt": 1796045927625,
            "updatedAt": 1796045927625,
            "lastAccessedAt": 1796045927625,
            "accessCount": 0,
            "source": {"turn": turn},
        }
        | more
    )


def entry(*arguments: Any, **more: Any) -> dict[str, Any]:
    return json.loads(entry_json(*arguments, **more))


def draft(*arguments: Any, **more: Any) -> EntryDraft:
    text = entry_json(*arguments, **more)
    return entry_read(RawMember(read_value(text), text, 0))
