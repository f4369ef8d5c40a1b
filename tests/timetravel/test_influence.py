"""What an answer resembles: as the reference scores it, and in any script."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recordings.timetravel import influence_in_any_script, lexical_influence, ranking_confidence
from tests.corpus import CORPUS, golden, needs_corpus

STORIES = sorted(path.stem for path in (CORPUS / "golden" / "debug").glob("*.json"))


def lexical(story):
    return golden(f"debug/{story}")["lexical"]


def evidence(**texts):
    return [{"id": name, "text": text, "ancestorTexts": []} for name, text in texts.items()]


def ids(ranked):
    return [scored["id"] for scored in ranked]


@needs_corpus
@pytest.mark.parametrize("story", STORIES)
def test_scores_are_the_reference_s(story):
    """To the last digit and in the same order, ties included."""
    expected = lexical(story)

    assert lexical_influence(expected["evidence"], expected["answer"]) == expected["scores"]
    if "splitEvidence" in expected:
        assert lexical_influence(expected["splitEvidence"], expected["answer"]) == expected["splitScores"]


@needs_corpus
@pytest.mark.parametrize("story", STORIES)
def test_confidence_is_the_reference_s(story):
    expected = lexical(story)
    words = {key: value for key, value in expected["confidence"].items() if key != "reason"}

    assert ranking_confidence(expected["scores"]) == words


@needs_corpus
@pytest.mark.parametrize("story", STORIES)
def test_any_script_agrees_on_the_clear_winners(story):
    """Where the reference calls its first a clear winner by more than a word, so does ours."""
    expected = lexical(story)
    ours = influence_in_any_script(expected["evidence"], expected["answer"])

    if expected["confidence"]["margin"] > 0.1:
        assert ours[0]["id"] == expected["confidence"]["lead"]


@pytest.mark.parametrize(
    ("answer", "best", "other"),
    [
        ("Die Rückgabe ist binnen 45 Tagen möglich.", "Rückgabe möglich: 45 Tage", "Öffnungszeiten: 8 bis 18 Uhr"),
        ("يمكن استرداد المبلغ خلال ٤٥ يوما", "سياسة الاسترداد: المبلغ خلال 45 يوما", "ساعات العمل من الثامنة"),
        ("退款将在四十五天内完成", "退款政策：四十五天内", "营业时间为上午八点"),
        ("返品は四十五日以内に可能です", "返品ポリシー：四十五日以内", "営業時間は午前八時です"),
        ("คืนเงินได้ภายในสี่สิบห้าวัน", "นโยบายคืนเงินภายในสี่สิบห้าวัน", "เปิดทำการแปดโมงเช้า"),
        ("Hoàn tiền trong vòng 45 ngày", "hoàn tiền: vòng 45 ngày", "giờ làm việc từ tám giờ"),
    ],
)
def test_any_script_ranks_in_any_script(answer, best, other):
    ranked = influence_in_any_script(evidence(other=other, best=best), answer)

    assert ids(ranked) == ["best", "other"]
    assert ranked[0]["score"] > ranked[1]["score"]


def test_the_reference_sees_no_other_script():
    ranked = lexical_influence(evidence(a="退款将在四十五天内完成", b="营业时间"), "退款将在四十五天内完成")

    assert [scored["score"] for scored in ranked] == [0.2, 0.2]


@pytest.mark.parametrize(
    ("text", "answer", "fa"),
    [
        ("Refunds REFUND refund", "refund", 1),
        ("glass", "glas", 0),
        ("gas", "ga", 0),
        ("the a of", "the", 0),
        ("wants", "want", 0),
        ("x y z", "x", 0),
        ("Größe", "gr", 1),
        ("\u212am", "km", 1),
        ("", "refund", 0),
    ],
)
def test_words_of_the_reference(text, answer, fa):
    """Small letters as in JavaScript, split at all but a to z and digits, one plural s taken off."""
    assert lexical_influence(evidence(a=text), answer)[0]["signals"]["fa"] == fa


def test_ancestors_count():
    one = {"id": "a", "text": "refund policy", "ancestorTexts": ["refund policy", "else"]}

    (scored,) = lexical_influence([one], "refund policy")

    assert scored["signals"] == {"fa": 1, "avg": 0.5, "persist": 0.5, "depth": 1 / 3}
    assert scored["weights"] == {"fa": 0.4, "avg": 0.3, "persist": 0.2, "depth": 0.1}
    assert scored["adapted"] is False
    assert scored["score"] == pytest.approx(0.4 + 0.15 + 0.1 + 0.1 / 3)


def test_a_ranking_without_a_lead_has_a_shortlist():
    ranked = [{"id": "a", "score": 0.5}, {"id": "b", "score": 0.46}, {"id": "c", "score": 0.3}]

    assert ranking_confidence(ranked) == {
        "clearWinner": False,
        "margin": pytest.approx(0.04),
        "lead": "a",
        "shortlist": ["a", "b"],
    }
    assert ranking_confidence(ranked, "ratio")["clearWinner"] is True


def test_nothing_ranked_leads_nothing():
    assert ranking_confidence([]) == {"clearWinner": False, "margin": 0, "lead": None, "shortlist": []}


@given(
    st.lists(st.text("refund policy 退款 أ é", max_size=20), max_size=5), st.text("refund policy 退款 أ é", max_size=20)
)
def test_scores_are_between_none_and_all_and_sorted(texts, answer):
    given_evidence = [{"id": str(number), "text": text, "ancestorTexts": []} for number, text in enumerate(texts)]
    for rank in (lexical_influence, influence_in_any_script):
        scores = [scored["score"] for scored in rank(given_evidence, answer)]

        assert scores == sorted(scores, reverse=True)
        assert all(0 <= score <= 1.0000001 for score in scores)
