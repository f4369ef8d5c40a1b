"""Several recordings of one run: longer, changed, in another form, and the legs of one that paused."""

import json

import pytest

from tests.corpus import needs_corpus
from tests.recordings.material import envelope, real
from tests.recordings.sending import RECORDINGS

pytestmark = [needs_corpus, pytest.mark.django_db]


def longer(data: bytes, n_commits: int) -> bytes:
    """The same run, as it was when it had so many commits."""
    content = json.loads(data)
    content["commitLog"] = content["commitLog"][:n_commits]
    return json.dumps(content).encode()


def test_a_longer_version_extends_and_a_changed_one_conflicts(sender):
    """C12: all are kept, linked and labelled; none is merged."""
    data = real("flat-multi-tools")
    changed = data.replace(b"dana@example.org", b"dina@example.org")
    first = sender.sent(longer(data, 30))
    second = sender.sent(data)
    third = sender.sent(changed)

    assert [first["revision"], second["revision"], third["revision"]] == [1, 2, 3]
    assert (second["relation"], third["relation"]) == ("extends", "conflicts")
    revisions = sender.page(f"{RECORDINGS}{first['id']}/")["revisions"]
    assert [row["id"] for row in revisions] == [first["id"], second["id"], third["id"]]
    assert sender.page(f"{RECORDINGS}{first['id']}/")["commits"] == 30


def test_the_same_run_in_another_form_and_an_earlier_part_are_called_so(sender):
    bare, inside = real("flat-rag"), envelope("flat-rag")
    sender.sent(bare)

    # The library replaces embeddings by their size in the envelope; everything else is the same run.
    assert sender.sent(json.dumps(json.loads(bare), indent=2).encode())["relation"] == "same_run"
    assert sender.sent(longer(bare, 5))["relation"] == "earlier"
    assert sender.sent(inside)["revision"] == 4


@pytest.mark.parametrize("order", [("flat-paused", "flat-resumed"), ("flat-resumed", "flat-paused")])
def test_legs_are_joined_in_whatever_order_they_come(order, sender):
    ids = {name: sender.sent(real(name))["id"] for name in order}

    paused = sender.page(f"{RECORDINGS}{ids['flat-paused']}/")["legs"]
    resumed = sender.page(f"{RECORDINGS}{ids['flat-resumed']}/")["legs"]

    assert paused == {"earlier": None, "later": [ids["flat-resumed"]]}
    assert resumed == {"earlier": ids["flat-paused"], "later": []}
