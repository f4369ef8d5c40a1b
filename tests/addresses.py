"""The addresses of our routes, with rows behind them."""

import json

from django.urls import reverse

from footprint_site.access.models import Role
from footprint_site.access.services.invitations import invitation_create
from footprint_site.access.services.sign_in import sign_in_path
from recordings.services.drafting import Stated
from recordings.services.importing import recording_import
from sessions_app.services.records import session_record_keep
from sessions_app.services.sessions import incarnation_open
from sessions_app.services.turns import turn_reserve
from sessions_app.services.writing import Identity, Writer
from tests.people import People, make_key
from tests.recordings.material import SMALL_RUN
from tests.recordings.seating import seat


def address_of(people: People, route: str) -> str:
    """The address of a route, with rows of Alice's workspace behind it."""
    slug = people.workspace.slug
    if route == "sign-in-link":
        people.bob.refresh_from_db()
        return sign_in_path(people.bob)
    if route == "access:invitation-detail":
        _, token = invitation_create(workspace=people.workspace, role=Role.VIEWER, note="", actor=people.alice)
        return reverse(route, args=[token])
    if route == "access:invitation-withdraw":
        invitation, _ = invitation_create(workspace=people.workspace, role=Role.VIEWER, note="", actor=people.alice)
        return reverse(route, args=[slug, invitation.public_id])
    if route in {"access:member-role", "access:member-active"}:
        return reverse(route, args=[slug, people.workspace.memberships.get(user=people.bob).public_id])
    if route == "access:key-revoke":
        return reverse(route, args=[slug, make_key(people.workspace)[0].public_id])
    if route.startswith("recordings"):
        return recording_url(route, people)
    if route.startswith("seats:"):
        return seat_url(route, people)
    if route.startswith("sessions-api:"):
        return session_url(route, people)
    if route.startswith("access:") and route not in {"access:workspace-list", "access:workspace-new"}:
        return reverse(route, args=[slug])
    return reverse(route)


def recording_url(route: str, people: People) -> str:
    """The address of a route about one recording; each time of one that is there."""
    if route in {"recordings:recording-list", "recordings:recording-new", "recordings-api:list"}:
        return reverse(route)
    data = json.dumps(SMALL_RUN).encode()
    imported = recording_import(
        workspace=people.workspace, chunks=[data], is_gzip=False, stated=Stated(), actor="tests"
    )
    recording = imported.recording
    piece_id = recording.pieces.all()[0].piece_id
    parts = {
        "recordings-api:context": [1],
        "recordings-api:piece-text": [piece_id],
        "recordings:piece-detail": [piece_id],
    }
    return reverse(route, args=[recording.public_id, *parts.get(route, [])])


def session_url(route: str, people: People) -> str:
    """The address of a route about sessions and memory; each time of rows that are there."""
    incarnation, _ = incarnation_open(workspace=people.workspace, session_id="desk-7", actor="tests")
    if route == "sessions-api:session":
        return reverse(route, args=[incarnation.session.public_id])
    if route == "sessions-api:incarnation-close":
        return reverse(route, args=[incarnation.session.public_id, incarnation.public_id])
    if route == "sessions-api:incarnation-close-by-id":
        return reverse(route, args=[incarnation.public_id])
    if route.startswith("sessions-api:conversation") and route != "sessions-api:conversations":
        turn_reserve(writer=Writer(people.workspace, incarnation, "tests"), identity=Identity("chat-501"))
        return reverse(route, args=[incarnation.conversations.get().public_id])
    return reverse(route)


def seat_url(route: str, people: People) -> str:
    """The address of a route about a session or a conversation."""
    if route.endswith(("-list", "-new")):
        return reverse(route)
    seated = seat(people)
    if route == "seats:session-record":
        record, _ = session_record_keep(writer=seated.writer, session_id="desk-7", name="cart", body="[1]")
        return reverse(route, args=[seated.session.public_id, record.pk])
    if route.startswith("seats:session"):
        return reverse(route, args=[seated.session.public_id])
    store = seated.puts()
    of_store = [store.pk] if route == "seats:memory-detail" else []
    return reverse(route, args=[store.conversation.public_id, *of_store])
