"""Why two texts that are not the same match: in words for the screen."""

from __future__ import annotations

import html
import re
import unicodedata
from collections.abc import Callable
from functools import lru_cache, reduce
from typing import Final

from recordings.timetravel.trail.letters import fold_character
from recordings.timetravel.trail.markup import MARKUP, fold_markup
from recordings.timetravel.trail.scripts import CONTROLS, INVISIBLE, MARKS

#: At either end of a phrase that was cut out of a sentence.
EDGES: Final = " .,;:!?…。！？、，；：؟،؛।॥\"'“”„‘’«»()[]{}（）【】「」『』"
_QUOTES: Final = {ord(c): fold_character(c) for c in "‘’‚‛′“”„‟″«»‹›「」『』‐‑‒–—―−"}
_MARKUP: Final = re.compile(f"(?i:{MARKUP})")
_VARIANTS: Final = {ord(c): fold_character(c) for c in "ٱأإآىیۍېکđĐøØłŁıæÆœŒ"}
_MARKS: Final = re.compile(f"[{MARKS.replace(chr(0x640), '')}]+")
_CONTROLS: Final = re.compile(f"[{CONTROLS}]")
_INVISIBLE: Final = re.compile(f"[{INVISIBLE}]+")
_BLANK: Final = re.compile(rf"[\s{INVISIBLE}{MARKS}]+")
#: The longest text that is looked at: a screen shows no more reasons for a longer one.
_MAX_LENGTH: Final = 2_000


def _without_markup(text: str) -> str:
    def fold(found: re.Match[str]) -> str:
        if found[0][0] == "&":
            return html.unescape(found[0])
        if found[0][:2].lower() == "\\u":
            return bytes.fromhex(found[0][2:6] + found[0][8:12]).decode("utf-16-be", "surrogatepass")
        return found[0] if _BLANK.fullmatch(found[0]) else fold_markup(found[0].lower())

    return _MARKUP.sub(fold, text)


def _digits(text: str) -> str:
    return "".join(str(unicodedata.decimal(c)) if c.isdecimal() else c for c in text)


def _without_marks(text: str) -> str:
    return unicodedata.normalize("NFC", _MARKS.sub("", unicodedata.normalize("NFD", text)))


_STEPS: Final[tuple[tuple[str, Callable[[str], str]], ...]] = (
    ("markup", _without_markup),
    ("white space", lambda text: " ".join(_INVISIBLE.sub("", _CONTROLS.sub(" ", text)).split())),
    ("quotes and dashes", lambda text: text.translate(_QUOTES)),
    ("width", lambda text: unicodedata.normalize("NFKC", text)),
    ("digits", _digits),
    ("letter forms", lambda text: text.translate(_VARIANTS).replace("\u0640", "")),
    ("case", str.casefold),
    ("diacritics", _without_marks),
    ("punctuation", lambda text: text.strip(EDGES)),
)


def differences(one: str, other: str) -> tuple[str, ...]:
    """Return what has to be overlooked to take *one* for *other*, in the order of the steps; empty when nothing."""
    return _differences(one[:_MAX_LENGTH], other[:_MAX_LENGTH])


@lru_cache(512)
def _differences(one: str, other: str) -> tuple[str, ...]:
    if one == other:
        return ()
    needed = tuple(name for name, _ in _STEPS if _without_step(name, one) != _without_step(name, other))
    return needed if 0 < len(needed) < len(_STEPS) else tuple(_first_steps(one, other))


def _first_steps(one: str, other: str) -> list[str]:
    """Return the steps that change something until both are the same: for what more than one step can undo."""
    names = []
    for name, step in _STEPS:
        changed = step(one), step(other)
        if changed != (one, other):
            names.append(name)
        one, other = changed
        if one == other:
            return names
    return ["markup"]  # Cut in two by the match, which ends inside a link.


def _without_step(name: str, text: str) -> str:
    """Return *text* after every step but the one called *name*."""
    return reduce(lambda folded, step: step[1](folded) if step[0] != name else folded, _STEPS, text)
