"""What the list looks for a phrase in: how much of it, and where it comes from."""

import pytest
from django.core.management import call_command

from recordings.models import Recording, Words
from tests.recordings.listing import LIST, bring, said

pytestmark = pytest.mark.django_db


def test_a_very_long_answer_is_searched_in_part_and_the_page_says_so(workspace, as_bob):
    bring(workspace, filename="short.json", answers=said("needle"))
    long = bring(workspace, filename="long.json", answers=said(f"first {'x' * 70_000} needle"))

    found, of_start, of_name = (as_bob.get(LIST, {"q": phrase}) for phrase in ("needle", "first xxx", "long.json"))

    note = b"1 of the recordings that the phrase was looked for in says more than 64 KiB."
    assert [row.recording.filename for row in found.context["listing"].rows] == ["short.json"]
    assert [row.recording.pk for row in of_start.context["listing"].rows] == [long.pk]
    assert [row.recording.pk for row in of_name.context["listing"].rows] == [long.pk]
    assert note in found.content
    assert note not in as_bob.get(LIST).content
    assert note not in as_bob.get(LIST, {"q": "needle", "session_id": "desk-7"}).content


def test_an_index_that_is_built_again_takes_its_words_from_the_recording(workspace, as_bob):
    """What an earlier version let through is not found any more, and nothing of it is shown."""
    recording = bring(workspace)
    before = (recording.question, recording.answers, recording.outcome)
    Recording.objects.filter(pk=recording.pk).update(question="my ssn is 4711", answers=said("4711"), outcome="failed")
    Words.objects.all().delete()

    call_command("rebuild")

    recording.refresh_from_db()
    assert (recording.question, recording.answers, recording.outcome) == before
    assert as_bob.get(LIST, {"q": "4711"}).context["listing"].total == 0
    assert Words.objects.count() == 1
