"""What happens behind the answer: many at once, work of the background, disks that fail."""

import threading

import pytest
from django.core.management import call_command
from django.db import connection
from django.test import Client
from django_tasks import TaskResultStatus
from django_tasks_db.models import DBTaskResult

from footprint_site.locks import exclusive_if_free
from recordings.management.commands import rebuild
from recordings.models import Recording
from recordings.services import deleting, importing
from recordings.services.indexing import index_lock_name
from recordings.services.upkeep import lost_work_enqueue
from recordings.tasks import index_recording
from tests.corpus import needs_corpus
from tests.people import bearer, make_key, make_people, signed_in
from tests.recordings.material import files_in, real
from tests.recordings.sending import RECORDINGS

pytestmark = [needs_corpus, pytest.mark.django_db]


@pytest.mark.django_db(transaction=True)
def test_fifty_at_once_make_one_recording(blobs):
    people = make_people()
    keys = [make_key(people.workspace)[1] for _ in range(5)]
    data, statuses = real("flat-one-epoch"), []
    gate = threading.Barrier(10)

    def send(number: int) -> None:
        gate.wait()
        try:
            for _ in range(5):
                response = Client().post(
                    RECORDINGS, data, content_type="application/json", headers=bearer(keys[number % 5])
                )
                statuses.append(response.status_code)
        finally:
            connection.close()

    threads = [threading.Thread(target=send, args=[number]) for number in range(10)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert sorted(statuses) == [200] * 49 + [201]
    assert Recording.objects.count() == 1
    assert len(files_in(blobs)) == 1


def test_a_long_recording_is_indexed_behind_the_answer(sender, settings, as_bob):
    """The page shows that it is on its way, and holds up nobody; a worker finishes it."""
    settings.RECORDING_INDEX_AT_ONCE_BYTES = 1000
    body = sender.sent(real("flat-rag"))
    assert body["status"] == "received"
    page = as_bob.get(body["url"])
    assert page.status_code == 200

    index_recording.call(body["id"])

    assert sender.page(f"{RECORDINGS}{body['id']}/")["status"] == "ready"
    assert sender.page(f"{RECORDINGS}{body['id']}/epochs/1/context/")["pieces"]


def test_work_of_a_killed_worker_is_taken_up_again(sender, settings):
    settings.RECORDING_INDEX_AT_ONCE_BYTES = 1000
    body = sender.sent(real("flat-rag"))
    assert lost_work_enqueue(older_than_seconds=0) == 0, "it is waiting its turn"
    DBTaskResult.objects.update(status=TaskResultStatus.RUNNING)

    assert lost_work_enqueue(older_than_seconds=0) == 1
    assert DBTaskResult.objects.filter(status=TaskResultStatus.READY).count() == 1
    index_recording.call(body["id"])

    assert sender.page(f"{RECORDINGS}{body['id']}/")["status"] == "ready"
    assert lost_work_enqueue(older_than_seconds=0) == 0


def test_a_damaged_blob_is_named_and_contained(sender, blobs, settings):
    good, bad = sender.sent(real("flat-rag")), sender.sent(real("flat-one-epoch"))
    stored = blobs / next(name for name in files_in(blobs) if bad["sha256"] in name)
    stored.write_bytes(stored.read_bytes()[:-20])

    assert sender.get(f"{RECORDINGS}{bad['id']}/raw/").json()["code"] == "blob_damaged"
    assert sender.page(f"{RECORDINGS}{bad['id']}/epochs/1/context/")["pieces"], "the index still answers"
    assert sender.get(f"{RECORDINGS}{good['id']}/raw/").status_code == 200
    with pytest.raises(Exception, match="1 faults"):
        call_command("verify")


def test_a_full_disk_is_a_503_and_leaves_nothing(sender, monkeypatch, blobs):
    def full(*args: object, **kwargs: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("recordings.blobs.os.fsync", full)
    response = sender.send(real("flat-rag"))

    assert (response.status_code, response.json()["code"]) == (503, "storage_full")
    assert response.headers["Retry-After"]
    assert not Recording.objects.exists()
    assert files_in(blobs) == []
    monkeypatch.undo()
    assert sender.send(real("flat-rag")).status_code == 201


@pytest.mark.parametrize("what", ["send", "rebuild", "delete"])
def test_one_at_a_time_has_to_do_with_the_index_of_a_recording(what, sender, people, monkeypatch):
    seen: list[bool] = []

    def look(public_id: object) -> None:
        with exclusive_if_free(index_lock_name(public_id)) as is_free:
            seen.append(is_free)
        connection.close()

    def looked_at(work):
        """Do *work*, and let somebody else look meanwhile."""

        def watched(*args, **options):
            other = threading.Thread(target=look, args=[Recording.objects.get().public_id])
            other.start()
            other.join()
            return work(*args, **options)

        return watched

    if what == "send":
        monkeypatch.setattr(importing, "recording_index", looked_at(importing.recording_index))
    body = sender.sent(real("flat-rag"))
    row = Recording.objects.get()
    if what == "rebuild":
        monkeypatch.setattr(rebuild, "recording_index", looked_at(rebuild.recording_index))
        call_command("rebuild")
    if what == "delete":
        # The last that is done before the row goes.
        monkeypatch.setattr(deleting, "blob_lock_name", looked_at(deleting.blob_lock_name))
        assert signed_in(people.alice).delete(f"{RECORDINGS}{body['id']}/").status_code == 200
    after = threading.Thread(target=look, args=[row.public_id])
    after.start()
    after.join()

    assert seen == [False, True]
