"""Where a phrase stands in pieces: kinds, offsets, bounds, order."""

import unicodedata

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from recordings.timetravel import context_of, find_matches
from recordings.timetravel.trail import MAX_MATCHES, SearchedPieces
from recordings.timetravel.trail.asked import Phrase
from recordings.timetravel.trail.scripts import is_boundary
from tests.corpus import needs_corpus, recording_named


class Text(msgspec.Struct, eq=False):
    """A piece without wrapping."""

    text: str


class Wrapped(msgspec.Struct, eq=False):
    text: str
    own: tuple[int, int]


def found(phrase, *texts):
    """Kind and text of each match."""
    return [(match.kind, match.text) for match in find_matches(phrase, map(Text, texts))]


#: Letters with and without spaces, accents apart, what is invisible, digits of two scripts, markup, half a pair.
ALPHABET = (
    "aAbBsSß éÉe\u0301iİıdđ"
    "\n\t \u00a0\u200b\0\u00ad"
    "0123٣५,.'-/:"
    '*_`<>&;\\"u[](#'
    "退款のがカﾞก่"
    "مُحـأ"
    "ﬁ½²Å\ud83d한\u1100\u1161…"
)
TEXTS = st.text(ALPHABET, max_size=40)
SOME_WORDS = "refund order 30 days Grüße ngày 1,500.00 A-1042 退款 استرداد ที่ <b> ** 2025-09-03 EUR"
WORDS = st.lists(st.sampled_from(SOME_WORDS.split()), max_size=12).map(" ".join)


@given(TEXTS | WORDS, st.lists(TEXTS | WORDS, max_size=3))
@settings(deadline=None, max_examples=400)
def test_offsets_slice_to_the_match(phrase, texts):
    for match in find_matches(phrase, map(Text, texts)):
        assert match.piece.text[match.start : match.end] == match.text != ""
        assert 0 < match.score <= 1
        assert bool(match.how) == (match.kind == "normalised")


@given(st.data(), st.text(ALPHABET, min_size=1, max_size=40))
@settings(deadline=None, max_examples=400)
def test_what_stands_in_a_text_between_bounds_is_found_exactly(data, text):
    text = unicodedata.normalize("NFC", text)
    start = data.draw(st.integers(0, len(text) - 1))
    end = data.draw(st.integers(start + 1, len(text)))
    phrase = text[start:end]
    if not any(character.isalnum() for character in phrase) or not phrase.isprintable() or phrase != phrase.strip():
        return
    if not is_boundary(text, start) or not is_boundary(text, end) or not text.isprintable():
        return

    matches = find_matches(phrase, [Text(text)])

    assert {match.kind for match in matches} == {"exact"}
    assert any(match.start <= start < match.end for match in matches)


@given(WORDS, st.lists(WORDS, max_size=3), st.lists(WORDS, max_size=3))
@settings(deadline=None)
def test_other_pieces_change_no_match_but_overlaps(phrase, texts, others):
    """Nor is there chance: the same question has the same answer."""
    pieces, more = list(map(Text, texts)), list(map(Text, others))

    alone = [match for match in find_matches(phrase, pieces) if match.kind != "overlap"]
    among = [match for match in find_matches(phrase, [*pieces, *more]) if match.kind != "overlap"]

    assert (
        [m for m in among if m.piece in pieces]
        == alone
        == [match for match in find_matches(phrase, pieces) if match.kind != "overlap"]
    )


@given(st.lists(WORDS, min_size=1, max_size=3), st.lists(WORDS, max_size=3))
@settings(deadline=None)
def test_pieces_searched_before_answer_as_new_ones(phrases, texts):
    pieces = list(map(Text, texts))
    searched = SearchedPieces(pieces)

    assert [searched.find(phrase) for phrase in phrases] == [find_matches(phrase, pieces) for phrase in phrases]


@given(st.text("退款30天aé ", min_size=1, max_size=12), st.sampled_from("\u200b\u00ad\ufeff\0\u200e"), st.data())
@settings(deadline=None)
def test_what_cannot_be_seen_hides_nothing(text, invisible, data):
    at = data.draw(st.integers(0, len(text)))
    text = text.strip()

    hidden = found(text, text[:at] + invisible + text[at:])

    assert [kind for kind, _ in hidden] == [kind for kind, _ in found(text, text)]


@pytest.mark.parametrize("phrase", ["", " ", "\n\t\u00a0", "...", "「」", "—", "\u200b", "**", "?!", "\0"])
def test_a_phrase_that_says_nothing_is_nowhere(phrase):
    assert found(phrase, "", " ... ", phrase, f"a {phrase} b") == []


@pytest.mark.parametrize(
    ("phrase", "text", "expected"),
    [
        ("4units", "stock: 4\0units", "4\0units"),
        ("stock: 4␀units", "stock: 4\0units", "stock: 4\0units"),
        ("refund", "re\u00adfund", "re\u00adfund"),
        ("within 30 days", "within\n   30\u00a0days", "within\n   30\u00a0days"),
        ("within\u202f30\u2009days", "within 30 days", "within 30 days"),
        ("café", "cafe\u0301 noir", "cafe\u0301"),
        ("cafe\u0301", "café noir", "café"),
        ("한국", "\u1112\u1161\u11ab\u1100\u116e\u11a8", "\u1112\u1161\u11ab\u1100\u116e\u11a8"),
        ("ガラス", "カ\u3099ラス", "カ\u3099ラス"),
        ("退款", "请在30天内退款。", "退款"),
        ("เงิน", "คืนเงินภายใน", "เงิน"),
        ("👍", "ok 👍🏽", "👍"),
        ("ok?", "is it ok? yes", "ok?"),
        ("A-1042", "order (A-1042)", "A-1042"),
        ("2025-09-03", "at 2025-09-03T10:00:00Z", "2025-09-03"),
    ],
)
def test_exact(phrase, text, expected):
    assert found(phrase, text) == [("exact", expected)]


@pytest.mark.parametrize(
    ("phrase", "text"),
    [
        ("3", "30 days"),
        ("30", "130 days"),
        ("3", "A3"),
        ("3", "3rd"),
        ("3", "3.5 stars"),
        ("art", "part"),
        ("part", "parts"),
        ("1500", "21500"),
        ("1500", "1500.75"),
        ("1500", "1500,75 EUR"),
        ("500", "1 500 EUR"),
        ("500", "1,500"),
        ("000", "1'000.00"),
        ("30天", "130天"),
        ("٣", "٣٠ يوم"),
        ("कि", "किताब"),
        ("cafe", "cafe\u0301s"),
        ("15 %", "15 days"),
        ("15%", "115%"),
        ("GBP 30", "30 days"),
        ("GBP 30", "EUR 30"),
        ("3 September 2025", "13 September 2025"),
        ("3 September 2025", "3 September"),
        ("3 September 2025", "2025-09-30"),
        ("3 September 2025", "3 October 2025"),
        ("か", "が"),
    ],
)
def test_no_part_of_a_word_or_number_is_found(phrase, text):
    assert found(phrase, text) == []


@pytest.mark.parametrize(
    ("phrase", "text"),
    [("2", "[1,2,3]"), ("150", "[150,160]"), ("09", "2025-09-03"), ("order", "lookup_order"), ("don", "don't")],
)
def test_a_list_a_date_or_an_underscore_is_no_longer_word(phrase, text):
    assert found(phrase, text) == [("exact", phrase)]


def test_only_the_best_kind_of_a_piece_and_the_order_of_kinds():
    texts = ["Refund Within 30 Days", "30 days is a refund term", "refund within 30 days. Refund within 30 days", "no"]

    matches = find_matches("refund within 30 days", map(Text, texts))

    assert [(m.kind, texts.index(m.piece.text)) for m in matches] == [("exact", 2), ("normalised", 0), ("overlap", 1)]


def test_every_place_is_found_in_order_and_none_twice():
    matches = find_matches("aa b", [Text("aa b aa b aa  b"), Text("aa b")])

    assert [(m.start, m.end) for m in matches] == [(0, 4), (5, 9), (10, 15), (0, 4)]


def test_places_are_capped():
    assert len(find_matches("a", [Text("a " * (MAX_MATCHES + 5))])) == MAX_MATCHES
    assert len(find_matches("A", [Text("a " * (MAX_MATCHES + 5))])) == MAX_MATCHES
    assert len(find_matches("1,000", [Text("1000 ; " * (MAX_MATCHES + 5))])) == MAX_MATCHES


@pytest.mark.parametrize(("phrase", "n_found"), [("2026-11-30", 0), ("turn", 0), ("grinder", 1), ("30 grinder", 1)])
def test_a_match_in_the_wrapping_alone_is_none(phrase, n_found):
    text = "<memory turn='1' updated='2026-11-30'>30 grinder</memory>"
    own = (text.index(">") + 1, text.index("</"))

    assert len(find_matches(phrase, [Wrapped(text, own)])) == n_found


def test_a_match_that_reaches_into_own_words_counts():
    assert len(find_matches("x grinder", [Wrapped("x grinder", (2, 9))])) == 1


def test_overlap_takes_no_words_from_the_wrapping():
    text = "refund policy: something else"

    assert find_matches("policy of refund", [Wrapped(text, (0, 29))]) != []
    assert find_matches("policy of refund", [Wrapped(text, (15, 29))]) == []


@pytest.mark.parametrize(
    ("phrase", "text", "expected"),
    [
        (
            "Refunds of espresso machines within 60 days",
            "x. Accepted within 60 days: refunds, all machines. y",
            "within 60 days: refunds, all machines",
        ),
        ("Rückgabe der Maschine binnen 30 Tagen", "Die Maschine: 30 Tage Rückgabe", "Maschine: 30 Tage Rückgabe"),
        ("退货政策规定三十天", "关于退货的政策规定如下", "退货的政策规定"),
        ("返品ポリシーは三十日", "当社の返品とポリシー", "返品とポリシー"),
        ("استرداد المبلغ خلال شهر", "المبلغ يعاد بعد طلب استرداد", "المبلغ يعاد بعد طلب استرداد"),
        ("chính sách hoàn tiền", "hoàn trả theo chính sách tiền", "hoàn trả theo chính sách tiền"),
        ('say "refund terms"', "the refund\\nterms", "refund\\nterms"),
    ],
)
def test_overlap_is_the_smallest_stretch_with_the_shared_words(phrase, text, expected):
    assert found(phrase, text) == [("overlap", expected)]


@pytest.mark.parametrize(
    ("phrase", "text"),
    [
        ("refund policy of the grinder", "refund"),
        ("refund the grinder policy for machines bought abroad", "refund of the grinder"),
        ("it is what it is", "what is it that it is"),
        ("refund", "a refunded refundable"),
        ("3 September 2025", "4 September 2025"),
        ("08:00 to 18:00", "08:00-18:00"),
    ],
)
def test_one_word_or_less_than_half_is_no_overlap(phrase, text):
    assert found(phrase, text) == []


def test_rare_words_weigh_more():
    pieces = [Text("customer order grinder"), Text("customer order Zanzibar"), *[Text("grinder")] * 8]

    matches = find_matches("customer order zanzibar grinder of old", pieces)

    assert [match.piece.text for match in matches] == ["customer order Zanzibar", "customer order grinder"]
    assert matches[0].score > matches[1].score


def test_a_very_long_phrase_is_found():
    text = " ".join(f"word{number} of 1,{number:03} things" for number in range(1_000))

    assert found(text, f"before {text} after") == [("exact", text)]
    assert found(text.upper(), f"before {text} after") == [("normalised", text)]


def test_a_long_phrase_is_looked_for_in_few_stretches():
    """However often its rarest word stands in a text: looking at a stretch for each would take forever."""
    phrase = Phrase("refund of 1,500 within 30 days " * 400)

    windows = list(phrase.windows("refund of 1500 within 30 days " * 20_000))

    assert sum(stop - begin for begin, stop in windows) < 2 * 20_000 * 30


@needs_corpus
@pytest.mark.parametrize(
    ("name", "phrase", "first"),
    [
        ("flat-wrong-tool", "3 September 2025", ("normalised", "2025-09-03", "date", "tool-result")),
        ("flat-wrong-tool", "GBP 429.00", ("exact", "GBP 429.00", "", "tool-result")),
        ("grouped-planted-fact", "free lifetime repairs on the EM-7", ("exact", None, "", "fact")),
        ("flat-rag", "within 60 days of delivery", ("exact", None, "", "rag")),
        ("flat-wrong-skill", "out for delivery", ("exact", None, "", "tool-result")),
        ("flat-memory-turn4", "12 Mill Lane, Leeds LS1 4AB", ("exact", None, "", "memory")),
    ],
)
def test_the_source_of_a_wrong_answer(name, phrase, first):
    match = find_matches(phrase, context_of(recording_named(name)).pieces)[0]

    assert (match.kind, match.text, match.how, match.piece.source) == (first[0], first[1] or phrase, *first[2:])
