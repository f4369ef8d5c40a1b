"""The difference of two texts by words."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recordings.worddiff import word_changes

texts = st.text(alphabet="ab \n.日本é", max_size=40)


@given(texts, texts)
def test_both_texts_can_be_read_from_it(old, new):
    changes = word_changes(old, new)

    assert "".join(text for sign, text in changes if sign != "+") == old
    assert "".join(text for sign, text in changes if sign != "-") == new


@given(texts)
def test_a_text_does_not_differ_from_itself(text):
    assert [sign for sign, _ in word_changes(text, text)] == (["="] if text else [])


@pytest.mark.parametrize(
    ("old", "new", "changes"),
    [
        ("quote the courier only", "quote the date only", ["=quote the ", "-courier", "+date", "= only"]),
        ("within 30 days", "within 45 days", ["=within ", "-30", "+45", "= days"]),
        ("9007199254740992", "9007199254740993", ["-9007199254740992", "+9007199254740993"]),
        ("退款三十天", "退款四十天", ["=退款", "-三", "+四", "=十天"]),
        ("", "new", ["+new"]),
        ("old", "", ["-old"]),
    ],
)
def test_words_are_what_changes(old, new, changes):
    assert [sign + text for sign, text in word_changes(old, new)] == changes


def test_what_is_too_long_to_compare_is_one_change():
    old, new = " ".join(f"a{n}" for n in range(2_000)), " ".join(f"b{n}" for n in range(2_000))

    assert [sign for sign, _ in word_changes(f"start {old} end", f"start {new} end")] == ["=", "-", "+", "="]
