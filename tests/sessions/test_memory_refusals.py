"""What the memory store refuses over HTTP, and that it leaves nothing behind."""

import json

import pytest

from sessions_app.models import Conversation, MemoryEntry
from tests.sessions.asking import API, IDENTITY, Asker
from tests.sessions.material import entry, entry_json

WRITES = {
    "put": {"entry": entry("a", content="late")},
    "put-many": {"entries": [entry("a", content="late"), entry("b")]},
    "put-if-version": {"entry": entry("a", content="late"), "expectedVersion": 1},
    "delete": {"id": "a"},
    "forget": {},
    "record-signature": {"signature": "late"},
    "feedback": {"id": "a", "usefulness": 1},
}


@pytest.mark.parametrize("name", WRITES)
def test_the_token_of_a_closed_occupant_gets_409_and_changes_nothing(asker, workspace, name):
    asker.open("desk-7")
    asker.method("put", entry=entry("a"))
    before = asker.method("list")
    Asker(workspace).open("desk-7")

    response = asker.post(f"memory/{name}/", {"identity": IDENTITY} | WRITES[name])

    assert (response.status_code, response.json()["code"]) == (409, "stale_incarnation")
    assert asker.method("get", id="a")["entry"] == before["entries"][0]
    assert asker.method("list") == before
    assert asker.method("seen", signature="late") == {"seen": False}
    assert asker.method("get-feedback", id="a") == {"feedback": None}


def test_a_token_of_nobody_is_refused_for_reading_too(people, asker):
    stranger = Asker(people.elsewhere)
    stranger.open("desk-7")
    for token in (stranger.token, "nobody", "x" * 5000, "café"):
        asker.token = token
        for name, arguments in (("list", {}), ("put", {"entry": entry("a")})):
            response = asker.post(f"memory/{name}/", {"identity": IDENTITY} | arguments)
            assert (response.status_code, response.json()["code"]) == (409, "unknown_incarnation")
    assert not MemoryEntry.objects.exists()


def test_a_request_that_is_all_or_nothing(asker):
    response = asker.post("memory/put-many/", {"identity": IDENTITY, "entries": [entry("a"), {"id": 3}]})

    assert (response.status_code, response.json()["code"]) == (422, "entry_invalid")
    assert response.json()["message"].startswith("entries[1]: ")
    assert not MemoryEntry.objects.exists()


def asked(arguments: str) -> bytes:
    return f'{{"identity": {json.dumps(IDENTITY)}, {arguments}}}'.encode()


REFUSALS = [
    ("put", b"", 400, "empty_body"),
    ("put", b" \n", 400, "empty_body"),
    ("put", b"[" * 100_000 + b"]" * 100_000, 400, "too_deep"),
    ("put", b'{"identity":' * 2, 400, "json_truncated"),
    ("put", b'{"a": "\\ud8', 400, "json_truncated"),
    ("put", b'{"a": tru', 400, "json_truncated"),
    ("put", b'{"a": trx}', 400, "json_invalid"),
    ("put", b'{"a": "\\ud8xx"}', 400, "json_invalid"),
    ("put", b'{"a": NaN, "b": "NaN"}', 400, "json_invalid_number"),
    ("put", b'{"a": -Infinity}', 400, "json_invalid_number"),
    ("put", b'{"a": 1,}', 400, "json_invalid"),
    ("put", b"{'a': 1}", 400, "json_invalid"),
    ("put", b"{} {}", 400, "trailing_data"),
    ("put", b"[]", 422, "not_an_object"),
    ("put", b"null", 422, "not_an_object"),
    ("put", '{"a": "é"}'.encode("latin-1"), 415, "utf8_only"),
    ("put", "{}".encode("utf-16"), 415, "utf8_only"),
    ("put", b" " * (8 * 1024 * 1024 + 1), 413, "too_large"),
    ("put", b"{}", 422, "identity_missing"),
    ("put", b'{"identity": {}}', 422, "identity_invalid"),
    ("put", b'{"identity": {"conversationId": 5}}', 422, "identity_invalid"),
    ("put", json.dumps({"identity": {"conversationId": "x" * 1001}}).encode(), 422, "id_too_long"),
    ("put", asked('"more": 1'), 422, "entry_missing"),
    ("put", asked('"entry": [1]'), 422, "entry_invalid"),
    ("put", asked('"entry": {"id": "a"}'), 422, "entry_invalid"),
    (
        "put",
        asked('"entry": {"id": "a", "version": 1e999}'),
        422,
        "entry_invalid",
    ),
    ("put-many", asked('"entries": {}'), 422, "entries_missing"),
    (
        "put-if-version",
        asked(f'"entry": {entry_json()}'),
        422,
        "expectedVersion_invalid",
    ),
    ("get", asked('"more": 1'), 422, "id_missing"),
    ("get", asked('"id": 3'), 422, "id_invalid"),
    ("list", asked('"limit": -1'), 422, "limit_invalid"),
    ("list", asked('"limit": 1e999'), 422, "limit_invalid"),
    ("list", asked('"tiers": "hot"'), 422, "tiers_invalid"),
    ("feedback", asked('"id": "a", "usefulness": "1"'), 422, "usefulness_invalid"),
]


@pytest.mark.parametrize(("name", "raw", "status", "code"), REFUSALS)
def test_what_is_refused_leaves_nothing(asker, name, raw, status, code):
    response = asker.post(f"memory/{name}/", raw=raw)

    assert (response.status_code, response.json()["code"]) == (status, code)
    assert set(response.json()) <= {"code", "message", "at", "limit"}
    assert not Conversation.objects.exists()


def test_compressed_and_otherwise_encoded_requests_are_refused(asker):
    gzip = asker.post("memory/put/", {}, **{"Content-Encoding": "gzip"})
    charset = asker.client.generic(
        "POST", f"{API}memory/put/", b"{}", "application/json; charset=utf-16", headers=asker.headers()
    )

    assert (gzip.status_code, gzip.json()["code"]) == (415, "unsupported_encoding")
    assert (charset.status_code, charset.json()["code"]) == (415, "utf8_only")
