"""The list of recordings: what narrows it, that its numbers are true, and that it says what it was not given."""

import re
from typing import Any

import pytest

from footprint_site.access.models import Role
from footprint_site.access.services.workspaces import membership_create
from recordings.listing.pages import PAGE_SIZE, spectrum_of
from recordings.listing.phrases import with_phrase
from recordings.models import Recording
from tests.recordings.listing import LIST, bring, said

pytestmark = pytest.mark.django_db


def listed(client, query: Any = None) -> list[str]:
    response = client.get(LIST, query)
    assert response.status_code == 200, response.content
    return [row.recording.filename for row in response.context["listing"].rows]


@pytest.mark.parametrize(
    "query",
    [
        {},
        {"q": "days"},
        {"outcome": "failed"},
        {"flag": "gaps"},
        {"flag": ["gaps", "errors"]},
        {"source": ["M", "user"]},
        {"outcome": "finished", "source": "S"},
        {"session_id": "desk-1"},
        {"q": "45", "outcome": "paused", "sort": "epochs"},
        {"outcome": "failed", "flag": "conflict"},
    ],
)
def test_each_facet_counts_what_its_click_gives(query, several, people, as_bob):
    membership_create(workspace=people.elsewhere, user=people.bob, role=Role.VIEWER, actor="tests")
    bring(people.elsewhere, filename="h", outcome="failed", sources="M", answers=said("45 days"))

    listing = as_bob.get(LIST, query).context["listing"]
    choices = [(facet.name, choice) for facet in listing.facets for choice in facet.choices]

    assert {"outcome", "flag"} <= {name for name, _ in choices}
    for name, choice in choices:
        if choice.url is None:
            assert choice.n == 0
        elif choice.is_active:
            assert choice.n == listing.total
            assert (name, choice.value) in [(n, value) for n, value, _ in listing.filters.narrowing()]
        else:
            clicked = as_bob.get(choice.url).context["listing"]
            assert (name, choice.value, clicked.total) == (name, choice.value, choice.n)


def test_an_active_facet_and_all_of_them_can_be_taken_away(several, as_bob):
    query = {"q": "days", "outcome": "failed", "flag": "errors", "source": "M", "sort": "oldest"}
    listing = as_bob.get(LIST, query).context["listing"]
    active = [choice for facet in listing.facets for choice in facet.choices if choice.is_active]

    assert len(active) == 3
    assert {name for name, _, _ in listing.filters.narrowing()} == {"q", "outcome", "flag", "source"}
    for choice in active:
        without = as_bob.get(choice.url).context["listing"].filters
        assert len(without.narrowing()) == 3
        assert without.sort == "oldest"
    assert listing.filters.cleared().url() == f"{LIST}?sort=oldest"


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ({"outcome": "unknown"}, "gf"),
        ({"flag": "incomplete"}, "fe"),
        ({"flag": "paused"}, "fe"),
        ({"flag": ["gaps", "errors"]}, "d"),
        ({"source": "memory"}, "cb"),
        ({"source": "m"}, "cb"),
        ({"source": "instructions"}, "d"),
        ({"source": "?"}, "f"),
        ({"source": ["M", "tool-result"]}, "c"),
        ({"session_id": "desk-1"}, "ba"),
        ({"conversation_id": "talk"}, "f"),
        ({"workspace": "brew", "flag": "conflict"}, "g"),
        ({"outcome": "", "q": "", "flag": "", "page": "", "sort": ""}, "gfedcba"),
    ],
)
def test_filters_leave_what_they_say(query, expected, several, as_bob):
    assert "".join(listed(as_bob, query)) == expected


def test_orders(workspace, as_bob):
    bring(workspace, filename="few", n_epochs=1, input_tokens=500.0)
    bring(workspace, filename="many", n_epochs=9, input_tokens=None)
    bring(workspace, filename="some", n_epochs=4, input_tokens=900.0)

    assert listed(as_bob) == ["some", "many", "few"]
    assert listed(as_bob, {"sort": "oldest"}) == ["few", "many", "some"]
    assert listed(as_bob, {"sort": "epochs"}) == ["many", "some", "few"]
    assert listed(as_bob, {"sort": "tokens"}) == ["some", "few", "many"]


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("answers", said("It is the NEEDLE here.")),
        ("question", "Where is the nEEdle?"),
        ("filename", "needle.json"),
        ("run_id", "run-Needle"),
        ("conversation_id", "xneedlex"),
        ("session_id", "needle"),
    ],
)
def test_a_phrase_is_found_where_it_stands(field, value, workspace, as_bob):
    bring(workspace, filename="other", answers=said("need le"))
    wanted = bring(workspace, **{"filename": "hay", field: value})

    assert listed(as_bob, {"q": "needle"}) == [wanted.filename]


LITERAL = ["%", "_", "\\", "(a+)+$", "a OR 1=1 --", '"', "'", "🙂", "\0", "<script>", "  ", "straße", "&amp;"]


@pytest.mark.parametrize("phrase", LITERAL)
def test_a_phrase_is_literal(phrase, workspace, as_bob):
    bring(workspace, filename="without", answers=said("aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa! a or b"))
    bring(workspace, filename="with", answers=said(f"before{phrase.upper()}after"))

    assert listed(as_bob, {"q": phrase}) == ["with"]


def test_what_was_taken_out_is_not_found(workspace, as_bob):
    bring(workspace, filename="x", answers=said("secret", is_redacted=True))

    response = as_bob.get(LIST, {"q": "secret"})

    assert response.context["listing"].total == 0
    assert b"answer taken out" in as_bob.get(LIST).content


def test_a_phrase_is_not_found_across_two_texts(workspace, as_bob):
    bring(workspace, filename="y.json", question="to the end", answers=said("from here"))

    assert listed(as_bob, {"q": "hereto"}) == []
    assert listed(as_bob, {"q": "here\xff"}) == []
    assert listed(as_bob, {"q": "endy"}) == []


@pytest.mark.parametrize("half", ["\ud800", "x\udfff"])
def test_half_of_a_character_is_no_other_half(half, workspace):
    """No address can ask for it; what holds it is found by the rest."""
    one = bring(workspace, filename="one", answers=said(f"a{half}b"))

    assert list(with_phrase(Recording.objects.all(), f"A{half}B")) == [one]
    assert not with_phrase(Recording.objects.all(), "\ud801").exists()
    assert not with_phrase(Recording.objects.all(), "\U00010000").exists()


EVERYTHING = {"q": "days", "outcome": "failed", "flag": "errors", "source": "S", "workspace": "brew", "sort": "tokens"}


@pytest.mark.parametrize("query", [{}, {"q": "days"}, {"session_id": "many"}, EVERYTHING, {"page": "2"}])
def test_the_number_of_queries_does_not_grow(query, people, as_bob, django_assert_max_num_queries):
    membership_create(workspace=people.elsewhere, user=people.bob, role=Role.VIEWER, actor="tests")
    fields = {"answers": said("45 days"), "session_id": "many", "outcome": "failed", "has_errors": True}
    for _ in range(3):
        bring(people.workspace, sources="SU", by_source={"base": 3}, **fields)
    with django_assert_max_num_queries(12):
        assert as_bob.get(LIST, query).context["listing"].total == 3

    for _ in range(PAGE_SIZE):
        bring(people.workspace, sources="SU", by_source={"base": 3}, **fields)
    with django_assert_max_num_queries(12):
        assert as_bob.get(LIST, query).context["listing"].total == PAGE_SIZE + 3


def test_pages_keep_the_filters(workspace, as_bob):
    for number in range(PAGE_SIZE + 1):
        bring(workspace, filename=f"n{number}", outcome="failed")

    first = as_bob.get(LIST, {"outcome": "failed", "q": "n"})
    second = as_bob.get(first.context["listing"].next_url)

    assert len(first.context["listing"].rows) == PAGE_SIZE
    assert "1 to 50 of 51" in first.text
    assert [row.recording.filename for row in second.context["listing"].rows] == ["n0"]
    assert second.context["listing"].next_url is None
    assert second.context["listing"].previous_url == f"{LIST}?q=n&outcome=failed"
    assert listed(as_bob, {"page": 999}) == listed(as_bob, {"page": 2})


def test_htmx_gets_the_results_alone(several, as_bob):
    response = as_bob.get(LIST, {"q": "days"}, headers={"HX-Request": "true"})

    assert response.text.strip().startswith('<div id="results"')
    assert "HX-Request" in response["Vary"]


@pytest.mark.parametrize("header", ["HX-Boosted", "HX-History-Restore-Request"])
def test_htmx_gets_the_page_when_it_replaces_the_page(header, several, as_bob):
    response = as_bob.get(LIST, headers={"HX-Request": "true", header: "true"})

    assert response.text.lstrip().startswith("<!doctype html>")


def test_a_click_in_the_drawer_leaves_it_open(several, as_bob):
    clicked = as_bob.get(LIST, headers={"HX-Request": "true", "HX-Trigger": "facet-flag-1"})

    assert '<details class="drawer" open>' in clicked.text
    assert '<details class="drawer">' in as_bob.get(LIST).text


def test_nothing_that_matches_says_what_was_asked(several, as_bob):
    page = as_bob.get(LIST, {"q": "zebra <b>", "outcome": "failed"}).text

    assert "No recording matches all of this" in page
    assert "“zebra &lt;b&gt;”" in page
    assert "Clear all" in page
    assert "There is no recording yet" not in page


def test_what_is_not_recorded_is_not_zero(workspace, as_bob):
    bring(workspace, n_epochs=4, input_tokens=None, output_tokens=None, n_counted_epochs=0)
    assert re.search(r'data-label="tokens"><span class="absent">not recorded</span></td>', as_bob.get(LIST).text)

    Recording.objects.update(input_tokens=0.0, n_counted_epochs=3)
    page = as_bob.get(LIST).text
    assert '<span class="rows__token">0 <span class="faint">in</span>' in page
    assert '<span class="absent">not recorded</span> <span class="faint">out</span>' in page
    assert "3 of 4 epochs reported" in page


def test_an_id_that_no_address_can_carry_has_no_link(workspace, as_bob):
    bring(workspace, filename="odd", session_id="desk \ud83d", conversation_id="talk \ud83d")
    response = as_bob.get(LIST)

    (choice,) = next(facet.choices for facet in response.context["listing"].facets if facet.name == "session_id")
    assert (choice.n, choice.url) == (1, None)
    assert response.context["listing"].rows[0].session_url is None
    assert "desk \ufffd" in response.text


@pytest.mark.parametrize("recorded_id", ["a b&c=d", "%00\0", "../é☕", "x" * 1000, '"><script>'])
def test_any_other_id_leads_to_its_recordings(recorded_id, workspace, as_bob):
    bring(workspace, filename="other", session_id="other")
    bring(workspace, filename="wanted", session_id=recorded_id, conversation_id=recorded_id)
    row = as_bob.get(LIST).context["listing"].rows[0]

    for url in (row.session_url, row.conversation_url):
        assert [row.recording.filename for row in as_bob.get(url).context["listing"].rows] == ["wanted"]


def test_the_bar_shows_every_source_and_fills_its_width():
    segments = spectrum_of({"memory": 10_000, "base": 1, "tool-result": 30_000, "odd": 2, "unknown": 3, "user": 0})

    assert [(s.source, s.share) for s in segments] == [
        ("base", "under 1 %"),
        ("memory", "25 %"),
        ("tool-result", "75 %"),
        ("unknown", "under 1 %"),
    ]
    widths, starts = [float(s.width[:-1]) for s in segments], [float(s.x[:-1]) for s in segments]
    assert min(widths) > 2
    assert starts[-1] + widths[-1] == pytest.approx(100, abs=0.1)
    assert all(start + width < following for start, width, following in zip(starts, widths, starts[1:], strict=False))
    assert spectrum_of({}) == []
