"""What a receipt proves, and what cannot be checked."""

import copy

import pytest

from recordings.timetravel import (
    UNDEFINED,
    EpochNotFoundError,
    epoch_locations,
    receipt_at,
    receipt_hash,
    recording_of,
    served_at,
    verify,
)

RUN_ID = "run-1"
TOOL = {"name": "look", "inputSchema": {"type": "object"}}
CONTEXT = {
    "history": [{"role": "user", "content": "Where? 😀"}, {"role": "tool", "content": "Here.", "toolCallId": "t1"}],
    "systemPromptInjections": [
        {"rawContent": "Be 😀.", "slot": "system-prompt", "source": "base"},
        {"rawContent": "\ud83d", "slot": "system-prompt", "source": "fact"},
    ],
    "dynamicToolSchemas": [TOOL],
}


def digest(text):
    return receipt_hash(RUN_ID, text)


#: What the recorder would have committed for that context.
RECEIPT = {
    "system": {
        "hash": digest("Be 😀.\n\n\ud83d"),
        "chars": 9,
        "pieces": [
            {"hash": digest("Be 😀."), "slot": "system-prompt", "source": "base"},
            {"hash": digest("\ud83d"), "slot": "system-prompt", "source": "fact"},
        ],
    },
    "messages": {
        "count": 2,
        "entries": [
            {"role": "user", "hash": digest("user\x1eWhere? 😀\x1e\x1e\x1e\x1e")},
            {"role": "tool", "hash": digest("tool\x1eHere.\x1et1\x1e\x1e\x1e"), "key": "t1"},
        ],
        "requestOnly": [],
    },
    "tools": {
        "names": ["look"],
        "schemaHashes": {"look": digest('{"inputSchema":{"type":"object"},"name":"look"}')},
        "forced": None,
        "withheld": None,
    },
    "cache": {"strategy": None},
    "basis": {"epoch": 1, "runId": RUN_ID},
}
ROWS = [
    "epoch",
    "system.hash",
    "system.chars",
    "system.pieces",
    "messages.count",
    "messages.entries",
    "messages.requestOnly",
    "tools.names",
    "tools.schemaHashes",
    "tools.forced",
    "tools.withheld",
]


def row(runtime_stage_id, **values):
    return {
        "stageId": runtime_stage_id.partition("#")[0],
        "runtimeStageId": runtime_stage_id,
        "trace": [{"path": key, "verb": "set"} for key in values],
        "overwrite": values,
    }


def flat(receipt=RECEIPT, **context):
    rows = [
        row("seed#0", **{**CONTEXT, **context}),
        row("call-llm#1", **({} if receipt is None else {"receipt": receipt})),
    ]
    return recording_of({"commitLog": rows, "initialState": {"iteration": 1}})


def checks(receipt=RECEIPT, **context):
    recording = flat(receipt, **context)
    (location,) = epoch_locations(recording)
    return {check.row: check for check in verify(served_at(recording, location), receipt_at(location))}


def states(receipt=RECEIPT, **context):
    return {row: check.state for row, check in checks(receipt, **context).items()}


def edited(path, value):
    """The receipt with the value at *path* replaced, or taken out."""
    receipt = copy.deepcopy(RECEIPT)
    part = receipt
    *front, last = path.split(".")
    for name in front:
        part = part[int(name)] if isinstance(part, list) else part[name]
    if value is UNDEFINED:
        del part[last]
    else:
        part[last] = value
    return receipt


def test_the_receipt_is_what_the_call_itself_committed():
    recording = flat()
    (location,) = epoch_locations(recording)

    assert receipt_at(location) == receipt_at(recording, location) == receipt_at(recording, 1) == RECEIPT


@pytest.mark.parametrize("receipt", [None, {}, "REDACTED", {"basis": {"epoch": "1"}}])
def test_a_receipt_that_cannot_be_used_is_none(receipt):
    (location,) = epoch_locations(flat(receipt))

    assert receipt_at(location) is None


def test_a_receipt_of_no_epoch_is_refused():
    with pytest.raises(EpochNotFoundError):
        receipt_at(flat(), 7)


def test_what_was_served_as_the_call_sent_it_verifies():
    """Lengths are in UTF-16 units, and digests of what no UTF-8 holds are of replacement characters."""
    assert states() == dict.fromkeys(ROWS, "verified")
    assert all(check.gaps == [] for check in checks().values())


@pytest.mark.parametrize(
    ("path", "value", "differing"),
    [
        ("basis.epoch", 2, {"epoch"}),
        (
            "basis.runId",
            "run-2",
            {"system.hash", "system.pieces", "messages.entries", "tools.schemaHashes"},
        ),
        ("system.hash", "0" * 16, {"system.hash"}),
        ("system.chars", 7, {"system.chars"}),
        ("system.pieces.0.source", "fact", {"system.pieces"}),
        ("system.pieces.1.slot", "messages", {"system.pieces"}),
        ("system.pieces.1.hash", None, {"system.pieces"}),
        ("system.pieces", [], {"system.pieces"}),
        ("system.pieces", ["REDACTED"] * 2, {"system.pieces"}),
        ("messages.count", 3, {"messages.count"}),
        ("messages.entries.0.role", "assistant", {"messages.entries"}),
        ("messages.entries", [], {"messages.entries"}),
        ("messages.requestOnly", ["a line"], {"messages.requestOnly"}),
        ("tools.names", ["look", "ask"], {"tools.names"}),
        ("tools.schemaHashes", {}, {"tools.schemaHashes"}),
        ("tools.schemaHashes", "REDACTED", {"tools.schemaHashes"}),
        ("tools.schemaHashes.ask", "0" * 16, {"tools.schemaHashes"}),
        ("tools.forced", "look", {"tools.forced"}),
        ("tools.withheld", "wrap-up", {"tools.withheld"}),
    ],
)
def test_what_the_call_sent_otherwise_differs_and_nothing_else_does(path, value, differing):
    assert {row for row, state in states(edited(path, value)).items() if state == "differs"} == differing


@pytest.mark.parametrize(
    ("path", "rows"),
    [
        ("system", {"system.hash", "system.chars", "system.pieces"}),
        ("system.chars", {"system.chars"}),
        ("messages", {"messages.count", "messages.entries", "messages.requestOnly"}),
        ("tools.withheld", {"tools.withheld"}),
        ("basis.runId", {"system.hash", "system.pieces", "messages.entries", "tools.schemaHashes"}),
    ],
)
def test_what_a_receipt_does_not_tell_is_neither_verified_nor_different(path, rows):
    assert {row for row, state in states(edited(path, UNDEFINED)).items() if state == "not-on-receipt"} == rows


@pytest.mark.parametrize("receipt", [None, {"basis": {}}])
def test_without_a_usable_receipt_nothing_can_be_checked(receipt):
    assert states(receipt) == dict.fromkeys(ROWS, "no-receipt-on-chart")


def test_messages_that_no_log_tells_cannot_be_checked():
    found = states(history="REDACTED")

    assert {row for row, state in found.items() if state == "no-conversation-on-record"} == {
        "messages.count",
        "messages.entries",
        "messages.requestOnly",
    }
    assert found["system.hash"] == "verified"


def test_a_forced_tool_cannot_be_checked_without_the_log_of_the_run():
    history = [row("turn-seed#1", **CONTEXT), row("sf-llm-call/call-llm#2", receipt=RECEIPT)]
    tree = {"history": history, "initialState": {}}
    recording = recording_of(
        {"commitLog": [], "initialState": {}, "subflowResults": {"sf-llm-call#0": {"treeContext": tree}}}
    )
    (location,) = epoch_locations(recording)

    found = {check.row: check for check in verify(served_at(recording, location), receipt_at(location))}

    assert {row: check.state for row, check in found.items()} == dict.fromkeys(ROWS, "verified") | {
        "tools.forced": "no-run-log"
    }
    assert found["tools.names"].gaps == ["no-run-log"]


def test_the_schema_of_a_forced_tool_cannot_be_checked():
    """The other schemas still are, and the name of the tool is on record."""
    receipt = edited("tools.forced", "answer")
    receipt["tools"]["names"] = ["look", "answer"]
    receipt["tools"]["schemaHashes"]["answer"] = "0" * 16

    found = states(receipt, forcedOutputToolName="answer")

    assert found == dict.fromkeys(ROWS, "verified") | {"tools.schemaHashes": "forced-tool-schema"}
    receipt["tools"]["schemaHashes"]["look"] = "0" * 16
    assert states(receipt, forcedOutputToolName="answer")["tools.schemaHashes"] == "differs"


def test_a_match_of_what_was_recorded_does_not_hide_a_gap():
    """The record agrees with the receipt; what a cache did to the request afterwards is still unproven."""
    found = checks(edited("cache.strategy", "*"))

    assert {check.state for check in found.values()} == {"verified"}
    assert found["system.hash"].gaps == ["cache-transform"]
    assert found["epoch"].gaps == []


@pytest.mark.parametrize(
    "change",
    [
        {"history": [*CONTEXT["history"], {"role": "user", "content": ""}]},
        {"history": CONTEXT["history"][::-1]},
        {"history": ["REDACTED"]},
        {"systemPromptInjections": "REDACTED"},
        {"dynamicToolSchemas": [{**TOOL, "description": ""}]},
        {"dynamicToolSchemas": [{"inputSchema": {}}]},
        {"wrapUpAsked": True},
    ],
)
def test_a_record_that_was_changed_differs(change):
    assert "differs" in states(**change).values()
