"""Fixtures of recordings: blobs of their own for each test."""

from pathlib import Path

import pytest
from django.core.files.storage import storages

from tests.people import People
from tests.recordings.sending import Sender


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
