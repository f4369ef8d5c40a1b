"""What a policy lists is masked in every view, also where the recorder left it in."""

from __future__ import annotations

import json

import pytest

from tests.corpus import needs_corpus, read_bytes, recording_files

pytestmark = [pytest.mark.django_db, needs_corpus]

SECRET = "zq4711secret"
#: Where the words of a tool's answer stand in a flat run, and one element of the longest.
KEYS = ["history", "lastToolResult", "toolResults", "messagesInjections", "newMessages"]
FIELD = "history\x1f{number}\x1fcontent"


def leaking(*listed: str, name: str = "flat-wrong-tool", text: str = "3 September") -> bytes:
    """A real run in which a policy lists paths, and the recorder left everything in."""
    run = json.loads(read_bytes(recording_files()[name]).replace(text.encode(), SECRET.encode()))
    snapshot = run.get("snapshot", run)
    row = snapshot["commitLog"][-1]
    row["redactedPaths"] = [*row["redactedPaths"], *listed]
    return json.dumps(run).encode()


def views(sender, client, body) -> dict[str, str]:
    """All that anybody is shown of a recording, by where."""
    api, page = f"/api/v1/recordings/{body['id']}/", body["url"]
    found = {"list": client.get("/recordings/").content.decode()}
    for position in range(1, body["epochs"] + 1):
        found[f"context {position}"] = sender.get(f"{api}epochs/{position}/context/").content.decode()
        for tab in ("served", "diff", "raw"):
            found[f"{tab} {position}"] = client.get(f"{page}?epoch={position}&tab={tab}").content.decode()
    for key in KEYS:
        found[f"state {key}"] = sender.get(f"{api}state/", f"?key={key}&commit=99").content.decode()
        found[f"state page {key}"] = client.get(f"{page}state/?key={key}&commit=20").content.decode()
    found["claims"] = sender.get(f"{api}claims/").content.decode()
    found["head"] = sender.get(api).content.decode()
    return found


def where_it_is(sender, client, data: bytes) -> list[str]:
    body = sender.sent(data)
    return [name for name, text in views(sender, client, body).items() if SECRET in text]


ANSWERED = "2025-09-03"


def test_it_is_everywhere_while_nothing_lists_it(sender, as_bob):
    found = where_it_is(sender, as_bob, leaking(text=ANSWERED))

    assert {"context 4", "served 4", "diff 2", "raw 4", "state history", "state page history"} <= set(found)


@pytest.mark.parametrize("name", ["flat-wrong-tool", "grouped-multi-tools", "flat-memory-turn4", "flat-rag"])
def test_whole_keys_are_masked_in_every_view(name, sender, as_bob):
    """All keys from which a context is put together: nothing of them is left, and the pages still answer."""
    listed = [*KEYS, "systemPromptInjections", "activeInjections", "userMessage", "finalContent", "llmLatestContent"]
    words = {"flat-wrong-tool": ANSWERED, "flat-memory-turn4": "12 Mill Lane"}.get(name, "the")
    listed += ["answer", "loaded", "selected", "formatted", "memoryInjection_chat", "toolsInjections", "messages"]
    data = leaking(*listed, "dynamicToolSchemas", "toolSchemas", name=name, text=words)
    run = json.loads(data)
    # Events are copies, and what they copied is not covered.
    run.pop("events", None)

    assert where_it_is(sender, as_bob, json.dumps(run).encode()) == []


def test_a_field_of_one_element_is_masked_and_the_others_stay(sender, as_bob):
    data = leaking(
        "toolResults", "lastToolResult", *(FIELD.format(number=number) for number in range(9)), text=ANSWERED
    )
    body = sender.sent(data)

    context = sender.page(f"/api/v1/recordings/{body['id']}/epochs/4/context/")

    messages = [piece for piece in context["pieces"] if piece["slot"] == "messages"]
    assert {piece["state"] for piece in messages} == {"redacted"}
    assert [piece for piece in context["pieces"] if piece["slot"] == "tools"]
    assert SECRET not in json.dumps(context)


def test_a_trail_and_the_list_do_not_find_what_was_taken_out(sender, as_bob):
    body = sender.sent(leaking(*KEYS, "llmLatestContent", "finalContent", text=ANSWERED))

    trail = sender.page(f"/api/v1/recordings/{body['id']}/trail/", f"?phrase={SECRET}&epoch=4")

    assert trail["candidates"] == []
    assert trail["answer"] == "evidence_missing"
    assert b"0 recordings" in as_bob.get(f"/recordings/?q={SECRET}").content


def test_the_bytes_are_kept_as_they_were_sent(sender, as_alice):
    data = leaking(*KEYS, text=ANSWERED)
    body = sender.sent(data)

    response = as_alice.get(f"/api/v1/recordings/{body['id']}/raw/")

    assert b"".join(response.streaming_content if response.streaming else [response.content]) == data
