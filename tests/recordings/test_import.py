"""Sending a recording: what the answer says, and what is kept."""

import gzip
import hashlib
from urllib.parse import urlencode

import pytest
from django.test import Client

from footprint_site.access.models import AuditLine, Role, Scope
from footprint_site.access.services.workspaces import membership_create
from recordings.models import Epoch, Piece, Recording, Text
from tests.corpus import needs_corpus
from tests.people import bearer, make_key, signed_in
from tests.recordings.material import envelope, files_in, real
from tests.recordings.sending import RECORDINGS, Sender

pytestmark = [needs_corpus, pytest.mark.django_db]


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
