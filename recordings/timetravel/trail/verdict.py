"""What a trail comes to: one of five answers, none of which says more than the record shows."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final, Literal, TypeAlias

import msgspec

from recordings.timetravel.trail.candidates import Candidate
from recordings.timetravel.trail.claims import claims_in
from recordings.timetravel.trail.evidence import Evidence, Served
from recordings.timetravel.trail.hops import own_text
from recordings.timetravel.trail.matching import find_matches

Answer: TypeAlias = Literal["sources_disagree", "source_found", "not_served", "evidence_missing", "not_found"]

_SUBJECT: Final = re.compile(r"\b[A-Z]{1,6}-\d{2,12}\b")
_LABELLED: Final = re.compile(
    r'(?m)(?:^[ \t\-*•]*|[{,]\s*)"?([^\W\d][\w .\-]{1,40}?)"?\s*:\s*"?([^"\n,{}\[\]]{1,200})"?'
)
_WORD_BEFORE: Final = re.compile(r"([^\W\d_]{2,40})\W{1,3}(?:[A-Z]{3}\W)?$")
_VALUES: Final = frozenset({"number", "money", "date", "percentage"})
#: So many characters of a piece are looked at for values; a report of megabytes has too many to tell anything.
_MAX_CHARS: Final = 20_000
#: So many sources are held against the others.
_MAX_SOURCES: Final = 5


class Labelled(msgspec.Struct, frozen=True):
    """A value in a piece, and what it is said to be the value of."""

    label: tuple[str, ...]
    value: str
    start: int
    end: int


class Disagreement(msgspec.Struct, frozen=True):
    """Two served pieces that give one thing two values."""

    label: str
    one: Evidence
    value: str
    other: Evidence
    other_value: str


def answer_of(
    candidates: Sequence[Candidate], disagreements: Sequence[Disagreement], *, is_unserved: bool, is_missing: bool
) -> Answer:
    """
    Return what the trail comes to.

    Args:
        is_unserved: Whether the phrase stands in something that was there and was not served.
        is_missing: Whether something that would have been searched is not on record.
    """
    if disagreements:
        return "sources_disagree"
    if any(candidate.asked is None for candidate in candidates):
        return "source_found"
    if is_unserved:
        return "not_served"
    return "evidence_missing" if is_missing else "not_found"


def disagreements_of(candidates: Sequence[Candidate], served: Served) -> list[Disagreement]:
    """
    Return where another served piece contradicts the value that the phrase is in.

    Only where both name the same order or invoice and the same word before the value, or the same ``key:`` label.
    """
    found: list[Disagreement] = []
    sources = [c for c in candidates if c.match.kind != "overlap" and c.asked is None and c.echo_of is None]
    for candidate in sources[:_MAX_SOURCES]:
        mine = [
            v for v in _labelled(candidate.evidence) if v.start < candidate.match.end and candidate.match.start < v.end
        ]
        for other in served.evidence if mine else ():
            if other.id == candidate.id or other.slot == "tools" or other.state != "recorded":
                continue
            found += _between(candidate.evidence, mine, other)
    return found


def _between(one: Evidence, mine: Sequence[Labelled], other: Evidence) -> Iterator[Disagreement]:
    theirs = list(_labelled(other))
    for value in mine:
        same_label = [v for v in theirs if v.label == value.label]
        if same_label and not any(_is_same(value.value, v.value) for v in same_label):
            yield Disagreement(" ".join(value.label), one, value.value, other, same_label[0].value)


def _is_same(value: str, other: str) -> bool:
    """Whether two values are one, however they are written."""
    return any(
        match.kind != "overlap"
        for match in (
            *find_matches(value, [_Text(other, (0, len(other)))]),
            *find_matches(other, [_Text(value, (0, len(value)))]),
        )
    )


class _Text(msgspec.Struct, frozen=True, eq=False):
    text: str
    own: tuple[int, int]


def _labelled(evidence: Evidence) -> Iterator[Labelled]:
    text = own_text(evidence)[:_MAX_CHARS]
    offset = evidence.own[0]
    for match in _LABELLED.finditer(text):
        value = match[2].strip()
        if value:
            yield Labelled((match[1].casefold(),), value, offset + match.start(2), offset + match.end(2))
    subjects = sorted(set(_SUBJECT.findall(text)))
    if len(subjects) != 1:
        return
    for claim in claims_in(text):
        if claim.kind in _VALUES:
            before = _WORD_BEFORE.search(text, max(0, claim.start - 48), claim.start)
            if before:
                label = (subjects[0], before[1].casefold())
                yield Labelled(label, claim.text, offset + claim.start, offset + claim.end)
