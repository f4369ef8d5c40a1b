"""Sessions and their occupants, over HTTP."""

import json
import logging

import pytest

from footprint_site.access.models import AuditLine, Scope
from sessions_app.models import Incarnation, Session
from tests.people import signed_in
from tests.sessions.asking import API, IDENTITY, Asker
from tests.sessions.material import ODD_IDS


def test_a_token_is_shown_once_and_logged_never(asker, caplog):
    with caplog.at_level(logging.DEBUG):
        opened = asker.open("desk-7")
        asker.method("put", entry={"id": "a", "version": 1})
        pages = [asker.get(path).content.decode() for path in ("sessions/", f"sessions/{opened['session']}/")]

    assert set(opened) == {"id", "session", "session_id", "number", "token"}
    assert len(opened["token"]) >= 43
    assert opened["token"] not in "".join([*pages, caplog.text, *AuditLine.objects.values_list("target", flat=True)])
    assert opened["token"] not in str(list(Incarnation.objects.values()))


def test_a_new_occupant_closes_the_one_before(asker):
    first = asker.open("desk-7")
    second = asker.open("desk-7")

    session = asker.get(f"sessions/{second['session']}/").json()

    assert [(row["number"], row["open"]) for row in session["incarnations"]] == [(2, True), (1, False)]
    assert session["open"] == {"id": second["id"], "number": 2}
    assert session["incarnations"][1]["reason"] == "A new occupant was opened."
    assert [incident["kind"] for incident in session["incidents"]] == ["takeover"]
    assert asker.get(f"sessions/{first['id']}/").json() == session
    assert [row["n_incarnations"] for row in asker.get("sessions/").json()["results"]] == [2]


def test_closing_says_why_and_a_second_time_gets_409(asker):
    opened = asker.open("desk-7")
    path = f"sessions/{opened['session']}/incarnations/{opened['id']}/close/"

    closed = asker.post(path, {"reason": "Shift over ✓"})
    again = asker.post(f"incarnations/{opened['id']}/close/", {"reason": "again"})

    assert (closed.status_code, closed.json()["reason"], closed.json()["open"]) == (200, "Shift over ✓", False)
    assert closed.json()["closed_by"]
    assert (again.status_code, again.json()["code"]) == (409, "stale_incarnation")
    assert Incarnation.objects.get().closed_reason == "Shift over ✓"
    assert AuditLine.objects.filter(action="incarnation_close").count() == 1


def test_an_occupant_is_closed_under_its_own_session_only(asker):
    first, second = asker.open("desk-7"), asker.open("desk-9")

    response = asker.post(f"sessions/{first['session']}/incarnations/{second['id']}/close/", {"reason": "x"})

    assert response.status_code == 404


def test_a_fork_keeps_its_lineage(asker):
    parent = asker.open("desk-7")
    fork = asker.open("desk-9", forked_from={"session_id": "desk-7", "incarnation": parent["id"]})
    asker.open("desk-7")

    row = asker.get(f"sessions/{fork['session']}/").json()["incarnations"][0]

    assert row["forked_from"] == {"id": parent["id"], "session_id": "desk-7", "number": 1}
    assert row["lineage"] == [{"session_id": "desk-7", "incarnation": parent["id"]}]


def test_a_fork_of_what_is_not_here_is_refused(people, asker):
    theirs = Asker(people.elsewhere).open("desk-7")
    for named in (
        {"session_id": "desk-7", "incarnation": theirs["id"]},
        {"session_id": "desk-7", "incarnation": "1"},
        {"session_id": "desk-8", "incarnation": asker.open("desk-7")["id"]},
    ):
        response = asker.post("sessions/", {"session_id": "desk-9", "forked_from": named})
        assert (response.status_code, response.json()["code"]) == (422, "unknown_ancestor")
    assert not Session.objects.filter(session_id="desk-9").exists()


def test_sessions_are_managed_by_admins_and_keys_that_send(people):
    statuses = {}
    for name, person in people.by_part.items():
        response = signed_in(person).post(
            f"{API}sessions/?workspace=brew", json.dumps({"session_id": "desk-7"}), content_type="application/json"
        )
        statuses[name] = response.status_code
    reader, sender = Asker(people.workspace, Scope.READ), Asker(people.workspace, Scope.INGEST)
    statuses["read key"] = reader.post("sessions/", {"session_id": "desk-7"}).status_code
    statuses["ingest key"] = sender.post("sessions/", {"session_id": "desk-7"}).status_code

    assert statuses == {
        "viewer": 403,
        "investigator": 403,
        "admin": 201,
        "stranger": 404,
        "superuser": 201,
        "read key": 403,
        "ingest key": 201,
    }


def test_a_stranger_gets_the_answer_of_nothing(people, asker):
    opened = asker.open("desk-7")
    stranger = Asker(people.elsewhere)
    nothing = stranger.get("sessions/00000000-0000-4000-8000-000000000000/")

    for path in (f"sessions/{opened['session']}/", f"sessions/{opened['id']}/"):
        response = stranger.get(path)
        assert (response.status_code, response.content) == (404, nothing.content)
    assert stranger.get("sessions/").json()["results"] == []
    close = stranger.post(f"sessions/{opened['session']}/incarnations/{opened['id']}/close/", {"reason": "x"})
    assert (close.status_code, close.content) == (404, nothing.content)
    assert Incarnation.objects.get().is_open


@pytest.mark.parametrize("odd", ODD_IDS)
def test_any_session_id_survives(asker, odd):
    assert asker.open(odd)["session_id"] == odd
    assert asker.get("sessions/").json()["results"][0]["session_id"] == odd


def test_two_principals_in_one_session_are_a_warning(asker):
    opened = asker.open("desk-7")
    for principal in ("dana", "kim", None):
        asker.method("put", IDENTITY | {"principal": principal}, entry={"id": "a", "version": 1})

    session = asker.get(f"sessions/{opened['session']}/").json()

    assert session["warnings"] == session["incarnations"][0]["warnings"] == ["two_principals"]
    assert session["incarnations"][0]["conversations"] == 3


@pytest.mark.parametrize("other", [None, ""])
def test_a_principal_that_is_not_given_is_no_second_one(asker, other):
    opened = asker.open("desk-7")
    asker.method("put", IDENTITY, entry={"id": "a", "version": 1})
    asker.method("put", IDENTITY | {"principal": other}, entry={"id": "a", "version": 1})

    assert asker.get(f"sessions/{opened['session']}/").json()["warnings"] == []


def test_lists_take_few_queries(asker, django_assert_max_num_queries):
    for number in range(5):
        asker.open(f"desk-{number}")
    opened = asker.open("desk-1")

    with django_assert_max_num_queries(8):
        asker.get("sessions/")
    with django_assert_max_num_queries(12):
        asker.get(f"sessions/{opened['session']}/")
