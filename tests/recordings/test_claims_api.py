"""What each answer claims, and which served pieces hold it, over HTTP and on the screen."""

import gzip

import pytest

from tests.corpus import ROOT, needs_corpus, read_bytes, recording_files
from tests.recordings import edited
from tests.recordings.test_investigation import text_of

pytestmark = [needs_corpus, pytest.mark.django_db]

SAMPLES = ROOT / "recordings" / "samples"


def claims_in(sender, data: bytes) -> list[dict]:
    body = sender.sent(data)
    return sender.page(f"/api/v1/recordings/{body['id']}/claims/")["results"]


def test_each_claim_is_a_slice_of_its_answer_with_what_holds_it(sender):
    (answer,) = claims_in(sender, read_bytes(recording_files()["flat-wrong-tool"]))
    by_text = {claim["text"]: claim for claim in answer["claims"]}

    assert answer["epoch"] == 4
    assert all(answer["text"][claim["start"] : claim["end"]] == claim["text"] for claim in answer["claims"])
    assert by_text["3 September 2025"]["support"] == "source"
    assert by_text["GBP 429.00"]["kind"] == "money"
    assert by_text["GBP 429.00"]["n_pieces"] == len(by_text["GBP 429.00"]["pieces"]) == 1


def test_what_nothing_holds_has_no_source(sender):
    def invent(rows):
        edited.row_of(rows, "call-llm#84")["overwrite"]["llmLatestContent"] = "Ask Zaphod about EUR 99.95."

    data = edited.edited("flat-wrong-tool", invent)
    results = claims_in(sender, data)

    found = {claim["text"]: claim["support"] for answer in results for claim in answer["claims"]}
    assert all(support in ("source", "differ", "none") for support in found.values())


def test_two_sources_that_differ_are_told_apart(sender):
    def contradict(rows):
        row = edited.row_of(rows, "tool-calls#44")["overwrite"]["history"][1]
        row["content"] = "Archive: order A-1042, delivered 2025-09-30, closed."

    (answer,) = claims_in(sender, edited.edited("flat-wrong-tool", contradict))

    assert {claim["text"]: claim["support"] for claim in answer["claims"]}["3 September 2025"] == "differ"


def test_every_lane_has_its_own_claims(sender):
    results = claims_in(sender, gzip.decompress((SAMPLES / "two-agents-in-parallel.json.gz").read_bytes()))

    assert [answer["lane"] for answer in results] == ["legal", "finance"]
    assert all(
        claim["support"] == "source" for answer in results for claim in answer["claims"] if claim["kind"] == "money"
    )


@pytest.mark.parametrize("name", ["flat-paused", "plain-chart-full", "flat-redacted-history"])
def test_runs_without_an_answer_claim_nothing_that_is_not_there(name, sender):
    for answer in claims_in(sender, read_bytes(recording_files()[name])):
        assert answer["text"]


def test_the_screen_underlines_what_has_a_source(sender, as_bob):
    body = sender.sent(read_bytes(recording_files()["flat-wrong-tool"]))
    page = as_bob.get(f"{body['url']}?claims=on")
    html = page.content.decode()

    assert 'class="claim claim--source"' in html
    assert "phrase=3+September+2025" in html
    assert "several that differ 0" in text_of(page)
