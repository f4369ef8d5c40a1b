"""An entry, as it comes in: what of it has to be known to find and order it."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Final, TypeGuard

from footprint_site.fields import text_key
from sessions_app.models.conversation import MAX_TURN
from sessions_app.rawjson import RawMember
from sessions_app.services.errors import EntryInvalidError
from sessions_app.turns import stored_turn

ID_MAX_LENGTH: Final = 1000
#: A column of either database holds it, and no time comes near.
_FAR_MS: Final = 1e300


@dataclass(frozen=True)
class EntryDraft:
    """One entry to be put. *body* is its JSON as it was sent; the rest is read from it."""

    body: str
    entry_id: str
    updated_at_ms: float
    expires_at_ms: float | None
    tier_key: str
    stored_turn: int

    @property
    def entry_key(self) -> str:
        """What it is found by in its store."""
        return text_key(self.entry_id)

    def columns(self) -> dict[str, Any]:
        """Return what a row holds of it."""
        return {
            "body": self.body,
            "n_chars": len(self.body),
            "updated_at_ms": self.updated_at_ms,
            "expires_at_ms": self.expires_at_ms,
            "tier_key": self.tier_key,
            "stored_turn": self.stored_turn,
        }


def entry_read(sent: RawMember) -> EntryDraft:
    """
    Return *sent* as an entry.

    Raises:
        EntryInvalidError: It is no object, or has no id that is a text of at most `ID_MAX_LENGTH` characters, or no
            version that is a number.
    """
    entry = sent.value
    if not isinstance(entry, dict):
        raise EntryInvalidError("An entry is a JSON object.")
    entry_id = entry.get("id")
    if not isinstance(entry_id, str) or len(entry_id) > ID_MAX_LENGTH:
        raise EntryInvalidError(f"The id of an entry is a text of at most {ID_MAX_LENGTH} characters.")
    version = entry.get("version")
    if not is_number(version) or not math.isfinite(version):
        raise EntryInvalidError("The version of an entry is a number.")
    ttl, updated_at, tier = entry.get("ttl"), entry.get("updatedAt"), entry.get("tier")
    return EntryDraft(
        body=sent.text,
        entry_id=entry_id,
        updated_at_ms=_bounded(updated_at) or 0.0,
        expires_at_ms=_bounded(ttl),
        tier_key=text_key(tier) if isinstance(tier, str) else "",
        stored_turn=min(stored_turn(entry), MAX_TURN),
    )


def is_number(value: object) -> TypeGuard[int | float]:
    """Whether *value* is a number to JavaScript, infinite ones included."""
    return isinstance(value, int | float) and not isinstance(value, bool)


def _bounded(value: object) -> float | None:
    """Return *value* as a column holds it, None when it is no number."""
    if not is_number(value):
        return None
    return max(-_FAR_MS, min(_FAR_MS, float(value)))
