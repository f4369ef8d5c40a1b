"""Recorded text as pages show it: every character is seen, nothing runs, and nothing is lost on the way."""

import html
import re
import sys
import unicodedata

import pytest
from django.template import engines
from django.test import RequestFactory
from hypothesis import given
from hypothesis import strategies as st

from recordings.hidden import HIDDEN, is_of_use, is_tag, label_of
from recordings.media import data_urls_of
from recordings.recordedtext import shown
from recordings.templatetags.sources import source_class, source_letter, source_word

EVERY = [chr(code) for code in range(sys.maxunicode + 1) if not 0xD800 <= code < 0xE000]
HIDDEN_ONES = [char for char in EVERY if HIDDEN.match(char)]
BIDI = "\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"
SIGN = re.compile(r'<span class="sign"(?: title="([^"<>]*)")?>([^<]*)</span>')
CHARS = {label_of(char): char for char in HIDDEN_ONES}
PIXEL = "data:image/png;base64," + "iVBORw0KGgo" * 200

texts = st.text(
    st.one_of(st.sampled_from(HIDDEN_ONES), st.characters(exclude_categories=["Cs"]), st.sampled_from("<&\"'>"))
)


def read_back(markup: str) -> str:
    """Undo `shown`: strip its markup, unescape, and put each character back for its label."""

    def chars(match: re.Match[str]) -> str:
        title, label = match.groups()
        if title.startswith("U+E0000 to"):
            label = html.unescape(label)
            return re.sub(
                r"\[TAG-(..)\]|(.)",
                lambda tag: chr(0xE0000 + (int(tag[1], 16) if tag[1] else ord(tag[2]))),
                label,
            )
        rows = (one.partition("×") for one in label.split(" "))
        return "".join(CHARS[one] * int(n or 1) for one, _, n in rows)

    parts = re.split(r'(<span class="sign".*?</span>)', markup, flags=re.DOTALL)
    return "".join(chars(SIGN.fullmatch(part)) if n % 2 else html.unescape(part) for n, part in enumerate(parts))


@given(texts)
def test_nothing_is_lost(text):
    assert read_back(shown(text)) == text


@given(texts)
def test_nothing_hostile_survives(text):
    rest = SIGN.sub("", shown(text))

    assert not set(rest) & set("<>\"'")
    assert not set(rest) & set(BIDI)
    left = [rest[match.start()] for match in HIDDEN.finditer(rest)]
    assert not [char for char in left if char not in "\r\u200c\u200d\u180b\u180c\u180d" and not is_selector(char)]


def is_selector(char: str) -> bool:
    return "\ufe00" <= char <= "\ufe0f" or "\U000e0100" <= char <= "\U000e01ef"


def test_what_nobody_sees_is_hidden():
    """Controls, format characters and separators of lines: all of them but tab, line feed and what has a shape."""
    drawn = "\t\n\u070f"
    for char in EVERY:
        has_shape = char in drawn or unicodedata.bidirectional(char) in {"AN", "L"}
        if unicodedata.category(char) in {"Cc", "Cf", "Zl", "Zp"} and (not has_shape or char in BIDI):
            assert HIDDEN.match(char), hex(ord(char))


def test_each_has_a_label_of_its_own():
    assert len(CHARS) == len(HIDDEN_ONES)
    assert not [label for label in CHARS if re.search("[ ×<>&\"']", label)]


@pytest.mark.parametrize(
    ("text", "markup"),
    [
        ("plain <b> & 'x'", "plain &lt;b&gt; &amp; &#x27;x&#x27;"),
        ("\x1b[0m", '<span class="sign" title="U+001B ESCAPE">␛</span>[0m'),
        ("a\u202eb", 'a<span class="sign" title="U+202E RIGHT-TO-LEFT OVERRIDE">RLO</span>b'),
        ("a\u200b\u200b", 'a<span class="sign" title="U+200B ZERO WIDTH SPACE">ZWSP×2</span>'),
        ("a\rb", 'a<span class="sign" title="U+000D CARRIAGE RETURN">␍</span>b'),
        ("\x7f", '<span class="sign" title="U+007F DELETE">␡</span>'),
        ("\x9b", '<span class="sign" title="U+009B CONTROL CHARACTER CSI">CSI</span>'),
        ("a\ufffdb\ud800", "a\ufffdb\ufffd"),
        ("\ud83d\ude42", "🙂"),
    ],
)
def test_shown(text, markup):
    assert shown(text) == markup


def test_a_prompt_in_tags_can_be_read():
    smuggled = "".join(chr(0xE0000 + ord(char)) for char in "<ignore all>")

    assert "&lt;ignore all&gt;</span>" in shown(f"hello{smuggled}")


@pytest.mark.parametrize(
    "text",
    [
        "a\r\nb\tc\n",
        "👩\u200d🚀",
        "❤\ufe0f\u200d🔥",
        "👨🏽\u200d⚕\ufe0f",
        "1\ufe0f\u20e3",
        "می\u200cخواهم",
        "क\u094d\u200dष",
        "ന\u0d4d\u200d ",
        "葛\U000e0100",
        "∩\ufe00",
        "ᠠ\u180b",
    ],
)
def test_what_is_of_use_stays(text):
    assert shown(text) == text


@pytest.mark.parametrize(
    "text",
    [
        "pay\u200dpal",
        "pay\u200cpal",
        "a\ufe0f",
        "🙂\ufe0f\ufe0f",
        "🙂\U000e0101",
        "1\ufe0f",
        "👩\u200d",
        "م\u200cx",
        "x\u180b",
        "\u200d🚀",
    ],
)
def test_what_hides_does_not_stay(text):
    assert '<span class="sign"' in shown(text)
    assert not all(is_of_use(text, match.start()) for match in re.finditer(HIDDEN.pattern[:-1], text))


def test_tags_are_never_of_use():
    assert not [char for char in HIDDEN_ONES if is_tag(char) and is_of_use(f"🏴{char}x", 1)]


@pytest.mark.parametrize("unit", ["a", "'", "a\u200b", "\u200b\u200c", "a\x1b", "م\u200cم", "\u202e<"])
def test_a_part_of_a_page_stays_small(unit):
    part = (unit * 20_000)[:20_000]

    assert len(shown(part).encode()) < 450_000


def test_a_data_url_is_a_chip():
    text = f"before {PIXEL} after <b>"
    media = data_urls_of(text)

    markup = shown(text, media)

    assert markup == 'before <span class="media"><bdi>image/png</bdi> · 1.6 KB</span> after &lt;b&gt;'


@given(st.integers(0, 2300), st.integers(0, 2300))
def test_a_part_shows_no_base64_wherever_it_is_cut(start, length):
    text = f"<1> {PIXEL} <2> {PIXEL[:600]} <3>"
    media = data_urls_of(text)
    part = text[start : start + length]

    words = html.unescape(re.sub(r'<span class="media">.*?</span>', "", shown(part, media, start)))

    expected, at = "", start
    for url in [*media, {"start": len(text), "end": len(text)}]:
        expected += text[at : min(url["start"], start + length)] if at < url["start"] else ""
        at = max(at, url["end"])
    assert words == expected


def test_the_continuation_of_a_data_url_says_so():
    text = f"a {PIXEL} b"

    assert shown(text[50:], data_urls_of(text), 50).endswith(" · 1.6 KB, continued</span> b")


@pytest.mark.parametrize(
    ("template", "page"),
    [
        ("{{ text|recorded }}", "&lt;i&gt;"),
        ("{{ none|recorded }}|{{ number|recorded }}", "|7"),
        ("{{ url|recorded:media }}", '<span class="media"><bdi>image/png</bdi> · 1.6 KB</span>'),
        ("{% recorded_part url media 0 %}", '<span class="media"><bdi>image/png</bdi> · 1.6 KB</span>'),
    ],
)
def test_in_templates(template, page):
    context = {"text": "<i>", "none": None, "number": 7, "url": PIXEL, "media": data_urls_of(PIXEL)}
    made = engines["django"].from_string("{% load recorded %}" + template)

    assert made.render(context, RequestFactory().get("/")) == page


@pytest.mark.parametrize(
    ("source", "letter", "css", "word"),
    [
        ("base", "S", "src-s", "system"),
        ("instructions", "I", "src-i", "instructions"),
        ("rag", "R", "src-r", "retrieval"),
        ("tool-result", "T", "src-t", "tool result"),
        ("registry", "T", "src-t", "tool offered"),
        ("custom", "C", "src-c", "custom"),
        (None, "?", "src-x", "origin not recorded"),
        ('"><script>', "?", "src-x", "origin not recorded"),
        ([], "?", "src-x", "origin not recorded"),
    ],
)
def test_sources(source, letter, css, word):
    assert (source_letter(source), source_class(source), source_word(source)) == (letter, css, word)


def test_a_chip_of_a_tool_that_is_offered_is_an_outline():
    make = engines["django"].get_template("recordings/_chip.html").render

    assert 'class="chip src-t chip--schema"' in make({"source": "registry"})
    assert 'class="chip src-k chip--schema"' in make({"source": "skill", "is_schema": True})
    assert 'class="chip src-x"' in make({"source": None})
