"""Sending a recording: what the answer says, what is kept, and what a second one becomes."""

import gzip
import hashlib
import json
import threading
from urllib.parse import urlencode

import pytest
from django.core.management import call_command
from django.db import connection
from django.test import Client
from django_tasks import TaskResultStatus
from django_tasks_db.models import DBTaskResult

from footprint_site.access.models import AuditLine, Role, Scope
from footprint_site.access.services.workspaces import membership_create
from recordings.models import Epoch, Piece, Recording, Text
from recordings.services.upkeep import lost_work_enqueue
from recordings.tasks import index_recording
from tests.corpus import CORPUS, needs_corpus, read_bytes, recording_files
from tests.people import bearer, make_key, make_people, signed_in
from tests.recordings.sending import RECORDINGS, Sender

pytestmark = [needs_corpus, pytest.mark.django_db]


def real(name: str) -> bytes:
    return read_bytes(recording_files()[name])


def envelope(name: str) -> bytes:
    return (CORPUS / "envelopes" / f"{name}.envelope.json").read_bytes()


def files_in(folder) -> list[str]:
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file())


def test_the_answer_is_a_receipt(sender):
    data = envelope("flat-wrong-tool")
    body = sender.sent(data)

    assert body["sha256"] == hashlib.sha256(data).hexdigest()
    assert body["bytes"] == len(data)
    assert (body["status"], body["error"], body["replayed"]) == ("ready", None, False)
    assert (body["commits"], body["epochs"], body["lanes"]) == (78, 4, [""])
    assert (body["complete"], body["dropped_events"]) == (True, 0)
    assert body["outcome"] == "finished"
    assert "3 September 2025" in body["answer"]
    assert body["answers"] == [{"lane": "", "text": body["answer"]}]
    assert body["revision"] == 1
    assert body["occupant"] == "unknown"
    assert body["incarnation"] is None
    assert body["url"] == f"/recordings/{body['id']}/"


def test_a_bare_snapshot_does_not_say_whether_it_is_complete(sender):
    body = sender.sent(real("flat-rag"))

    assert (body["complete"], body["dropped_events"], body["run_id"]) == (None, None, None)


def test_the_page_for_people_answers(sender, as_bob):
    body = sender.sent(real("flat-rag"))

    assert as_bob.get(body["url"]).status_code == 200


@pytest.mark.parametrize("name", ["flat-unicode", "grouped-injections", "flat-deep-tree"])
def test_the_download_is_what_was_sent_to_the_byte(name, sender, as_alice):
    data = real(name)
    body = sender.sent(data)

    for client, headers in ((as_alice, {}), (sender.client, bearer(sender.key))):
        response = client.get(f"{RECORDINGS}{body['id']}/raw/", headers=headers)
        assert response.content == data
        assert response.headers["Content-Disposition"].startswith("attachment; ")
        assert response.headers["X-Content-Type-Options"] == "nosniff"
    assert AuditLine.objects.filter(action="recording_raw", target=body["id"]).count() == 2


@pytest.mark.parametrize(
    "odd",
    [
        b'{"commitLog": [], "b": 1, "a": 2, "a": 3, "z": -0, "n": 1.10, "u": "\\ud83d \\u0000"}',
        b' {\n"commitLog" :[ ]\t}\n\n',
    ],
)
def test_the_download_keeps_order_spaces_numbers_and_doubles(odd, sender):
    body = sender.sent(odd)

    assert sender.get(f"{RECORDINGS}{body['id']}/raw/").content == odd


def test_the_bytes_are_for_admins_and_keys_that_send(sender, as_bob, people):
    body = sender.sent(real("flat-rag"))
    _, read_key = make_key(people.workspace, Scope.READ)
    path = f"{RECORDINGS}{body['id']}/raw/"

    assert as_bob.get(path).status_code == 403
    assert signed_in(people.irene).get(path).status_code == 403
    assert Client().get(path, headers=bearer(read_key)).json()["code"] == "scope_missing"


def test_the_same_bytes_are_the_same_recording(sender, people):
    """From another key, compressed or not: nothing new is kept, and the answer says so."""
    data = real("flat-rag")
    first = sender.sent(data)
    before = (Recording.objects.count(), Piece.objects.count(), Text.objects.count())

    again = sender.send(data)
    compressed = Sender(people).send(gzip.compress(data), Content_Encoding="gzip")

    for response in (again, compressed):
        assert response.status_code == 200
        assert (response.json()["id"], response.json()["replayed"]) == (first["id"], True)
    assert (Recording.objects.count(), Piece.objects.count(), Text.objects.count()) == before


def test_another_workspace_is_told_nothing(sender, people):
    first = sender.sent(real("flat-rag"))
    other = Sender(people)
    other.key = make_key(people.elsewhere)[1]

    second = other.sent(real("flat-rag"))

    assert second["id"] != first["id"]
    assert (second["revision"], second["revisions"][0]["id"], second["replayed"]) == (1, second["id"], False)


def longer(data: bytes, n_commits: int) -> bytes:
    """The same run, as it was when it had so many commits."""
    content = json.loads(data)
    content["commitLog"] = content["commitLog"][:n_commits]
    return json.dumps(content).encode()


def test_a_longer_version_extends_and_a_changed_one_conflicts(sender):
    """C12: all are kept, linked and labelled; none is merged."""
    data = real("flat-multi-tools")
    changed = data.replace(b"dana@example.org", b"dina@example.org")
    first = sender.sent(longer(data, 30))
    second = sender.sent(data)
    third = sender.sent(changed)

    assert [first["revision"], second["revision"], third["revision"]] == [1, 2, 3]
    assert (second["relation"], third["relation"]) == ("extends", "conflicts")
    revisions = sender.page(f"{RECORDINGS}{first['id']}/")["revisions"]
    assert [row["id"] for row in revisions] == [first["id"], second["id"], third["id"]]
    assert sender.page(f"{RECORDINGS}{first['id']}/")["commits"] == 30


def test_the_same_run_in_another_form_and_an_earlier_part_are_called_so(sender):
    bare, inside = real("flat-rag"), envelope("flat-rag")
    sender.sent(bare)

    # The library replaces embeddings by their size in the envelope; everything else is the same run.
    assert sender.sent(json.dumps(json.loads(bare), indent=2).encode())["relation"] == "same_run"
    assert sender.sent(longer(bare, 5))["relation"] == "earlier"
    assert sender.sent(inside)["revision"] == 4


@pytest.mark.parametrize("order", [("flat-paused", "flat-resumed"), ("flat-resumed", "flat-paused")])
def test_legs_are_joined_in_whatever_order_they_come(order, sender):
    ids = {name: sender.sent(real(name))["id"] for name in order}

    paused = sender.page(f"{RECORDINGS}{ids['flat-paused']}/")["legs"]
    resumed = sender.page(f"{RECORDINGS}{ids['flat-resumed']}/")["legs"]

    assert paused == {"earlier": None, "later": [ids["flat-resumed"]]}
    assert resumed == {"earlier": ids["flat-paused"], "later": []}


def test_what_the_upload_says_wins_over_what_the_file_claims(sender):
    data = real("flat-memory-turn4")
    query = "?session_id=desk%207&conversation_id=%F0%9F%98%80%2F..&turn=9&tenant=%20a&filename=x.json"
    body = sender.sent(data, query)

    assert body["session_id"] == "desk 7"
    assert body["conversation"] == {"tenant": " a", "principal": "dana@example.org", "conversation_id": "😀/.."}
    assert (body["turn"], body["filename"]) == (9, "x.json")


def test_what_the_file_claims_is_taken_as_a_claim(sender):
    body = sender.sent(real("flat-memory-turn4"))

    assert body["conversation"] == {"tenant": "brew", "principal": "dana@example.org", "conversation_id": "chat-501"}
    assert body["turn"] == 4


@pytest.mark.parametrize(
    ("query", "code"),
    [
        ("?turn=99999999999999999999", "turn_out_of_range"),
        ("?turn=-1", "turn_out_of_range"),
        ("?turn=0", "turn_out_of_range"),
        ("?turn=0.5", "turn_not_integer"),
        ("?turn=true", "turn_not_integer"),
        ("?turn=%D9%A3", "turn_not_integer"),
        ("?session_id=" + "x" * 1001, "id_too_long"),
        ("?conversation_id=" + "x" * 1001, "id_too_long"),
    ],
)
def test_bad_parameters_are_refused_and_leave_nothing(query, code, sender, blobs):
    response = sender.send(real("flat-rag"), query)

    assert (response.status_code, response.json()["code"]) == (422, code)
    assert not Recording.objects.exists()
    assert files_in(blobs) == []


def test_ids_of_a_thousand_characters_of_any_kind_are_kept(sender):
    odd = "‮ß😀/%\0" * 166
    body = sender.send(real("flat-rag"), "?" + urlencode({"session_id": odd})).json()

    assert body["session_id"] == odd
    found = sender.page(RECORDINGS, "?" + urlencode({"session_id": odd}))
    assert [row["id"] for row in found["results"]] == [body["id"]]


def test_the_token_of_the_occupant_is_nowhere_to_be_seen(sender, as_alice, caplog):
    token = "incarnation-token-4711"
    response = sender.send(real("flat-rag"), "?session_id=desk", Footprint_Incarnation=token)
    recording = Recording.objects.get()

    assert recording.incarnation_sha256 == hashlib.sha256(token.encode()).hexdigest()
    pages = [
        response,
        *(sender.get(f"{RECORDINGS}{p}") for p in ("", f"{recording.public_id}/")),
        as_alice.get(f"/recordings/{recording.public_id}/"),
    ]
    for page in pages:
        assert token not in page.content.decode()
        assert recording.incarnation_sha256 not in page.content.decode()
    assert token not in caplog.text


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


def test_a_viewer_may_not_send(as_bob, people):
    response = as_bob.post(RECORDINGS, real("flat-rag"), content_type="application/json")

    assert response.status_code == 403
    irene = signed_in(people.irene).post(RECORDINGS, real("flat-rag"), content_type="application/json")
    assert irene.status_code == 201


def test_somebody_of_several_workspaces_names_one(people):
    membership_create(workspace=people.elsewhere, user=people.irene, role=Role.INVESTIGATOR, actor="tests")
    client = signed_in(people.irene)

    unclear = client.post(RECORDINGS, real("flat-rag"), content_type="application/json")
    clear = client.post(f"{RECORDINGS}?workspace=other", real("flat-rag"), content_type="application/json")

    assert (unclear.status_code, unclear.json()["code"]) == (422, "workspace_missing")
    assert clear.json()["workspace"] == "other"


def test_lists_filter_by_known_names_alone(sender):
    sender.sent(real("flat-rag"))
    sender.sent(real("flat-memory-turn4"), "?session_id=desk-7")

    assert len(sender.page(RECORDINGS)["results"]) == 2
    assert len(sender.page(RECORDINGS, "?session_id=desk-7")["results"]) == 1
    assert len(sender.page(RECORDINGS, "?conversation_id=chat-501&turn=4")["results"]) == 1
    assert sender.page(RECORDINGS, "?conversation_id=nothing")["results"] == []
    for query in ("?workspace__secret__startswith=a", "?sort=-password"):
        response = sender.get(RECORDINGS, query)
        assert (response.status_code, response.json()["code"]) == (400, "unknown_filter")
        assert "session_id" in response.json()["message"]


def test_only_admins_delete_and_everything_goes(sender, as_bob, as_alice, people, blobs):
    kept, gone = sender.sent(real("flat-memory-turn1")), sender.sent(real("flat-memory-turn4"))
    path = f"{RECORDINGS}{gone['id']}/"
    assert as_bob.delete(path).status_code == 403
    assert Sender(people).client.delete(path, headers=bearer(sender.key)).status_code == 403

    answer = as_alice.delete(path).json()

    assert answer["deleted"]["epochs"] == 1
    assert sender.get(path).status_code == 404
    assert sender.page(f"{RECORDINGS}{kept['id']}/epochs/1/context/")["pieces"]
    assert not Epoch.objects.exclude(recording__public_id=kept["id"]).exists()
    assert not Text.objects.filter(pieces=None).exists()
    assert len(files_in(blobs)) == 1
    assert AuditLine.objects.filter(action="recording_delete", target=gone["id"]).exists()


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
