"""Recorded text as it is shown: escaped once, with a sign for what could not be seen, and no picture in it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from html import escape
from typing import Any, Final

from django.template.defaultfilters import filesizeformat
from django.utils.safestring import SafeString

from footprint_site.templating import well_formed
from recordings.hidden import HIDDEN, is_of_use, is_tag, label_of, name_of

#: So many signs say in full what they stand for; a page of nothing else would grow too large.
_MAX_TITLES: Final = 300
_MAX_NAMES: Final = 3
_TAG_TITLE: Final = "U+E0000 to U+E007F, invisible TAG characters, as the letters that they stand for"


def shown(text: str, media: Sequence[Mapping[str, Any]] = (), start: int = 0) -> SafeString:
    """
    Return *text* as HTML that shows every character and runs nothing.

    A character that cannot be seen or that reorders others becomes a sign, `<span class="sign">`. It stays only where
    it does what it is for: in an emoji, inside a word of a script that needs it, in the end of a line.

    media: the data URLs of the whole text, as `Text.media` has them; each is shown as its type and size.
    start: where in the whole text *text* begins.
    """
    return Shower().show(text, media, start)


class Shower:
    """Shows the parts of one page."""

    def __init__(self) -> None:
        self._n_signs = 0

    def show(self, text: str, media: Sequence[Mapping[str, Any]] = (), start: int = 0) -> SafeString:
        """Return *text* as `shown` does."""
        parts, at, end = [], start, start + len(text)
        for url in media:
            if url["start"] < end and url["end"] > at:
                parts.append(self._words(text[at - start : max(url["start"], at) - start]))
                parts.append(_chip(url, is_continued=url["start"] < at))
                at = url["end"]
        parts.append(self._words(text[max(at - start, 0) :] if at < end else ""))
        return SafeString("".join(parts))

    def _words(self, text: str) -> str:
        # Escaping puts no hidden character in, and takes none of the neighbours away that one is judged by.
        return HIDDEN.sub(self._run, escape(well_formed(text)))

    def _run(self, match: re.Match[str]) -> str:
        text, parts, signs = match.string, [], ""
        for at in range(match.start(), match.end()):
            if is_of_use(text, at):
                parts += [self._sign(signs), text[at]]
                signs = ""
                continue
            if signs and is_tag(signs[-1]) != is_tag(text[at]):
                parts.append(self._sign(signs))
                signs = ""
            signs += text[at]
        parts.append(self._sign(signs))
        return "".join(parts)

    def _sign(self, chars: str) -> str:
        """Return one sign for *chars*, which are tags all or none of them."""
        if not chars:
            return ""
        self._n_signs += 1
        is_tags = is_tag(chars[0])
        label = escape("".join(map(_letter_of, chars))) if is_tags else " ".join(_labels(chars))
        if self._n_signs > _MAX_TITLES:
            return f'<span class="sign">{label}</span>'
        return f'<span class="sign" title="{_TAG_TITLE if is_tags else _names(chars)}">{label}</span>'


def _labels(chars: str) -> Iterable[str]:
    """Yield the labels of *chars*; a row of the same one once, with how many there are."""
    for run in re.finditer(r"(.)\1*", chars, re.DOTALL):
        n = run.end() - run.start()
        yield label_of(run[1]) if n == 1 else f"{label_of(run[1])}×{n}"


def _names(chars: str) -> str:
    different = list(dict.fromkeys(chars))
    names = [name_of(char) for char in different[:_MAX_NAMES]]
    return "; ".join(names) + (" and others" if len(different) > _MAX_NAMES else "")


def _letter_of(tag: str) -> str:
    code = ord(tag) - 0xE0000
    return chr(code) if ord(" ") <= code < 0x7F else f"[TAG-{code:02X}]"


def _chip(url: Mapping[str, Any], *, is_continued: bool) -> str:
    size = escape(filesizeformat(url["bytes"]).replace("\xa0", " "))
    more = ", continued" if is_continued else ""
    return f'<span class="media"><bdi>{escape(str(url["type"]))}</bdi> · {size}{more}</span>'
