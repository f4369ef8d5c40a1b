"""What a served context holds, from small recordings."""

import copy

import pytest

from recordings.timetravel import (
    UNDEFINED,
    EpochNotFoundError,
    all_epoch_locations,
    decode_recording,
    epoch_locations,
    served_at,
)
from tests.timetravel.test_served_gaps import CONTEXT, USABLE, flat, gap_names, only_epoch, served, without


def test_the_system_text_is_the_texts_that_are_there_joined_by_a_blank_line():
    records = [
        {"rawContent": "One.", "slot": "system-prompt", "source": "base"},
        {"rawContent": ""},
        {"contentSummary": "Only a summary…"},
        {"rawContent": 4},
        "REDACTED",
        {"rawContent": " Two.\n", "source": "fact"},
    ]
    system = served(without(systemPromptInjections=records)).system

    assert system.text == "One.\n\n Two.\n"
    assert [(piece.text, piece.slot, piece.source) for piece in system.pieces] == [
        ("One.", "system-prompt", "base"),
        (" Two.\n", None, "fact"),
    ]


@pytest.mark.parametrize("value", ["REDACTED", None, {}, UNDEFINED])
def test_injections_that_are_no_list_are_no_text(value):
    state = without("systemPromptInjections", **({} if value is UNDEFINED else {"systemPromptInjections": value}))

    assert (served(state).system.text, served(state).system.pieces) == ("", [])


def test_messages_lose_only_what_is_not_sent():
    kept = {"role": "assistant", "content": "", "toolCalls": [{"id": "t"}], "ephemeral": True}
    history = [{**kept, "injectedBy": {"injectionId": "x"}, "notDispatched": True}, "REDACTED", None, kept]

    assert served(without(history=history)).messages == [kept, "REDACTED", None, kept]


def test_without_a_history_the_injected_lines_are_the_messages():
    records = [
        {"asRole": "assistant", "rawContent": "Hi.", "contentSummary": "no"},
        {"rawContent": "Raw."},
        {"asRole": 4, "contentSummary": "Summary…"},
        {"asRole": "user", "rawContent": "", "contentSummary": "dropped with the empty text"},
        {"asRole": "user"},
        None,
    ]
    view = served(without(history="REDACTED", messagesInjections=records))

    assert view.messages == [
        {"role": "assistant", "content": "Hi."},
        {"role": "user", "content": "Raw."},
        {"role": "user", "content": "Summary…"},
    ]
    assert "no-conversation-on-record" not in gap_names(view)


def test_a_history_that_is_a_list_wins_even_when_it_is_empty():
    assert served(without(history=[], messagesInjections=[{"rawContent": "Raw."}])).messages == []


def test_a_wrap_up_withholds_every_tool():
    tools = served({**CONTEXT, "wrapUpAsked": True}).tools

    assert (tools.names, tools.schemas, tools.withheld) == ([], [], "wrap-up")


@pytest.mark.parametrize("asked", [False, 1, "true", None])
def test_a_wrap_up_is_asked_for_by_true_alone(asked):
    tools = served({**CONTEXT, "wrapUpAsked": asked}).tools

    assert (tools.names, tools.withheld) == (["look"], None)


@pytest.mark.parametrize(
    ("dynamic", "static", "names"),
    [
        ([], [{"name": "b"}], []),
        ("REDACTED", [{"name": "b"}], ["b"]),
        (None, [{"name": "b"}], ["b"]),
        ("REDACTED", "REDACTED", []),
        ([{"name": "a"}, {"name": 4}, "x"], [], ["a"]),
    ],
)
def test_the_tools_of_the_turn_go_before_those_of_the_agent(dynamic, static, names):
    tools = served(without(dynamicToolSchemas=dynamic, toolSchemas=static)).tools

    assert tools.names == names
    assert (tools.forced, tools.withheld) == (None, None)


def test_what_is_served_is_what_stood_there_before_the_call():
    recording = flat(CONTEXT, after={"history": [], "systemPromptInjections": [], "receipt": USABLE})
    view = only_epoch(recording)

    assert view.messages == CONTEXT["history"]
    assert view.system.text == "Be kind."
    assert view.request_only == []


def test_an_epoch_is_reached_by_its_location_or_its_number():
    recording = flat(CONTEXT)
    (location,) = epoch_locations(recording)

    by_number = served_at(recording, 1)

    assert by_number == served_at(recording, location) == served_at(recording, all_epoch_locations(recording)[0])
    assert (by_number.epoch, by_number.call_runtime_stage_id) == (1, "call-llm#1")


def test_a_number_that_no_epoch_has_is_refused():
    with pytest.raises(EpochNotFoundError, match=r"2\.5") as refused:
        served_at(flat(CONTEXT), 2.5)

    assert refused.value.number == 2.5


def test_copies_of_the_conversation_are_not_read_beside_a_history():
    """They are no JSON here, and nobody notices."""
    data = (
        b'{"initialState":{},"commitLog":[{"stageId":"seed","runtimeStageId":"seed#0","updates":{},"trace":'
        b'[{"path":"history","verb":"set"},{"path":"messagesInjections","verb":"set"}],"overwrite":'
        b'{"history":[],"messagesInjections":["MARK"]}},{"stageId":"call-llm","runtimeStageId":"call-llm#1","trace":[]}]}'
    )
    recording = decode_recording(data)
    rows = recording.run_log.rows
    rows[0].overwrite["messagesInjections"] = b"nonsense"

    assert only_epoch(recording).messages == []


def test_a_question_does_not_change_the_answers():
    recording = flat(without(history=[{"role": "user", "content": "x", "injectedBy": {"a": 1}}]))
    first = copy.deepcopy(only_epoch(recording))

    assert only_epoch(recording) == first
    assert recording.run_log.value_at("history", 0)[0]["injectedBy"] == {"a": 1}
