"""Texts in parts: they cover the whole, cut no picture, and every place of a phrase is found."""

import re
import sys

from hypothesis import given
from hypothesis import strategies as st

from recordings.textparts import MAX_HITS, PART_CHARS, Found, _small, part_at

media = st.lists(st.tuples(st.integers(0, 30_000), st.integers(400, 90_000)), max_size=5)


@given(media, st.integers(0, 60_000))
def test_parts_cover_the_text_and_cut_no_picture(gaps, rest):
    urls, at = [], 0
    for gap, length in gaps:
        urls.append({"start": at + gap, "end": at + gap + length})
        at += gap + length
    n_chars = at + rest

    start, seen = 0, []
    while start is not None:
        part = part_at(start, n_chars, urls)
        assert part.start == start
        assert part.earlier == (seen[-1].start if seen else None)
        assert part_at(max(part.end - 1, part.start), n_chars, urls) == part
        assert not [url for url in urls if url["start"] < part.end < url["end"]]
        inside = sum(url["end"] - url["start"] for url in urls if part.start <= url["start"] < part.end)
        assert part.end - part.start - inside <= PART_CHARS
        seen.append(part)
        start = part.later
    assert seen[-1].end == n_chars
    assert {part.last for part in seen} == {seen[-1].start}


@given(st.text(alphabet="abAİıςσΣß🙂", max_size=300), st.text(alphabet="abAİıςσΣß🙂", min_size=1, max_size=4))
def test_found_is_what_a_plain_search_finds(text, phrase):
    small, sought = _small(text), _small(phrase)
    expected = [match.start() for match in re.finditer(re.escape(sought), small)]

    found = Found(text, phrase)

    assert found.starts == expected
    for at in range(len(text) + 1):
        assert found.before(at) == max((n for n in expected if n < at), default=None)
        assert found.after(at) == min((n for n in expected if n > at), default=None)
        assert found.between(at, at + 7) == [n for n in expected if n < at + 7 and n + len(phrase) > at]


def test_small_letters_are_as_many():
    assert all(len(_small(chr(code))) == 1 for code in range(sys.maxunicode + 1))


def test_places_are_found_over_the_ends_of_chunks(monkeypatch):
    monkeypatch.setattr("recordings.textparts._CHUNK_CHARS", 7)
    text = "xxabcxabcabcxxxxxabcx" * 5

    found = Found(text, "ABC")

    assert found.starts == [match.start() for match in re.finditer("abc", text)]
    assert Found("a" * 50, "aa").starts == list(range(0, 50, 2))


def test_places_beyond_what_is_counted_are_reached():
    text = "ab" * (MAX_HITS + 100)
    found = Found(text, "ab")

    assert (len(found.starts), found.is_more) == (MAX_HITS, True)
    assert found.after(found.starts[-1]) == 2 * MAX_HITS
    assert found.before(2 * MAX_HITS + 100) == 2 * MAX_HITS + 98
    assert found.before(2 * MAX_HITS) == found.starts[-1]
    assert found.between(2 * MAX_HITS + 99, 2 * MAX_HITS + 103) == [2 * MAX_HITS + n for n in (98, 100, 102)]
    assert found.after(len(text) - 2) is None
