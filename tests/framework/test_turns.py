"""An agent on the framework's engine talks over four turns, and remembers through the REST API alone."""

import hashlib
import json
from typing import Any

import pytest

from tests.corpus import needs_corpus, read_bytes, recording_files
from tests.framework.agents import Agent

IDENTITY = {"tenant": "petal", "principal": "nora@example.org", "conversationId": "chat-88"}
ADDRESS = "7 Harbour Steps, Whitby"
STORY = [
    (f"Bring my flowers to {ADDRESS}, please: the bell says Okafor.", "Gladly, I have noted it."),
    ("Do tulips 🌷 last longer than peonies?", "They do: peonies fade first, after about five days."),
    ("From May on we live in Bath, so use what my account says.", "I will."),
    ("Where do you bring Saturday's tulips?", f"To {ADDRESS}: the bell says Okafor."),
]
IN_TURN = [f"msg-{turn}-{index}" for turn in (1, 2, 3, 4) for index in (0, 1)]


@pytest.fixture(scope="module")
def agent(service) -> Agent:
    """The agent after the story."""
    agent = Agent(service.seated("stall-7"), "stall-7", IDENTITY)
    for message, answer in STORY:
        agent.turn(message, answer)
    return agent


def entry_of(turn: int, index: int, now: int) -> dict[str, Any]:
    """A message as the framework stores it, its members in the framework's order."""
    value = {"role": ["user", "assistant"][index], "content": STORY[turn - 1][index]}
    times = {"createdAt": now, "updatedAt": now, "lastAccessedAt": now}
    return {
        "id": f"msg-{turn}-{index}",
        "value": value,
        "version": 1,
        **times,
        "accessCount": 0,
        "source": {"turn": turn, "identity": IDENTITY},
    }


def javascript_json(value: Any) -> str:
    """JSON.stringify, for values without odd numbers and halves of characters."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def shape_of(snapshot: dict[str, Any]) -> dict[str, Any]:
    """Which stages committed, in which order, and what they wrote, log by log: a recording without its values."""
    logs = {"": snapshot["commitLog"]}
    logs |= {key: result["treeContext"]["history"] for key, result in snapshot["subflowResults"].items()}
    kept = ("stage", "stageId", "runtimeStageId", "trace", "redactedPaths")
    return {
        name: [{field: row[field] for field in kept} | {"members": list(row)} for row in log]
        for name, log in logs.items()
    }


def test_each_process_takes_the_next_turn(agent):
    """A fresh process knows of no turn: it counts what is stored."""
    assert [told["turn"] for told in agent.turns] == [1, 2, 3, 4]
    assert [told["recording"]["turn"] for told in agent.turns] == [1, 2, 3, 4]
    assert not any("error" in told for told in agent.turns)


def test_the_store_holds_what_the_framework_writes_to_the_byte(agent):
    stored = agent.stored()

    assert [entry["id"] for entry in stored] == IN_TURN
    for entry, (turn, index) in zip(stored, [(turn, index) for turn in (1, 2, 3, 4) for index in (0, 1)], strict=True):
        written = json.loads(entry["json"])
        assert entry["json"] == javascript_json(entry_of(turn, index, written["createdAt"]))
        assert (entry["store"], entry["turn"], entry["n_overwritten"]) == ("chat", turn, 0)


def test_the_store_lists_the_latest_turn_first_and_a_turn_as_it_was_written(agent):
    listed = agent.service.ask("memory/list/", {"identity": IDENTITY, "store": "chat"})

    assert [entry["id"] for entry in listed["entries"]] == [f"msg-{turn}-{i}" for turn in (4, 3, 2, 1) for i in (0, 1)]
    assert "cursor" not in listed


def test_every_recording_is_ready_and_says_what_was_asked_and_answered(agent):
    for told, (message, answer) in zip(agent.turns, STORY, strict=True):
        recording = agent.service.ask(f"recordings/{told['recording']['id']}/")
        assert (recording["status"], recording["outcome"], recording["warnings"]) == ("ready", "finished", [])
        assert (recording["question"], recording["answer"]) == (message, answer)
        (epoch,) = agent.service.rows(f"recordings/{recording['id']}/epochs/")
        assert (epoch["position"], epoch["number"], epoch["basis"]) == (1, 1, "initial+log")
        assert epoch["call_runtime_stage_id"].startswith("call-llm#")
        raw = agent.service.fetch(f"recordings/{recording['id']}/raw/")
        assert hashlib.sha256(raw).hexdigest() == recording["sha256"]


def test_the_served_context_is_what_the_provider_was_sent(agent):
    """The recording proves to the letter what stood in the request."""
    for number, told in enumerate(agent.turns, start=1):
        served = agent.served(number)
        assert served["system"]["text"] == told["request"]["systemPrompt"]
        assert served["tools"]["schemas"] == told["request"]["tools"]
        texts = {piece["id"]: {"role": piece["role"], "content": piece["text"]} for piece in served["pieces"]}
        assert [texts[message] for message in served["messages"]] == told["request"]["messages"]


def test_the_earlier_turns_are_pieces_of_memory(agent):
    for number in range(1, 5):
        pieces = [piece for piece in agent.served(number)["pieces"] if piece["source"] == "memory"]

        assert [(piece["memory_store"], piece["memory_entry_id"], piece["memory_turn"]) for piece in pieces] == [
            ("chat", f"msg-{turn}-{index}", turn) for turn in range(1, number) for index in (1, 0)
        ]
        for piece in pieces:
            turn, index = piece["memory_turn"], int(piece["memory_entry_id"][-1])
            assert piece["text"][slice(*piece["own"])] == STORY[turn - 1][index]
            assert (piece["slot"], piece["source_id"]) == ("system-prompt", "memory:chat")
            assert piece["origin"]["runtime_stage_id"].startswith("sf-memory-read-chat#")


def test_the_wrong_address_leads_back_to_the_message_of_the_first_turn(agent):
    first, last = (told["recording"]["id"] for told in (agent.turns[0], agent.turns[-1]))

    trail = agent.service.ask(f"recordings/{last}/trail/", phrase=ADDRESS)

    assert (trail["answer"], trail["n_candidates"]) == ("source_found", 1)
    (candidate,) = trail["candidates"]
    assert (candidate["match"]["kind"], candidate["match"]["text"], candidate["echo"]) == ("exact", ADDRESS, False)
    assert (candidate["piece"]["memory_entry_id"], candidate["piece"]["memory_turn"]) == ("msg-1-0", 1)
    assert [hop["kind"] for hop in candidate["hops"][:2]] == ["written", "memory_entry"]
    assert {(hop["memory_entry_id"], hop["turn"]) for hop in candidate["hops"][:2]} == {("msg-1-0", 1)}
    written_in = candidate["hops"][1]["written_in"]
    assert (written_in["recording"], written_in["log"]) == (first, "final/sf-memory-write-chat#30")
    assert written_in["runtime_stage_id"] == "final/sf-memory-write-chat/write-messages#31"
    # And in the recording of that turn it is what the customer said.
    there = agent.service.ask(f"recordings/{first}/trail/", phrase=ADDRESS)
    assert [found["piece"]["source"] for found in there["candidates"]] == ["user"]
    assert there["candidates"][0]["piece"]["text"] == STORY[0][0]


def test_everything_is_bound_to_the_occupant_and_its_conversation(agent):
    conversation = agent.conversation()

    assert conversation["identity"] == IDENTITY
    assert (conversation["session_id"], conversation["number"], conversation["occupant"]) == ("stall-7", 1, "known")
    assert conversation["stores"] == [{"name": "chat", "entries": 8}]
    assert (conversation["entries"], conversation["overwritten"], conversation["warnings"]) == (8, 0, [])
    claim = {"tenant": "petal", "principal": "nora@example.org", "conversation_id": "chat-88"}
    for told in agent.turns:
        recording = agent.service.ask(f"recordings/{told['recording']['id']}/")
        assert recording["incarnation"] == {"id": conversation["incarnation"], "number": 1, "state": "open"}
        assert (recording["session_id"], recording["occupant"], recording["late"]) == ("stall-7", "known", False)
        assert recording["conversation"] == claim


@needs_corpus
@pytest.mark.parametrize("number", [1, 4])
def test_the_recording_has_the_shape_of_a_real_one(agent, number):
    """Of a turn without tool calls: the same stages, runtime ids, verbs and paths in every log, in the same order."""
    ours = json.loads(agent.service.fetch(f"recordings/{agent.turns[number - 1]['recording']['id']}/raw/"))
    real = json.loads(read_bytes(recording_files()[f"flat-memory-turn{number}"]))

    assert shape_of(ours) == shape_of(real)
    assert ours["sharedState"].keys() == real["sharedState"].keys()
    assert set(real) - set(ours) == {"recorders"}
    assert not set(ours) - set(real)


def test_an_odd_message_comes_back_in_the_next_turn_as_it_was(service):
    """Half a character, a line separator and a NUL: as a recording has them, and as a store does."""
    odd = "half \ud83d of a tulip,\u2028a line \u0000 and </memory>"
    identity = IDENTITY | {"conversationId": "chat-odd"}
    agent = Agent(service.seated("stall-odd"), "stall-odd", identity)
    agent.turn(odd, "Pardon?")
    told = agent.turn("Again", "Pardon?")

    assert odd in told["request"]["systemPrompt"]
    assert told["recording"]["status"] == "ready"
    assert json.loads(agent.stored()[0]["json"])["value"]["content"] == odd
    served = agent.served(2)
    assert served["system"]["text"] == told["request"]["systemPrompt"]
    _, piece = [piece for piece in served["pieces"] if piece["source"] == "memory"]
    assert (piece["memory_entry_id"], piece["text"][slice(*piece["own"])]) == ("msg-1-0", odd)
