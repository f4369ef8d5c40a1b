"""
What is matched by value and not by spelling: numbers, amounts of money, percentages, dates.

Looked for in folded text.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterable
from typing import Final, Literal, TypeAlias

import msgspec

from recordings.timetravel.trail.dates import Day, dates_in, is_day_of, traces_of
from recordings.timetravel.trail.numbers import NUMBER, readings, trace_of
from recordings.timetravel.trail.scripts import UNSPACED

ItemKind: TypeAlias = Literal["number", "money", "percentage", "date"]

#: By the sign or word that a number stands beside; several where a sign is used by several countries.
_CURRENCIES: Final[dict[str, frozenset[str]]] = {
    word: frozenset(codes.split())
    for codes, words in (
        ("eur", "€ eur euro euros"),
        ("gbp", "£ gbp pound pounds"),
        ("usd", "usd us$"),
        ("usd cad aud nzd sgd hkd mxn", "$ dollar dollars"),
        ("jpy cny", "¥"),
        ("jpy", "jpy yen 円"),
        ("cny", "cny rmb yuan 元"),
        ("inr", "₹ inr rs rs. rupees"),
        ("krw", "₩ krw 원"),
        ("vnd", "₫ vnd dong"),
        ("thb", "฿ thb baht บาท"),
        ("chf", "chf fr. sfr"),
        ("sek dkk nok", "kr"),
        ("sek", "sek"),
        ("dkk", "dkk"),
        ("nok", "nok"),
        ("pln", "pln zl"),
        ("czk", "czk kc"),
        ("try", "₺ tl"),
        ("ils", "₪ ils"),
        ("rub", "₽ rub"),
        ("cad", "cad c$ ca$"),
        ("aud", "aud a$ au$"),
        ("sgd", "sgd s$"),
        ("hkd", "hkd hk$"),
        ("nzd", "nzd nz$"),
        ("brl", "brl r$"),
        ("aed", "aed درهم"),
        ("sar", "sar ريال"),
        ("egp", "egp جنيه"),
    )
    for word in words.split()
}
_UNIT: Final = "|".join(sorted(map(re.escape, _CURRENCIES), key=len, reverse=True))
_BEFORE: Final = re.compile(rf"(?:^|(?<![^\W_])|(?<=[^\x00-\x7f]))({_UNIT}) ?$")
_AFTER: Final = re.compile(rf" ?(?:({_UNIT})|(%|percent|per cent|prozent|pour cent|por ciento|per cento|procent))")
#: Far enough to see the longest unit.
_REACH: Final = 12
#: Parts of ids, of times, of addresses: no numbers.
_JOINED_BEFORE: Final = re.compile(rf"(?:[^\W\d_{UNSPACED}]|[^\W_{UNSPACED}][-/:.,]|_)$")
_JOINED_AFTER: Final = re.compile(rf"[-/:][^\W{UNSPACED}]|[^\W\d{UNSPACED}]")
#: A letter of a script with spaces.
_NEXT_WORD: Final = re.compile(r" ?[^\W\d_]")


class Item(msgspec.Struct, frozen=True):
    """A number or date at one place of a text, with every value that it may have."""

    kind: ItemKind
    start: int
    end: int
    #: Where its number alone is; the whole of it for a date.
    number: tuple[int, int]
    values: frozenset[str] = frozenset()
    days: frozenset[Day] = frozenset()
    currencies: frozenset[str] = frozenset()
    #: Whether a word follows that may well be its unit.
    has_word_after: bool = False

    def is_same(self, other: Item) -> bool:
        """Whether *other*, found in a text, says what this one, which was asked for, says."""
        if self.kind == "date" or other.kind == "date":
            return any(is_day_of(asked, found) for asked in self.days for found in other.days)
        if not self.values & other.values or (self.kind == "percentage") != (other.kind == "percentage"):
            return False
        if self.currencies and not other.currencies:
            return not other.has_word_after
        return not self.currencies or bool(self.currencies & other.currencies)

    @property
    def traces(self) -> tuple[re.Pattern[str], ...]:
        """What every spelling of it has, the rarer first."""
        return traces_of(self.days) if self.kind == "date" else (trace_of(self.values),)


def items_in(text: str, *, is_dates_only: bool = False) -> list[Item]:
    """Return the numbers and dates of *text*, which is folded, in order; a date is not also its numbers."""
    found: list[Item] = []
    for start, end, days in sorted(dates_in(text), key=lambda date: (date[0], -date[1])):
        date = Item("date", start, end, (start, end), days=days)
        if not found or start >= found[-1].end:
            found.append(date)
        elif end - start > found[-1].end - found[-1].start:
            found[-1] = date
    if is_dates_only:
        return found
    taken = deque((item.start, item.end) for item in found)
    found += (item for item in _numbers_in(text) if not _overlaps(item, taken))
    return sorted(found, key=lambda item: item.start)


def _overlaps(item: Item, taken: deque[tuple[int, int]]) -> bool:
    """Whether *item* is part of what is *taken*; items come in order, so what is passed is dropped."""
    while taken and taken[0][1] <= item.number[0]:
        taken.popleft()
    return bool(taken) and taken[0][0] < item.number[1]


def _numbers_in(text: str) -> Iterable[Item]:
    past = 0
    for found in NUMBER.finditer(text):
        start, end = found.span()
        values = readings(found[0])
        if not values or (_JOINED_BEFORE.search(text, max(past, start - 2), start) and not _unit_before(text, start)):
            continue
        item = _with_unit(text, start, end, values, past)
        if item is not None:
            past = item.end
            yield item


def _unit_before(text: str, start: int) -> re.Match[str] | None:
    return _BEFORE.search(text[max(0, start - _REACH) : start])


def _with_unit(text: str, start: int, end: int, values: frozenset[str], past: int) -> Item | None:
    after = _AFTER.match(text, end)
    if after and after[0][-1].isalpha() and _continues(text, after):
        after = None
    if after and after[2]:
        return Item("percentage", start, after.end(), (start, end), values)
    before = _unit_before(text, start)
    if before and start - len(before[0]) >= past:
        return Item("money", start - len(before[0]), end, (start, end), values, currencies=_CURRENCIES[before[1]])
    if after:
        return Item("money", start, after.end(), (start, end), values, currencies=_CURRENCIES[after[1]])
    if _JOINED_AFTER.match(text, end):
        return None
    return Item("number", start, end, (start, end), values, has_word_after=_NEXT_WORD.match(text, end) is not None)


def _continues(text: str, unit: re.Match[str]) -> bool:
    """Whether *unit* is only the start of a longer word."""
    following = text[unit.end() : unit.end() + 1]
    return following.isalnum() and (following.isascii() or unit[0].strip().isascii())
