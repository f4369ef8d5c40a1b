"""Served contexts of small recordings: every gap and every cause, also those that the corpus lacks."""

import pytest

from recordings.timetravel import (
    UNDEFINED,
    epoch_locations,
    recording_of,
    served_at,
)

USABLE = {"basis": {"epoch": 1, "runId": "run-1", "model": "m", "provider": "p"}, "cache": {"strategy": None}}
CONTEXT = {
    "iteration": 1,
    "history": [{"role": "user", "content": "Hello?"}],
    "systemPromptInjections": [{"rawContent": "Be kind.", "slot": "system-prompt", "source": "base"}],
    "dynamicToolSchemas": [{"name": "look"}],
}
MESSAGES = ["messages.count", "messages.entries", "messages.requestOnly"]
SYSTEM = ["system.hash", "system.chars", "system.pieces"]
CACHE = ["cache.transform", "cache.transformHash", "cache.markersApplied", "cache.strategy"]


def row(runtime_stage_id, **values):
    return {
        "stage": "s",
        "stageId": runtime_stage_id.partition("#")[0],
        "runtimeStageId": runtime_stage_id,
        "trace": [{"path": key, "verb": "set"} for key in values],
        "overwrite": values,
        "updates": {},
    }


def flat(state, *, after=None, **members):
    """A recording with one call, that read *state* and committed *after*."""
    rows = [row("seed#0", **state), row("call-llm#1", **(after or {})), row("final#2")]
    return recording_of({"commitLog": rows, "initialState": {}, **members})


def only_epoch(recording):
    (location,) = epoch_locations(recording)
    return served_at(recording, location)


def served(state=None, *, receipt=USABLE, **members):
    after = {} if receipt is UNDEFINED else {"receipt": receipt}
    return only_epoch(flat(CONTEXT if state is None else state, after=after, **members))


def without(*keys, **more):
    return {key: value for key, value in CONTEXT.items() if key not in keys} | more


def gap_names(view):
    return [gap.gap for gap in view.gaps]


def fields(view, name):
    return next(gap.fields for gap in view.gaps if gap.gap == name)


def test_a_sound_record_leaves_only_the_dials_of_the_provider():
    view = served()

    assert gap_names(view) == ["provider-defaults"]
    assert fields(view, "provider-defaults") == ["params"]
    assert view.gaps[0].cause is None
    assert (view.basis.model, view.basis.provider, view.basis.run_id) == ("m", "p", "run-1")


@pytest.mark.parametrize("base", [None, "x", 3])
def test_no_fold_base(base):
    view = served(initialState=base)

    assert gap_names(view) == ["no-fold-base", "provider-defaults"]
    assert fields(view, "no-fold-base") == [
        *SYSTEM,
        *MESSAGES,
        "tools.schemaHashes",
        "tools.names",
        "tools.forced",
        "tools.withheld",
        "epoch",
    ]


def grouped(*, inner_base=True, run_log=True, run_base=True):
    """A recording whose one call is in the log of a mount."""
    tree = {"history": [row("turn-seed#2", **CONTEXT), row("sf-llm-call/call-llm#3", receipt=USABLE)]}
    if inner_base:
        tree["initialState"] = {}
    rows = [row("seed#0", forcedOutputToolName="answer")] if run_log else []
    base = {"initialState": {"forcedOutputToolName": "answer"}} if run_base else {}
    return recording_of({"commitLog": rows, "subflowResults": {"sf-llm-call#1": {"treeContext": tree}}, **base})


@pytest.mark.parametrize(
    ("lost", "has_gap"), [({}, False), ({"inner_base": False}, True), ({"run_base": False}, True)], ids=str
)
def test_either_base_lost_is_no_fold_base(lost, has_gap):
    assert ("no-fold-base" in gap_names(only_epoch(grouped(**lost)))) is has_gap


@pytest.mark.parametrize(
    "state",
    [
        without("history"),
        without(history="REDACTED"),
        without(history=None, messagesInjections="REDACTED"),
        without(history={"0": {}}, messagesInjections={}),
    ],
)
def test_no_conversation_on_record(state):
    """The turns are unknown, not empty."""
    view = served(state)

    assert view.messages == []
    assert gap_names(view) == ["no-conversation-on-record", "provider-defaults"]
    assert fields(view, "no-conversation-on-record") == MESSAGES


@pytest.mark.parametrize("state", [without(history=[]), without("history", messagesInjections=[])])
def test_an_empty_conversation_is_on_record(state):
    view = served(state)

    assert view.messages == []
    assert gap_names(view) == ["provider-defaults"]


def test_no_run_log():
    """What the run's log alone tells is unknown then, even if the base has it."""
    view = only_epoch(grouped(run_log=False))

    assert view.tools.forced is None
    assert view.tools.names == ["look"]
    assert gap_names(view) == ["no-run-log", "provider-defaults"]
    assert fields(view, "no-run-log") == ["tools.names", "tools.forced", "tools.schemaHashes", "messages.requestOnly"]


@pytest.mark.parametrize(
    ("receipt", "cause"),
    [
        (UNDEFINED, "no-receipt-committed"),
        (None, "receipt-shape-rejected"),
        ("REDACTED", "receipt-shape-rejected"),
        ([], "receipt-shape-rejected"),
        (7, "receipt-shape-rejected"),
        ({}, "receipt-shape-rejected"),
        ({"basis": None}, "receipt-shape-rejected"),
        ({"basis": [1]}, "receipt-shape-rejected"),
        ({"basis": {"epoch": "1"}}, "receipt-shape-rejected"),
        ({"basis": {"epoch": True}}, "receipt-shape-rejected"),
        ({"basis": {"epoch": None}, "cache": {"strategy": None}}, "receipt-shape-rejected"),
    ],
)
def test_no_receipt_on_chart(receipt, cause):
    """Without a usable receipt nothing is known of a cache either, and nothing of the dials was recorded."""
    view = served(receipt=receipt)
    gap = view.gaps[0]

    assert view.basis is None
    assert gap_names(view) == ["no-receipt-on-chart", "cache-transform"]
    assert (gap.gap, gap.cause) == ("no-receipt-on-chart", cause)
    assert gap.fields == [
        "basis.model",
        "basis.provider",
        "basis.runId",
        "basis.epoch",
        "params",
        *CACHE,
        "omittedForAttention",
        "requestMeasurement",
    ]


@pytest.mark.parametrize("epoch", [0, -1, 2.5, 10**30])
def test_a_receipt_with_any_number_of_an_epoch_is_usable(epoch):
    assert served(receipt={"basis": {"epoch": epoch}}).basis is not None


def test_a_receipt_tells_what_it_tells():
    basis = served(receipt={"basis": {"epoch": 1, "model": None, "provider": 4}}).basis

    assert (basis.model, basis.provider, basis.run_id) == (None, None, None)


@pytest.mark.parametrize(
    "cache", [UNDEFINED, None, "REDACTED", [], {}, {"strategy": "*"}, {"strategy": ""}, {"strategy": False}]
)
def test_cache_transform_unless_the_strategy_is_exactly_null(cache):
    receipt = {"basis": USABLE["basis"]} if cache is UNDEFINED else {**USABLE, "cache": cache}
    view = served(receipt=receipt)

    assert gap_names(view) == ["cache-transform", "provider-defaults"]
    assert fields(view, "cache-transform") == [
        *CACHE,
        *SYSTEM,
        *MESSAGES,
        "tools.names",
        "tools.schemaHashes",
        "tools.forced",
        "tools.withheld",
    ]


def test_forced_tool_schema():
    """The names are complete, the schemas are one short."""
    view = served({**CONTEXT, "forcedOutputToolName": "answer"})

    assert (view.tools.forced, view.tools.names, view.tools.schemas) == (
        "answer",
        ["look", "answer"],
        [{"name": "look"}],
    )
    assert gap_names(view) == ["provider-defaults", "forced-tool-schema"]
    assert fields(view, "forced-tool-schema") == ["tools.schemaHashes"]


def test_a_forced_tool_that_is_offered_is_named_once():
    assert served({**CONTEXT, "forcedOutputToolName": "look"}).tools.names == ["look"]


@pytest.mark.parametrize("name", ["", None, 4, ["answer"], True])
def test_what_is_no_name_forces_nothing(name):
    view = served({**CONTEXT, "forcedOutputToolName": name})

    assert (view.tools.forced, view.tools.names, gap_names(view)) == (None, ["look"], ["provider-defaults"])


def test_the_forced_tool_is_that_of_the_run_not_of_the_turn():
    assert only_epoch(grouped()).tools.forced == "answer"


def test_all_gaps_stand_in_the_order_of_the_reference():
    """At once: no base, no conversation, no receipt, and a forced tool."""
    state = without("history", forcedOutputToolName="answer")

    assert gap_names(served(state, receipt=UNDEFINED, initialState=None)) == [
        "no-fold-base",
        "no-conversation-on-record",
        "no-receipt-on-chart",
        "cache-transform",
        "forced-tool-schema",
    ]
    assert gap_names(only_epoch(grouped(run_log=False, run_base=False)))[:2] == ["no-fold-base", "no-run-log"]
