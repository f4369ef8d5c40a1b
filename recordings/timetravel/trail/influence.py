"""
Influence: which evidence an answer resembles most. A likeness of words, and no proof of a cause.

Source: the lexical scorer of agentfootprint's influence core, and its ranking confidence. The keys of what is returned
are the reference's, so that both can be compared as they are.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import Any, Final, Literal, TypeAlias, TypedDict

from recordings.timetravel.trail.folding import Evenly, fold
from recordings.timetravel.trail.words import informative_words

#: ``id``, ``text`` and ``ancestorTexts``, a list of the texts that stood between it and the answer.
Evidence: TypeAlias = Mapping[str, Any]
Words: TypeAlias = Callable[[str], frozenset[str]]


class Signals(TypedDict):
    """What a score is made of, each 0..1: likeness to the answer; to the ancestors: mean, share of alike; nearness."""

    fa: float
    avg: float
    persist: float
    depth: float


class Scored(TypedDict):
    """The score of one piece of evidence, 0..1."""

    id: str
    signals: Signals
    weights: Signals
    #: Whether the weights were moved because there are no ancestors.
    adapted: bool
    score: float


class Confidence(TypedDict):
    """Whether the first of a ranking stands out."""

    clearWinner: bool
    margin: float
    lead: str | None
    shortlist: list[str]


_WEIGHTS: Final = Signals(fa=0.4, avg=0.3, persist=0.2, depth=0.1)
#: Without ancestors their part goes to the other two in proportion.
_ADAPTED: Final = Signals(fa=0.8, avg=0, persist=0, depth=0.2)
#: From here on an ancestor is alike.
_IS_ALIKE: Final = 0.30
_CLEAR: Final = 0.05
_NEAR: Final = 0.10
_MIN_PLURAL: Final = 4

_NO_WORD: Final = re.compile("[^a-z0-9]+")
_STOP_WORDS: Final = """
a an the and or but if to of for in on at by with is are was were be been it this that these those i you we my our me
please can could would should do does how what need want
"""
_IS_STOP_WORD: Final = frozenset(_STOP_WORDS.split()).__contains__


def lexical_influence(evidence: Iterable[Evidence], answer: str) -> list[Scored]:
    """Return the score of each of *evidence*, best first, as the reference does: it reads English only."""
    return _ranked(evidence, answer, _reference_words)


def influence_in_any_script(evidence: Iterable[Evidence], answer: str) -> list[Scored]:
    """
    Return the score of each of *evidence*, best first, by the words of any script.

    Where the reference sees no words but Latin letters without accents, this takes informative words in any spelling,
    and n-grams where a script puts no space between words.
    """
    return _ranked(evidence, answer, _any_words)


def ranking_confidence(
    ranked: Sequence[Mapping[str, Any]], strategy: Literal["margin", "ratio"] = "margin"
) -> Confidence:
    """
    Return whether the first of *ranked* stands out, and which come near it.

    Args:
        ranked: with ``id`` and ``score``, best first
        strategy: whether the lead over the second is taken as it is, or as a part of the first score

    """
    if not ranked:
        return Confidence(clearWinner=False, margin=0, lead=None, shortlist=[])
    top = ranked[0]["score"]
    margin = top - ranked[1]["score"] if len(ranked) > 1 else top
    lead = margin if strategy == "margin" else margin / abs(top) if top else 0
    return Confidence(
        clearWinner=len(ranked) == 1 or lead >= _CLEAR,
        margin=margin,
        lead=ranked[0]["id"],
        shortlist=[scored["id"] for scored in ranked if top - scored["score"] <= _NEAR],
    )


def _ranked(evidence: Iterable[Evidence], answer: str, words: Words) -> list[Scored]:
    score = partial(_scored, answer=words(answer), words=words)
    return sorted(map(score, evidence), key=lambda scored: -scored["score"])


def _scored(evidence: Evidence, answer: frozenset[str], words: Words) -> Scored:
    own = words(evidence["text"])
    ancestors = [_overlap(own, words(text)) for text in evidence.get("ancestorTexts") or ()]
    signals = Signals(
        fa=_overlap(own, answer),
        avg=sum(ancestors) / len(ancestors) if ancestors else 0,
        persist=sum(likeness >= _IS_ALIKE for likeness in ancestors) / len(ancestors) if ancestors else 0,
        depth=1 / (1 + len(ancestors)),
    )
    weights = _WEIGHTS if ancestors else _ADAPTED
    return Scored(
        id=evidence["id"],
        signals=signals,
        weights=weights.copy(),
        adapted=not ancestors,
        score=(
            weights["fa"] * signals["fa"]
            + weights["avg"] * signals["avg"]
            + weights["persist"] * signals["persist"]
            + weights["depth"] * signals["depth"]
        ),
    )


def _overlap(one: frozenset[str], other: frozenset[str]) -> float:
    return len(one & other) / math.sqrt(len(one) * len(other)) if one and other else 0


def _reference_words(text: str) -> frozenset[str]:
    words = (word for word in _NO_WORD.split(text.lower()) if len(word) > 1 and not _IS_STOP_WORD(word))
    return frozenset(map(_singular, words))


def _singular(word: str) -> str:
    is_plural = len(word) >= _MIN_PLURAL and word.endswith("s") and not word.endswith("ss")
    return word[:-1] if is_plural else word


def _any_words(text: str) -> frozenset[str]:
    evenly = Evenly(text)
    return frozenset(map(_singular, informative_words(evenly.text if evenly.is_whole else fold(evenly).text)))
