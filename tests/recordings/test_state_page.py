"""The page of a state: any key at any commit of any log, and the ways from one to another."""

import html
import re
from urllib.parse import urlencode

import pytest

from recordings.models import Recording
from recordings.services import stored
from tests.corpus import needs_corpus, read_bytes, recording_files, recording_named
from tests.hostile import HOSTILE
from tests.recordings.statepages import hrefs_of, row, words_of

pytestmark = pytest.mark.django_db


def test_a_value_leads_to_the_commit_that_wrote_it(read, as_bob):
    page = read([row(0, "k", overwrite={"k": "first"}), row(1), row(2, "k", overwrite={"k": "second"}), row(3)])

    assert '"first"' in page(key="k", commit=1)
    assert '"second"' in page(key="k")
    response = as_bob.get(page.url, {"key": "k", "commit": 3})
    written = re.search(r'id="written-by" href="([^"]*)"', response.content.decode())[1]
    arrived = words_of(as_bob.get(html.unescape(written)))
    assert "Commit 2" in arrived
    assert "Stage 2" in arrived
    assert "this one" in arrived


def test_previous_and_next_write_step_over_what_did_not_write(read, as_bob):
    rows = [row(0, "k", overwrite={"k": 1}), row(1), row(2, ("k", "append"), overwrite={"k": [2]}), row(3), row(4, "k")]
    page = read(rows, initialState={"k": 0})

    def steps(commit):
        text = as_bob.get(page.url, {"key": "k", "commit": commit}).content.decode()
        found = {}
        for name in ("previous", "next"):
            match = re.search(rf'id="write-{name}" href="[^"]*commit=(-?\d+)', text)
            found[name] = match and int(match[1])
        return found

    assert steps(-1) == {"previous": None, "next": 0}
    assert steps(0) == {"previous": -1, "next": 2}
    assert steps(1) == {"previous": -1, "next": 2}
    assert steps(3) == {"previous": 0, "next": 4}
    assert steps(4) == {"previous": 2, "next": None}


def test_keys_of_the_keyboard_have_their_places(read, as_bob):
    page = read([row(0, "k", overwrite={"k": 1}), row(1), row(2)])

    text = as_bob.get(page.url, {"commit": 1}).content.decode()

    assert re.search(r'rel="prev" data-key="k" href="[^"]*commit=0"', text)
    assert re.search(r'rel="next" data-key="j" href="[^"]*commit=2"', text)
    assert re.search(r'<input [^>]*name="commit"[^>]* data-key="g"', text)


def test_the_empty_log_has_only_a_base(read):
    page = read([], initialState={"k": {"a": 1}}, sharedState={})

    assert "no commits" in page()
    assert '"a": 1' in page(key="k", commit=99)


def test_hostile_names_and_values_are_text_and_can_be_followed(read, as_bob):
    text = " ".join([*HOSTILE, "javascript:alert(1)", "HX-Redirect: /x", "a\0b\u2028"])
    page = read([row(0, text, overwrite={text: text}, stage=text, tags=[text], untrackedSources=[text])])

    for query in ({}, {"key": text}, {"key": text, "commit": -1}, {"log": ""}, {"filter": text}):
        response = as_bob.get(page.url, query)
        body = response.content.decode()
        assert response.status_code == 200
        assert not re.search(r"<(script>|img|svg onload|div hx-get=\"/admin|meta name=htmx)", body)
        for href in hrefs_of(response):
            assert href.startswith(("/", "#"))
    assert "{{7*7}}" in page(key=text)


@pytest.mark.parametrize("key", ["a\r\nb", "", "a&b=c#d", "é\u202e", "\ud83d", "a\0", "log", "x" * 900])
def test_every_name_can_be_followed_and_kept_by_the_forms(key, read, as_bob):
    page = read([row(0, key, overwrite={key: "the value"}), row(1)])

    response = as_bob.get(page.url)
    keys = [href for href in hrefs_of(response) if "key=" in href and "commit=1" in href]
    followed = as_bob.get(keys[0])
    assert '"the value"' in words_of(followed)

    rest = html.unescape(re.search(r'name="rest" value="([^"]*)"', followed.content.decode())[1])
    sent = as_bob.get(page.url, {"rest": rest, "commit": "0"})
    assert sent.status_code == 302
    assert "rest=" not in sent["Location"]
    # Not by the client, which decodes the address on its way.
    arrived = words_of(as_bob.get(sent["Location"]))
    assert '"the value"' in arrived
    assert "this one" in arrived


def test_a_name_that_is_too_long_for_an_address_is_not_a_link(read, as_bob):
    key = "x" * 9000
    page = read([row(0, key, overwrite={key: 1})])

    assert "9,000 characters, too long for an address" in page()
    assert not [href for href in hrefs_of(as_bob.get(page.url)) if len(href) > 4000]


@pytest.mark.parametrize(
    ("query", "said"),
    [
        ("commit=abc", "“abc” was found. A commit is a whole number"),
        ("commit=-2", "“-2” was found."),
        ("commit=" + "9" * 19, "was found."),
        ("commit=1e3", "“1e3” was found."),
        ("commit=%00", "was found."),
        ("from=x", "The place to read from is a whole number"),
        ("skip=-1", "The number of keys to skip"),
        ("filter=" + "x" * 513, "513 characters were found. A filter has at most 512."),
        ("commit=%3Cscript%3Ealert(1)%3C/script%3E", "“<script>alert(1)</script>” was found."),
    ],
)
def test_a_bad_parameter_is_named_and_no_fault_of_ours(query, said, read, as_bob):
    page = read([row(0, "k", overwrite={"k": 1})])

    response = as_bob.get(f"{page.url}?{query}")

    assert response.status_code == 422
    assert said in words_of(response)
    assert b"<script>alert" not in response.content


@pytest.mark.parametrize(
    "query", ["commit=99", "commit=", "commit=%E2%88%921", "key=%FF", "from=999", "x=y&key=k", "skip=9"]
)
def test_what_can_be_clamped_is_clamped(query, read, as_bob):
    page = read([row(0, "k", overwrite={"k": 1})])

    assert as_bob.get(f"{page.url}?{query}").status_code == 200


def test_an_unknown_log_or_recording_is_not_there(read, as_bob, as_mallory):
    page = read([row(0, "k", overwrite={"k": 1})])

    page(status=404, log="sf-llm-call#3")
    theirs = as_mallory.get(page.url)
    nothing = as_mallory.get("/recordings/00000000-0000-4000-8000-000000000000/state/")
    assert theirs.status_code == nothing.status_code == 404
    assert theirs.content == nothing.content


def test_damaged_bytes_are_said(read, as_bob, blobs):
    page = read([row(0, "k", overwrite={"k": 1})])
    for path in blobs.rglob("*"):
        if path.is_file():
            path.write_bytes(b"something else")

    response = as_bob.get(page.url)

    assert response.status_code == 409
    assert "The stored bytes of this recording are damaged." in words_of(response)


def test_keys_are_filtered_literally_and_listed_in_parts(read):
    names = [f"key{number}" for number in range(1203)] + ["100%", "a_b", "Ärger"]
    page = read([row(0, *names, overwrite=dict.fromkeys(names, 1))])

    assert "501 to 1,000 of 1,206." in page(skip=500)
    assert "1,001 to 1,206 of 1,206." in page(skip=1000)
    assert "key1202" not in page()
    assert "1 of 1,206" in page(filter="%")
    assert "1 of 1,206" in page(filter="äRGER")
    assert "No name of a key contains this." in page(filter="(a+)+$")


def test_many_writes_are_counted_and_listed_around_the_commit(read):
    page = read([row(number, "k", overwrite={"k": number}) for number in range(450)])

    text = page(key="k", commit=210)
    assert "200 of 450, those around this commit." in text
    assert "Stage 399" in text
    assert "Stage 199" not in text


def test_a_row_that_is_no_commit_says_why(read):
    page = read([row(0, "k", overwrite={"k": 1}), {"stage": "odd", "trace": [], "overwrite": {}, "updates": {}}])

    assert "This row is no commit." in page(commit=1)


def test_a_path_that_is_never_written_is_said(read):
    page = read([row(0, "__proto__", overwrite={"__proto__": {"x": 1}})])

    assert "a path that is never written to" in page()


def test_the_page_is_one_read_and_few_queries(read, as_bob, monkeypatch, django_assert_max_num_queries):
    page = read([row(number, "k", overwrite={"k": number}) for number in range(50)])
    decoded = []
    decode = stored.decode_recording
    monkeypatch.setattr(stored, "decode_recording", lambda data, **more: decoded.append(1) or decode(data, **more))

    with django_assert_max_num_queries(6):
        as_bob.get(page.url, {"key": "k"})

    assert decoded == [1]


@needs_corpus
def test_every_log_is_listed_and_opens(sender, as_bob):
    run = recording_named("grouped-injections")
    url = f"/recordings/{sender.sent(read_bytes(recording_files()['grouped-injections']))['id']}/state/"

    names = [name for name in run.mount_keys if run.mount_log(name) is not None]
    links = [href for href in hrefs_of(as_bob.get(url)) if "log=" in href]
    for name in names:
        assert f"{url}?{urlencode({'log': name})}" in links
        response = as_bob.get(url, {"log": name, "key": "history"})
        assert response.status_code == 200
        assert f"of 0 to {run.mount_log(name).length - 1}" in words_of(response)


def test_it_works_before_there_is_an_index(read, as_bob):
    page = read([row(0, "k", overwrite={"k": 1})])
    Recording.objects.update(status=Recording.Status.RECEIVED)

    assert "commit 0" in page(key="k")


def test_a_swap_and_a_page_are_told_apart(read, as_bob):
    page = read([row(0, "k", overwrite={"k": 1})])

    part = as_bob.get(page.url, headers={"HX-Request": "true"})
    boosted = as_bob.get(page.url, headers={"HX-Request": "true", "HX-Boosted": "true"})

    assert b"<html" not in part.content
    assert b'id="state"' in part.content
    assert b"<html" in boosted.content
    assert "HX-Boosted" in boosted["Vary"]
