"""What runs answer."""

import pytest

from recordings.timetravel import Answer, answers_of, outcomes_of_lanes
from tests.corpus import needs_corpus, recording_files, recording_named
from tests.timetravel.build import commit
from tests.timetravel.runs import ended, run

# The corpus


@needs_corpus
@pytest.mark.parametrize("name", recording_files())
def test_only_a_lane_that_finished_has_an_answer(name):
    """It is what the reference reads at the end of the log, wherever that log still has it."""
    recording = recording_named(name)
    answers = {answer.lane: answer.text for answer in answers_of(recording)}
    finished = [outcome.lane for outcome in outcomes_of_lanes(recording) if outcome.kind == "finished"]

    assert list(answers) == finished
    last = recording.run_log.value_at("llmLatestContent", recording.run_log.length)
    if answers.keys() == {""} and isinstance(last, str) and recording.run_log.length:
        assert answers[""] == last


@needs_corpus
@pytest.mark.parametrize(
    ("name", "answers"),
    [
        (
            "flat-wrong-tool",
            [
                Answer(
                    "",
                    "I am sorry Dana: order A-1042 was delivered on 3 September 2025, more than 30 days ago, so I can "
                    "only offer GBP 429.00 of store credit.",
                    "final",
                )
            ],
        ),
        (
            "parallel-grouped-agents",
            [
                Answer("legal", "legal: order A-1042 cost GBP 249.00.", "final"),
                Answer("finance", "finance: order A-1042 cost GBP 249.00.", "final"),
            ],
        ),
        ("parallel-llmcalls", [Answer("legal", "legal: fine", "answer"), Answer("ethics", "ethics: fine", "answer")]),
        (
            "sequence-llmcall-agent",
            [
                Answer("step-classify", "billing", "answer"),
                Answer("step-resolve", "Order A-1042 cost GBP 249.00.", "final"),
            ],
        ),
        ("llmcall", [Answer("", "billing", "answer")]),
        ("flat-600", [Answer("", "The ledger balances after 600 pages.", "llmLatestContent")]),
    ],
)
def test_answers_of_the_corpus(name, answers):
    assert answers_of(recording_named(name)) == answers


# What the corpus lacks


def test_the_last_content_of_a_run_that_did_not_finish_is_no_answer():
    rows = [
        commit("call-llm", 1, ("llmLatestContent", "set", "Let me ask."), ("finalContent", "set", "")),
        commit("tool-calls", 2, ("pausedToolCallId", "set", "p")),
    ]

    assert answers_of(run(*rows)) == []
    assert answers_of(run(*rows[:1], commit("final", 3))) == [Answer("", "Let me ask.", "llmLatestContent")]


def test_the_last_execution_of_the_last_stage_counts():
    recording = run(
        commit("call-llm", 1, ("llmLatestContent", "set", "draft")),
        subflowResults={**ended("", 10, "new"), **ended("", 9, "old"), **ended("other/", 99, "elsewhere")},
    )

    assert answers_of(recording) == [Answer("", "new", "final")]


def test_a_redacted_answer_is_not_missing():
    recording = run(commit("call-llm", 1), subflowResults=ended("", 2, "REDACTED"))

    assert answers_of(recording) == [Answer("", None, "final", is_redacted=True)]


def test_exported_final_content_is_not_used():
    assert answers_of(run(commit("call-llm", 1), sharedState={"finalContent": "no"})) == []


def test_a_composition_without_its_steps():
    """What it was asked is no answer; what it passed on is."""
    rows = [commit("seed", 0, ("current", "set", "question"))]

    assert answers_of(run(*rows)) == []
    assert answers_of(run(*rows, commit("step-a", 1, ("current", "set", "reply")))) == [Answer("", "reply", "current")]
    assert answers_of(run(commit("seed", 0, ("branchResults", "set", {"a": "A", "b": 1})))) == [
        Answer("a", "A", "branchResults")
    ]
