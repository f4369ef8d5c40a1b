"""Records of sessions over HTTP: each occupant's own, the first of each, and never another's."""

import re
import uuid
from concurrent.futures import ThreadPoolExecutor

import pytest
from django.db import connection

from footprint_site.access.models import Scope
from sessions_app.models import Session, SessionRecord
from tests.people import signed_in
from tests.sessions.asking import Asker
from tests.sessions.material import ODD_IDS


def keep(asker, record, session_id="desk-7", name="cart"):
    response = asker.post("sessions/records/keep/", {"session_id": session_id, "name": name, "record": record})
    assert response.status_code == 200, response.content
    return response.json()


def recall(asker, session_id="desk-7", name="cart"):
    response = asker.post("sessions/records/recall/", {"session_id": session_id, "name": name})
    assert response.status_code == 200, response.content
    return response.json()


def incidents(asker, session):
    return [(row["kind"], row["number"], row["times"]) for row in asker.get(f"sessions/{session}/").json()["incidents"]]


@pytest.fixture
def occupants(asker, workspace):
    """Two who sat in one session, one after the other, and somebody without a token."""
    first, second = Asker(workspace), Asker(workspace)
    session = first.open("desk-7")["session"]
    second.open("desk-7")
    return first, second, asker, session


def test_the_first_record_of_an_occupant_stays(asker):
    asker.open("desk-7")

    assert keep(asker, {"n": 1}) == {"record": {"n": 1}, "kept": True}
    assert keep(asker, {"n": 2}) == {"record": {"n": 1}, "kept": False}
    assert recall(asker) == {"record": {"n": 1}, "occupant": "own", "separated": False}


def test_the_next_occupant_is_not_left_without_its_own(workspace):
    first = Asker(workspace)
    session = first.open("desk-7")["session"]
    keep(first, "of the first")
    second = Asker(workspace)
    second.open("desk-7")

    assert recall(second) == {"record": None, "occupant": None, "separated": True}
    keep(second, "of the second")

    assert recall(second) == {"record": "of the second", "occupant": "own", "separated": False}
    assert recall(first)["record"] == "of the first"
    assert ("separated", 2, 1) in incidents(second, session)


def test_what_was_kept_without_a_token_binds_by_the_id_and_says_so(occupants):
    first, second, nobody, session = occupants
    keep(nobody, "of nobody known")

    assert recall(second) == {"record": "of nobody known", "occupant": "unknown", "separated": False}
    keep(second, "its own")
    assert recall(second)["record"] == "its own"
    assert recall(nobody) == {"record": "of nobody known", "occupant": "unknown", "separated": False}
    assert [kind for kind, *_ in incidents(second, session)] == ["takeover"]
    assert recall(first)["occupant"] == "unknown"


def test_whoever_asks_without_a_token_gets_what_binds_by_the_id(occupants):
    _, second, nobody, _ = occupants
    keep(second, "its own")

    assert recall(nobody) == {"record": "its own", "occupant": "unknown", "separated": False}


def test_a_fork_is_answered_with_its_ancestor_never_with_who_sits_there_now(workspace):
    parent, fork, now = Asker(workspace), Asker(workspace), Asker(workspace)
    opened = parent.open("desk-7")
    keep(parent, "of the parent")
    fork.open("desk-9", forked_from={"session_id": "desk-7", "incarnation": opened["id"]})
    now.open("desk-7")
    keep(now, "of who sits there now")

    assert recall(fork) == {"record": "of the parent", "occupant": "own", "separated": False}
    assert recall(now)["record"] == "of who sits there now"
    assert recall(fork, "desk-9") == {"record": None, "occupant": None, "separated": False}


def test_a_fork_whose_ancestor_kept_nothing_is_not_handed_anothers(workspace):
    parent, fork, now = Asker(workspace), Asker(workspace), Asker(workspace)
    opened = parent.open("desk-7")
    session = fork.open("desk-9", forked_from={"session_id": "desk-7", "incarnation": opened["id"]})["session"]
    now.open("desk-7")
    keep(now, "of who sits there now")

    assert recall(fork) == {"record": None, "occupant": None, "separated": True}
    assert recall(fork)["separated"]
    assert incidents(fork, session) == [("separated", 1, 2)]


def test_a_closed_occupant_keeps_nothing_and_still_reads(workspace):
    first = Asker(workspace)
    session = first.open("desk-7")["session"]
    keep(first, 1)
    Asker(workspace).open("desk-7")

    response = first.post("sessions/records/keep/", {"session_id": "desk-7", "name": "other", "record": 2})

    assert (response.status_code, response.json()["code"]) == (409, "stale_incarnation")
    assert SessionRecord.objects.count() == 1
    assert recall(first)["record"] == 1
    assert ("stale_write", 1, 1) in incidents(first, session)


def test_a_token_keeps_records_of_its_own_session_alone(asker):
    asker.open("desk-7")

    response = asker.post("sessions/records/keep/", {"session_id": "desk-9", "name": "cart", "record": 1})

    assert (response.status_code, response.json()["code"]) == (422, "other_session")
    assert not SessionRecord.objects.exists()
    assert not Session.objects.filter(session_id="desk-9").exists()


@pytest.mark.parametrize("odd", ODD_IDS)
def test_ids_and_names_come_back_exactly(odd, asker):
    asker.open(odd)
    keep(asker, [odd], odd, odd)

    assert recall(asker, odd, odd)["record"] == [odd]
    assert recall(asker, odd, f"{odd[:-1]}y")["record"] is None
    assert SessionRecord.objects.get().name == odd


@pytest.mark.parametrize(
    "record", ['{"b": 1, "a": 1.0}', "1e400", "12345678901234567890123", '"\\ud800"', "null", "[]", " 7 ", '"\\u0000"']
)
def test_a_record_goes_out_as_it_came_in(record, asker):
    asker.open("desk-7")
    raw = f'{{"session_id": "desk-7", "name": "cart", "record": {record}}}'

    sent = asker.post("sessions/records/keep/", raw=raw)
    found = asker.post("sessions/records/recall/", {"session_id": "desk-7", "name": "cart"})

    assert sent.status_code == found.status_code == 200
    assert sent.content.decode() == f'{{"record":{record.strip()},"kept":true}}'
    assert found.content.decode().startswith(f'{{"record":{record.strip()},"occupant"')


@pytest.mark.parametrize(
    ("body", "code"),
    [
        ({"name": "cart", "record": 1}, "session_id_missing"),
        ({"session_id": "desk-7", "record": 1}, "name_missing"),
        ({"session_id": "desk-7", "name": "cart"}, "record_missing"),
        ({"session_id": 7, "name": "cart", "record": 1}, "session_id_invalid"),
        ({"session_id": "desk-7", "name": "x" * 1001, "record": 1}, "id_too_long"),
    ],
)
def test_bad_input_says_what_is_wrong(body, code, asker):
    response = asker.post("sessions/records/keep/", body)

    assert (response.status_code, response.json()["code"]) == (422, code)
    assert not SessionRecord.objects.exists()


def test_nothing_crosses_workspaces(people):
    here, elsewhere = Asker(people.workspace), Asker(people.elsewhere)
    keep(here, "ours")

    assert recall(elsewhere) == {"record": None, "occupant": None, "separated": False}


def test_a_key_that_only_reads_keeps_nothing(workspace):
    reader = Asker(workspace, Scope.READ)

    response = reader.post("sessions/records/keep/", {"session_id": "desk-7", "name": "cart", "record": 1})

    assert response.status_code == 403
    assert recall(reader)["record"] is None


@pytest.mark.django_db(transaction=True)
def test_of_many_at_once_one_is_kept_and_all_are_told_the_same(people):
    asker = Asker(people.workspace)
    asker.open("desk-7")

    def kept(number):
        try:
            return keep(asker_of(asker), number)
        finally:
            connection.close()

    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(kept, range(16)))

    assert sum(answer["kept"] for answer in answers) == 1
    assert len({answer["record"] for answer in answers}) == 1


def asker_of(asker):
    """The same holder, with a connection of its own."""
    twin = object.__new__(Asker)
    twin.__dict__ = {**asker.__dict__, "client": type(asker.client)()}
    return twin


def test_admins_see_the_records_of_each_occupant_apart(people, occupants):
    _, second, nobody, session = occupants
    keep(second, {"note": "of the second <b>"})
    keep(nobody, {"note": "of nobody"}, name="<i>odd</i>")
    alice = signed_in(people.alice)

    page = alice.get(f"/sessions/{session}/").content.decode()

    of_second = page.split('id="occupant-2"')[1].split('id="occupant-1"')[0]
    of_unknown = page.split("occupant-unknown")[-1]
    assert "cart" in of_second
    assert "&lt;i&gt;odd&lt;/i&gt;" not in of_second
    assert "&lt;i&gt;odd&lt;/i&gt;" in of_unknown
    (way,) = re.findall(f"/sessions/{session}/records/[0-9]+/", of_second)
    assert "of the second &lt;b&gt;" in alice.get(way).content.decode()
    assert "occupant 2, and for nobody else" in alice.get(way).content.decode()
    assert alice.get(f"{way}?file").json() == {"note": "of the second <b>"}
    elsewhere = Session.objects.exclude(public_id=session).first() or Session(public_id=uuid.uuid4())
    assert alice.get(way.replace(session, str(elsewhere.public_id))).status_code == 404


def test_a_page_of_many_long_records_stays_small(people, workspace):
    asker = Asker(workspace)
    session = asker.open("desk-7")["session"]
    for number in range(25):
        keep(asker, "x" * 30_000, name=f"record {number}")

    page = signed_in(people.alice).get(f"/sessions/{session}/").content

    assert len(page) < 60_000
    assert b"20 of 25 records, the first" in page
    assert b"30,002 characters" in page
