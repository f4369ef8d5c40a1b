"""Looking first: everything is told and nothing is kept."""

import pytest

from recordings.models import Recording
from tests.corpus import needs_corpus
from tests.recordings.material import envelope, files_in, real

pytestmark = [needs_corpus, pytest.mark.django_db]


def test_looking_first_keeps_nothing(sender, blobs):
    data = envelope("flat-memory-turn4")

    response = sender.send(data, "?dry_run=1")

    body = response.json()
    assert response.status_code == 200
    assert (body["id"], body["url"], body["epochs"], body["form"]) == (None, None, 1, "envelope")
    assert body["conversation"]["conversation_id"] == "chat-501"
    assert body["problems"] == []
    assert not Recording.objects.exists()
    assert files_in(blobs) == []


@pytest.mark.parametrize(
    ("data", "problems"),
    [
        (b'{"commitLog":[', [("json_truncated", 14, None)]),
        (b"[]", [("not_a_recording", 0, None)]),
        (b'{"format":"agentfootprint.recording.v1"}', [("missing", 0, "run"), ("missing", 0, "recording")]),
    ],
)
def test_looking_first_tells_what_would_be_refused(data, problems, sender, blobs):
    whole = sender.send(real("flat-rag"), "?dry_run=1").json()
    response = sender.send(data, "?dry_run=1")
    body = response.json()

    assert response.status_code == 200
    assert body.keys() == whole.keys()
    assert (body["id"], body["status"], body["commits"], body["bytes"]) == (None, "failed", None, None)
    assert body["error"]
    assert [(p["code"], p["at"], p["path"]) for p in body["problems"]] == problems
    assert files_in(blobs) == []
    assert sender.send(data).status_code in (400, 422)


def test_looking_first_says_what_is_here_already(sender):
    first = sender.sent(real("flat-rag"))

    body = sender.send(real("flat-rag"), "?dry_run=1").json()

    assert (body["id"], body["replayed"]) == (None, True)
    assert body["revisions"][0]["id"] == first["id"]
