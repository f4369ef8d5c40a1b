"""One phrase in its spellings: each is found in every text of its row, with exactly the words, and it is said why."""

import itertools
from datetime import date

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from recordings.timetravel import find_matches
from recordings.timetravel.trail.dates import dates_in
from recordings.timetravel.trail.items import items_in
from recordings.timetravel.trail.letters import fold_evenly
from recordings.timetravel.trail.numbers import readings


class Text(msgspec.Struct, eq=False):
    text: str


def first(phrase, text):
    matches = find_matches(phrase, [Text(text)])
    return (matches[0].kind, matches[0].text, matches[0].how) if matches else None


DATES = [
    "3 September 2025",
    "September 3, 2025",
    "September 3rd, 2025",
    "3rd of September 2025",
    "3 Sept. 2025",
    "Sep 3, 2025",
    "2025-09-03",
    "2025/09/03",
    "2025.09.03",
    "03.09.2025",
    "3.9.2025",
    "03/09/2025",
    "3. September 2025",
    "3 septembre 2025",
    "3 de septiembre de 2025",
    "3 settembre 2025",
    "3 de setembro de 2025",
    "ngày 3 tháng 9 năm 2025",
    "2025年9月3日",
    "2025 年 09 月 03 日",
    "2025년 9월 3일",
    "3 سبتمبر 2025",
    "٣ سبتمبر ٢٠٢٥",
    "٣ أيلول ٢٠٢٥",
]


@pytest.mark.parametrize(("phrase", "spelling"), itertools.permutations(DATES, 2))
def test_every_spelling_of_a_day_finds_every_other(phrase, spelling):
    kind, text, how = first(phrase, f"delivered {spelling}, paid")

    assert (kind, text) == ("normalised", spelling)
    assert how in ("date", "digits")


@pytest.mark.parametrize(
    ("phrase", "text", "expected"),
    [
        ("3 September 2025", "delivered 2025-09-03, paid GBP 429.00", "2025-09-03"),
        ("3 September 2025", "on 09/03/2025", "09/03/2025"),
        ("9 March 2025", "on 03/09/2025", "03/09/2025"),
        ("3 September 2025", "2025-09-03T10:15:00.000Z", "2025-09-03"),
        ("3 September 2025", '{"at":"2025-09-03T10:15:00+02:00"}', "2025-09-03"),
        ("3. März 2025", "le 3 mars 2025", "3 mars 2025"),
        ("March 3", "am 3. März", "3. März"),
        ("3 September", "delivered 2025-09-03", "2025-09-03"),
        ("September 2025", "in 2025年9月", "2025年9月"),
        ("1er août 2025", "2025-08-01", "2025-08-01"),
        ("15 maart 2024", "15/03/2024", "15/03/2024"),
        ("31 December 2024", "2024-12-31", "2024-12-31"),
        ("1 كانون الثاني 2025", "2025-01-01", "2025-01-01"),
        ("tháng 9 năm 2025", "2025-09-03", "2025-09-03"),
    ],
)
def test_dates(phrase, text, expected):
    assert first(phrase, text) == ("normalised", expected, "date")


AMOUNTS = ["1.500,00 EUR", "EUR 1 500", "€1.500", "€ 1,500.00", "1500 €", "EUR1'500.00", "1 500,00 euros", "١٬٥٠٠٫٠٠ €"]


@pytest.mark.parametrize(("phrase", "spelling"), itertools.permutations(AMOUNTS, 2))
def test_every_spelling_of_an_amount_finds_every_other(phrase, spelling):
    assert first(phrase, f"paid {spelling}; thanks") == ("normalised", spelling, "money")


NUMBERS = [
    "1500",
    "1,500.00",
    "1 500",
    "1\u202f500",
    "1'500",
    "1’500.00",
    "1.500",
    "1.500,00",
    "1,500",
    "١٥٠٠",
    "１５００",
]


@pytest.mark.parametrize(("phrase", "spelling"), itertools.permutations(NUMBERS, 2))
def test_every_spelling_of_a_number_finds_every_other(phrase, spelling):
    kind, text, _ = first(phrase, f"total: {spelling}; thanks")

    assert kind == "normalised" or (phrase, spelling) in {("1 500", "1\u202f500"), ("1\u202f500", "1 500")}
    assert text == spelling


@pytest.mark.parametrize(
    ("phrase", "spelling"), itertools.permutations(["15 %", "15%", "15 percent", "15,0 %", "15 Prozent", "١٥٪"], 2)
)
def test_every_spelling_of_a_percentage_finds_every_other(phrase, spelling):
    kind, text, how = first(phrase, f"off by {spelling} now")

    assert (kind, text) == ("normalised", spelling)
    assert how


@pytest.mark.parametrize(
    ("phrase", "text", "expected", "how"),
    [
        ("Refund", "a refund", "refund", "case"),
        ("STRASSE", "die Straße", "Straße", "case"),
        ("ΣΊΣΥΦΟΣ", "ο Σίσυφος", "Σίσυφος", "case"),
        ("cafe", "un café", "café", "diacritics"),
        ("Rückgabe", "Ruckgabe", "Ruckgabe", "diacritics"),
        ("hoan tien", "hoàn tiền", "hoàn tiền", "diacritics"),
        ("hoàn tiền", "hoa\u0300n tie\u0302\u0300n", None, None),
        ("Đơn hàng", "don hang", "don hang", "letter forms, diacritics"),
        ("محمد", "مُحَمَّد", "مُحَمَّد", "diacritics"),
        ("محمد", "مـحـمـد", "مـحـمـد", "letter forms"),
        ("أحمد", "احمد", "احمد", "letter forms"),
        ("إلى", "الي", "الي", "letter forms"),
        ("ＡＢＣ退款", "ABC退款", "ABC退款", "width"),
        ("カード", "ｶｰﾄﾞ", "ｶｰﾄﾞ", "width"),
        ("“30 days”", 'is "30 days" ok', '"30 days"', "quotes and dashes"),
        ("don't", "don’t", "don’t", "quotes and dashes"),
        ("out–of–stock", "out-of-stock", "out-of-stock", "quotes and dashes"),
        ("within 30 days", "within **30** days", "within **30** days", "markup"),
        ("within 30 days", "within <b>30</b>&nbsp;days", "within <b>30</b>&nbsp;days", "markup"),
        ("within 30 days", "within<br>30\\n days", "within<br>30\\n days", "markup"),
        ("café", "caf\\u00e9", "caf\\u00e9", "markup"),
        ("👍 ok", "\\ud83d\\udc4d ok", "\\ud83d\\udc4d ok", "markup"),
        ('the "Pro" plan', 'the \\"Pro\\" plan', 'the \\"Pro\\" plan', "markup"),
        ("Brew & Bean", "Brew &amp; Bean", "Brew &amp; Bean", "markup"),
        ("see the policy", "see [the policy](https://example.org/p)", "see [the policy", "markup"),
        ("use lookup_order now", "use `lookup_order` now", "use `lookup_order` now", "markup"),
        ("退款在30天内", "**退款**在30天内完成", "退款**在30天内", "markup"),
        ("4 units", "stock: 4\0units", "4\0units", "white space"),
        ("within 45 days.", "within 45 days of it", "within 45 days", "punctuation"),
        ("ابتداء من ١٥ يوم", "ابتداء من 15 يوم", "ابتداء من 15 يوم", "digits"),
        ("३० दिन", "30 दिन", "30 दिन", "digits"),
        ("ﬁnal office", "final oﬃce", "final oﬃce", "width"),
        ("wait...", "wait… what", "wait…", "width"),
    ],
)
def test_spellings(phrase, text, expected, how):
    assert first(phrase, text) == (("normalised", expected, how) if how else ("exact", text, ""))


@pytest.mark.parametrize(
    ("phrase", "text", "how"),
    [
        ("Delivered on 3 September 2025", "delivered on 2025-09-03", "date, case"),
        ("paid €1.500,00 on 3. September 2025", "paid 1500 EUR on 2025-09-03", "money, date"),
        ("退款1,500元", "退款1500元", "money"),
        ("30 Tage, 1.500,00 EUR", "30 Tage, 1500 EUR", "money"),
        ("refund of GBP 429.00 issued", "Refund of £429 issued", "money, case"),
        ("عند ٣ سبتمبر ٢٠٢٥ دفع", "عند 2025-09-03 دفع", "date"),
        ("giảm 15 % từ ngày 3 tháng 9 năm 2025", "giảm 15% từ 2025-09-03", "percentage, date"),
    ],
)
def test_words_by_spelling_and_values_by_value(phrase, text, how):
    assert first(phrase, f"… {text} …") == ("normalised", text, how)


def test_values_in_another_order_are_no_match():
    assert first("from 1,500 to 2,500", "from 2500 to 1500") in (None, ("overlap", "2500 to 1500", ""))
    assert first("from 1,500 to 2,500", "from 1500 to 2500") == ("normalised", "from 1500 to 2500", "number")


def test_money_is_found_where_the_currency_stands_elsewhere():
    assert first("GBP 429.00", '{"amount":429.0,"currency":"GBP"}') == ("normalised", "429.0", "number")


@pytest.mark.parametrize(
    ("token", "values"),
    [
        ("1500", {"1500"}),
        ("1.500", {"1500", "1.5"}),
        ("1,500.00", {"1500"}),
        ("1.500,5", {"1500.5"}),
        ("1.234.567", {"1234567"}),
        ("12,34,567", {"1234567"}),
        ("1 500,25", {"1500.25"}),
        ("0.50", {"0.5"}),
        ("0,500", {"0.5"}),
        ("0", {"0"}),
        ("10.0.0.1", set()),
        ("1.2.3", set()),
        ("007", set()),
        ("1,500,00", set()),
        ("9" * 60, set()),
    ],
)
def test_readings_of_a_number(token, values):
    assert readings(token) == values


@pytest.mark.parametrize(
    "text", ["a-1042", "em7-0091", "10:30", "192.168.0.1", "007", "15kg", "v1.2.3", "2025-13-45", "x_5"]
)
def test_ids_times_and_versions_are_no_values(text):
    assert items_in(text) == []


@given(st.dates(date(1900, 1, 1), date(2199, 12, 31)))
@settings(deadline=None)
def test_a_day_is_read_from_every_spelling(day):
    spellings = [
        day.isoformat(),
        f"{day.day} {day:%B} {day.year}",
        f"{day:%b} {day.day}, {day.year}",
        f"{day.day}.{day.month}.{day.year}",
        f"{day.year}年{day.month}月{day.day}日",
        f"ngày {day.day} tháng {day.month} năm {day.year}",
    ]
    for spelling in spellings:
        read = list(dates_in(fold_evenly(spelling)[0]))
        assert [days for start, end, days in read if end - start == max(e - s for s, e, _ in read)] == [
            {(day.year, day.month, day.day)}
        ]
