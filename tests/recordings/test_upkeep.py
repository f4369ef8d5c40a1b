"""What a killed upload leaves goes, and what belongs to somebody stays."""

import fcntl
import os
import time

import pytest

from recordings.blobs import blob_folder, blob_name
from recordings.models import Recording
from recordings.services import upkeep
from recordings.services.upkeep import broken_uploads_sweep
from tests.corpus import needs_corpus, read_bytes, recording_files
from tests.recordings.material import files_in

pytestmark = [needs_corpus, pytest.mark.django_db]

AN_HOUR_AGO = 60 * 60


def abandoned(name: str = "left") -> None:
    """A file as somebody leaves it who was killed an hour ago."""
    path = blob_folder().incoming / name
    path.write_bytes(b'{"commitLog":')
    then = time.time() - AN_HOUR_AGO
    os.utime(path, (then, then))


def stored(workspace_id: int, sha256: str, tmp_path) -> None:
    source = tmp_path / "source"
    source.write_bytes(b"{}")
    blob_folder().publish(source, blob_name(workspace_id, sha256))


def test_files_that_nobody_writes_go(blobs):
    abandoned()

    assert broken_uploads_sweep(is_thorough=False) == 1
    assert files_in(blobs) == []


def test_a_file_that_is_arriving_stays_however_long_it_takes(blobs):
    with blob_folder().temporary() as (file, path):
        file.write(b"{")
        file.flush()
        then = time.time() - AN_HOUR_AGO
        os.utime(path, (then, then))

        assert broken_uploads_sweep(is_thorough=True) == 0
        assert path.exists()


def test_a_file_that_is_not_locked_yet_stays(blobs):
    path = blob_folder().incoming / "new"
    path.write_bytes(b"")

    assert broken_uploads_sweep(is_thorough=True) == 0
    assert path.exists()
    with path.open("rb") as file:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)


def test_blobs_without_a_row_go_and_those_with_one_stay(sender, blobs, tmp_path):
    body = sender.sent(read_bytes(recording_files()["flat-rag"]))
    workspace_id = Recording.objects.get().workspace_id
    before = files_in(blobs)
    stored(workspace_id, "ab" * 32, tmp_path)
    # The same bytes in another workspace are another blob.
    stored(workspace_id + 1, body["sha256"], tmp_path)

    assert broken_uploads_sweep(is_thorough=False) == 0
    abandoned()
    assert broken_uploads_sweep(is_thorough=False) == 3
    assert files_in(blobs) == before
    assert broken_uploads_sweep(is_thorough=True) == 0


def test_a_blob_that_gets_its_row_at_the_last_moment_stays(sender, blobs, monkeypatch):
    data = read_bytes(recording_files()["flat-rag"])
    sha256 = sender.sent(data)["sha256"]
    before = files_in(blobs)
    real_lock = upkeep.exclusive

    def lock_after_the_row(name):
        Recording.objects.update(sha256=sha256)
        return real_lock(name)

    Recording.objects.update(sha256="0" * 64)
    monkeypatch.setattr(upkeep, "exclusive", lock_after_the_row)

    assert broken_uploads_sweep(is_thorough=True) == 0
    assert files_in(blobs) == before
