"""The investigation screen, as the server answers it."""

from __future__ import annotations

import gzip
import json
import re

import pytest
from django.utils.html import strip_tags

from recordings.models import Recording
from recordings.services.samples import manifest
from recordings.templatetags import words
from recordings.timetravel.served import _GAP_FIELDS
from tests.corpus import ROOT, needs_corpus, read_bytes, recording_files
from tests.recordings import edited
from tests.recordings.sending import Sender

pytestmark = [needs_corpus, pytest.mark.django_db]

SAMPLES = ROOT / "recordings" / "samples"


def text_of(response) -> str:
    """What a reader reads: the words, without markup, each run of white space as one blank."""
    assert response.status_code == 200, response.content
    html = re.sub(r"<(?:svg|title)\b.*?</(?:svg|title)>", " ", response.content.decode(), flags=re.DOTALL)
    html = re.sub(r"</(?:th|td|dt|dd|li|p|h[1-6])>", r"\g<0> ", html)
    return re.sub(r"\s+", " ", strip_tags(html))


def sample(sender: Sender, name: str) -> dict:
    return sender.sent(gzip.decompress((SAMPLES / name).read_bytes()))


@pytest.mark.parametrize("wrong", manifest()["wrong_answers"], ids=lambda wrong: wrong["file"])
def test_the_cause_of_a_wrong_answer_is_three_clicks_from_the_list(wrong, sender, as_bob):
    """From the list to the recording, to what an epoch was served, to the commit that wrote it."""
    body = sample(sender, wrong["file"])
    assert body["url"] in as_bob.get("/recordings/").content.decode()
    told = {
        "delivery-address-turn-4.json.gz": ("served", "My delivery address is 12 Mill Lane", "msg-1-0"),
        "wrong-delivery-date.json.gz": ("served", "delivered 2025-09-03", "w1"),
        "free-repairs-promise.json.gz": ("served", "free lifetime repairs", "repair-policy"),
        "parcel-instead-of-invoice.json.gz": ("served", "out for delivery", "shipping"),
        "outdated-returns-policy.json.gz": ("served", "60 days", "refunds-2024"),
    }
    tab, text, name = told[wrong["file"]]
    page = as_bob.get(body["url"])
    way = f"?epoch={body['epochs']}&amp;tab={tab}"
    assert way in page.content.decode()

    served = as_bob.get(f"{body['url']}?epoch={body['epochs']}&tab={tab}")

    assert text in text_of(served)
    pieces = re.findall(r"<article.*?</article>", served.content.decode(), re.DOTALL)
    piece = next(piece for piece in pieces if text.split()[-1] in strip_tags(piece) and name in strip_tags(piece))
    origin = re.search(r'origin <a href="([^"]+)"', piece)[1].replace("&amp;", "&")
    assert as_bob.get(origin).status_code == 200


@pytest.mark.parametrize("tab", ["served", "diff", "raw"])
@pytest.mark.parametrize("name", [name for name in recording_files() if name not in ("empty-object", "empty-log")])
def test_every_epoch_of_every_recording_has_its_page(name, tab, sender, as_bob, settings):
    settings.RECORDING_INDEX_AT_ONCE_BYTES = 1 << 30
    body = sender.sent(read_bytes(recording_files()[name]))
    for position in sorted({*range(1, min(body["epochs"], 6) + 1), body["epochs"]} - {0}):
        response = as_bob.get(f"{body['url']}?epoch={position}&tab={tab}")
        assert response.status_code == 200
        assert f'id="e-{position}"' in response.content.decode()


@pytest.mark.parametrize("tab", ["served", "diff", "raw"])
@pytest.mark.parametrize("position", [1, 5, 300, 600])
def test_a_page_costs_the_same_wherever_it_is(position, tab, sender, as_bob, settings, django_assert_max_num_queries):
    settings.RECORDING_INDEX_AT_ONCE_BYTES = 1 << 30
    body = sender.sent(read_bytes(recording_files()["flat-600"]))

    with django_assert_max_num_queries(12):
        response = as_bob.get(f"{body['url']}?epoch={position}&tab={tab}")

    assert len(gzip.compress(response.content)) < 120 * 1024
    assert len(re.findall(rb"<[a-z]", response.content)) < 3_000


def test_the_farthest_comparison_stays_within_its_weight(sender, as_bob, settings, django_assert_max_num_queries):
    settings.RECORDING_INDEX_AT_ONCE_BYTES = 1 << 30
    body = sender.sent(read_bytes(recording_files()["flat-600"]))

    with django_assert_max_num_queries(12):
        response = as_bob.get(f"{body['url']}?epoch=600&tab=diff&against=1")

    assert "Changes 1 to 60 of 1,198" in text_of(response)
    assert len(gzip.compress(response.content)) < 120 * 1024
    later = as_bob.get(f"{body['url']}?epoch=600&tab=diff&against=1&skip=1140")
    assert "Changes 1,141 to 1,198 of 1,198" in text_of(later)


def test_from_the_second_epoch_on_the_difference_comes_first(sender, as_bob):
    body = sample(sender, "wrong-delivery-date.json.gz")

    assert "Context as served, E1" in text_of(as_bob.get(f"{body['url']}?epoch=1"))
    assert "Context of E2 against E1" in text_of(as_bob.get(f"{body['url']}?epoch=2"))
    assert "Context of E4 against E3" in text_of(as_bob.get(body["url"]))
    assert "Context of E4 against E2" in text_of(as_bob.get(f"{body['url']}?epoch=4&against=2"))


@pytest.mark.parametrize(
    ("query", "said"),
    [
        ("epoch=zero", "An epoch is a whole number from 1 on"),
        ("epoch=0", "An epoch is a whole number from 1 on"),
        ("epoch=-3", "An epoch is a whole number from 1 on"),
        ("epoch=" + "9" * 5_000, "An epoch is a whole number from 1 on"),
        ("against=x", "An epoch is a whole number from 1 on"),
        ("tab=all", "There are three tabs"),
        ("open=1", "A fold is written as"),
        ("open=7.1-2", "A fold is written as"),
        ("skip=-1", "The number of changes to skip"),
    ],
)
def test_an_address_that_cannot_be_read_is_told_so(query, said, sender, as_bob):
    body = sample(sender, "wrong-delivery-date.json.gz")

    response = as_bob.get(f"{body['url']}?{query}")

    assert response.status_code == 422
    assert said in response.content.decode()


@pytest.mark.parametrize("query", ["epoch=5", "epoch=2147483647", "epoch=2&against=9"])
def test_an_epoch_that_is_not_there_is_not_found(query, sender, as_bob):
    assert as_bob.get(f"{sample(sender, 'wrong-delivery-date.json.gz')['url']}?{query}").status_code == 404


def test_a_swap_gets_the_screen_and_a_fold_gets_its_pieces(sender, as_bob, settings):
    settings.RECORDING_INDEX_AT_ONCE_BYTES = 1 << 30
    body = sender.sent(read_bytes(recording_files()["flat-100"]))
    url = f"{body['url']}?epoch=100&tab=served"
    fold = re.search(r"open=(1\.[0-9]+-[0-9]+)", as_bob.get(url).content.decode())[1]

    screen = as_bob.get(url, headers={"HX-Request": "true", "HX-Target": "screen"}).content.decode()
    inside = as_bob.get(f"{url}&open={fold}", headers={"HX-Request": "true", "HX-Target": "fold-1-0"}).content.decode()
    whole = as_bob.get(f"{url}&open={fold}").content.decode()

    assert screen.count('id="screen"') == 1
    assert "<html" not in screen
    assert inside.count("<article") == 50
    assert "<html" not in inside
    pieces = re.findall(r'<article class="[^"]*" id="(p-[0-9a-f]+)"', inside)
    assert set(pieces) <= set(re.findall(r'id="(p-[0-9a-f]+)"', whole))


def test_history_that_was_silently_dropped_is_seen(sender, as_bob):
    body = sender.sent(edited.with_dropped_history())

    response = as_bob.get(body["url"])
    page = text_of(response)
    n_gone = response.content.decode().count("change--removed")

    assert n_gone > 3
    assert f"Served 1 of 10 available messages. {n_gone} that the call before was served are not served here" in page
    assert "9 left in all" in page
    assert f"{n_gone} removed" in page
    epoch = Recording.objects.get(public_id=body["id"]).epochs.get(position=4)
    assert "evicted" in epoch.marks


def test_offered_called_and_answered_are_three_things(sender, as_bob):
    body = sender.sent(edited.with_missing_and_late_result())

    first = as_bob.get(f"{body['url']}?epoch=1")
    page = text_of(first)
    third = text_of(as_bob.get(f"{body['url']}?epoch=3&tab=served"))

    assert "Called 2 tools side by side" in page
    assert "New in the system prompt" not in page
    assert page.count("result not recorded") == 1
    assert "served only from E3" in page
    assert first.content.decode().count("called here") == 2
    assert "Order A-1042: espresso machine EM-7" in third
    schemas = first.content.decode().count('<details class="tool"')
    assert schemas == len(sender.page(f"/api/v1/recordings/{body['id']}/epochs/1/context/")["tools"]["schemas"]) > 2


def test_incomplete_redacted_and_lean_are_each_said_at_the_top(sender, as_bob):
    page = text_of(as_bob.get(sender.sent(edited.incomplete_envelope())["url"]))

    assert "It says that it is incomplete" in page
    assert "12 events were dropped" in page
    assert "A policy took values out at customer" in page
    assert "Redaction covers paths, not values" in page
    assert "Nested runs were recorded lean" in page
    assert "read without tracking args, env" in page


def test_redacted_empty_and_not_recorded_are_three_looks(sender, as_bob):
    redacted = sender.sent(read_bytes(recording_files()["flat-redacted-system"]))
    empty = sender.sent(edited.with_tool_text(""))
    absent = sender.sent(read_bytes(recording_files()["llmcall"]))

    assert 'class="redacted"' in as_bob.get(f"{redacted['url']}?epoch=1&tab=served").content.decode()
    assert "empty, 0 characters" in text_of(as_bob.get(f"{empty['url']}?epoch=2&tab=served"))
    assert 'class="absent"' in as_bob.get(f"{absent['url']}?epoch=1&tab=served").content.decode()


def test_a_huge_tool_result_is_cut_with_its_true_size(sender, as_bob, settings):
    settings.RECORDING_INDEX_AT_ONCE_BYTES = 1 << 30
    text = "log line of no interest\n" * 400_000 + "data:image/png;base64," + "A" * 2_800_000
    body = sender.sent(edited.with_tool_text(text))

    response = as_bob.get(f"{body['url']}?epoch=2&tab=served")

    assert len(response.content) < 500_000
    assert f"The first 1,000 of {len(text):,} characters" in text_of(response)
    assert b"<img" not in response.content


def test_an_image_in_a_text_is_a_chip(sender, as_bob):
    body = sender.sent(edited.with_tool_text("before data:image/png;base64," + "A" * 900 + " after"))

    page = as_bob.get(f"{body['url']}?epoch=2&tab=served")

    assert "before image/png · 675" in text_of(page).replace("\xa0", " ")
    assert b"AAAAAAAA" not in page.content.split(b"What happened")[0]


@pytest.mark.parametrize("name", ["flat-paused", "grouped-provider-throws", "flat-wrap-up", "flat-redacted-history"])
def test_how_a_run_ended_is_said(name, sender, as_bob):
    said = {
        "flat-paused": "It paused for the result of the tool",
        "grouped-provider-throws": "The call failed",
        "flat-wrap-up": "It was asked to wrap up, without tools",
        "flat-redacted-history": "read from the copy that the call was given",
    }
    body = sender.sent(read_bytes(recording_files()[name]))

    assert said[name] in text_of(as_bob.get(f"{body['url']}?epoch={body['epochs']}&tab=served"))


def test_every_gap_has_plain_words_of_our_own():
    assert set(words._GAPS) == set(_GAP_FIELDS)
    for gap in _GAP_FIELDS:
        assert len(words.gap_words(gap)) > 40


def test_a_receipt_that_differs_says_where(sender, as_bob):
    body = sender.sent(read_bytes(recording_files()["flat-receipt-resumed-nobase"]))
    pages = [text_of(as_bob.get(f"{body['url']}?epoch={n}")) for n in range(1, body["epochs"] + 1)]

    assert any("differs" in page for page in pages)
    assert all("messages.requestOnly matches" in page for page in pages)
    assert all("What was there from the start may be missing" in page for page in pages)


def test_lanes_are_named_and_lead_to_their_first_epoch(sender, as_bob):
    body = sample(sender, "two-agents-in-parallel.json.gz")
    page = as_bob.get(f"{body['url']}?epoch=3").content.decode()

    assert 'href="?epoch=1"' in page
    assert 'href="?epoch=2"' in page
    assert "legal · E1" in text_of(as_bob.get(body["url"]))


def test_arguments_are_shown_as_they_were_written(sender, as_bob):
    def ask(rows):
        row = edited.row_of(rows, "call-llm#18")
        row["overwrite"]["llmLatestToolCalls"][0]["args"] = {"wei": 18446744073709551617, "twin": 9007199254740993}

    body = sender.sent(edited.edited("flat-wrong-tool", ask))

    page = text_of(as_bob.get(f"{body['url']}?epoch=1"))

    assert "18446744073709551617" in page
    assert "9007199254740993" in page


def test_a_stranger_finds_nothing(sender, as_mallory):
    body = sample(sender, "wrong-delivery-date.json.gz")

    assert as_mallory.get(body["url"]).status_code == 404
    assert as_mallory.get(f"{body['url']}?epoch=x").status_code == 404


def test_words_for_codes_that_are_new_stand_for_themselves():
    assert words.reason_words("some-new-reason") == "some-new-reason"
    assert words.gap_words(None) == ""
    assert json.loads(words.pretty_json('{"a":1e999}'.replace("1e999", "1"))) == {"a": 1}
