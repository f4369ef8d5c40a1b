"""Pages of recordings: what is recorded is shown whatever it is, and a wait disturbs nobody."""

import json

import pytest
from django.template import engines
from django.test import RequestFactory

from recordings.models import Recording
from tests.corpus import needs_corpus, read_bytes, recording_files

pytestmark = [needs_corpus, pytest.mark.django_db]

HALF = "\ud83d"
WHOLE_IN_HALVES = "\ud83d\ude42"


def test_halves_of_characters_are_shown_as_unknown(sender, as_bob):
    data = read_bytes(recording_files()["flat-rag"]).decode()
    answer = sender.sent(data.encode())["answer"]
    odd = sender.sent(data.replace(json.dumps(answer)[1:-1], r"half \ud83d an answer").encode())
    assert odd["answer"] == f"half {HALF} an answer"

    for page in ("/recordings/", odd["url"]):
        response = as_bob.get(page)
        assert response.status_code == 200
        assert "half \ufffd an answer" in response.content.decode()


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        (HALF, "\ufffd"),
        (f"{HALF}x{HALF}", "\ufffdx\ufffd"),
        (WHOLE_IN_HALVES, "🙂"),
        ("\udc00<", "\ufffd&lt;"),
        ("a\0<", "a␀&lt;"),
    ],
)
def test_any_template_can_be_sent(text, shown):
    template = engines["django"].from_string("{{ text }}")

    assert template.render({"text": text}, RequestFactory().get("/")) == shown


def test_a_poll_swaps_nothing_until_there_is_something(sender, as_bob, settings):
    settings.RECORDING_INDEX_AT_ONCE_BYTES = 0
    body = sender.sent(read_bytes(recording_files()["flat-rag"]))
    as_htmx = {"HX-Request": "true", "HX-Target": "progress"}

    assert as_bob.get(body["url"]).status_code == 200
    waiting = as_bob.get(body["url"], headers=as_htmx)
    assert (waiting.status_code, waiting.content) == (204, b"")

    Recording.objects.update(status=Recording.Status.FAILED)
    done = as_bob.get(body["url"], headers=as_htmx)
    assert done.status_code == 286
    assert b"<html" not in done.content
    assert b"hx-trigger" not in done.content


def test_who_may_not_upload_is_not_sent_there(as_bob, as_alice):
    way = b'href="/recordings/new/"'

    assert way in as_alice.get("/").content
    assert way not in as_bob.get("/").content
