"""Conversations and turns, over HTTP."""

import json

import pytest

from footprint_site.access.models import Scope
from sessions_app.models import Conversation, Turn
from tests.sessions.asking import IDENTITY, Asker
from tests.sessions.material import ODD_IDS, entry_json


def test_turns_count_on_and_a_retry_is_a_replay(asker):
    answers = [asker.post("turns/", {"identity": IDENTITY, "run_id": run_id}) for run_id in ("run-1", "run-2", "run-1")]

    assert [answer.json() for answer in answers] == [
        {"turn": 1, "replayed": False},
        {"turn": 2, "replayed": False},
        {"turn": 1, "replayed": True},
    ]
    assert [answer.status_code for answer in answers] == [201, 201, 200]


def test_the_host_s_turn_counts(asker):
    assert asker.post("turns/", {"identity": IDENTITY, "host_turn": 5}).json()["turn"] == 5
    assert asker.post("turns/", {"identity": IDENTITY, "host_turn": 5}).json()["turn"] == 6


@pytest.mark.parametrize(
    ("host_turn", "code"),
    [
        ("99999999999999999999", "turn_out_of_range"),
        ("9" * 400, "turn_out_of_range"),
        ("-1", "turn_out_of_range"),
        ("0", "turn_out_of_range"),
        ("9223372036854775808", "turn_out_of_range"),
        ("0.5", "turn_not_integer"),
        ("1e999", "turn_not_integer"),
        ('"3"', "turn_not_integer"),
        ("true", "turn_not_integer"),
        ("null", "turn_not_integer"),
        ("[]", "turn_not_integer"),
    ],
)
def test_a_turn_is_a_positive_whole_number(asker, host_turn, code):
    response = asker.post("turns/", raw=f'{{"identity": {json.dumps(IDENTITY)}, "host_turn": {host_turn}}}')

    assert (response.status_code, response.json()["code"]) == (422, code)
    assert not Conversation.objects.exists()


def test_no_turn_is_left_above_the_last_one(asker):
    last = 2**63 - 1
    assert asker.post("turns/", {"identity": IDENTITY, "host_turn": last}).json()["turn"] == last

    response = asker.post("turns/", {"identity": IDENTITY})

    assert (response.status_code, response.json()["code"]) == (422, "turn_out_of_range")


def test_a_closed_occupant_reserves_nothing(asker, workspace):
    asker.open("desk-7")
    Asker(workspace).open("desk-7")

    response = asker.post("turns/", {"identity": IDENTITY})

    assert (response.status_code, response.json()["code"]) == (409, "stale_incarnation")
    assert not Turn.objects.exists()


def test_a_reader_reserves_nothing(workspace):
    response = Asker(workspace, Scope.READ).post("turns/", {"identity": IDENTITY})

    assert (response.status_code, response.json()["code"]) == (403, "scope_missing")


@pytest.mark.parametrize("odd", ODD_IDS)
def test_any_run_id_survives(asker, odd):
    asker.post("turns/", {"identity": IDENTITY, "run_id": odd})
    conversation = asker.get("conversations/").json()["results"][0]

    turns = asker.get(f"conversations/{conversation['id']}/turns/").json()["results"]

    assert [(turn["turn"], turn["run_id"]) for turn in turns] == [(1, odd)]


def test_occupants_and_nobody_have_conversations_of_their_own(asker, workspace):
    """One namespace, three conversations: nothing is merged."""
    unknown = Asker(workspace)
    first = asker.open("desk-7")
    asker.post("turns/", {"identity": IDENTITY})
    second = asker.open("desk-7")
    asker.post("turns/", {"identity": IDENTITY})
    unknown.post("turns/", {"identity": IDENTITY})

    listed = asker.get("conversations/").json()["results"]

    assert [(row["occupant"], row["incarnation"], row["turns"]) for row in listed] == [
        ("unknown", None, 1),
        ("known", second["id"], 1),
        ("known", first["id"], 1),
    ]
    assert {row["namespace"] for row in listed} == {"brew/dana/chat-501"}
    for query, found in ((f"incarnation={first['id']}", listed[2:]), (f"session={first['session']}", listed[1:])):
        assert asker.get(f"conversations/?{query}").json()["results"] == found
    assert asker.get("conversations/?principal=dana").json()["code"] == "unknown_filter"
    assert asker.get("conversations/?session=desk-7").json()["code"] == "session_invalid"


def test_a_conversation_says_what_is_in_it_and_what_was_overwritten(asker):
    asker.put_raw(entry_json("msg-1-0", 1, "12 Mill Lane"), "chat")
    asker.put_raw(entry_json("msg-1-0", 4, "4 High Street"), "chat")
    conversation = asker.get("conversations/").json()["results"][0]

    detail = asker.get(f"conversations/{conversation['id']}/").json()
    entries = asker.get(f"conversations/{conversation['id']}/entries/").json()["results"]

    assert detail == conversation | {"stores": [{"name": "chat", "entries": 1}]}
    assert (detail["overwritten"], detail["warnings"]) == (1, ["entries_overwritten"])
    assert (entries[0]["turn"], entries[0]["turns"]) == (4, [1, 4])
    assert entries[0]["json"] == entry_json("msg-1-0", 4, "4 High Street")
    assert entries[0]["versions"][0]["json"] == entry_json("msg-1-0", 1, "12 Mill Lane")
    assert entries[0]["versions"][0]["written_by"] == f"tests ({asker.row.prefix})"


def test_a_stranger_gets_the_answer_of_nothing(people, asker):
    asker.post("turns/", {"identity": IDENTITY})
    public_id = Conversation.objects.get().public_id
    stranger = Asker(people.elsewhere)
    nothing = stranger.get("conversations/00000000-0000-4000-8000-000000000000/")

    for part in ("", "turns/", "entries/"):
        response = stranger.get(f"conversations/{public_id}/{part}")
        assert (response.status_code, response.content) == (404, nothing.content)
    assert stranger.get("conversations/").json()["results"] == []
    assert stranger.post("turns/", {"identity": IDENTITY, "run_id": "x"}).json() == {"turn": 1, "replayed": False}


def test_lists_take_few_queries(asker, django_assert_max_num_queries):
    for number in range(20):
        asker.method("put", {"conversationId": str(number)}, entry=json.loads(entry_json()))
    public_id = Conversation.objects.latest("pk").public_id

    with django_assert_max_num_queries(8):
        asker.get("conversations/")
    with django_assert_max_num_queries(9):
        asker.get(f"conversations/{public_id}/entries/")


def test_a_list_of_entries_is_bounded_however_long_they_are(asker):
    """The newest versions, and no more text than there is room for; how long each is is told all the same."""
    for number in range(23):
        asker.put_raw(entry_json("a", number, "x" * 400_000))
    conversation = asker.get("conversations/").json()["results"][0]

    entry = asker.get(f"conversations/{conversation['id']}/entries/").json()["results"][0]

    assert [version["number"] for version in entry["versions"]] == list(range(22, 2, -1))
    assert entry["n_overwritten"] == 22
    texts = [entry["json"], *(version["json"] for version in entry["versions"])]
    assert texts[0] == entry_json("a", 22, "x" * 400_000)
    assert [text is not None for text in texts] == [True] * 20 + [False]
    assert entry["versions"][-1]["n_chars"] > 400_000
