"""Trails over the corpus, in the core alone: they end, have no circles, and lead to what the run says."""

import pytest

from recordings.timetravel import candidates_for, claims, context_of, hops_of, served_evidence, trace_back
from tests.corpus import needs_corpus, recording_files, recording_named

pytestmark = needs_corpus

NAMES = [name for name in recording_files() if name not in ("flat-600", "grouped-600", "flat-100", "empty-log")]


def served_at_the_end(name: str, **facts):
    context = context_of(recording_named(name))
    return served_evidence(context, max(context.epochs), **facts)


@pytest.mark.parametrize(
    ("name", "phrase", "first"),
    [
        ("flat-wrong-tool", "3 September 2025", "w1"),
        ("grouped-planted-fact", "free lifetime repairs", "repair-policy"),
        ("flat-rag", "60 days", "refunds-2024"),
        ("flat-memory-turn4", "12 Mill Lane", "msg-1-0"),
        ("flat-wrong-skill", "out for delivery", "x2"),
        ("flat-beats-turn3", "prefer decaf", "msg-1-0"),
    ],
)
def test_the_cause_comes_first(name, phrase, first):
    evidence = candidates_for(phrase, served_at_the_end(name, turn=3))[0].evidence

    assert first in (evidence.tool_call_id, evidence.source_id, evidence.document_id, evidence.memory_entry_id)


@pytest.mark.parametrize("name", NAMES)
def test_trails_end_and_go_through_no_piece_twice(name):
    if not context_of(recording_named(name)).epochs:
        return
    served = served_at_the_end(name, turn=1)
    for evidence in served.evidence:
        phrase = " ".join(evidence.text.split()[:4])
        candidates = candidates_for(phrase, served)
        for candidate in candidates:
            assert candidate.match.piece.text[candidate.match.start : candidate.match.end] == candidate.match.text
            hops = hops_of(candidate, candidates, served)
            lineage = [hop.piece_id for hop in hops if hop.kind == "lineage"]
            assert len(hops) <= 41
            assert len(lineage) == len(set(lineage))
            assert hops[0].kind == "written"
            assert trace_back(candidate.match, served)[0] == hops[0]


@pytest.mark.parametrize("name", NAMES)
def test_the_same_recording_gives_the_same_trail(name):
    if not context_of(recording_named(name)).epochs:
        return
    one, two = served_at_the_end(name), served_at_the_end(name)
    for phrase in ("order A-1042", "refund", "the"):
        assert [c.id for c in candidates_for(phrase, one)] == [c.id for c in candidates_for(phrase, two)]


def test_an_echo_never_comes_before_what_it_repeats_of_its_kind():
    served = served_at_the_end("flat-memory-turn4", turn=4)
    candidates = candidates_for("12 Mill Lane", served)

    assert [(c.evidence.memory_entry_id, c.echo_of is not None) for c in candidates] == [
        ("msg-1-0", False),
        ("msg-1-1", True),
    ]


def test_claims_are_cut_from_the_answer_and_held_against_its_epoch():
    (answer,) = claims(recording_named("flat-wrong-tool"))
    support = {claim.span.text: claim.support for claim in answer.claims}

    assert answer.position == 4
    assert all(answer.text[c.span.start : c.span.end] == c.span.text for c in answer.claims)
    assert support["3 September 2025"] == "source"
    assert support["A-1042"] == "source"


def test_claims_that_nothing_holds_have_no_source():
    (answer,) = claims(recording_named("grouped-planted-fact"))

    assert {claim.support for claim in answer.claims} <= {"source", "none", "differ"}
    assert any(claim.evidence for claim in answer.claims)


@pytest.mark.parametrize("name", ["parallel-grouped-agents", "sequence-llmcall-agent", "parallel-llmcalls"])
def test_every_lane_that_answered_has_its_claims(name):
    recording = recording_named(name)

    assert {answer.lane for answer in claims(recording)} <= {e.lane for e in context_of(recording).epochs.values()}
