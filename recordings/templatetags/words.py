"""Plain words for what a recording says in codes, and small things that templates cannot say."""

from __future__ import annotations

import json
from typing import Any, Final

from django import template

from recordings.marks import MARKS

register = template.Library()

_GAPS: Final = {
    "no-fold-base": "The state before the first commit is not on record. What was there from the start may be missing "
    "below, and what looks empty may only be unknown.",
    "no-conversation-on-record": "The messages of this call are not on record. That is not to say there were none.",
    "no-run-log": "The run's own log is not on record, so tools and single lines may be missing.",
    "no-receipt-on-chart": "The call left no receipt, so what is shown was not checked against what went out.",
    "cache-transform": "The request passed through a cache strategy afterwards; what reached the provider may differ "
    "from what is shown.",
    "provider-defaults": "Settings that are not on the receipt were not recorded. They may have been set all the same.",
    "forced-tool-schema": "A tool was forced whose schema is not on record: the list is complete, the schemas are one "
    "short.",
}
_CAUSES: Final = {
    "no-receipt-committed": "The recorder wrote none.",
    "receipt-shape-rejected": "There is one, but it is not in the form of a receipt.",
}
_KINDS: Final = {
    "retrieved": "retrieved, not chosen",
    "evicted": "left the window",
    "deferred": "deferred",
    "inactive": "inactive",
}
_REASONS: Final = {
    "over-max-entries": "more were found than may be served",
    "below-threshold": "its score is below the threshold",
    "over-budget": "it did not fit the budget",
    "sliding-window": "the window slid past it",
    "summarize-oldest": "folded into a summary",
    "role-collision": "two messages of one role would have followed each other",
}
_SLOTS: Final = {"system-prompt": "System prompt", "messages": "Messages", "tools": "Tools"}
_RECEIPT_STATES: Final = {"verified": "matches", "differs": "differs", "not-on-receipt": "not on the receipt"}


_ANSWERS: Final = {
    "source_found": "Source found.",
    "sources_disagree": "Sources disagree.",
    "not_served": "Not served, but it was there to serve.",
    "evidence_missing": "Evidence missing.",
    "not_found": "Not found in anything recorded as served.",
}
_ANSWER_STATES: Final = {
    "source_found": "state--ok",
    "sources_disagree": "state--warn",
    "not_served": "state--warn",
    "evidence_missing": "state--open",
}
_HOPS: Final = {
    "written": ("born", "Written by this commit."),
    "memory_entry": ("entry", "Rendered from the entry"),
    "repeats": ("entry", "Repeats the entry"),
    "call": ("let in", "Asked for by the call"),
    "lineage": ("before", "An argument of the call stands in the earlier result"),
    "echo": ("before", "Says again what was there before:"),
    "opened": ("let in", "The skill was opened by"),
    "skill": ("let in", "The tool was named by the skill"),
    "lane": ("before", "Hands on the answer of another lane."),
    "folded": ("before", "Stands for messages that were folded."),
    "earlier_leg": ("before", "It was there before this leg began."),
}
_MISSING: Final = {
    "gap": "not on record",
    "redacted": "taken out",
    "dropped_events": "events dropped",
    "tool_result": "result not recorded",
}


def _words(table: dict[str, str], code: Any) -> str:
    """Return the words for *code*; a code that is new to us stands for itself."""
    return table.get(code, code) if isinstance(code, str) else ""


@register.filter
def gap_words(gap: Any) -> str:
    """Return what *gap* means."""
    return _words(_GAPS, gap)


@register.filter
def cause_words(cause: Any) -> str:
    """Return why there is no receipt."""
    return _words(_CAUSES, cause)


@register.filter
def kind_words(kind: Any) -> str:
    """Return what kind of thing was not served."""
    return _words(_KINDS, kind)


@register.filter
def reason_words(reason: Any) -> str:
    """Return why something was not served."""
    return _words(_REASONS, reason)


@register.filter
def mark_words(mark: Any) -> str:
    """Return what a mark over an epoch means."""
    return MARKS[mark].word


@register.filter
def mark_sign(mark: Any) -> str:
    """Return the sign of a mark over an epoch."""
    return MARKS[mark].sign


@register.filter
def slot_words(slot: Any) -> str:
    """Return the name of a slot."""
    return _words(_SLOTS, slot)


@register.filter
def receipt_words(state: Any) -> str:
    """Return how a field of a receipt compares."""
    return _words(_RECEIPT_STATES, state)


@register.filter
def first_chars(text: Any, max_chars: int) -> str:
    """Return the first characters of *text*, with an ellipsis for the rest; not one of them is changed."""
    whole = str(text)
    return whole if len(whole) <= max_chars else whole[: max_chars - 1] + "…"


@register.filter
def answer_words(answer: Any) -> str:
    """Return what a trail comes to."""
    return _words(_ANSWERS, answer)


@register.filter
def answer_state(answer: Any) -> str:
    """Return the class of the sign before that."""
    return _ANSWER_STATES.get(answer, "")


@register.filter
def hop_word(kind: Any) -> str:
    """Return the station of custody that a hop of *kind* is."""
    return _HOPS[kind][0]


@register.filter
def hop_words(kind: Any) -> str:
    """Return what a hop of *kind* says."""
    return _HOPS[kind][1]


@register.filter
def missing_words(kind: Any) -> str:
    """Return why something could not be searched."""
    return _words(_MISSING, kind)


@register.filter
def as_json(value: Any) -> str:
    """Return *value* as it was recorded: a text for itself, everything else as JSON with its own digits."""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


@register.filter
def pretty_json(text: str) -> str:
    """Return the JSON *text* over several lines; as it is where it is no JSON, or cut."""
    try:
        return json.dumps(json.loads(text), ensure_ascii=False, indent=2)
    except (ValueError, RecursionError):
        return text


@register.filter
def item_at(items: Any, index: Any) -> Any:
    """Return the element of *items* at *index*; nothing where there is none."""
    try:
        return items[index]
    except (IndexError, KeyError, TypeError):
        return None


@register.filter
def grouped(number: Any) -> str:
    """Return a whole number with its thousands apart: ``12,345``."""
    return f"{number:,.0f}"
