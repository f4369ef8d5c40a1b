"""Whose a recording is: occupants of a session, late ones, and the threads of conversations."""

import gzip
import json

import pytest

from footprint_site.fields import text_key
from recordings.models import Recording
from recordings.services.samples import samples_load
from sessions_app.models import Conversation, Incarnation, MemoryEntry
from sessions_app.services.sessions import incarnation_close, incarnation_open
from sessions_app.services.turns import turn_reserve
from sessions_app.services.writing import Identity, Writer
from tests.corpus import ROOT, needs_corpus, read_bytes, recording_files
from tests.recordings.scanning import RUN, envelope
from tests.recordings.sending import RECORDINGS, Sender
from tests.recordings.test_investigation import text_of

pytestmark = [needs_corpus, pytest.mark.django_db]

SAMPLES = ROOT / "recordings" / "samples"


def sample(name: str) -> bytes:
    return gzip.decompress((SAMPLES / name).read_bytes())


def sent_by(sender: Sender, data: bytes, token: str = "", query: str = "") -> dict:
    headers = {"Footprint_Incarnation": token} if token else {}
    response = sender.send(data, query, **headers)
    assert response.status_code == 201, response.content
    return response.json()


@pytest.fixture
def occupants(workspace) -> tuple[tuple[Incarnation, str], tuple[Incarnation, str]]:
    """The first and the second occupant of desk-7; opening the second closed the first."""
    first = incarnation_open(workspace=workspace, session_id="desk-7", actor="tests")
    second = incarnation_open(workspace=workspace, session_id="desk-7", actor="tests")
    first[0].refresh_from_db()
    return first, second


def test_a_token_binds_to_its_occupant(sender, occupants):
    (_, _), (second, token) = occupants
    body = sent_by(sender, sample("delivery-address-turn-1.json.gz"), token, "?session_id=desk-7")

    assert body["incarnation"] == {"id": str(second.public_id), "number": 2, "state": "open"}
    assert (body["occupant"], body["late"], body["session_id"]) == ("known", False, "desk-7")


def test_the_session_is_that_of_the_token_where_nothing_else_is_said(sender, occupants):
    body = sent_by(sender, sample("delivery-address-turn-1.json.gz"), occupants[1][1])

    assert body["session_id"] == "desk-7"


def test_a_recording_of_a_closed_occupant_is_late_and_its_own(sender, occupants):
    (first, token), _ = occupants
    body = sent_by(sender, sample("delivery-address-turn-2.json.gz"), token, "?session_id=desk-7")

    assert body["incarnation"] == {"id": str(first.public_id), "number": 1, "state": "closed"}
    assert (body["occupant"], body["late"]) == ("known", True)


def test_without_a_token_nobody_is_guessed(sender, occupants):
    body = sent_by(sender, sample("delivery-address-turn-3.json.gz"), query="?session_id=desk-7")

    assert (body["incarnation"], body["occupant"], body["late"]) == (None, "unknown", False)


@pytest.mark.parametrize("token", ["never given to anybody", "ü"])
def test_a_token_that_nobody_was_given_binds_nothing(token, sender, occupants):
    body = sent_by(
        sender, sample("delivery-address-turn-3.json.gz"), token.encode().decode("latin-1"), "?session_id=desk-7"
    )

    assert body["occupant"] == "unknown"


def test_a_token_of_another_session_binds_nothing_and_is_told_so(sender, occupants):
    body = sent_by(sender, sample("delivery-address-turn-3.json.gz"), occupants[1][1], "?session_id=desk-8")

    assert body["occupant"] == "unknown"
    assert "token_of_another_session" in [warning["code"] for warning in body["warnings"]]


def test_a_token_of_another_workspace_is_unknown_here(sender, people):
    _, token = incarnation_open(workspace=people.elsewhere, session_id="desk-7", actor="tests")

    assert sent_by(sender, sample("delivery-address-turn-1.json.gz"), token)["occupant"] == "unknown"


def test_occupants_never_share_a_thread(sender, occupants):
    (_, one), (_, two) = occupants
    sent_by(sender, sample("delivery-address-turn-1.json.gz"), one, "?session_id=desk-7")
    sent_by(sender, sample("delivery-address-turn-2.json.gz"), two, "?session_id=desk-7")
    sent_by(sender, sample("delivery-address-turn-3.json.gz"), query="?session_id=desk-7")

    assert Conversation.objects.count() == 3
    assert len({recording.thread_id for recording in Recording.objects.all()}) == 3
    assert len({recording.thread.namespace for recording in Recording.objects.all()}) == 1


def test_turns_of_one_occupant_are_one_thread(sender, occupants):
    token = occupants[1][1]
    for turn in (1, 2):
        sent_by(sender, sample(f"delivery-address-turn-{turn}.json.gz"), token, "?session_id=desk-7")

    (thread,) = Conversation.objects.all()
    assert sorted(thread.recordings.values_list("turn", flat=True)) == [1, 2]


def test_a_run_that_names_no_conversation_has_no_thread(sender):
    body = sender.sent(read_bytes(recording_files()["flat-wrong-tool"]))

    assert body["conversation"] is None
    assert Recording.objects.get(public_id=body["id"]).thread is None


def test_the_token_is_shown_nowhere(sender, occupants, as_alice, caplog):
    token = occupants[1][1]
    body = sent_by(sender, sample("delivery-address-turn-1.json.gz"), token, "?session_id=desk-7")

    for text in (
        json.dumps(sender.page(f"{RECORDINGS}{body['id']}/")),
        as_alice.get(body["url"]).content.decode(),
        caplog.text,
    ):
        assert token not in text


def test_a_closed_occupant_stays_closed_when_something_late_arrives(sender, occupants):
    (first, token), _ = occupants
    sent_by(sender, sample("delivery-address-turn-2.json.gz"), token, "?session_id=desk-7")

    first.refresh_from_db()
    assert not first.is_open


def test_the_samples_have_their_occupants_and_what_those_remembered(workspace):
    samples_load(workspace=workspace)

    desk = Incarnation.objects.order_by("pk")
    assert [(str(one.session), one.number, one.is_open, one.recordings.count()) for one in desk] == [
        ("desk-7", 1, False, 1),
        ("desk-7", 2, True, 4),
        ("desk-9", 1, True, 2),
    ]
    entries = MemoryEntry.objects.filter(store__conversation__incarnation__number=2)
    assert sorted(str(entry) for entry in entries) == [f"msg-{turn}-{n}" for turn in range(1, 5) for n in (0, 1)]
    again = samples_load(workspace=workspace)
    assert (again, Incarnation.objects.count(), MemoryEntry.objects.count()) == (14, 3, 8)


def test_the_trail_of_a_stale_memory_leads_to_the_turn_that_wrote_it(workspace, as_bob):
    samples_load(workspace=workspace)
    fourth = Recording.objects.get(filename="delivery-address-turn-4.json.gz")
    first = Recording.objects.get(filename="delivery-address-turn-1.json.gz")

    page = as_bob.get(f"{fourth.get_absolute_url()}?phrase=12 Mill Lane")

    way = f"{first.get_absolute_url()}?epoch=1&phrase=12+Mill+Lane"
    assert f'href="{way.replace("&", "&amp;")}"' in page.content.decode()
    assert "Source found. 1 of the pieces served to E1 holds it." in text_of(as_bob.get(way))
    assert "Rendered from the entry msg-1-0, written by delivery-address-turn-1.json.gz" in text_of(page)


def test_no_trail_crosses_to_another_occupant(sender, occupants, as_bob):
    """The memory was served, so it is shown; but no link leads into the other's conversation."""
    (_, one), (_, two) = occupants
    first = sent_by(sender, sample("delivery-address-turn-1.json.gz"), one, "?session_id=desk-7")
    fourth = sent_by(sender, sample("delivery-address-turn-4.json.gz"), two, "?session_id=desk-7")

    page = as_bob.get(f"{fourth['url']}?phrase=12 Mill Lane").content.decode()

    assert "msg-1-0" in page
    assert first["url"] not in page


def test_an_occupant_that_is_closed_in_between_keeps_its_recordings(sender, occupants):
    second, token = occupants[1]
    body = sent_by(sender, sample("delivery-address-turn-1.json.gz"), token, "?session_id=desk-7")
    incarnation_close(incarnation=second, reason="done", actor="tests")

    again = sender.page(f"{RECORDINGS}{body['id']}/")
    assert (again["incarnation"]["state"], again["late"]) == ("closed", False)


def test_a_memory_piece_leads_to_its_entry(workspace, as_bob):
    samples_load(workspace=workspace)
    fourth = Recording.objects.get(filename="delivery-address-turn-4.json.gz")
    way = f"{fourth.get_absolute_url()}memory/?store=chat&entry=msg-1-0"
    assert way.replace("&", "&amp;") in as_bob.get(fourth.get_absolute_url()).content.decode()

    page = as_bob.get(way, follow=True)

    entry = MemoryEntry.objects.get(entry_key=text_key("msg-1-0"))
    assert page.redirect_chain[0][0].endswith(f"?entry={entry.pk}")
    assert "12 Mill Lane" in text_of(page)


@pytest.mark.parametrize("query", ["?store=chat&entry=msg-9-9", "?store=other&entry=msg-1-0"])
def test_an_entry_that_is_not_stored_is_unmatched(query, workspace, as_bob):
    samples_load(workspace=workspace)
    fourth = Recording.objects.get(filename="delivery-address-turn-4.json.gz")
    response = as_bob.get(f"{fourth.get_absolute_url()}memory/{query}")

    assert response.status_code == 404
    assert "stays unmatched" in response.content.decode()


def test_an_entry_of_another_occupant_is_unmatched(sender, as_bob, workspace):
    """One occupant remembered it; the next was served the same id, and no link leads across."""
    samples_load(workspace=workspace)
    _, token = incarnation_open(workspace=workspace, session_id="desk-7", actor="tests")
    body = sent_by(sender, sample("delivery-address-turn-4.json.gz") + b" ", token, "?session_id=desk-7")

    response = as_bob.get(f"{body['url']}memory/?store=chat&entry=msg-1-0")

    assert response.status_code == 404


def test_the_screen_says_whose_it_is_and_that_another_was_there_before(workspace, as_alice, as_bob):
    samples_load(workspace=workspace)
    fourth = Recording.objects.get(filename="delivery-address-turn-4.json.gz")
    first = Recording.objects.get(filename="wrong-delivery-date.json.gz")

    of_admin, of_viewer = (text_of(client.get(fourth.get_absolute_url())) for client in (as_alice, as_bob))

    assert "occupant 2" in of_viewer
    assert "This session id had an earlier occupant." in of_viewer
    assert "had an earlier occupant" not in text_of(as_bob.get(first.get_absolute_url()))
    assert "/sessions/" in as_alice.get(fourth.get_absolute_url()).content.decode().split("case__title")[0]
    assert f"/conversations/{fourth.thread.public_id}/" in as_bob.get(fourth.get_absolute_url()).content.decode()
    assert of_admin


def test_recordings_of_one_conversation_id_are_told_apart_by_occupant(sender, occupants):
    (first, one), (second, two) = occupants
    body = sent_by(sender, sample("delivery-address-turn-1.json.gz"), one, "?session_id=desk-7")
    other = sent_by(sender, sample("delivery-address-turn-2.json.gz"), two, "?session_id=desk-7")
    thread = Recording.objects.get(public_id=other["id"]).thread

    def listed(query: str) -> list[str]:
        return [row["id"] for row in sender.page(RECORDINGS, query)["results"]]

    assert listed("?conversation_id=chat-501") == [other["id"], body["id"]]
    assert listed(f"?incarnation={first.public_id}") == [body["id"]]
    assert listed(f"?conversation={thread.public_id}&incarnation={second.public_id}") == [other["id"]]
    assert listed(f"?conversation={thread.public_id}&incarnation={first.public_id}") == []
    response = sender.get(RECORDINGS, "?conversation=chat-501")
    assert (response.status_code, response.json()["message"].partition(":")[0]) == (422, "conversation")


def envelope_of(run_id: str) -> bytes:
    return envelope(run=RUN | {"runId": run_id})


def reserved(workspace, run_id: str, host_turn: int) -> int:
    writer = Writer(workspace, None, "tests")
    return turn_reserve(writer=writer, identity=Identity("talk"), host_turn=host_turn, run_id=run_id).turn


@pytest.mark.parametrize(
    ("said", "turn", "warnings"),
    [("", 7, []), ("&turn=7", 7, []), ("&turn=5", 5, ["turn_of_another_run"])],
)
def test_a_run_that_reserved_a_turn_is_of_that_turn(said, turn, warnings, sender, workspace):
    """By its run id: what the recording says itself is kept, and a difference is told."""
    reserved(workspace, "run-7", 7)
    reserved(workspace, "run-8", 8)

    looked = sender.send(envelope_of("run-7"), f"?dry_run=1&conversation_id=talk{said}").json()
    body = sender.sent(envelope_of("run-7"), f"?conversation_id=talk{said}")

    assert (body["turn"], [warning["code"] for warning in body["warnings"]]) == (turn, warnings)
    assert (looked["turn"], looked["warnings"]) == (body["turn"], body["warnings"])


def test_the_engines_id_of_a_run_counts_too_and_looking_makes_no_conversation(sender, workspace):
    reserved(workspace, "1796-17", 3)
    data = json.dumps({"commitLog": [], "runId": "1796-17"}).encode()

    assert sender.send(data, "?dry_run=1&conversation_id=talk").json()["turn"] == 3
    assert sender.send(data, "?dry_run=1&conversation_id=other").json()["turn"] is None
    assert Conversation.objects.count() == 1
    assert sender.sent(data, "?conversation_id=talk")["turn"] == 3


def test_a_run_that_reserved_nothing_is_of_no_turn(sender, workspace):
    reserved(workspace, "run-7", 7)

    assert sender.sent(envelope_of("run-9"), "?conversation_id=talk")["turn"] is None
    assert sender.sent(envelope_of("run-7"), "?conversation_id=another")["turn"] is None
