"""The claims of an answer as a page shows them: stretches of its text, each with what stands behind it."""

from __future__ import annotations

from collections import Counter
from typing import Final
from urllib.parse import urlencode

from recordings.models import Epoch
from recordings.reads.viewed import Viewed
from recordings.timetravel.trail.supported import AnswerClaims, Claim

_SENTENCE: Final = "sentence"
#: Of a longer answer the rest is not held against anything, and said so.
MAX_CHARS: Final = 20_000


class Stretch(Viewed, frozen=True):
    """A part of an answer."""

    text: str
    #: ``source``, ``differ`` or ``none``; empty for what claims nothing.
    support: str
    #: How many served pieces hold it.
    n_pieces: int
    #: The query of its trail; empty for what claims nothing.
    query: str


class ClaimsView(Viewed, frozen=True):
    """An answer with its claims marked."""

    lane: str
    stretches: list[Stretch]
    #: How many claims there are by what stands behind them.
    n_source: int
    n_differ: int
    n_none: int
    n_left_out: int


def claims_view(answer: AnswerClaims, epoch: Epoch) -> ClaimsView:
    """Return *answer* cut where its claims begin and end: what is inside a sentence before the sentence."""
    text = answer.text[:MAX_CHARS]
    owners: list[Claim | None] = [None] * len(text)
    for claim in sorted(answer.claims, key=lambda claim: claim.span.start - claim.span.end):
        for at in range(claim.span.start, min(claim.span.end, len(text))):
            owners[at] = claim
    counted = Counter(claim.support for claim in answer.claims)
    return ClaimsView(
        lane=answer.lane,
        stretches=list(_stretches(text, owners, epoch)),
        n_source=counted["source"],
        n_differ=counted["differ"],
        n_none=counted["none"],
        n_left_out=len(answer.text) - len(text),
    )


def _stretches(text: str, owners: list[Claim | None], epoch: Epoch) -> list[Stretch]:
    found: list[Stretch] = []
    start = 0
    for at in range(1, len(text) + 1):
        if at == len(text) or owners[at] is not owners[start]:
            found.append(_stretch(text[start:at], owners[start], epoch))
            start = at
    return found


def _stretch(text: str, claim: Claim | None, epoch: Epoch) -> Stretch:
    if claim is None or not text.strip():
        return Stretch(text, "", 0, "")
    query = urlencode(
        {"epoch": epoch.position, "phrase": claim.span.text[:2_000], "claims": "on"}, errors="surrogatepass"
    )
    return Stretch(text, claim.support, len(claim.evidence), f"?{query}")
