"""JSON text as JavaScript writes it."""

import json
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recordings.timetravel import UNDEFINED, NumberText, stable_json
from recordings.timetravel.jstext import number_json, text_json, well_formed

#: Beyond 2^53 an integer and the double beside it are written alike.
exact = st.integers(-(2**53), 2**53)
values = st.recursive(
    st.none() | st.booleans() | exact | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda children: st.lists(children) | st.dictionaries(st.text(), children),
)


@pytest.mark.parametrize(
    ("number", "spelled"),
    [
        (0, "0"),
        (-0.0, "0"),
        (1.0, "1"),
        (-1.5, "-1.5"),
        (100.0, "100"),
        (0.1, "0.1"),
        (1 / 3, "0.3333333333333333"),
        (123456789.125, "123456789.125"),
        (1e20, "100000000000000000000"),
        (123456789012345680000.0, "123456789012345680000"),
        (1e21, "1e+21"),
        (-1.25e21, "-1.25e+21"),
        (1.7976931348623157e308, "1.7976931348623157e+308"),
        (1e-6, "0.000001"),
        (1.5e-6, "0.0000015"),
        (1e-7, "1e-7"),
        (-1.25e-7, "-1.25e-7"),
        (5e-324, "5e-324"),
        (2.0**53, "9007199254740992"),
        (math.inf, "null"),
        (math.nan, "null"),
    ],
)
def test_numbers_are_spelled_as_in_javascript(number, spelled):
    assert number_json(number) == spelled


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_a_number_reads_back_as_itself(number):
    assert float(number_json(number)) == number


@pytest.mark.parametrize("digits", ["18446744073709551617", "107505301260286111", "-9007199254740993"])
def test_an_integer_keeps_every_digit(digits):
    assert stable_json(int(digits)) == digits


@pytest.mark.parametrize("text", ["1e999", "-" + "9" * 5000])
def test_a_number_that_no_double_holds_is_written_as_it_was_read(text):
    assert stable_json({"a": [NumberText(text)]}) == f'{{"a":[{text}]}}'


@pytest.mark.parametrize(
    ("text", "spelled"),
    [
        ("café ☕ 😀", '"café ☕ 😀"'),
        ('"\\/', '"\\"\\\\/"'),
        ("\b\f\n\r\t", '"\\b\\f\\n\\r\\t"'),
        ("\x00\x1f\x7f", '"\\u0000\\u001f\x7f"'),
        ("\u2028\u2029", '"\u2028\u2029"'),
        ("\ud83d", '"\\ud83d"'),
        ("x\ude00y", '"x\\ude00y"'),
    ],
)
def test_only_what_json_has_to_escape_is_escaped_and_lone_surrogates(text, spelled):
    assert text_json(text) == spelled


def test_keys_are_sorted_by_utf16_units():
    """An astral character is a pair of surrogates there, and those are below U+FFFF."""
    assert stable_json({"\uffff": 1, "😀": 2, "a": 3, "B": 4, "10": 5, "9": 6}) == (
        '{"10":5,"9":6,"B":4,"a":3,"😀":2,"\uffff":1}'
    )


def test_what_is_undefined_is_left_out_of_objects_and_null_in_lists():
    assert stable_json({"a": UNDEFINED, "b": [UNDEFINED, None]}) == '{"b":[null,null]}'


def test_true_is_not_one():
    assert stable_json([True, 1, False, 0, None]) == "[true,1,false,0,null]"


@given(values)
def test_stable_json_is_json_of_the_same_value(value):
    assert json.loads(stable_json(value), parse_int=float) == value


@given(st.dictionaries(st.text(), st.integers()))
def test_the_order_of_the_keys_does_not_matter(value):
    assert stable_json(dict(reversed(value.items()))) == stable_json(value)


def test_values_may_be_nested_deeper_than_the_stack():
    deep: object = []
    for _ in range(50_000):
        deep = [deep]

    assert stable_json(deep) == "[" * 50_001 + "]" * 50_001


def test_lone_surrogates_become_replacement_characters_and_pairs_stay():
    assert well_formed("a\ud83d😀\ude00") == "a\ufffd😀\ufffd"
    assert well_formed("plain") == "plain"
