"""The page of one piece: a text of any size in parts, searched on the server, shown as text and nothing else."""

import re
import time

import pytest
from django.utils.html import escape

from recordings.models import Piece
from recordings.services.drafting import Stated
from recordings.services.importing import recording_import
from recordings.textparts import PART_CHARS
from tests.corpus import needs_corpus, read_bytes, recording_files
from tests.recordings.pieces import run_with, url_of

HOSTILE = '<div hx-get="/admin/" hx-trigger="load">\u202e{{ 7 }}<img src=x onerror=alert(1)></div>'
PIXELS = "data:image/png;base64," + "iVBORw0KGgoAAAAN" * 180_000
MAX_PAGE_BYTES = 500_000


@pytest.fixture
def piece_with(workspace):
    """Bring a run whose last message is a tool result, and return its piece."""

    def bring(text: str) -> Piece:
        result = {"role": "tool", "content": text, "toolCallId": "c<1>", "toolName": "look_up"}
        data = run_with({"role": "user", "content": "Hello"}, result)
        imported = recording_import(workspace=workspace, chunks=[data], is_gzip=False, stated=Stated(), actor="tests")
        return imported.recording.pieces.select_related("recording", "text").order_by("pk").last()

    return bring


def words_of(response) -> str:
    """The words of a page, without its markup."""
    return re.sub(r"\s+", " ", re.sub(r"<[^>]*>", "", response.content.decode()))


def test_a_short_text_is_there_whole(piece_with, as_bob, django_assert_max_num_queries):
    piece = piece_with("stock: 4\0units\ud800")

    with django_assert_max_num_queries(8):
        response = as_bob.get(url_of(piece))

    words = words_of(response)
    assert response.status_code == 200
    assert "Characters 1 to 15 of 15" in words
    assert "stock: 4␀units\ufffd" in words
    assert "Tool result" in words
    assert "c&lt;1&gt;" in words
    assert "Load more" not in words
    assert f'href="{piece.recording.get_absolute_url()}?epoch=1"' in response.content.decode()


def test_a_long_text_comes_in_parts(piece_with, as_bob):
    text = "".join(f"{n:09d}\n" for n in range(5_000))
    url = url_of(piece_with(text))

    first, second, last = (as_bob.get(f"{url}?from={n}") for n in (0, 25_000, 49_999))

    assert "Characters 1 to 20,000 of 50,000" in words_of(first)
    assert "Characters 20,001 to 40,000 of 50,000" in words_of(second)
    assert "Characters 40,001 to 50,000 of 50,000" in words_of(last)
    for page, shown in ((first, text[:20_000]), (second, text[20_000:40_000]), (last, text[40_000:])):
        assert f">{shown}</div>" in page.content.decode()
    assert 'hx-get="?from=20000"' in first.content.decode()
    assert 'href="?from=0#text"' in second.content.decode()
    assert "hx-get" not in last.content.decode()


def test_what_is_appended_is_the_part_alone(piece_with, as_bob):
    url = url_of(piece_with("x" * 50_000))

    part = as_bob.get(f"{url}?from=20000", headers={"HX-Request": "true", "HX-Target": "more"})
    boosted = as_bob.get(f"{url}?from=20000", headers={"HX-Request": "true", "HX-Boosted": "true"})

    assert part.content.strip().startswith(b'<p class="part" id="part-20000"')
    assert b"<h1>" not in part.content
    assert b"<h1>" in boosted.content
    assert "HX-Request" in part["Vary"]


@pytest.mark.parametrize("start", ["-1", "12", "1e3", "x", "9" * 30, "\0", "٣", "<b>"])
def test_a_start_outside_of_the_text_is_refused_with_words(start, piece_with, as_bob):
    url = url_of(piece_with("hello there!"))

    for headers in ({}, {"HX-Request": "true", "HX-Target": "more"}):
        response = as_bob.get(url, {"from": start}, headers=headers)

        assert response.status_code == 422
        assert "from is a whole number from 0 to 11 for this text." in words_of(response)


def test_a_phrase_may_be_512_characters_long(piece_with, as_bob):
    url = url_of(piece_with("<" * 600))

    assert as_bob.get(url, {"find": "<" * 512}).status_code == 200
    response = as_bob.get(url, {"find": "<" * 1_513})
    assert response.status_code == 422
    assert "Look for at most 512 characters. These are 1,513." in words_of(response)


def test_a_phrase_is_found_wherever_it_stands(piece_with, as_bob):
    text = "x" * 30_000 + "Refunds within 45 DAYS." + "y" * 30_000 + "45 days" + "z" * 10
    url = url_of(piece_with(text))

    response = as_bob.get(url, {"find": "45 days"})

    page, words = response.content.decode(), words_of(response)
    assert "At place 1 of 2" in words
    assert "Characters 20,001 to 40,000" in words
    assert '<mark class="hit hit--here" id="hit">45 DAYS</mark>' in page
    assert f'{"x" * 45}Refunds within <mark class="hit">45 DAYS</mark>.{"y" * 59}…' in page
    assert 'rel="next" href="?from=60023&amp;find=45+days#hit"' in page
    assert "At place 2 of 2" in words_of(as_bob.get(url, {"find": "45 days", "from": "60023"}))
    assert "It stands nowhere in this text" in words_of(as_bob.get(url, {"find": "46 days"}))


@pytest.mark.parametrize("phrase", ["%", "_", "\\", "(a+)+$", "a OR 1=1 --", '"', "🙂", "\0", "<b>", " "])
def test_a_phrase_is_literal(phrase, piece_with, as_bob):
    url = url_of(piece_with(f"one{phrase}two"))

    response = as_bob.get(url, {"find": phrase})

    assert response.status_code == 200
    assert "At place 1 of 1" in words_of(response)


def test_a_place_over_the_cut_is_marked_on_both_sides(piece_with, as_bob):
    url = url_of(piece_with("x" * (PART_CHARS - 2) + "abcd" + "x" * 100))

    assert 'id="hit">ab</mark></div>' in as_bob.get(url, {"find": "abcd"}).content.decode()
    assert '><mark class="hit">cd</mark>x' in as_bob.get(url, {"find": "abcd", "from": "20000"}).content.decode()


@pytest.mark.parametrize("unit", ["a", "'", "a\u200b", "\u202e<", "🙂\x1b"])
def test_a_page_of_marks_and_signs_stays_small(unit, piece_with, as_bob):
    url = url_of(piece_with(unit * 60_000))

    response = as_bob.get(url, {"find": unit[0]})

    assert len(response.content) < MAX_PAGE_BYTES
    assert "more than 10,000" in words_of(response)
    assert response.content.decode().count("<mark") <= 1_050


def test_megabytes_and_a_picture_take_a_small_page_and_little_time(piece_with, as_bob):
    """Everything is reached; the picture is a chip and never a picture."""
    text = "head " + "0123456789 <b>\n" * 100_000 + PIXELS + " between " + "line of a tool\n" * 100_000 + "THE END"
    piece = piece_with(text)
    assert (piece.text.n_chars, len(piece.text.media)) == (len(text), 1)
    in_picture = text.index("data:") + 1_000_000

    for query in ({}, {"find": "the end"}, {"from": in_picture}, {"find": "iVBORw0KGgo"}, {"from": len(text) - 1}):
        started = time.monotonic()
        response = as_bob.get(url_of(piece), query)
        assert time.monotonic() - started < 2
        assert response.status_code == 200
        assert len(response.content) < MAX_PAGE_BYTES
        assert b"<img" not in response.content
        assert b"iVBORw0KGgoAAAANiVBORw0KGgoAAAANiVBORw0KGgoAAAANiVBORw0KGgoAAAANiVBORw0KGgoAAAAN" * 5 not in (
            response.content
        )
    assert "image/png · 2.1 MB between" in words_of(as_bob.get(url_of(piece), {"from": in_picture}))
    assert 'id="hit">THE END</mark>' in as_bob.get(url_of(piece), {"find": "the end"}).content.decode()


def test_a_place_in_a_picture_marks_its_chip(piece_with, as_bob):
    text = f"see {PIXELS[:4_000]} there"
    page = as_bob.get(url_of(piece_with(text)), {"find": "ivborw0"}).content.decode()

    chip = '<mark class="hit hit--here" id="hit"><span class="media"><bdi>image/png</bdi> · 2.9 KB</span></mark>'
    assert f"see {chip} there" in page


def test_hostile_text_is_text(piece_with, as_bob):
    piece = piece_with(HOSTILE)

    page = as_bob.get(url_of(piece), {"find": "<img"}).content.decode()

    assert "<img" not in page
    assert "{{ 7 }}" in page
    assert "\u202e" not in page
    assert 'hx-get="/admin/"' not in page
    assert escape('<div hx-get="/admin/" hx-trigger="load">') in page


@pytest.mark.parametrize(
    ("text", "state", "look"),
    [
        ("REDACTED", "redacted", 'class="redacted"'),
        ("", "empty", 'class="empty"'),
        ("x", "recorded", "recorded--block"),
    ],
)
def test_each_state_has_a_look(text, state, look, piece_with, as_bob):
    piece = piece_with(text)
    assert piece.state == state

    page = as_bob.get(url_of(piece), {"find": "RED"}).content.decode()

    assert look in page
    assert "REDACTED" not in page
    assert ("Copy the whole text" in page) == (state == "recorded")


@pytest.mark.parametrize("piece_id", ["0" * 32, "%00", "x", "A" * 32, "0" * 33])
def test_there_is_no_such_piece(piece_id, piece_with, as_bob):
    piece = piece_with("x")

    assert as_bob.get(f"/recordings/{piece.recording.public_id}/pieces/{piece_id}/").status_code == 404


def test_strangers_and_pieces_of_other_recordings(piece_with, as_bob, as_mallory):
    piece, other = piece_with("CANARY"), piece_with("x")

    assert as_mallory.get(url_of(piece)).status_code == 404
    assert as_bob.get(f"/recordings/{other.recording.public_id}/pieces/{piece.piece_id}/").status_code == 404


@needs_corpus
@pytest.mark.parametrize("name", ["flat-rag", "flat-injections", "flat-memory-turn4", "parallel-grouped-agents"])
def test_every_piece_of_a_run_opens(name, sender, as_bob):
    sender.sent(read_bytes(recording_files()[name]))

    for piece in Piece.objects.select_related("recording"):
        response = as_bob.get(url_of(piece))
        assert response.status_code == 200, url_of(piece)
        assert "origin commit" in words_of(response) or "origin the base" in words_of(response)
