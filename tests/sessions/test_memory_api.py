"""The framework's memory store, over HTTP: what its methods keep and answer, and for whom."""

import json

import pytest

from footprint_site.access.models import AuditLine, Scope
from sessions_app.models import Conversation, MemoryEntry
from tests.people import signed_in
from tests.sessions.asking import API, IDENTITY, Asker
from tests.sessions.material import ODD_IDS, entry, entry_json

#: What any reader of JSON that is not careful would change.
ODD_ENTRY = (
    '{ "id":"msg-1-0", "value":{"role":"user","content":"\\ud83d \\u0000 é\\u00e9 <b>"},"version":1,'
    '"n":[12345678901234567890123456789012345678901, 1.0, 1e999, -0, 1E2, 0.1000],"updatedAt":1796045927625,'
    '"future":{"b":1,"a":2,"b":3}, "accessCount":0}'
)


def test_an_entry_comes_back_as_the_text_that_was_sent(workspace):
    """Not a digit, an escape or a space of it is another."""
    Asker(workspace).put_raw(ODD_ENTRY)
    reader = Asker(workspace, Scope.READ)

    got = reader.post("memory/get/", {"identity": IDENTITY, "id": "msg-1-0"})
    listed = reader.post("memory/list/", {"identity": IDENTITY})

    assert got.content.decode() == f'{{"entry":{ODD_ENTRY}}}'
    assert listed.content.decode() == f'{{"entries":[{ODD_ENTRY}]}}'


def test_what_is_not_there_is_null(asker):
    assert asker.method("get", id="nothing") == {"entry": None}
    assert asker.method("list") == {"entries": []}
    assert asker.method("seen", signature="nothing") == {"seen": False}
    assert asker.method("get-feedback", id="nothing") == {"feedback": None}
    assert asker.method("delete", id="nothing") == {}
    assert asker.method("forget") == {}
    assert asker.method("put-many", entries=[]) == {}
    assert not Conversation.objects.exists()


def test_a_fetch_counts_as_an_access_and_changes_nothing_else(asker, workspace):
    """As in the framework's own store; but whoever may only read changes nothing."""
    asker.put_raw(ODD_ENTRY)
    Asker(workspace, Scope.READ).method("get", id="msg-1-0")
    asker.method("get", id="msg-1-0")

    got = asker.post("memory/get/", {"identity": IDENTITY, "id": "msg-1-0"}).content.decode()

    assert got.startswith('{"entry":' + ODD_ENTRY.removesuffix("0}") + "2,")
    assert json.loads(got)["entry"]["lastAccessedAt"] > 1.7e12
    asker.put_raw(ODD_ENTRY)
    assert asker.method("list")["entries"][0]["accessCount"] == 0


def test_put_if_version(asker):
    put = lambda version, expected: asker.method(  # noqa: E731  # it reads as a table
        "put-if-version", entry=entry("a", version=version), expectedVersion=expected
    )
    assert put(1, 3) == {"applied": False}
    assert put(1, 0) == {"applied": True}
    assert put(2, 0) == {"applied": False, "currentVersion": 1}
    assert put(2, 7) == {"applied": False, "currentVersion": 1}
    assert put(2, 1) == {"applied": True}
    assert asker.method("get", id="a")["entry"]["version"] == 2


def test_a_list_goes_page_by_page_newest_first(asker):
    entries = [entry(f"e{number}", updatedAt=1000 + number % 4) for number in range(10)]
    asker.method("put-many", entries=entries)
    expected = [e["id"] for e in sorted(entries, key=lambda e: -e["updatedAt"])]

    seen, cursor = [], {}
    while True:
        page = asker.method("list", limit=3, **cursor)
        seen += [e["id"] for e in page["entries"]]
        if "cursor" not in page:
            break
        cursor = {"cursor": page["cursor"]}

    assert seen == expected
    assert asker.method("list", limit=0) == {"entries": [], "cursor": "0"}
    assert asker.method("list", cursor="99") == {"entries": []}
    for garbage in ("garbage", "-1", "", None, 3):
        assert len(asker.method("list", cursor=garbage)["entries"]) == 10
    assert len(asker.method("list", options={"limit": 2})["entries"]) == 2


def test_a_list_has_100_entries_unless_told_and_never_more_than_1000(asker):
    asker.method("put-many", entries=[entry(f"e{number}") for number in range(1001)])

    pages = [asker.method("list"), asker.method("list", limit=5000)]

    assert [(len(page["entries"]), page["cursor"]) for page in pages] == [(100, "100"), (1000, "1000")]


def test_a_list_of_tiers(asker):
    asker.method("put-many", entries=[entry("a", tier="hot"), entry("b", tier="cold"), entry("c")])

    assert [e["id"] for e in asker.method("list", tiers=["cold", "warm"])["entries"]] == ["b"]


def test_an_overwritten_entry_stays_in_its_place_among_equals(asker):
    asker.method("put-many", entries=[entry("a"), entry("b")])
    asker.method("put", entry=entry("a", content="again"))

    assert [e["id"] for e in asker.method("list")["entries"]] == ["a", "b"]


def test_signatures_and_feedback(asker):
    asker.method("record-signature", signature="s")
    asker.method("record-signature", signature="s")
    asker.method("feedback", id="a", usefulness=1)
    asker.method("feedback", id="a", usefulness=0.5)

    assert asker.method("seen", signature="s") == {"seen": True}
    assert asker.method("seen", signature="S") == {"seen": False}
    assert asker.method("get-feedback", id="a") == {"feedback": {"average": 0.75, "count": 2}}


def test_stores_and_conversations_are_apart(asker):
    asker.method("put", entry=entry("a"), store="facts")
    asker.method("record-signature", signature="s", store="facts")
    other = {"conversationId": "chat-502"}

    assert asker.method("get", id="a") == {"entry": None}
    assert asker.method("get", other, id="a", store="facts") == {"entry": None}
    assert asker.method("seen", signature="s") == {"seen": False}
    asker.method("forget", store="facts")
    assert asker.method("get", id="a", store="facts") == {"entry": None}
    assert asker.method("seen", signature="s", store="facts") == {"seen": False}


def test_absent_null_and_empty_name_one_conversation(asker):
    asker.method("put", {"conversationId": "c"}, entry=entry("a"))

    for identity in ({"conversationId": "c", "tenant": None}, {"conversationId": "c", "principal": "", "more": 1}):
        assert asker.method("get", identity, id="a")["entry"]["id"] == "a"


@pytest.mark.parametrize("odd", ODD_IDS)
def test_any_id_survives(asker, odd):
    identity = {"tenant": odd, "principal": odd, "conversationId": odd}
    asker.method("put", identity, entry=entry(odd), store=odd)
    asker.method("record-signature", identity, signature=odd, store=odd)

    assert asker.method("get", identity, id=odd, store=odd)["entry"]["id"] == odd
    assert asker.method("seen", identity, signature=odd, store=odd) == {"seen": True}
    listed = asker.get("conversations/").json()["results"][0]
    assert listed["identity"] == identity
    assert asker.get(f"conversations/{listed['id']}/entries/").json()["results"][0]["id"] == odd


def test_the_next_occupant_starts_with_nothing(asker, workspace):
    asker.open("desk-7")
    asker.method("put", entry=entry("a"))
    later = Asker(workspace)
    later.open("desk-7")

    assert later.method("list") == {"entries": []}
    assert Asker(workspace).method("list") == {"entries": []}
    assert len(asker.method("list")["entries"]) == 1


def test_nothing_of_one_workspace_is_in_another(people, asker):
    asker.method("put", entry=entry("a", content="canary-7"))
    stranger = Asker(people.elsewhere)

    assert stranger.method("get", id="a") == {"entry": None}
    assert "canary-7" not in stranger.post("memory/list/", {"identity": IDENTITY}).content.decode()
    stranger.method("forget")
    assert asker.method("get", id="a")["entry"]["id"] == "a"


def test_people_write_by_their_role(people):
    body = json.dumps({"identity": IDENTITY, "entry": entry("a")})
    statuses = {}
    for person in (people.bob, people.irene, people.alice):
        client = signed_in(person)
        statuses[person.username] = [
            client.post(f"{API}memory/{name}/", body, content_type="application/json").status_code
            for name in ("put", "list", "forget")
        ]

    assert statuses == {"bob": [403, 200, 403], "irene": [200, 200, 403], "alice": [200, 200, 200]}


def test_who_wrote_is_kept_by_the_name_of_the_key(asker):
    asker.open("desk-7")
    asker.method("put", entry=entry("a"))

    row = MemoryEntry.objects.get()

    assert row.written_by == f"tests ({asker.row.prefix})"
    assert row.token_sha256 == row.store.conversation.incarnation.token_sha256


def test_forgetting_leaves_an_audit_line(asker):
    asker.method("put", entry=entry("a"))
    asker.method("forget")

    line = AuditLine.objects.get(action="memory_forget")
    assert line.target == str(Conversation.objects.get().public_id)


def test_512_levels_are_read(asker):
    deep = "[" * 510 + "]" * 510
    asker.put_raw(f'{{"id":"a","version":1,"value":{deep}}}')

    assert deep in asker.post("memory/get/", {"identity": IDENTITY, "id": "a"}).content.decode()


def test_a_page_of_long_entries_ends_early_and_goes_on(asker):
    for number in range(5):
        asker.put_raw(entry_json(f"e{number}", content="x" * 5_000_000))

    pages, cursor = [], {}
    while True:
        page = asker.method("list", **cursor)
        pages.append([e["id"] for e in page["entries"]])
        if "cursor" not in page:
            break
        cursor = {"cursor": page["cursor"]}

    assert pages == [["e0", "e1", "e2"], ["e3", "e4"]]
