"""The namespace of an identity."""

import json

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from sessions_app.identity import encode_identity_field, identity_namespace
from tests.corpus import CORPUS, golden, needs_corpus

laws = settings(deadline=None, max_examples=300)

FIELDS = ("tenant", "principal", "conversationId")
#: Any text, lone surrogates and NUL among them, and above all those that the escapes are made of.
TEXTS = st.text(alphabet="_%/25F.a", max_size=6) | st.text(alphabet=st.characters(exclude_categories=()), max_size=6)
IDENTITIES = st.fixed_dictionaries({}, optional={field: TEXTS | st.none() for field in FIELDS})


def meant(identity):
    """What an identity says: a field that is left out, None or empty says nothing."""
    return [identity.get(field) or None for field in FIELDS]


@needs_corpus
@pytest.mark.parametrize("row", (golden("turns") or {}).get("identityNamespace", []), ids=lambda row: str(row))
def test_the_namespace_is_the_one_of_the_reference(row):
    if "throws" in row:
        with pytest.raises(TypeError):
            identity_namespace(row["identity"])
    else:
        assert identity_namespace(row["identity"]) == row["out"]


@needs_corpus
@pytest.mark.parametrize("path", sorted((CORPUS / "memory").glob("*.json")), ids=lambda path: path.stem)
def test_the_dumps_name_their_conversations_the_same_way(path):
    dump = json.loads(path.read_bytes())

    assert identity_namespace(dump["identity"]) == dump["namespace"]


@pytest.mark.parametrize("value", [0, 5, 1.5, True, False, [], {}, ["a"], b"a", b""])
def test_a_field_that_is_no_text_is_refused_without_quoting_it(value):
    with pytest.raises(TypeError) as refused:
        encode_identity_field(value)

    assert str(refused.value) == "a field of an identity is neither a text nor left out"


@pytest.mark.parametrize("text", [" ", "..", "a\\b", "é", "e\u0301", "☕", "\u202eabc", "\x00", "\ud800", "__", "A"])
def test_nothing_else_is_escaped_or_made_alike(text):
    """Nor trimmed, folded or normalised."""
    assert encode_identity_field(text) == text


@laws
@given(IDENTITIES, IDENTITIES)
@example({"tenant": "a/b", "principal": "c"}, {"tenant": "a", "principal": "b/c"})
@example({"tenant": "_"}, {"tenant": "%5F"})
@example({"tenant": "_"}, {})
@example({"tenant": "a/"}, {"tenant": "a%2F"})
def test_two_identities_share_a_namespace_only_when_they_say_the_same(one, other):
    assert (identity_namespace(one) == identity_namespace(other)) == (meant(one) == meant(other))


@laws
@given(IDENTITIES)
def test_a_namespace_can_be_read_back(identity):
    """Three parts, each of which says its field."""
    parts = identity_namespace(identity).split("/")

    read = [None if p == "_" else p.replace("%5F", "_").replace("%2F", "/").replace("%25", "%") for p in parts]

    assert read == meant(identity)


@laws
@given(IDENTITIES, st.dictionaries(st.text().filter(lambda key: key not in FIELDS), st.integers()))
def test_other_keys_do_not_count(identity, extra):
    assert identity_namespace({**extra, **identity}) == identity_namespace(identity)
