"""What receipts are digests of."""

import hashlib

import pytest

from recordings.timetravel import message_digest_input, receipt_hash, tool_digest_input

RUN_ID = "run-1"


def test_a_digest_is_salted_with_the_run_and_cut_short():
    salted = hashlib.sha256(b"run-1\x1ftext").hexdigest()

    assert receipt_hash("run-1", "text") == salted[:16]
    assert receipt_hash("run-2", "text") != receipt_hash("run-1", "text")


def test_a_lone_surrogate_is_digested_as_a_replacement_character():
    assert receipt_hash(RUN_ID, "a\ud83db") == receipt_hash(RUN_ID, "a\ufffdb")
    assert receipt_hash(RUN_ID, "\udc00\ud83d") == receipt_hash(RUN_ID, "\ufffd\ufffd")


def test_an_astral_character_is_digested_as_itself():
    assert receipt_hash(RUN_ID, "😀") == hashlib.sha256("run-1\x1f😀".encode()).hexdigest()[:16]


@pytest.mark.parametrize(
    ("message", "text"),
    [
        ({"role": "user", "content": "Hi"}, "user\x1eHi\x1e\x1e\x1e\x1e"),
        ({}, "\x1e\x1e\x1e\x1e\x1e"),
        ({"role": "tool", "content": "R", "toolCallId": "t1", "toolName": "look"}, "tool\x1eR\x1et1\x1elook\x1e\x1e"),
        ({"role": "assistant", "content": None, "toolCalls": []}, "assistant\x1e\x1e\x1e\x1e\x1e"),
        ({"role": "assistant", "content": "", "toolCalls": "REDACTED"}, "assistant\x1e\x1e\x1e\x1e\x1e"),
        (
            {
                "role": "assistant",
                "content": "c",
                "toolCalls": [{"id": "1", "name": "f", "args": {"b": 1, "a": [1e21]}}],
            },
            'assistant\x1ec\x1e\x1e\x1e1\x1df\x1d{"a":[1e+21],"b":1}\x1d\x1e',
        ),
        (
            {
                "role": "assistant",
                "content": "",
                "toolCalls": [
                    {"id": "1", "name": "f", "args": None, "providerMeta": {"x": "😀"}},
                    {"id": "2", "name": "g"},
                ],
                "thinkingBlocks": [{"text": "hm", "a": 0.5}],
            },
            'assistant\x1e\x1e\x1e\x1e1\x1df\x1dnull\x1d{"x":"😀"}\x1c2\x1dg\x1d\x1d\x1e[{"a":0.5,"text":"hm"}]',
        ),
        ({"role": "assistant", "content": "", "thinkingBlocks": []}, "assistant\x1e\x1e\x1e\x1e\x1e[]"),
        ({"role": "user", "content": "Hi", "injectedBy": {}, "ephemeral": True}, "user\x1eHi\x1e\x1e\x1e\x1e"),
    ],
)
def test_what_of_a_message_is_digested(message, text):
    assert message_digest_input(message) == text


def test_separators_inside_a_content_are_content():
    assert message_digest_input({"role": "user", "content": "a\x1eb\x1fc"}) == "user\x1ea\x1eb\x1fc\x1e\x1e\x1e\x1e"


def test_a_schema_is_digested_whatever_the_order_of_its_keys():
    schema = {"name": "f", "inputSchema": {"type": "object", "properties": {"b": {}, "a": {}}}}

    assert tool_digest_input(schema) == '{"inputSchema":{"properties":{"a":{},"b":{}},"type":"object"},"name":"f"}'
