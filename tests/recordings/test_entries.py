"""What one entry of a memory says, and the times that it gives."""

from __future__ import annotations

import json

import pytest

from recordings.reads.entries import moment, said_of


@pytest.mark.parametrize(
    ("value", "said"),
    [
        ("a text", (None, "a text")),
        ({"role": "user", "content": "hello"}, ("user", "hello")),
        ({"text": "hello"}, (None, "hello")),
        ({"role": 5, "content": [1]}, (None, None)),
        (5, (None, None)),
        (None, (None, None)),
    ],
)
def test_the_text_of_an_entry_is_taken_from_where_entries_have_it(value, said):
    found = said_of(json.dumps({"id": "a", "value": value}))

    assert (found.role, found.text) == said


@pytest.mark.parametrize("body", ["", "{", "[]", "5", '{"value":', "[" * 100_000, '{"id": "a"}', '{"value": 1e999}'])
def test_any_body_can_be_shown(body):
    assert said_of(body).text is None


@pytest.mark.parametrize("unix_ms", [1e300, -1e300, float("inf"), float("nan"), 1e17])
def test_a_time_beyond_every_calendar_is_none(unix_ms):
    assert moment(unix_ms) is None
