"""The difference of two texts by words, for the eye of a reader."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from itertools import groupby
from typing import Final, Literal, TypeAlias

Sign: TypeAlias = Literal["=", "-", "+"]

#: A word, white space, or one other character; of scripts without spaces each character is a word.
_WORD: Final = re.compile(r"[^\W\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\u0e00-\u0e7f]+|\s+|.", re.DOTALL)
#: The comparison costs the product of both lengths: of more words the middle is shown as one change.
_MAX_WORDS: Final = 1_200


def word_changes(old: str, new: str) -> list[tuple[Sign, str]]:
    """
    Return how *new* comes from *old*: stretches that stay (``=``), went (``-``) and came (``+``), in reading order.

    Stretches of ``=`` and ``-`` joined are *old*, those of ``=`` and ``+`` are *new*.
    """
    before, after = _WORD.findall(old), _WORD.findall(new)
    n_start = _n_alike(before, after)
    n_end = _n_alike(before[n_start:][::-1], after[n_start:][::-1])
    middle = _middle(before[n_start : len(before) - n_end], after[n_start : len(after) - n_end])
    signed = [("=", "".join(before[:n_start])), *middle, ("=", "".join(before[len(before) - n_end :]))]
    return [
        (sign, "".join(text for _, text in group))
        for sign, group in groupby((part for part in signed if part[1]), key=lambda part: part[0])
    ]


def _n_alike(before: Sequence[str], after: Sequence[str]) -> int:
    n_alike = 0
    for old, new in zip(before, after, strict=False):
        if old != new:
            break
        n_alike += 1
    return n_alike


def _middle(before: Sequence[str], after: Sequence[str]) -> Iterator[tuple[Sign, str]]:
    if max(len(before), len(after)) > _MAX_WORDS:
        yield "-", "".join(before)
        yield "+", "".join(after)
        return
    matcher = SequenceMatcher(None, before, after, autojunk=False)
    for tag, old_start, old_end, new_start, new_end in matcher.get_opcodes():
        if tag == "equal":
            yield "=", "".join(before[old_start:old_end])
        else:
            yield "-", "".join(before[old_start:old_end])
            yield "+", "".join(after[new_start:new_end])
