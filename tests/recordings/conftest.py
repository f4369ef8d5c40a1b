"""Fixtures of recordings: blobs of their own for each test, who sends and reads, and what is there to be read."""

import json
from pathlib import Path
from urllib.parse import urlencode

import pytest
from django.core.files.storage import storages

from footprint_site.access.models import Workspace
from tests.people import People
from tests.recordings.listing import bring, said
from tests.recordings.seating import Seat, nobody, seat
from tests.recordings.sending import Sender
from tests.recordings.statepages import words_of


@pytest.fixture(autouse=True)
def blobs(tmp_path: Path, settings) -> Path:
    """The folder of blobs, empty."""
    folder = tmp_path / "blobs"
    settings.STORAGES = {
        **settings.STORAGES,
        "blobs": {"BACKEND": "recordings.blobs.BlobFolder", "OPTIONS": {"location": folder}},
    }
    assert storages["blobs"].location == str(folder)
    return folder


@pytest.fixture
def sender(people: People) -> Sender:
    return Sender(people)


@pytest.fixture
def read(sender, as_bob):
    """Send a log, or its JSON, and return how to read its page of a state: the words of it, without markup."""

    def send(rows, **fields):
        data = (
            rows if isinstance(rows, bytes) else json.dumps({"commitLog": rows, "initialState": {}, **fields}).encode()
        )
        url = f"/recordings/{sender.sent(data)['id']}/state/"

        def get(status=200, **query):
            address = f"{url}?{urlencode(query, errors='surrogatepass')}"
            response = as_bob.get(address, follow=True)
            assert response.status_code == status, response.content
            return words_of(response)

        get.url = url
        return get

    return send


@pytest.fixture
def two(people: People) -> tuple[Seat, Seat]:
    """A seat that was handed on: each of its occupants said something, one came late, one came without a token."""
    first = seat(people)
    first.brings("where is order one")
    first.puts("msg-1-0", 1, "secret of the first")
    second = seat(people)
    second.brings("where is order two")
    first.brings("a late word", 2)
    nobody(people).brings("whose word is this")
    return first, second


@pytest.fixture
def several(workspace: Workspace) -> None:
    """Recordings that differ in everything the list can be narrowed by."""
    bring(workspace, filename="a", outcome="finished", sources="SU", session_id="desk-1", answers=said("30 days"))
    bring(workspace, filename="b", outcome="finished", sources="SMU", session_id="desk-1", has_gaps=True)
    bring(workspace, filename="c", outcome="failed", sources="SMTU", has_errors=True, answers=said("45 days"))
    bring(workspace, filename="d", outcome="failed", sources="IU", has_errors=True, has_gaps=True, is_redacted=True)
    bring(workspace, filename="e", outcome="paused", sources="", n_dropped_events=3, question="45 DAYS?")
    bring(workspace, filename="f", outcome="", sources="?", is_complete=False, conversation_id="talk", is_resumed=True)
    bring(workspace, filename="g", outcome="unknown", relation="conflicts", session_id="", turn=2)
