"""Values on the page of a state: in the characters in which they were recorded, masked where a policy lists them."""

import json
import re

import pytest

from recordings.services.verbatim import json_as_written, laid_out
from tests.corpus import needs_corpus, read_bytes, recording_files, recording_named
from tests.recordings.statepages import hrefs_of, row, words_of

pytestmark = pytest.mark.django_db

DIGITS = "9" * 5000
SSN = "123-45-6789"


def test_absence_has_its_own_word_each(read):
    rows = [
        row(0, "gone", "list", "lost", overwrite={"gone": 1, "list": []}),
        row(1, ("gone", "delete"), "late", "nothing", overwrite={"late": "", "nothing": None}),
    ]
    page = read(rows)

    assert "deleted" in page(key="gone")
    assert "empty list, 0 elements" in page(key="list")
    assert "value not recorded" in page(key="lost")
    assert "empty text, 0 characters" in page(key="late")
    assert "a later one writes it" in page(key="late", commit=0)
    assert "Neither the base nor any commit of this log holds it." in page(key="never")
    assert "null" in page(key="nothing")
    assert "not recorded" not in page(key="nothing")


def test_without_a_base_what_no_commit_wrote_is_unknown(read):
    log = json.dumps({"commitLog": [row(0, ("list", "append"), overwrite={"list": ["tail"]}), row(1)]}).encode()
    page = read(log)

    assert "This log has no base." in page()
    assert "whether the key was there is unknown" in page(key="other")
    assert "This may be a part." in page(key="list")
    assert '"tail"' in page(key="list")


NUMBERS = ["1.10", "1e999", "-1e999", "1e-999", "-0", "107505301260286111", "18446744073709551617", "1E5", DIGITS]


@pytest.mark.parametrize("number", NUMBERS)
def test_no_digit_is_changed(number, read):
    """Neither in what one commit wrote nor in what was put together, and not where parts are masked."""
    rows = json.dumps(
        [
            row(0, "whole", "list", "part", overwrite={"whole": {"n": "N"}, "list": ["N"], "part": {"n": "N", "x": 1}}),
            row(1, ("list", "append"), ("deep\x1fa", "merge"), overwrite={"list": ["N"]}, updates={"deep": {"a": "N"}}),
            row(2, redactedPaths=["part\x1fx"]),
        ]
    ).replace('"N"', number)
    page = read(f'{{"commitLog": {rows}, "initialState": {{"base": {number}}}}}'.encode())

    for key, count in {"whole": 1, "list": 2, "deep": 1, "part": 1, "base": 1}.items():
        assert len(re.findall(rf"(?<![\w.+-]){re.escape(number)}(?![\w.+-])", page(key=key))) >= count, key
        assert "Infinity" not in page(key=key)


@pytest.mark.parametrize(
    "text", ['{"a":[1,{"b":"x\\n[,]{}:\\""}],"c":{},"d":[]}', "[[[]]]", '" "', "1e999", "[ 1 , 2 ]"]
)
def test_laying_out_changes_space_alone(text):
    shown = laid_out(text)

    assert re.sub(r"\s", "", shown) == re.sub(r"\s", "", text)
    assert shown == shown.strip()


def test_the_writer_writes_what_it_reads():
    value = {"a": [None, True, {"é\ud83d": "x\n"}], "": -1.5}

    assert json.loads(json_as_written(value)) == value


def test_listed_paths_are_masked_and_their_copies_are_not(read):
    """Also inside a list, and where a policy took the whole key."""
    values = {"customer": {"ssn": SSN, "name": "Dana"}, "copy": SSN, "secret": SSN, "people": [{"ssn": SSN}]}
    listed = ["customer\x1fssn", "secret", "people\x1f0\x1fssn"]
    page = read([row(0, *values, overwrite=values, redactedPaths=listed)])

    notice = "Redaction covers paths, not values"
    for key in ("customer", "secret", "people"):
        assert SSN not in page(key=key)
        assert "taken out" in page(key=key)
        assert notice in page(key=key)
    assert '"Dana"' in page(key="customer")
    assert SSN in page(key="copy")


def test_a_path_is_masked_before_the_commit_that_lists_it(read):
    customer = {"customer": {"ssn": SSN, "name": "Dana"}}
    page = read([row(0), row(1, redactedPaths=["customer\x1fssn"])], initialState=customer)

    for commit in (-1, 0, 1):
        assert SSN not in page(key="customer", commit=commit)
        assert '"Dana"' in page(key="customer", commit=commit)


def test_a_long_value_is_cut_and_can_be_read_to_its_end(read, as_bob):
    page = read([row(0, "k", overwrite={"k": "x" * 30_000 + "the end"})])

    first = page(key="k")
    assert "Characters 0 to 20,000 of 30,009" in first
    assert "the end" not in first
    after = [href for href in hrefs_of(as_bob.get(page.url, {"key": "k"})) if "from=20000" in href]
    assert "the end" in words_of(as_bob.get(after[0]))
    assert len(as_bob.get(page.url, {"key": "k"}).content) < 60_000


@needs_corpus
@pytest.mark.parametrize(
    "name", ["flat-rag", "flat-redacted-history", "flat-receipt-resumed-nobase", "grouped-injections"]
)
def test_the_page_shows_what_the_api_answers(name, sender, as_bob):
    body = sender.sent(read_bytes(recording_files()[name]))
    for key in recording_named(name).run_log.key_names():
        answer = sender.page(f"/api/v1/recordings/{body['id']}/state/", f"?key={key}&commit=9")
        text = words_of(as_bob.get(f"/recordings/{body['id']}/state/", {"key": key, "commit": 9}))
        assert ("last written bycommit" in text) == ((answer["written_by"] or {}).get("commit_index", -1) >= 0)
        assert ("not recorded" in text) or answer["recorded"]
        if answer["recorded"] and isinstance(answer["value"], str | int) and answer["value"] != "":
            shown = json.dumps(answer["value"], ensure_ascii=False)
            assert shown[:200] in text or "taken out" in text
