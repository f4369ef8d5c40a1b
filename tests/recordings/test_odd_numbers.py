"""Numbers that no double and no column holds, wherever a recording may have a number."""

import re

import pytest

from recordings.timetravel.ids import parse_int
from recordings.timetravel.values import is_number
from tests.corpus import needs_corpus, read_bytes, recording_files

NUMBERS = ["9" * 309, "-" + "9" * 400, "9" * 5_000, "1e400", "1e308", "18446744073709551616", "0." + "0" * 400 + "1"]
FIELDS = [
    "iteration",
    "turnNumber",
    "durationMs",
    "totalInputTokens",
    "wallClockMs",
    "input",
    "inputTokens",
    "maxIterations",
    "hintIndex",
    "index",
    "epoch",
    "score",
    "rank",
]


@needs_corpus
@pytest.mark.django_db
@pytest.mark.parametrize("number", NUMBERS, ids=lambda number: f"{number[:6]}x{len(number)}")
@pytest.mark.parametrize("name", ["flat-wrong-tool", "flat-rag"])
def test_they_are_taken_in_and_answered(name, number, sender, as_bob):
    text = read_bytes(recording_files()[name]).decode()
    changed = text
    for field in FIELDS:
        changed = re.sub(rf'("{field}":\s*)-?[0-9][0-9.e+-]*', lambda match: match[1] + number, changed)
    assert changed != text

    body = sender.sent(changed.encode())

    assert body["status"] == "ready"
    for epoch in sender.page(f"/api/v1/recordings/{body['id']}/epochs/")["results"]:
        context = f"/api/v1/recordings/{body['id']}/epochs/{epoch['position']}/context/"
        assert sender.page(context)["pieces"]
    assert as_bob.get(body["url"]).status_code == 200
    assert as_bob.get("/recordings/").status_code == 200


def test_a_number_is_what_a_double_holds():
    assert is_number(10**308)
    assert is_number(-(10**308))
    assert not is_number(10**309)
    assert not is_number(-(10**400))
    assert not is_number(True)  # noqa: FBT003  # it is the one in question


def test_an_execution_index_may_have_any_number_of_digits():
    assert parse_int("123") == 123
    assert parse_int("9" * 5_000) == float("inf")
    assert parse_int("-" + "9" * 5_000) == float("-inf")
    assert parse_int("12345678901234567890") == 12345678901234567890.0
