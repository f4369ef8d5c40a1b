"""Letters, classes, words and chips of sources."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from django import template
from django.utils.html import format_html
from django.utils.safestring import SafeString

from recordings.sources import look_of

register = template.Library()


@register.filter
def source_letter(source: Any) -> str:
    """Return the letter of *source* on its chip; ``?`` for one that is not known."""
    return look_of(source).letter


@register.filter
def source_class(source: Any) -> str:
    """Return the class that sets the colour of *source*."""
    return look_of(source).css


@register.filter
def source_word(source: Any) -> str:
    """Return what people call *source*."""
    return look_of(source).word


@register.filter
def chip(source: Any) -> SafeString:
    """Return the chip of *source*: by letter, colour and word."""
    return _chip(source if isinstance(source, str) else None)


@lru_cache(maxsize=64)
def _chip(source: str | None) -> SafeString:
    look = look_of(source)
    return format_html(
        '<span class="chip {}{}"><span class="chip__letter" aria-hidden="true">{}</span><span>{}</span></span>',
        look.css,
        " chip--schema" if source == "registry" else "",
        look.letter,
        look.word,
    )
