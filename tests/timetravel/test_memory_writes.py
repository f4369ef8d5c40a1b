"""What a run wrote to memory: against the stores that real conversations left behind, and where the log is odd."""

import json

import pytest

from recordings.timetravel import all_epoch_locations, decode_recording
from recordings.timetravel.memorywrites import memory_writes
from recordings.timetravel.places import Places
from tests.corpus import CORPUS, needs_corpus, recording_files, recording_named
from tests.timetravel.build import call, commit, recording, user

#: By conversation: its recordings and, by the memory id of those, the store of the dump.
STORIES = {
    "flat-beats": (["flat-beats-turn1", "flat-beats-turn2", "flat-beats-turn3"], {"chat": "chat", "beats": "beats"}),
    "flat-factmem": (["flat-factmem-turn1", "flat-factmem-turn2", "flat-factmem-turn3"], {"user-facts": "facts"}),
    "flat-memory": ([f"flat-memory-turn{turn}" for turn in (1, 2, 3, 4)], {"chat": "chat"}),
    "grouped-causal": ([f"grouped-causal-turn{turn}" for turn in (1, 2, 3)], {"causal": "causal"}),
}


def dumped(story):
    stores = json.loads((CORPUS / "memory" / f"{story}.json").read_bytes())["stores"]
    return {label: store["entries"] for label, store in stores.items()}


def entries_of(recording_):
    """Every entry, with the write that it is of."""
    return [(write, entry) for write in memory_writes(recording_) for entry in write.entries]


def ids(recording_):
    return [(write.memory_id, entry.entry_id, entry.turn) for write, entry in entries_of(recording_)]


@needs_corpus
@pytest.mark.parametrize("story", STORIES)
def test_the_runs_of_a_conversation_wrote_what_its_stores_hold(story):
    names, labels = STORIES[story]
    stored = dumped(story)
    found = [one for name in names for one in ids(recording_named(name))]

    for memory_id, label in labels.items():
        of_store = {(entry_id, turn) for store, entry_id, turn in found if store == memory_id}

        assert of_store == {(entry["id"], entry["source"]["turn"]) for entry in stored[label]}
    assert {store for store, *_ in found} == set(labels)


@needs_corpus
@pytest.mark.parametrize("story", STORIES)
def test_texts_are_those_that_the_stores_hold(story):
    names, labels = STORIES[story]
    said = {}
    for label, entries in dumped(story).items():
        for entry in entries:
            value = entry["value"]
            said[label, entry["id"]] = (
                [value["query"], value["finalContent"]] if "query" in value else [value.get("content")]
            )
    for name in names:
        for write, entry in entries_of(recording_named(name)):
            if entry.texts:
                assert entry.texts == said[labels[write.memory_id], entry.entry_id]


@needs_corpus
def test_a_summary_is_written_by_the_read_that_made_it_and_not_in_the_turn_that_it_ends_with():
    found = memory_writes(recording_named("flat-summarize-turn7"))

    assert ids(recording_named("flat-summarize-turn7")) == [
        ("long-chat", "msg-summary-1-4", 4),
        ("long-chat", "msg-7-0", 7),
        ("long-chat", "msg-7-1", 7),
    ]
    assert found[0].place.log == "sf-memory-read-long-chat#1"
    assert found[0].place.epoch_position == 1


@needs_corpus
@pytest.mark.parametrize("name", [name for name in recording_files() if "600" not in name])
def test_a_write_belongs_to_the_call_before_it(name):
    run = recording_named(name)
    last = len(all_epoch_locations(run))
    for write in memory_writes(run):
        assert write.place.epoch_position == (1 if write.is_summary else last)
        assert write.is_summary == write.place.log.startswith("sf-memory-read-")


def written(*rows, key="final/sf-memory-write-chat#20", before=()):
    handed_on = {"stageId": "final/sf-memory-write-chat/write-messages", "runtimeStageId": ""}
    first = commit("x", 0, ("turnNumber", "set", 2), ("newMessages", "set", [user("hello")])) | handed_on
    return recording(*(before or [call(5)]), mounts={key: [first, *rows]})


def write_row(number=21, *writes):
    return commit("final/sf-memory-write-chat/write-messages", number, *writes)


def test_a_write_that_did_not_get_to_its_last_stage_wrote_nothing():
    assert memory_writes(written()) == []
    assert ids(written(write_row())) == [("chat", "msg-2-0", 2)]


@pytest.mark.parametrize(
    ("writes", "expected"),
    [
        ([("newMessages", "set", "REDACTED")], [("chat", None, 2)]),
        ([("newMessages", "set", [])], []),
        ([("turnNumber", "set", "REDACTED")], [("chat", None, None)]),
        ([("turnNumber", "set", 0)], [("chat", None, None)]),
        ([("turnNumber", "set", 2.0)], [("chat", "msg-2-0", 2)]),
        ([("turnNumber", "delete")], [("chat", None, None)]),
    ],
)
def test_what_is_not_on_record_is_not_made_up(writes, expected):
    changed = commit("final/sf-memory-write-chat/before", 20, *writes)

    assert ids(written(changed, write_row())) == expected


def test_each_lane_has_its_own_writes():
    run = written(
        write_row(),
        key="first/final/sf-memory-write-chat#20",
        before=(commit("first/call-llm", 5), commit("second/call-llm", 30)),
    )

    (write,) = memory_writes(run)

    assert write.lane == "first"
    assert write.place.epoch_position == 1


def test_a_lane_may_be_called_like_a_stage():
    rows = [commit("final/sf-injection-engine", 3), commit("final/call-llm", 5), commit("final/seed", 9)]
    run = recording(*rows, commit("final/call-llm", 15), mounts={"final#1": rows})
    places = Places(run)
    log = run.mount_log("final#1")

    assert [places.place(log, "final#1", row, "final").epoch_position for row in (0, 1, 2)] == [1, 1, 2]


def test_two_writes_of_one_run_keep_their_order():
    two = {
        f"final/sf-memory-write-chat#{number}": [
            commit("x", 0, ("turnNumber", "set", number), ("newMessages", "set", [user("hello")]))
            | {"runtimeStageId": ""},
            write_row(number + 1),
        ]
        for number in (20, 9)
    }

    assert [entry_id for _, entry_id, _ in ids(recording(call(5), mounts=two))] == ["msg-9-0", "msg-20-0"]


@pytest.mark.parametrize("history", [None, [], [None], [7], [{}], [{"stageId": 3, "runtimeStageId": 4}]])
def test_damaged_logs_hold_no_writes(history):
    snapshot = {
        "commitLog": [],
        "subflowResults": {"final/sf-memory-write-chat#1": {"treeContext": {"history": history}}},
    }

    assert memory_writes(decode_recording(json.dumps(snapshot).encode())) == []


def around(*after, errors=None):
    """A run whose last write is followed, in what it is in, by the rows *after*."""
    final = [commit("final/prepare-final", 19) | {"runtimeStageId": ""}, *after]
    snapshot = {"commitLog": [call(5)]} | ({"executionTree": errors} if errors else {})
    handed_on = commit("x", 0, ("turnNumber", "set", 2), ("newMessages", "set", [user("hello")]))
    logs = {
        "final#18": final,
        "final/sf-memory-write-chat#20": [handed_on | {"runtimeStageId": ""}, write_row()],
    }
    snapshot["subflowResults"] = {key: {"treeContext": {"history": rows}} for key, rows in logs.items()}
    return decode_recording(json.dumps(snapshot).encode())


def test_a_write_that_nothing_follows_was_refused_and_wrote_nothing():
    """The stage that throws is in the log all the same."""
    assert memory_writes(around()) == []
    assert ids(around(commit("final/break-final", 23))) == [("chat", "msg-2-0", 2)]


def test_a_write_that_failed_by_the_tree_wrote_nothing():
    broken = {"runtimeStageId": "final/sf-memory-write-chat/write-messages#21", "errors": {"error": "reset"}}

    assert memory_writes(around(commit("final/break-final", 23), errors=broken)) == []
    elsewhere = broken | {"runtimeStageId": "tool-calls#7"}
    assert ids(around(commit("final/break-final", 23), errors=elsewhere)) == [("chat", "msg-2-0", 2)]


def test_a_stage_that_ran_many_times_wrote_what_it_wrote_last():
    """No memory of the framework writes twice in one mount; a file that says so cannot make a row of each."""
    many = written(*[write_row(number) for number in range(21, 1021)])

    assert ids(many) == [("chat", "msg-2-0", 2)]


def test_an_odd_message_keeps_its_place():
    changed = commit("final/sf-memory-write-chat/before", 20, ("newMessages", "set", [None, user("hello"), 7]))

    assert [(entry.entry_id, entry.texts) for _, entry in entries_of(written(changed, write_row()))] == [
        ("msg-2-0", []),
        ("msg-2-1", ["hello"]),
        ("msg-2-2", []),
    ]
