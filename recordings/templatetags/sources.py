"""Letters, classes and words of sources: colour is a second channel, never the only one."""

from __future__ import annotations

from typing import Any, Final, NamedTuple

from django import template

register = template.Library()


class _Look(NamedTuple):
    letter: str
    css: str
    word: str


_UNKNOWN: Final = _Look("?", "src-x", "origin not recorded")
_LOOKS: Final = {
    "base": _Look("S", "src-s", "system"),
    "steering": _Look("I", "src-i", "steering"),
    "instructions": _Look("I", "src-i", "instructions"),
    "skill": _Look("K", "src-k", "skill"),
    "fact": _Look("F", "src-f", "fact"),
    "rag": _Look("R", "src-r", "retrieval"),
    "memory": _Look("M", "src-m", "memory"),
    "tool-result": _Look("T", "src-t", "tool result"),
    # A tool that is offered is the outline of T: see `_chip.html`.
    "registry": _Look("T", "src-t", "tool offered"),
    "user": _Look("U", "src-u", "user"),
    "assistant": _Look("A", "src-a", "assistant"),
    "custom": _Look("C", "src-c", "custom"),
}


def _look_of(source: Any) -> _Look:
    return _LOOKS.get(source, _UNKNOWN) if isinstance(source, str) else _UNKNOWN


@register.filter
def source_letter(source: Any) -> str:
    """Return the letter of *source* on its chip; ``?`` for one that is not known."""
    return _look_of(source).letter


@register.filter
def source_class(source: Any) -> str:
    """Return the class that sets the colour of *source*."""
    return _look_of(source).css


@register.filter
def source_word(source: Any) -> str:
    """Return what people call *source*."""
    return _look_of(source).word
