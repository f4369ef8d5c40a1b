"""What the list of recordings refuses, and whose recordings it shows."""

import re

import pytest

from footprint_site.access.models import Role
from footprint_site.access.services.workspaces import membership_create
from tests.recordings.listing import LIST, bring

pytestmark = pytest.mark.django_db

REFUSED = [
    ({"workspace__secret__startswith": "a"}, "unknown_parameter", "q, outcome, flag, source, session_id"),
    ({"__class__": ""}, "unknown_parameter", "conversation_id, workspace, sort, page"),
    ({"sort": "-password"}, "unknown_sort", "newest, oldest, epochs, tokens"),
    ({"sort": "__class__"}, "unknown_sort", "newest, oldest, epochs, tokens"),
    ({"outcome": "lost"}, "unknown_outcome", "finished, paused, failed, unknown"),
    ({"flag": ["gaps", "\0"]}, "unknown_flag", "incomplete, gaps, errors, redacted, conflict, paused"),
    ({"source": "<b>"}, "unknown_source", "base, steering, instructions, skill, fact, rag, memory"),
    ({"page": "0"}, "page_not_integer", "from 1 on"),
    ({"page": "9" * 5000}, "page_not_integer", "from 1 on"),
    ({"page": "1٣"}, "page_not_integer", "from 1 on"),
    ({"q": "x" * 513}, "query_too_long", "at most 512 characters; this one has 513"),
    ({"q": "x" * 10_240}, "query_too_long", "at most 512 characters; this one has 10,240"),
    ({"session_id": "x" * 1001}, "id_too_long", "at most 1000 characters"),
    ({"workspace": "nothing"}, "unknown_workspace", "no workspace of that name"),
    ({"workspace": "\0"}, "unknown_workspace", "no workspace of that name"),
    ({"workspace": "brew' --"}, "unknown_workspace", "no workspace of that name"),
]


@pytest.mark.parametrize(("query", "code", "allowed"), REFUSED)
def test_what_the_list_cannot_be_asked_is_refused_by_name(query, code, allowed, several, as_bob):
    response = as_bob.get(LIST, query)

    assert response.status_code == 400
    assert f'<code class="id">{code}</code>' in response.text
    assert allowed in response.text
    assert "<b>" not in response.text.split("refused-title")[1].split("</section>")[0]
    assert "desk-1" not in response.text


def test_the_longest_phrase_is_taken(several, as_bob):
    assert as_bob.get(LIST, {"q": "é" * 512}).status_code == 200


def test_a_workspace_of_others_is_not_there(several, people, as_mallory):
    theirs, nothing = (as_mallory.get(LIST, {"workspace": slug}) for slug in ("brew", "nope"))

    assert theirs.status_code == nothing.status_code == 400
    token = re.compile(r'X-CSRFToken": "[^"]+')
    assert token.sub("", theirs.text) == token.sub("", nothing.text)


@pytest.mark.parametrize("query", [{"q": "days"}, {"session_id": "desk-1"}, {"conversation_id": "talk"}, {}])
def test_nothing_of_others_is_listed_or_counted(query, several, people, as_mallory):
    bring(people.elsewhere, filename="mine", sources="A")

    listing = as_mallory.get(LIST, query).context["listing"]

    assert [row.recording.filename for row in listing.rows] == ([] if query else ["mine"])
    assert sum(choice.n for facet in listing.facets if facet.name == "outcome" for choice in facet.choices) <= 1
    assert not [facet for facet in listing.facets if facet.name == "workspace"]


def test_the_workspace_is_shown_to_who_reads_several(several, people, as_bob):
    assert 'into <code class="id">' not in as_bob.get(LIST).text

    membership_create(workspace=people.elsewhere, user=people.bob, role=Role.VIEWER, actor="tests")

    assert 'into <code class="id">brew</code>' in as_bob.get(LIST).text
