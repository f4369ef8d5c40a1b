"""A real run with odd values where the model and the reader meet them: nothing around them changes."""

import pytest
from django.utils.html import strip_tags

from tests.corpus import needs_corpus, read_bytes, recording_files

pytestmark = [needs_corpus, pytest.mark.django_db]

NAME = "flat-wrong-tool"
ARGUMENTS = '{"order":"A-1042"}'
TOOL_TEXT = "delivered 2025-09-03"


def sent_with(sender, old: str, new: str) -> tuple[dict, dict]:
    """Send the run as it is, and with *new* for *old* everywhere."""
    text = read_bytes(recording_files()[NAME]).decode()
    assert text.count(old) > 2
    data = text.replace(old, new).encode()
    plain, odd = sender.sent(text.encode()), sender.sent(data)
    assert sender.get(f"/api/v1/recordings/{odd['id']}/raw/").content == data
    assert [odd[name] for name in ("commits", "epochs", "lanes")] == [
        plain[name] for name in ("commits", "epochs", "lanes")
    ]
    return plain, odd


def contexts(sender, body: dict) -> list[dict]:
    url = f"/api/v1/recordings/{body['id']}/epochs/"
    return [sender.page(f"{url}{position}/context/") for position in range(1, body["epochs"] + 1)]


@pytest.mark.parametrize(
    ("written", "read"),
    [(r"4\u0000units", "4\0units"), (r"4\ud83dunits", "4\ud83dunits")],
    ids=["NUL", "half"],
)
def test_nul_and_half_a_character_in_a_tool_result(written, read, sender, as_bob):
    plain, odd = sent_with(sender, TOOL_TEXT, written)

    for before, after in zip(contexts(sender, plain), contexts(sender, odd), strict=True):
        assert [piece["text"] for piece in after["pieces"]] == [
            piece["text"].replace(TOOL_TEXT, read) for piece in before["pieces"]
        ]
    assert any(read in piece["text"] for piece in contexts(sender, odd)[-1]["pieces"])
    assert as_bob.get(odd["url"]).status_code == 200
    assert as_bob.get("/recordings/").status_code == 200


@pytest.mark.parametrize(
    ("question", "shown"), [(r"4\u0000units", "4␀units"), (r"4\ud83dunits", "4\ufffdunits")], ids=["NUL", "half"]
)
def test_a_reader_sees_a_sign_where_they_are(question, shown, sender, as_bob):
    _, odd = sent_with(sender, "My espresso machine", question)

    assert shown in strip_tags(as_bob.get(odd["url"]).content.decode())


@pytest.mark.parametrize(
    ("written", "answered"),
    [
        ("1e400", "1e400"),
        ("9" * 5_000, "9" * 5_000),
        ('"\\ud83d"', "\ud83d"),
        ("18446744073709551617", 18446744073709551617),
    ],
    ids=["beyond a double", "5,000 digits", "half a character", "beyond 64 bits"],
)
def test_odd_values_in_the_schema_of_a_tool(written, answered, sender):
    _, odd = sent_with(sender, '"type":"object"', f'"type":"object","default":{written}')

    for context in contexts(sender, odd):
        assert context["tools"]["schemas"]
        assert all(schema["inputSchema"]["default"] == answered for schema in context["tools"]["schemas"])


DIGITS = '{"wei":18446744073709551617,"a":9007199254740993,"b":9007199254740992}'


@pytest.mark.parametrize(
    ("arguments", "answered"),
    [
        ('"SELECT 1"', '"args":"SELECT 1"'),
        (DIGITS, f'"args":{DIGITS}'),
        ("null", '"args":null'),
        ('""', '"args":""'),
        # No double holds it, so it is text.
        ("[1e999]", '"args":["1e999"]'),
    ],
)
def test_odd_arguments_of_a_tool_are_answered_as_they_were_written(arguments, answered, sender, as_bob):
    plain, odd = sent_with(sender, f'"args":{ARGUMENTS}', f'"args":{arguments}')
    path = f"/api/v1/recordings/{odd['id']}/epochs/"

    calls = [call for epoch in sender.page(path)["results"] for call in epoch["tool_calls"] or []]
    assert len(calls) == sum(
        len(epoch["tool_calls"] or []) for epoch in sender.page(path.replace(odd["id"], plain["id"]))["results"]
    )
    assert answered in sender.get(path).content.decode()
    assert as_bob.get(odd["url"]).status_code == 200
