"""How templates show what was recorded."""

from __future__ import annotations

from typing import Any

from django import template
from django.utils.safestring import SafeString

from recordings.recordedtext import shown

register = template.Library()


@register.filter(is_safe=True)
def recorded(text: Any, media: Any = None) -> SafeString:
    """
    Show recorded text: ``{{ text|recorded }}``, or ``{{ head|recorded:piece.text.media }}`` for a text from its start.

    What is not a string is shown as one.
    """
    return shown("" if text is None else str(text), media or ())


@register.simple_tag
def recorded_part(text: str, media: Any, start: int) -> SafeString:
    """Show a part of a longer text, which begins at *start* of it: ``{% recorded_part part text.media start %}``."""
    return shown(text, media or (), start)
