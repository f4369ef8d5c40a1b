"""
Dates in the spellings of several languages, read by value.

They are looked for in folded text: plain digits, small letters without accents. ``03/09/2025`` is the third of
September to some and the ninth of March to others: both readings are kept.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Final, TypeAlias

from recordings.timetravel.trail.scripts import UNSPACED

#: Year, month, day; None where it is not said.
Day: TypeAlias = tuple[int | None, int, int | None]

#: In English, German, French, Spanish, Italian, Portuguese, Dutch, and in Arabic as of the Gulf, Maghreb and Levant.
_NAMES: Final = (
    (
        1,
        "january jan januar jaenner janner janvier janv enero ene gennaio gen janeiro januari يناير جانفي كانون_الثاني",
    ),
    (2, "february feb februar februari fevrier fevr fev febrero febbraio fevereiro فبراير فيفري شباط"),
    (3, "march mar marz maerz mars marzo marco maart mrt مارس اذار"),
    (4, "april apr avril avr abril abr aprile ابريل افريل نيسان"),
    (5, "may mai mayo maggio mag maio mei مايو ماي ايار"),
    (6, "june jun juni juin junio giugno giu junho يونيو جوان حزيران"),
    (7, "july jul juli juillet juil julio luglio lug julho يوليو جويليه تموز"),
    (8, "august aug aout agosto ago augustus اغسطس اوت اب"),
    (9, "september sept sep septembre septiembre setiembre settembre set setembro سبتمبر ايلول"),
    (10, "october oct oktober okt octobre octubre ottobre ott outubro out اكتوبر تشرين_الاول"),
    (11, "november nov novembre noviembre novembro نوفمبر تشرين_الثاني"),
    (12, "december dec dezember dez decembre diciembre dic dicembre dezembro ديسمبر كانون_الاول"),
)
_MONTHS: Final = {name.replace("_", " "): month for month, names in _NAMES for name in names.split()}
_MONTH: Final = "|".join(sorted(map(re.escape, _MONTHS), key=len, reverse=True))
_YEAR: Final = r"(?:1[0-9]|20|21)\d\d"
_OF: Final = r"(?:(?:of|de|del|من) )?"

_START: Final = rf"(?<![^\W_{UNSPACED}])"
_END: Final = rf"(?![^\W_{UNSPACED}])"

_YEAR_FIRST: Final = re.compile(
    rf"(?<![\d.,/-])({_YEAR})"
    rf"(?:([-/.])(\d\d?)\2(\d\d?)(?!\d|[-/.]\d)| ?[年년] ?(\d\d?) ?[月월](?: ?(\d\d?) ?[日일号])?)"
)
_YEAR_LAST: Final = re.compile(rf"(?<![\d.,/-])(\d\d?)([-/.])(\d\d?)\2({_YEAR})(?!\d|[-/.]\d)")
_DAY_FIRST: Final = re.compile(
    rf"(?<![\d.,/-]){_START}(\d\d?)(?:st|nd|rd|th|er|\.|º|ª)? ?{_OF}({_MONTH}){_END}(?:\.?,? ?{_OF}({_YEAR}){_END})?"
)
_MONTH_FIRST: Final = re.compile(
    rf"{_START}({_MONTH})\.? {_OF}(?:(\d\d?)(?:st|nd|rd|th)?(?:,? ({_YEAR}))?|({_YEAR})){_END}(?![.,]\d)"
)
_VIETNAMESE: Final = re.compile(rf"{_START}(?:(?:ngay |mung )?(\d\d?) )?thang (\d\d?)(?:(?:,? nam |/)({_YEAR}))?{_END}")


def dates_in(text: str) -> Iterator[tuple[int, int, frozenset[Day]]]:
    """Yield start, end and possible readings of each date in *text*, which is folded; they may overlap."""
    for m in _YEAR_FIRST.finditer(text):
        yield from _dated(m, (m[1], m[3] or m[5], m[4] or m[6]))
    for m in _YEAR_LAST.finditer(text):
        month_first = [(m[4], m[1], m[3])] if m[2] != "." else []
        yield from _dated(m, (m[4], m[3], m[1]), *month_first)
    for m in _DAY_FIRST.finditer(text):
        yield from _dated(m, (m[3], _MONTHS[m[2]], m[1]))
    for m in _MONTH_FIRST.finditer(text):
        yield from _dated(m, (m[3] or m[4], _MONTHS[m[1]], m[2]))
    for m in _VIETNAMESE.finditer(text):
        if m[1] or m[3]:
            yield from _dated(m, (m[3], m[2], m[1]))


def _dated(
    found: re.Match[str], *readings: tuple[str | None, str | int, str | None]
) -> Iterator[tuple[int, int, frozenset[Day]]]:
    days = frozenset(
        (int(year) if year else None, int(month), int(day) if day else None)
        for year, month, day in readings
        if 1 <= int(month) <= 12 and (not day or 1 <= int(day) <= 31)
    )
    if days:
        yield found.start(), found.end(), days


def is_day_of(asked: Day, found: Day) -> bool:
    """Whether *found* says everything that *asked* says: ``3 September`` is said by ``2025-09-03``."""
    return all(part is None or part == other for part, other in zip(asked, found, strict=True))


def is_month(word: str) -> bool:
    """Whether *word*, which is folded, is the name of a month."""
    return word in _MONTHS


@lru_cache(256)
def traces_of(days: frozenset[Day]) -> tuple[re.Pattern[str], ...]:
    """Return what every spelling of one of *days* has: the day in digits, the month by digits or name, the year."""
    traces = []
    if all(day for _, _, day in days):
        traces.append("|".join(rf"(?<!\d)0?{day}(?!\d)" for _, _, day in sorted(days, key=str)))
    names = [rf"(?<!\d)0?{month}(?!\d)" for _, month, _ in sorted(days, key=str)]
    names += [re.escape(name) for name, number in _MONTHS.items() if any(number == month for _, month, _ in days)]
    traces.append("|".join(names))
    if all(year for year, _, _ in days):
        traces.append("|".join(str(year) for year, _, _ in sorted(days, key=str)))
    return tuple(map(re.compile, traces))
