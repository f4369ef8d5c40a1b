"""The trail on the investigation screen, as the server answers it."""

import gzip
import re

import pytest

from tests.corpus import ROOT, needs_corpus, read_bytes, recording_files
from tests.recordings import edited
from tests.recordings.test_investigation import text_of

pytestmark = [needs_corpus, pytest.mark.django_db]

SAMPLES = ROOT / "recordings" / "samples"


def sample(sender, name: str) -> dict:
    return sender.sent(gzip.decompress((SAMPLES / name).read_bytes()))


@pytest.mark.parametrize(
    ("name", "phrase", "cause"),
    [
        ("delivery-address-turn-4.json.gz", "12 Mill Lane", "msg-1-0"),
        ("wrong-delivery-date.json.gz", "3 September 2025", "w1"),
        ("free-repairs-promise.json.gz", "free lifetime repairs", "repair-policy"),
        ("parcel-instead-of-invoice.json.gz", "out for delivery", "x2"),
        ("outdated-returns-policy.json.gz", "60 days", "refunds-2024"),
    ],
)
def test_the_cause_of_a_wrong_answer_is_the_first_candidate(name, phrase, cause, sender, as_bob):
    page = as_bob.get(f"{sample(sender, name)['url']}?phrase={phrase}")
    text, html = text_of(page), page.content.decode()

    assert "Source found." in text
    first = re.search(r'<li class="cand[^"]*is-current".*?</li>', html, re.DOTALL)[0]
    assert cause in first
    assert (
        '<mark class="hit'
        in re.search(r"<article.*?</article>", html[html.index('id="context-title"') :], re.DOTALL)[0]
        or html.count('<mark class="hit') > 1
    )
    assert html.count('class="hop"') >= 4


def test_the_skill_stands_in_the_chain_of_custody(sender, as_bob):
    page = text_of(as_bob.get(f"{sample(sender, 'parcel-instead-of-invoice.json.gz')['url']}?phrase=out for delivery"))

    assert "The tool was named by the skill shipping" in page
    assert "offered anyway" in page
    assert "The skill was opened by x1" in page


def test_a_hit_is_marked_where_it_stands(sender, as_bob):
    body = sample(sender, "wrong-delivery-date.json.gz")
    html = as_bob.get(f"{body['url']}?phrase=3 September 2025").content.decode()

    assert 'delivered <mark class="hit hit--normalised">2025-09-03</mark>, paid' in html


def test_another_candidate_is_looked_at_by_its_address(sender, as_bob):
    body = sample(sender, "delivery-address-turn-4.json.gz")
    html = as_bob.get(f"{body['url']}?phrase=12 Mill Lane&rank=2").content.decode()

    current = re.search(r'<li class="cand[^"]*is-current".*?</li>', html, re.DOTALL)[0]
    assert "msg-1-1" in current
    assert "echo" in current


@pytest.mark.parametrize(
    ("data", "phrase", "said"),
    [
        (lambda: read_bytes(recording_files()["flat-wrong-tool"]), "purple zebra", "Not found in anything recorded"),
        (edited.with_missing_and_late_result, "purple zebra", "Evidence missing."),
        (
            lambda: gzip.decompress((SAMPLES / "sliding-window.json.gz").read_bytes()),
            "DEPLOY d1",
            "Not served, but it was there to serve.",
        ),
    ],
)
def test_what_is_not_there_is_said(data, phrase, said, sender, as_bob):
    page = text_of(as_bob.get(f"{sender.sent(data())['url']}?phrase={phrase}"))

    assert said in page
    assert "Chain of custody" not in page


def test_an_empty_phrase_asks_nothing(sender, as_bob):
    body = sample(sender, "wrong-delivery-date.json.gz")

    assert "The call" in text_of(as_bob.get(f"{body['url']}?phrase=%20"))


def test_a_phrase_that_is_too_long_is_told_so(sender, as_bob):
    body = sample(sender, "wrong-delivery-date.json.gz")
    response = as_bob.get(f"{body['url']}?phrase={'a' * 2_001}")

    assert response.status_code == 422
    assert "at most 2000 characters" in response.content.decode()


def test_a_trail_through_six_hundred_epochs_stays_within_its_weight(
    sender, as_bob, settings, django_assert_max_num_queries
):
    settings.RECORDING_INDEX_AT_ONCE_BYTES = 1 << 30
    body = sender.sent(read_bytes(recording_files()["flat-600"]))

    with django_assert_max_num_queries(12):
        response = as_bob.get(f"{body['url']}?phrase=page 311: debit 12.50")

    assert "hold it" in text_of(response)
    assert len(gzip.compress(response.content)) < 120 * 1024
    assert len(re.findall(rb"<[a-z]", response.content)) < 3_000


def test_hostile_phrases_are_text(sender, as_bob):
    body = sample(sender, "wrong-delivery-date.json.gz")
    page = as_bob.get(f"{body['url']}?phrase=%3Cscript%3Ealert(1)%3C/script%3E%22onload=x").content.decode()

    assert "<script>alert" not in page
    assert "&lt;script&gt;alert(1)" in page
