"""
Claims: what an answer says that can be looked up, from its sentences down to its numbers and names.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final, Literal, TypeAlias

import msgspec

from recordings.timetravel.trail.folding import Evenly, fold
from recordings.timetravel.trail.items import items_in
from recordings.timetravel.trail.letters import fold_evenly
from recordings.timetravel.trail.sentences import sentences_in
from recordings.timetravel.trail.words import STOP_WORDS

ClaimKind: TypeAlias = Literal["sentence", "quote", "email", "id", "number", "money", "percentage", "date", "name"]

_Span: TypeAlias = tuple[ClaimKind, int, int]

_EMAIL: Final = re.compile(
    r"(?<![A-Za-z0-9._%+@-])[A-Za-z0-9._%+-]{1,64}@[A-Za-z0-9-]{1,63}(?:\.[A-Za-z0-9-]{1,63}){0,7}\.[A-Za-z]{2,24}"
)
#: Letters and digits joined into one: A-1042, INV-31, EM7-0091, refunds-2024; but not 30-day, 15kg, 3rd.
_ID: Final = re.compile(
    r"(?<![A-Za-z0-9_@./-])(?!\d+-?[a-z]+(?![A-Za-z0-9_-]))"
    r"(?=[A-Za-z_-]{0,64}\d)(?=[0-9_-]{0,64}[A-Za-z])[A-Za-z0-9]+(?:[-_][A-Za-z0-9]+)*(?![A-Za-z0-9@_])"
)
_QUOTE: Final = re.compile(
    r"“([^“”\n]{1,1000})”|„([^„“”\n]{1,1000})[“”]|«([^«»\n]{1,1000})»|「([^「」\n]{1,1000})」|『([^『』\n]{1,1000})』"
    r"|(?<!\w)\"([^\"\n]{1,1000})\"(?!\w)"
)
_WORD: Final = re.compile(r"[^\W\d_][^\W_]*(?:['’.-](?=[^\W_])[^\W_]+)*")
#: What stands between the words of one name.
_GAP: Final = re.compile(r" (?:(?:of|de|da|do|van|von|der|den|del|la|le|du|al|bin|&) ){0,2}")


class ClaimSpan(msgspec.Struct, frozen=True):
    """One thing that an answer says: ``answer[start:end] == text``."""

    kind: ClaimKind
    text: str
    start: int
    end: int


def claims_in(answer: str) -> list[ClaimSpan]:
    """
    Return the sentences of *answer*, and what they name: quotes, addresses, ids, values, names.

    In the order of their starts, a sentence before what is in it. Apart from sentences and quotes, which hold others,
    none overlaps another. In a language that writes its nouns with capitals they are names too.
    """
    sentences = list(sentences_in(answer))
    spans: list[_Span] = [("sentence", start, end) for start, end in sentences]
    spans += [("quote", *m.span(m.lastindex or 0)) for m in _QUOTE.finditer(answer)]
    taken = bytearray(len(answer))
    for kind, start, end in _named(answer, sentences):
        if not any(taken[start:end]):
            taken[start:end] = b"1" * (end - start)
            spans.append((kind, start, end))
    spans.sort(key=lambda span: (span[1], -span[2], span[0] != "sentence"))
    return [ClaimSpan(kind, answer[start:end], start, end) for kind, start, end in spans]


def _named(answer: str, sentences: list[tuple[int, int]]) -> Iterator[_Span]:
    """Yield what is in the sentences; what comes first is believed where two overlap."""
    yield from (("email", *m.span()) for m in _EMAIL.finditer(answer))
    yield from (("id", *m.span()) for m in _ID.finditer(answer))
    folded = fold(Evenly(answer))
    for item in items_in(folded.text):
        yield (item.kind, *folded.span(item.start, item.end))
    for start, end in sentences:
        yield from (("name", *name) for name in _names(answer, start, end))


def _names(answer: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Yield the runs of capitalised words between *start* and *end*, but for one that only begins the sentence."""
    begin = finish = -1
    for word in _WORD.finditer(answer, start, end):
        if not word[0][0].isupper() or (begin < 0 and _is_common(word[0])):
            continue
        if begin >= 0 and not _GAP.fullmatch(answer, finish, word.start()):
            if begin != start or " " in answer[begin:finish]:
                yield begin, finish
            begin = -1
        if begin < 0:
            if _is_common(word[0]):
                continue
            begin = word.start()
        finish = word.end()
    if begin >= 0 and (begin != start or " " in answer[begin:finish]):
        yield begin, finish


def _is_common(word: str) -> bool:
    return len(word) < 2 or fold_evenly(word)[0] in STOP_WORDS
