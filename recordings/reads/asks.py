"""The calls of tools that a message asks for."""

from __future__ import annotations

import json
from typing import Any, Final

from recordings.reads.viewed import Viewed

MAX_ARGS_CHARS: Final = 400
_MAX_ASKS: Final = 20


class Ask(Viewed, frozen=True):
    """One call, as a message asks for it."""

    id: str | None
    name: str | None
    #: As JSON, cut; None when they are not recorded.
    args: str | None
    #: How long they are in all.
    n_chars: int

    @property
    def is_cut(self) -> bool:
        """Whether there is more of the arguments."""
        return self.n_chars > MAX_ARGS_CHARS


def asks_of(message: Any) -> list[Ask]:
    """Return the calls that *message*, the fields of one, asks for, the first of them."""
    calls = message.get("toolCalls") if isinstance(message, dict) else None
    return [_ask(call) for call in (calls if isinstance(calls, list) else [])[:_MAX_ASKS] if isinstance(call, dict)]


def _ask(call: dict[str, Any]) -> Ask:
    args = json.dumps(call["args"], ensure_ascii=False) if "args" in call else None
    return Ask(
        id=call["id"] if isinstance(call.get("id"), str) else None,
        name=call["name"] if isinstance(call.get("name"), str) else None,
        args=None if args is None else args[:MAX_ARGS_CHARS],
        n_chars=len(args or ""),
    )
