"""Whose a record of a session is: what one occupant left is never another's."""

from concurrent.futures import ThreadPoolExecutor

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sessions_app.incarnation import (
    SessionIncarnationSeat,
    SessionIncident,
    is_occupant_unknown,
    record_binds_incarnation,
    session_incarnation_resolver,
)

laws = settings(deadline=None, max_examples=200)


class Resolver:
    """Answers from *tokens*, raises what stands there as an error, and keeps what it was asked."""

    def __init__(self, **tokens):
        self.tokens = tokens
        self.asked = []

    def __call__(self, session_id):
        self.asked.append(session_id)
        answer = self.tokens.get(session_id)
        if isinstance(answer, BaseException):
            raise answer
        return answer


def read_record(seat, durable, session_id):
    """What a reader of durable records does: it reads under the identity, and says when it keeps a record back."""
    asked = seat.identity_read(session_id)
    record = durable.get(session_id)
    if record is None or record_binds_incarnation(record.get("incarnation"), asked.incarnation):
        return record
    asked.on_separated()
    return None


# The binding table


@pytest.mark.parametrize(
    ("record_token", "asking", "binds", "unknown"),
    [
        ("t1", "t1", True, False),
        ("t1", "t2", False, False),
        (None, "t1", True, True),
        ("t1", None, True, True),
        (None, None, True, True),
    ],
)
def test_the_binding_table(record_token, asking, binds, unknown):
    assert record_binds_incarnation(record_token, asking) is binds
    assert is_occupant_unknown(record_token, asking) is unknown


@laws
@given(st.text() | st.none(), st.text() | st.none())
def test_only_two_known_and_different_occupants_are_kept_apart(record_token, asking):
    """Whatever a token is: an empty one is known, and a token is not trimmed or folded."""
    apart = record_token is not None and asking is not None and record_token != asking

    assert record_binds_incarnation(record_token, asking) is not apart
    assert record_binds_incarnation(record_token, asking) is record_binds_incarnation(asking, record_token)


@laws
@given(st.text(), st.text())
def test_what_binds_without_the_marking_is_the_occupants_own(record_token, asking):
    assert record_binds_incarnation(record_token, asking) is (record_token == asking)
    assert not is_occupant_unknown(record_token, asking)


# The resolver of an acquired session


def test_the_acquired_session_answers_with_its_own_token():
    assert session_incarnation_resolver("desk-7", "t2", {"desk-1": "t1"})("desk-7") == "t2"


def test_a_lineage_id_answers_the_occupant_that_was_recorded_with_the_lineage():
    """Not whoever sits there now: a new occupant of the ancestor's id changes no answer."""
    lineage = {"desk-1": "t1", "desk-2": None}
    resolve = session_incarnation_resolver("desk-7", "t7", lineage)
    lineage.update({"desk-1": "someone else", "desk-2": "someone else", "desk-3": "someone else"})

    assert [resolve(session_id) for session_id in ["desk-1", "desk-2", "desk-3"]] == ["t1", None, None]


@pytest.mark.parametrize("session_id", ["desk-8", "", "DESK-7", "desk-7 ", "t7"])
def test_anything_else_is_unknown(session_id):
    assert session_incarnation_resolver("desk-7", "t7", {"desk-1": "t1"})(session_id) is None


@pytest.mark.parametrize("own", ["t2", None])
def test_a_session_forked_from_an_earlier_occupant_of_its_id_answers_with_its_own(own):
    """Even when its own is not known: the ancestor's token is never an answer for it."""
    assert session_incarnation_resolver("desk-7", own, {"desk-7": "t1"})("desk-7") == own


@pytest.mark.parametrize("lineage", [None, {}])
def test_a_session_without_ancestors_knows_itself_only(lineage):
    resolve = session_incarnation_resolver("desk-7", "t1", lineage)

    assert [resolve("desk-7"), resolve("desk-1")] == ["t1", None]


# The seat


def test_a_seat_asks_its_resolver_each_time():
    """An answer is not kept: the occupant may have changed."""
    resolver = Resolver(desk="t1")
    seat = SessionIncarnationSeat(resolver)

    assert seat.incarnation_of("desk") == "t1"
    resolver.tokens["desk"] = "t2"
    assert seat.incarnation_of("desk") == "t2"
    assert seat.identity_read("desk").incarnation == "t2"
    assert resolver.asked == ["desk", "desk", "desk"]


def test_a_record_of_another_occupant_is_not_read_and_disclosed_once_per_session_id():
    incidents = []
    seat = SessionIncarnationSeat(Resolver(a="t2", b="t2"), incidents.append)
    durable = {"a": {"note": "one", "incarnation": "t1"}, "b": {"note": "two", "incarnation": "t1"}}

    assert [read_record(seat, durable, session_id) for session_id in ["a", "a", "b", "a", "b"]] == [None] * 5
    assert incidents == [SessionIncident("separated", "a"), SessionIncident("separated", "b")]


def test_one_read_that_separates_many_records_discloses_once():
    incidents = []
    read = SessionIncarnationSeat(Resolver(a="t2"), incidents.append).identity_read("a")

    for _ in range(3):
        read.on_separated()

    assert incidents == [SessionIncident("separated", "a")]


def test_a_read_that_separates_nothing_discloses_nothing():
    incidents = []
    seat = SessionIncarnationSeat(Resolver(a="t1"), incidents.append)

    assert read_record(seat, {"a": {"incarnation": "t1"}}, "a") == {"incarnation": "t1"}
    assert read_record(seat, {"a": {"note": "from before"}}, "a") == {"note": "from before"}
    assert read_record(seat, {}, "a") is None
    assert read_record(seat, {"other": {"incarnation": "t1"}}, "other") == {"incarnation": "t1"}
    assert incidents == []


def test_an_incident_tells_no_token():
    """Who has the log of incidents does not have the sessions."""
    incidents = []
    seat = SessionIncarnationSeat(Resolver(a="secret-of-2"), incidents.append)

    read_record(seat, {"a": {"incarnation": "secret-of-1"}}, "a")

    assert "secret" not in repr(incidents)


def test_a_resolver_that_fails_is_disclosed_once_and_treated_as_unknown():
    """For whatever id it fails: what fails is the resolver. Records bind by id meanwhile, as without one."""
    incidents = []
    failure = OSError("no store")
    seat = SessionIncarnationSeat(Resolver(a=failure, b=ValueError("no more")), incidents.append)

    assert [seat.incarnation_of("a"), seat.incarnation_of("a"), seat.incarnation_of("b")] == [None, None, None]
    assert seat.identity_read("a").incarnation is None
    assert read_record(seat, {"a": {"incarnation": "t1"}}, "a") == {"incarnation": "t1"}
    assert incidents == [SessionIncident("resolver-failed", "a", failure)]


def test_a_failing_resolver_hides_no_separation_and_the_other_way_round():
    incidents = []
    resolver = Resolver(a=OSError("no store"))
    seat = SessionIncarnationSeat(resolver, incidents.append)
    durable = {"a": {"incarnation": "t1"}}

    read_record(seat, durable, "a")
    resolver.tokens["a"] = "t2"
    assert read_record(seat, durable, "a") is None
    resolver.tokens["a"] = OSError("again")
    read_record(seat, durable, "a")

    assert [incident.kind for incident in incidents] == ["resolver-failed", "separated"]


@pytest.mark.parametrize("error", [KeyboardInterrupt(), SystemExit()])
def test_a_program_that_is_told_to_end_is_no_failing_resolver(error):
    with pytest.raises(type(error)):
        SessionIncarnationSeat(Resolver(a=error)).incarnation_of("a")


def test_without_a_resolver_nothing_is_stamped_nothing_asked_and_everything_binds_by_id():
    incidents = []
    seat = SessionIncarnationSeat(None, incidents.append)

    assert seat.incarnation_of("a") is None
    assert seat.identity_read("a").incarnation is None
    for record in [{"note": "one"}, {"note": "two", "incarnation": "t1"}, {"note": "three", "incarnation": None}]:
        assert read_record(seat, {"a": record}, "a") == record
        assert read_record(seat, {"a": record}, "b") is None
    assert incidents == []


def test_a_seat_that_nobody_listens_to_reads_the_same():
    seat = SessionIncarnationSeat(Resolver(a="t2", b=OSError("no store")))

    assert read_record(seat, {"a": {"incarnation": "t1"}}, "a") is None
    assert read_record(seat, {"b": {"incarnation": "t1"}}, "b") == {"incarnation": "t1"}


def test_two_seats_disclose_on_their_own():
    incidents = []
    for _ in range(2):
        SessionIncarnationSeat(Resolver(a="t2"), incidents.append).identity_read("a").on_separated()

    assert len(incidents) == 2


def test_what_a_listener_raises_reaches_the_reader():
    def listen(incident):
        raise ConnectionError("no log")

    seat = SessionIncarnationSeat(Resolver(a=OSError("no store")), listen)

    with pytest.raises(ConnectionError, match="no log"):
        seat.incarnation_of("a")


def test_a_listener_may_ask_the_seat():
    """What it is told, it is told once, so asking from there does not go round."""
    heard = []

    def listen(incident):
        heard.append((incident.kind, seat.incarnation_of(incident.session_id)))

    seat = SessionIncarnationSeat(Resolver(a=OSError("no store")), listen)
    seat.incarnation_of("a")

    assert heard == [("resolver-failed", None)]


def test_threads_that_share_a_seat_disclose_once():
    incidents = []
    seat = SessionIncarnationSeat(Resolver(a="t2"), incidents.append)
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda _: seat.identity_read("a").on_separated(), range(200)))

    assert incidents == [SessionIncident("separated", "a")]
