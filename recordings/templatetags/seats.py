"""Words of the pages of sessions, conversations and memory."""

from __future__ import annotations

from datetime import timedelta
from typing import Final

from django import template

register = template.Library()

_UNITS: Final = (("day", 86_400), ("hour", 3_600), ("minute", 60))


@register.filter
def lasting(time: timedelta) -> str:
    """Return *time*, a minute or more, by its two largest units: ``2 hours, 5 minutes``."""
    rest, words = int(time.total_seconds()), []
    for unit, n_seconds in _UNITS:
        number, rest = divmod(rest, n_seconds)
        if number:
            words.append(f"{number:,} {unit}{'' if number == 1 else 's'}")
    return ", ".join(words[:2])
