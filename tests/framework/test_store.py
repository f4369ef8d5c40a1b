"""The framework's store over HTTP, method by method, as JavaScript calls it and reads what it answers."""

import json
import subprocess
from typing import Any
from unittest.mock import ANY

import pytest

from tests.corpus import golden, needs_corpus
from tests.framework.agents import NODE, SCRIPTS, SECONDS, Service

IDENTITY = {"tenant": "petal", "principal": "ines@example.org", "conversationId": "chat-5"}
ROUNDS = 60


def entry(entry_id: str, updated_at: int = 1, **more: Any) -> dict[str, Any]:
    times = {"createdAt": 1, "updatedAt": updated_at, "lastAccessedAt": 1}
    return {"id": entry_id, "value": entry_id, "version": 1, **times, "accessCount": 0, **more}


def got(entry: dict[str, Any], n_accesses: int = 1) -> dict[str, Any]:
    """The entry after it was got by its id so often."""
    return entry | {"lastAccessedAt": ANY, "accessCount": n_accesses}


def turn_entry(turn: int) -> dict[str, Any]:
    return entry(f"msg-{turn}-0", turn, source={"turn": turn})


def told_by(service: Service, store: str, *calls: list[Any]) -> list[Any]:
    """What a process of Node.js was told by these calls: values, and "undefined" where there was none."""
    answers = service.run("calls.mjs", store=store, identity=IDENTITY, calls=calls)
    return [answer.get("error") or answer.get("value", "undefined") for answer in answers]


def test_entries_are_put_got_and_deleted(service):
    a, b, c = entry("a"), entry("b", tier="hot"), entry("a") | {"value": {"in": [1, None]}}
    calls = [["get", "a"], ["put", a], ["get", "a"], ["putMany", []], ["putMany", [b, c]], ["get", "a"]]
    calls += [["delete", "a"], ["get", "a"], ["delete", "a"], ["get", "b"], ["forget"], ["get", "b"], ["list"]]
    answers = [None, "undefined", got(a), "undefined", "undefined", got(c)]
    answers += ["undefined", None, "undefined", got(b), "undefined", None, {"entries": []}]

    assert told_by(service, "put", *calls) == answers


def test_an_entry_that_has_expired_is_neither_got_nor_listed(service):
    calls = [["put", entry("old", ttl=1)], ["get", "old"], ["list"], ["putIfVersion", entry("old"), 0]]

    assert told_by(service, "expired", *calls) == ["undefined", None, {"entries": []}, {"applied": True}]


def test_a_version_is_put_only_on_the_one_that_it_follows(service):
    first, second = entry("a"), entry("a") | {"version": 2}
    calls = [["putIfVersion", first, 3], ["putIfVersion", first, 0], ["putIfVersion", first, 0]]
    calls += [["putIfVersion", second, 2], ["putIfVersion", second, 1], ["get", "a"]]
    answers = [{"applied": False}, {"applied": True}, {"applied": False, "currentVersion": 1}]
    answers += [{"applied": False, "currentVersion": 1}, {"applied": True}, got(second)]

    assert told_by(service, "versions", *calls) == answers


def test_a_list_comes_in_pages_the_latest_first(service):
    """As the framework's own store in memory gives them, for odd cursors and limits too."""
    a, b, c = entry("a", 1), entry("b", 2, tier="cold"), entry("c", 2)
    lists = [{}, {"limit": 2}, {"limit": 2, "cursor": "2"}, {"cursor": "9"}, {"cursor": "x"}, {"cursor": "-1"}]
    lists += [{"limit": 0}, {"tiers": ["cold", "hot"]}]

    answers = told_by(service, "list", ["putMany", [a, b, c]], *(["list", options] for options in lists))

    assert answers[1:] == [
        {"entries": [b, c, a]},
        {"entries": [b, c], "cursor": "2"},
        {"entries": [a]},
        {"entries": []},
        {"entries": [b, c, a]},
        {"entries": [b, c, a]},
        {"entries": [], "cursor": "0"},
        {"entries": [b]},
    ]


def test_signatures_and_feedback_are_remembered(service):
    calls = [["seen", "s"], ["recordSignature", "s"], ["seen", "s"], ["put", entry("a")], ["getFeedback", "a"]]
    calls += [["feedback", "a", 1], ["feedback", "a", -0.5], ["getFeedback", "a"]]
    answers = [False, "undefined", True, "undefined", None, "undefined", "undefined", {"average": 0.25, "count": 2}]

    assert told_by(service, "seen", *calls) == answers


def test_a_refusal_is_thrown_with_its_code(service):
    """A store that fails never answers as an empty one."""
    nobody = Service(service.port, "fp_none", "")
    stranger = Service(service.port, service.key, "no such token")

    assert told_by(nobody, "refused", ["list"], ["put", entry("a")]) == ["not_authenticated"] * 2
    assert told_by(stranger, "refused", ["list"], ["put", entry("a")]) == ["unknown_incarnation"] * 2
    assert told_by(service, "refused", ["put", {"id": "a"}], ["get", "x" * 1001]) == ["entry_invalid", "id_too_long"]


def test_of_two_processes_that_put_a_version_at_once_exactly_one_does(service):
    """For every version: its first one too, and with the one that is there told to the other."""
    job = {"store": "race", "identity": IDENTITY, "rounds": ROUNDS}
    with racer(service.job(name="a", **job)) as one, racer(service.job(name="b", **job)) as other:
        assert one.stdout.readline() == other.stdout.readline() == "ready\n"
        for process in (one, other):
            process.stdin.write("go\n")
            process.stdin.flush()
        told = [json.loads(process.communicate(timeout=SECONDS)[0]) for process in (one, other)]

    for version, answers in enumerate(zip(*told, strict=True)):
        assert sorted(answer["applied"] for answer in answers) == [False, True]
        assert all(answer["applied"] or answer["currentVersion"] > version for answer in answers)
    assert told_by(service, "race", ["get", "counter"])[0]["version"] == ROUNDS


def racer(job: str) -> "subprocess.Popen[str]":
    """A process that says when it is ready, and waits for a line."""
    process = subprocess.Popen([NODE, SCRIPTS / "race.mjs"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    process.stdin.write(f"{job}\n")
    process.stdin.flush()
    return process


def test_what_javascript_writes_it_reads_again(service):
    """Characters that are halves or separate lines, numbers of any size and spelling, the order of members, odd ids."""
    told = service.run("odd_values.mjs", store="odd", identity=IDENTITY)

    assert told["changed"] == []
    assert told["n"] == told["n_listed"] == 27


@pytest.mark.parametrize("n_entries", [1_000, 1_001, 2_345])
def test_the_turn_is_above_all_of_a_store_of_many_pages(service, n_entries):
    """The highest is on the last page, and the framework asks for no page after it."""
    identity = IDENTITY | {"conversationId": f"chat of {n_entries}"}
    # Of one time all, so that they come as they were put.
    entries = [entry(f"note-{number}", source={"turn": number}) for number in range(1, n_entries + 1)]
    row = {"stores": [{"entries": entries}], "identity": identity, "hostTurn": 3}

    (told,) = service.run("turn_cases.mjs", now=0, cases=[row], snapshots=[], hostTurns=[])["cases"]

    cursors = [None, *(str(start) for start in range(1_000, n_entries, 1_000))]
    assert told == {"turn": n_entries + 1, "calls": [[{"limit": 1_000, "cursor": cursor} for cursor in cursors]]}
    assert service.ask("turns/", {"identity": identity}) == {"turn": n_entries + 1, "replayed": False}


@needs_corpus
def test_the_turn_rule_over_http_is_the_one_of_the_reference(service):
    """For every case whose stores can be ours: the same number after the same pages."""
    table = golden("turns")
    rows = [
        case for case in map(filled, table["cases"]) if not any({"cursor", "throwsAt"} & set(s) for s in case["stores"])
    ]
    snapshots = [{"entries": row["entries"], "identity": IDENTITY} for row in table["maxStoredTurnNarrowed"]]
    host_turns = [row["hostTurn"] for row in table["normalizeHostTurn"]]

    told = service.run("turn_cases.mjs", now=table["now"], cases=rows, snapshots=snapshots, hostTurns=host_turns)

    assert len(rows) == len(table["cases"]) - 6
    for row, answer in zip(rows, told["cases"], strict=True):
        assert answer["turn"] == row["resolveTurnNumber"]["out"], row["note"]
        # A store that stands there twice is told of twice there, and once here.
        for calls, expected in zip(answer["calls"], row["listCalls"], strict=False):
            summary = {"count": len(calls), "first": calls[:3], "last": calls[-1]}
            assert expected in (calls, summary), row["note"]
    assert told["snapshots"] == [row["out"]["out"] for row in table["maxStoredTurnNarrowed"]]
    assert told["hostTurns"] == [row["out"] for row in table["normalizeHostTurn"]]


def filled(row: dict[str, Any]) -> dict[str, Any]:
    """A row of the table with its entries, where it only says how many there are."""
    if "generated" not in row:
        return row
    entries = [turn_entry(turn) for turn in range(1, row["generated"]["count"] + 1)]
    return row | {"stores": [{"entries": entries}], "identity": IDENTITY}
