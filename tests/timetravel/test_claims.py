"""An answer cut into sentences, and what they name."""

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recordings.timetravel import claims_in


def spans(answer, *kinds):
    return [claim.text for claim in claims_in(answer) if claim.kind in kinds]


@pytest.mark.parametrize(
    ("answer", "sentences"),
    [
        ("One. Two! Three? Four… Five", ["One.", "Two!", "Three?", "Four…", "Five"]),
        (
            "See e.g. the policy, i.e. No. 5 of Mr. Smith. Done.",
            ["See e.g. the policy, i.e. No. 5 of Mr. Smith.", "Done."],
        ),
        ("I said no. Then we paid.", ["I said no.", "Then we paid."]),
        ("It costs 3.50 EUR. Or v1.2.3 of it.", ["It costs 3.50 EUR.", "Or v1.2.3 of it."]),
        ("By J. R. Smith. Yes.", ["By J. R. Smith.", "Yes."]),
        ("He said “no.” Then left.", ["He said “no.”", "Then left."]),
        ("Am 3. September kam sie. Sie kostet z.B. 5 EUR.", ["Am 3. September kam sie.", "Sie kostet z.B. 5 EUR."]),
        ("Es waren 30. Danach kam keine.", ["Es waren 30.", "Danach kam keine."]),
        ("1. First this.\n2. Then that.", ["1. First this.", "2. Then that."]),
        ("退款将在30天内完成。好吗？好！谢谢", ["退款将在30天内完成。", "好吗？", "好！", "谢谢"]),
        ("返品は可能です。詳細はこちら", ["返品は可能です。", "詳細はこちら"]),
        ("「返品できますか。」と聞いた。", ["「返品できますか。」", "と聞いた。"]),
        ("هل وصل الطلب؟ نعم، وصل.", ["هل وصل الطلب؟", "نعم، وصل."]),
        ("रिफंड मिलेगा। धन्यवाद॥", ["रिफंड मिलेगा।", "धन्यवाद॥"]),
        ("Hoàn tiền trong 30 ngày. Cảm ơn!", ["Hoàn tiền trong 30 ngày.", "Cảm ơn!"]),
        ("คืนเงินภายใน 30 วัน\nขอบคุณ", ["คืนเงินภายใน 30 วัน", "ขอบคุณ"]),
        ("  a b  \n\n ... \n c", ["a b", "c"]),
        ("", []),
        ("... !", []),
    ],
)
def test_sentences(answer, sentences):
    assert spans(answer, "sentence") == sentences


@pytest.mark.parametrize(
    ("answer", "kind", "expected"),
    [
        ("Paid GBP 429.00, 1.500,00 EUR, €15 and $3.", "money", ["GBP 429.00", "1.500,00 EUR", "€15", "$3"]),
        ("15 % off, or 20 percent", "percentage", ["15 %", "20 percent"]),
        ("within 30 days, 1,500 times", "number", ["30", "1,500"]),
        ("on 3 September 2025, 2025-09-03 and 3. März", "date", ["3 September 2025", "2025-09-03", "3. März"]),
        ("于2025年9月3日付429元", "date", ["2025年9月3日"]),
        ("于2025年9月3日付429元", "money", ["429元"]),
        ("وصل في ٣ سبتمبر ٢٠٢٥", "date", ["٣ سبتمبر ٢٠٢٥"]),
        ("vào ngày 3 tháng 9 năm 2025", "date", ["ngày 3 tháng 9 năm 2025"]),
        (
            "order A-1042 (refund R-9004), EM7-0091, [refunds-2024]",
            "id",
            ["A-1042", "R-9004", "EM7-0091", "refunds-2024"],
        ),
        ("订单A-1042已送达", "id", ["A-1042"]),
        ("15kg in a 30-day trial, the 3rd at 10:30", "id", []),
        ("mail dana@example.org.", "email", ["dana@example.org"]),
        (
            'it says “no refund”, „nie“, «non», 「不可」 and "never"',
            "quote",
            ["no refund", "nie", "non", "不可", "never"],
        ),
        (
            "I am sorry Dana: ask Brew & Bean or Dana Whitfield of Leeds",
            "name",
            ["Dana", "Brew & Bean", "Dana Whitfield of Leeds"],
        ),
        ("Refunds are possible. We wrote to Leeds", "name", ["Leeds"]),
    ],
)
def test_what_is_named(answer, kind, expected):
    assert spans(answer, kind) == expected


def test_a_sentence_stands_before_what_is_in_it():
    claims = claims_in("Dana paid GBP 5. On 3 May 2025 she left.")

    assert [claim.kind for claim in claims] == ["sentence", "money", "sentence", "date"]


def test_an_id_is_no_number_and_a_date_no_three():
    assert spans("A-1042 on 2025-09-03", "number") == []


@given(st.text('Aa1. é。؟\n,-@“”"&;<b>*€٣年月日3退款\0\u0301', max_size=60))
def test_spans_slice_to_their_texts(answer):
    claims = claims_in(answer)

    assert all(answer[claim.start : claim.end] == claim.text != "" for claim in claims)
    assert [claim.start for claim in claims] == sorted(claim.start for claim in claims)
    apart = [claim for claim in claims if claim.kind not in ("sentence", "quote")]
    assert all(one.end <= other.start for one, other in itertools.pairwise(apart))
