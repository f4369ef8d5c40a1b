"""Trails through the API: the wrong answers lead to what put them there, and what nothing holds is said so."""

from __future__ import annotations

import gzip
import json
from typing import Any
from urllib.parse import urlencode

import pytest

from tests.corpus import ROOT, needs_corpus, read_bytes, recording_files
from tests.recordings import edited
from tests.recordings.sending import Sender

pytestmark = [needs_corpus, pytest.mark.django_db]

SAMPLES = ROOT / "recordings" / "samples"


def trail(sender: Sender, data: bytes, phrase: str, **query: Any) -> dict:
    body = sender.sent(gzip.decompress(data) if data.startswith(b"\x1f\x8b") else data)
    return sender.page(f"/api/v1/recordings/{body['id']}/trail/", f"?{urlencode({'phrase': phrase} | query)}")


def of_run(sender: Sender, name: str, phrase: str, **query: Any) -> dict:
    return trail(sender, read_bytes(recording_files()[name]), phrase, **query)


def of_sample(sender: Sender, name: str, phrase: str, **query: Any) -> dict:
    return trail(sender, (SAMPLES / name).read_bytes(), phrase, **query)


def kinds(candidate: dict) -> list[str]:
    return [hop["kind"] for hop in candidate["hops"]]


@pytest.mark.parametrize("name", ["flat-wrong-tool", "sample"])
def test_the_wrong_tool_result_comes_first(name, sender):
    phrase = "3 September 2025"
    found = (
        of_sample(sender, "wrong-delivery-date.json.gz", phrase) if name == "sample" else of_run(sender, name, phrase)
    )
    first = found["candidates"][0]

    assert found["answer"] == "source_found"
    assert (first["piece"]["tool_call_id"], first["match"]["kind"], first["match"]["text"]) == (
        "w1",
        "normalised",
        "2025-09-03",
    )
    assert first["piece"]["text"][first["match"]["start"] : first["match"]["end"]] == "2025-09-03"
    assert kinds(first)[:2] == ["written", "call"]
    call = first["hops"][1]
    assert (call["tool_call_id"], call["epoch_position"], json.loads(call["text"])) == ("w1", 1, {"order": "A-1042"})


@pytest.mark.parametrize("name", ["grouped-planted-fact", "sample"])
def test_the_planted_fact_comes_first(name, sender):
    phrase = "free lifetime repairs"
    found = (
        of_sample(sender, "free-repairs-promise.json.gz", phrase) if name == "sample" else of_run(sender, name, phrase)
    )
    first = found["candidates"][0]

    assert found["answer"] == "source_found"
    assert (first["piece"]["source"], first["piece"]["source_id"]) == ("fact", "repair-policy")
    assert kinds(first)[0] == "written"


@pytest.mark.parametrize("name", ["flat-rag", "sample"])
def test_the_outdated_passage_comes_first(name, sender):
    found = (
        of_sample(sender, "outdated-returns-policy.json.gz", "60 days")
        if name == "sample"
        else of_run(sender, name, "60 days")
    )
    first = found["candidates"][0]

    assert found["answer"] == "source_found"
    assert first["piece"]["document_id"] == "refunds-2024"
    # Passages that were retrieved and rejected carry no text.
    assert [row["id"] for row in found["not_served"]] == ["refunds-2026", "descale"]
    assert found["not_served"][0]["text"] is None


@pytest.mark.parametrize("name", ["flat-memory-turn4", "sample"])
def test_the_stale_memory_comes_first_and_its_echo_after_it(name, sender):
    phrase = "12 Mill Lane"
    found = (
        of_sample(sender, "delivery-address-turn-4.json.gz", phrase)
        if name == "sample"
        else of_run(sender, name, phrase)
    )
    first, second = found["candidates"][:2]

    assert found["answer"] == "source_found"
    assert [first["piece"]["memory_entry_id"], second["piece"]["memory_entry_id"]] == ["msg-1-0", "msg-1-1"]
    assert (first["echo"], second["echo"], second["echo_of"]) == (False, True, first["piece"]["id"])
    entry = next(hop for hop in first["hops"] if hop["kind"] == "memory_entry")
    assert (entry["memory_entry_id"], entry["turn"]) == ("msg-1-0", 1)
    assert first["hops"][0]["turn"] == 1
    assert second["hops"][-1]["kind"] == "echo"
    assert second["hops"][-1]["memory_entry_id"] == "msg-1-0"


@pytest.mark.parametrize("name", ["flat-wrong-skill", "sample"])
def test_the_wrong_skill_stands_at_the_end_of_the_chain(name, sender):
    phrase = "out for delivery"
    found = (
        of_sample(sender, "parcel-instead-of-invoice.json.gz", phrase)
        if name == "sample"
        else of_run(sender, name, phrase)
    )
    first = found["candidates"][0]

    assert first["piece"]["tool_call_id"] == "x2"
    assert kinds(first)[-2:] == ["opened", "skill"]
    opened, skill = first["hops"][-2:]
    assert (opened["tool_call_id"], opened["epoch_position"], opened["skill_id"]) == ("x1", 1, "shipping")
    assert skill["skill_id"] == "shipping"
    assert "offered anyway" in skill["text"]


def test_what_a_customer_said_comes_before_the_beats_that_repeat_it(sender):
    found = of_run(sender, "flat-beats-turn3", "prefer decaf")
    entries = [candidate["piece"]["memory_entry_id"] for candidate in found["candidates"]]

    assert entries[0] == "msg-1-0"
    assert {entry for entry in entries[1:] if entry} == {"msg-1-1", "beat-1-0", "beat-1-1"}
    assert all(candidate["echo"] for candidate in found["candidates"][1:])
    beat = next(c for c in found["candidates"] if c["piece"]["memory_entry_id"] == "beat-1-0")
    assert [hop["memory_entry_id"] for hop in beat["hops"] if hop["kind"] == "repeats"] == ["msg-1-0"]


def test_what_nothing_holds_is_not_found(sender):
    found = of_run(sender, "flat-wrong-tool", "quarterly zebra tax")

    assert (found["answer"], found["candidates"], found["missing"]) == ("not_found", [], [])


def test_a_missing_result_is_missing_evidence(sender):
    found = trail(sender, edited.with_missing_and_late_result(), "gold plated")

    assert found["answer"] == "evidence_missing"
    assert {"kind": "tool_result", "id": "t1", "name": "lookup_customer"} in found["missing"]


def test_a_redacted_source_is_missing_evidence(sender):
    found = of_run(sender, "flat-redacted-system", "gold plated")

    assert found["answer"] == "evidence_missing"
    assert {"kind": "redacted", "id": "system-prompt", "name": None} in found["missing"]


def test_without_a_base_evidence_is_missing(sender):
    found = of_run(sender, "flat-receipt-resumed-nobase", "gold plated")

    assert found["answer"] == "evidence_missing"
    assert "no-fold-base" in [item["id"] for item in found["missing"]]


def test_what_left_the_window_was_not_served(sender):
    found = of_sample(sender, "sliding-window.json.gz", "DEPLOY d1", epoch=6)

    assert found["answer"] == "not_served"
    assert [row["kind"] for row in found["not_served"] if row["match"]][:1] == ["evicted"]


def test_a_phrase_that_came_from_an_earlier_leg_leads_there(sender):
    paused = sender.sent(read_bytes(recording_files()["flat-paused"]))
    resumed = sender.sent(read_bytes(recording_files()["flat-resumed"]))
    answer = sender.page(f"/api/v1/recordings/{resumed['id']}/trail/", "?phrase=delivered+2026-02-03")
    hops = answer["candidates"][0]["hops"]

    assert resumed["legs"]["earlier"] == paused["id"]
    assert "earlier_leg" in kinds(answer["candidates"][0])
    there = [hop for hop in hops if hop["recording"] == paused["id"]]
    assert [hop["kind"] for hop in there] == ["earlier_leg", "written"]
    assert there[1]["epoch_position"] == 1


def test_the_answer_of_an_earlier_lane_is_handed_on(sender):
    body = sender.sent(read_bytes(recording_files()["sequence-llmcall-agent"]))
    first = body["answers"][0]["text"]
    found = sender.page(
        f"/api/v1/recordings/{body['id']}/trail/", f"?{urlencode({'phrase': first[:40], 'epoch': body['epochs']})}"
    )

    assert any("lane" in kinds(candidate) for candidate in found["candidates"])


def test_two_sources_that_give_one_order_two_dates_disagree(sender):
    def contradict(rows):
        row = edited.row_of(rows, "tool-calls#44")["overwrite"]["history"][1]
        row["content"] = "Archive: order A-1042, delivered 2025-09-30, closed."

    found = trail(sender, edited.edited("flat-wrong-tool", contradict), "delivered 2025-09-03", epoch=4)

    assert found["answer"] == "sources_disagree"
    assert {(d["value"], d["other_value"]) for d in found["disagreements"]} == {("2025-09-03", "2025-09-30")}


@pytest.mark.parametrize(
    ("text", "phrase", "matched"),
    [
        ("Der Betrag ist 1.500,00 EUR inklusive Versand.", "EUR 1 500", "1.500,00 EUR"),
        ("المبلغ المستحق ٤٥ يوما من الاستلام", "45", "٤٥"),
        ("退款须在收货后三十天内提出，运费不退。", "三十天内", "三十天内"),
        ("Hoàn tiền trong vòng bốn mươi lăm ngày.", "bốn mươi lăm ngày", "bốn mươi lăm ngày"),
        ("stock: 4\0units left", "4units", "4\0units"),
    ],
    ids=["German", "Arabic", "Chinese", "Vietnamese", "across NUL"],
)
def test_any_script_and_spelling(text, phrase, matched, sender):
    found = trail(sender, edited.with_tool_text(text), phrase, epoch=4)

    assert found["answer"] == "source_found"
    first = found["candidates"][0]
    assert (first["piece"]["tool_call_id"], first["match"]["text"]) == ("w1", matched)
    assert text[first["match"]["start"] : first["match"]["end"]] == matched


def test_a_figure_in_a_result_and_in_the_words_of_the_model_is_an_echo_there(sender):
    def say(rows):
        history = edited.row_of(rows, "tool-calls#44")["overwrite"]["history"]
        history[0]["content"] = "The order was delivered 2025-09-03, so now the policy."

    found = trail(sender, edited.edited("flat-wrong-tool", say), "delivered 2025-09-03", epoch=4)

    assert [c["piece"]["source"] for c in found["candidates"][:2]] == ["tool-result", "assistant"]
    assert [c["echo"] for c in found["candidates"][:2]] == [False, True]


def test_arguments_of_a_call_are_candidates_only_as_an_echo(sender):
    found = of_run(sender, "flat-wrong-tool", "A-1042", epoch=4)

    asked = [candidate for candidate in found["candidates"] if candidate["match"]["in"] == "arguments"]
    assert asked
    assert all(candidate["echo"] for candidate in asked)
    assert found["candidates"][0]["piece"]["source"] == "user"


def test_an_argument_leads_to_the_result_that_it_came_from(sender):
    def ask(rows):
        row = edited.row_of(rows, "tool-calls#66")["overwrite"]["history"]
        row[0]["toolCalls"][0]["args"] = {"model": "espresso machine EM-7"}

    found = trail(sender, edited.edited("flat-wrong-tool", ask), "Dana Whitfield", epoch=4)
    lineage = [hop for hop in found["candidates"][0]["hops"] if hop["kind"] == "lineage"]

    assert [(hop["tool_call_id"], hop["text"]) for hop in lineage] == [("w1", "espresso machine EM-7")]


@pytest.mark.parametrize(
    ("query", "status", "code"),
    [
        ("", 422, "phrase_missing"),
        ("?phrase=%20%20", 422, "phrase_missing"),
        ("?phrase=" + "a" * 2_001, 400, "query_too_long"),
        ("?phrase=a&epoch=x", 422, "epoch_out_of_range"),
        ("?phrase=a&epoch=99", 404, "not_found"),
    ],
)
def test_what_cannot_be_asked_is_refused(query, status, code, sender):
    body = sender.sent(read_bytes(recording_files()["flat-one-epoch"]))
    response = sender.get(f"/api/v1/recordings/{body['id']}/trail/", query)

    assert (response.status_code, response.json()["code"]) == (status, code)


@pytest.mark.parametrize("phrase", ["%", "_", "\\", "(a+)+$", "a OR 1=1 --", '"', "🎉", "\0", "<script>"])
def test_phrases_are_taken_literally(phrase, sender):
    body = sender.sent(read_bytes(recording_files()["flat-one-epoch"]))
    response = sender.get(f"/api/v1/recordings/{body['id']}/trail/", f"?{urlencode({'phrase': phrase})}")

    assert response.status_code in (200, 422)


@pytest.mark.parametrize(
    "name", [n for n in recording_files() if n.startswith(("flat-", "grouped-")) and "00" not in n]
)
def test_offsets_slice_to_the_match_and_trails_end(name, sender):
    """Whatever stands in a context leads to itself, and back in a number of steps."""
    body = sender.sent(read_bytes(recording_files()[name]))
    context = sender.page(f"/api/v1/recordings/{body['id']}/epochs/{body['epochs']}/context/")
    for piece in context["pieces"]:
        words = piece["text"][slice(*piece["own"])].split()[:6]
        if piece["slot"] == "tools" or len(words) < 2 or piece["state"] != "recorded":
            continue
        # No address holds half a character.
        phrase = " ".join(words).encode("utf-8", "replace").decode()
        query = urlencode({"phrase": phrase, "epoch": body["epochs"]})
        found = sender.page(f"/api/v1/recordings/{body['id']}/trail/", f"?{query}")
        assert found["answer"] in ("source_found", "sources_disagree"), words
        assert piece["id"] in [candidate["piece"]["id"] for candidate in found["candidates"]]
        for candidate in found["candidates"]:
            match = candidate["match"]
            if match["in"] == "text" and not candidate["piece"]["truncated"]:
                assert candidate["piece"]["text"][match["start"] : match["end"]] == match["text"]
            assert len(candidate["hops"]) <= 42
