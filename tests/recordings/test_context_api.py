"""The index against the core: what the API answers is what the served view of every epoch says."""

import json

import pytest

from recordings.models import Epoch, Piece, Presence, Recording
from recordings.timetravel import (
    all_epoch_locations,
    call_facts,
    changes_between,
    context_of,
    not_served_at,
    receipt_at,
    served_at,
    verify,
)
from tests.corpus import needs_corpus, read_bytes, recording_files, recording_named, same

NAMES = [name for name in recording_files() if "600" not in name]
WITH_EPOCHS = [name for name in NAMES if name not in {"empty-object", "empty-log"}]
pytestmark = [needs_corpus, pytest.mark.django_db]


@pytest.fixture(autouse=True)
def _indexed_at_once(settings):
    settings.RECORDING_INDEX_AT_ONCE_BYTES = 64 * 1024 * 1024


def message_of(piece: dict) -> object:
    """The message that a piece of the messages slot is: its fields, and its text for the content."""
    if piece["message"] is None:
        return json.loads(piece["text"])
    return {**piece["message"], "content": piece["text"]}


@pytest.mark.parametrize("name", [name for name in NAMES if name != "empty-object"])
def test_every_epoch_answers_its_served_view(name, sender):
    """System text, messages, tools, gaps and receipt: piece by piece what `served_at` says."""
    run = recording_named(name)
    url = f"/api/v1/recordings/{sender.sent(read_bytes(recording_files()[name]))['id']}/"
    for location in all_epoch_locations(run):
        served = served_at(run, location)
        context = sender.page(f"{url}epochs/{location.position}/context/")
        pieces = {piece["id"]: piece for piece in context["pieces"]}

        assert context["system"]["text"] == served.system.text
        assert all(
            same(message_of(pieces[piece_id]), message)
            for piece_id, message in zip(context["messages"], served.messages, strict=True)
        )
        assert same(context["tools"]["schemas"], list(served.tools.schemas))
        assert context["tools"]["names"] == served.tools.names
        assert (context["tools"]["forced"], context["tools"]["withheld"]) == (
            served.tools.forced,
            served.tools.withheld,
        )
        assert context["gaps"] == [{"gap": g.gap, "fields": g.fields, "cause": g.cause} for g in served.gaps]
        receipt = receipt_at(location)
        rows = (
            None if receipt is None else {"rows": [{"row": c.row, "state": c.state} for c in verify(served, receipt)]}
        )
        assert context["receipt"] == rows
        assert [item["text"] for item in context["not_served"]] == [item.text for item in not_served_at(run, location)]


@pytest.mark.parametrize("name", WITH_EPOCHS)
def test_pieces_have_the_spans_and_places_of_the_core(name, sender):
    run = recording_named(name)
    context = context_of(run)
    url = f"/api/v1/recordings/{sender.sent(read_bytes(recording_files()[name]))['id']}/"
    for location in all_epoch_locations(run):
        answered = sender.page(f"{url}epochs/{location.position}/context/")["pieces"]
        expected = context.at(location.position)
        assert [piece["id"] for piece in answered] == [presence.piece.id for presence in expected]
        for piece, presence in zip(answered, expected, strict=True):
            core = presence.piece
            assert (piece["first_position"], piece["last_position"]) == (presence.first, presence.last)
            assert (piece["slot"], piece["source"], piece["source_id"]) == (core.slot, core.source, core.source_id)
            assert piece["text"] == core.text[:20_000]
            assert piece["chars"] == len(core.text)
            assert piece["origin"]["commit_index"] == core.origin.commit_index
            assert piece["origin"]["log"] == core.origin.log
            assert piece["landed"]["runtime_stage_id"] == core.landed.runtime_stage_id


@pytest.mark.parametrize("name", WITH_EPOCHS)
def test_epochs_say_what_was_recorded_and_null_where_nothing_was(name, sender):
    run = recording_named(name)
    body = sender.sent(read_bytes(recording_files()[name]))
    rows = sender.page(f"/api/v1/recordings/{body['id']}/epochs/")
    locations = all_epoch_locations(run)[:100]

    assert body["epochs"] == len(all_epoch_locations(run))
    assert (rows["next"] is None) == (body["epochs"] <= 100)
    assert len(rows["results"]) == len(locations)
    for row, location in zip(rows["results"], locations, strict=True):
        facts = call_facts(run, location)
        assert (row["position"], row["number"], row["lane"]) == (location.position, location.epoch, location.lane)
        assert row["call_runtime_stage_id"] == location.call_runtime_stage_id
        assert (row["model"], row["duration_ms"]) == (facts.model, facts.duration_ms)
        assert (row["input_tokens"], row["output_tokens"]) == (facts.input_tokens, facts.output_tokens)
        assert [c["id"] for c in row["tool_calls"] or []] == [c.id for c in facts.tool_calls or []]
        served = [p.piece for p in context_of(run).at(location.position)]
        assert sum(row["by_source"].values()) == sum(len(piece.text) for piece in served)


@pytest.mark.parametrize("name", [n for n in WITH_EPOCHS if len(all_epoch_locations(recording_named(n))) > 1])
def test_the_difference_is_that_of_the_core(name, sender):
    run = recording_named(name)
    url = f"/api/v1/recordings/{sender.sent(read_bytes(recording_files()[name]))['id']}/"
    last = len(all_epoch_locations(run))
    for before, after in ((last - 1, last), (1, last), (last, 1)):
        answered = sender.page(f"{url}diff/", f"?from={before}&to={after}")
        expected = changes_between(context_of(run), before, after)
        assert [p["id"] for p in answered["added"]] == [p.id for p in expected.added]
        assert [p["id"] for p in answered["removed"]] == [p.id for p in expected.removed]
        assert [p["id"] for p in answered["moved"]] == [p.id for p in expected.moved]
        assert [c["after"]["id"] for c in answered["changed"]] == [c.after.id for c in expected.changed]


@pytest.mark.parametrize("name", ["flat-rag", "grouped-injections", "flat-unicode", "parallel-grouped-agents"])
def test_rebuilding_the_index_changes_no_answer(name, sender):
    from django.core.management import call_command

    body = sender.sent(read_bytes(recording_files()[name]))
    url = f"/api/v1/recordings/{body['id']}/"
    paths = [url, f"{url}epochs/", *(f"{url}epochs/{n}/context/" for n in range(1, body["epochs"] + 1))]
    before = [sender.get(path).content for path in paths]

    Presence.objects.all().delete()
    Piece.objects.all().delete()
    Epoch.objects.all().delete()
    call_command("rebuild")

    assert [sender.get(path).content for path in paths] == before
    call_command("verify")


def test_the_context_costs_as_many_queries_at_the_end_as_at_the_start(sender, django_assert_max_num_queries):
    body = sender.sent(read_bytes(recording_files()["flat-window-sliding"]))
    for position in (1, body["epochs"]):
        with django_assert_max_num_queries(12):
            sender.page(f"/api/v1/recordings/{body['id']}/epochs/{position}/context/")


def test_a_part_of_the_pieces_can_be_asked_for(sender):
    body = sender.sent(read_bytes(recording_files()["flat-multi-tools"]))
    url = f"/api/v1/recordings/{body['id']}/epochs/4/context/"
    whole = sender.page(url)

    part = sender.page(url, "?from=2&limit=3")

    assert part["pieces"] == whole["pieces"][2:5]
    assert part["n_pieces"] == whole["n_pieces"] == len(whole["pieces"])
    assert sender.get(url, "?from=-1").status_code == 422
    assert sender.get(url, "?limit=x").json()["code"] == "limit_out_of_range"


def test_a_long_text_is_cut_and_fetched_whole(sender):
    text = "wörd " * 5_000 + "\0\ud83d end"
    log = [
        {
            "stage": "seed",
            "stageId": "seed",
            "runtimeStageId": "seed#0",
            "updates": {},
            "redactedPaths": [],
            "trace": [{"path": "history", "verb": "set"}],
            "overwrite": {"history": [{"role": "user", "content": text}]},
        },
        {
            "stage": "call-llm",
            "stageId": "call-llm",
            "runtimeStageId": "call-llm#1",
            "updates": {},
            "overwrite": {},
            "trace": [],
            "redactedPaths": [],
        },
    ]
    body = sender.sent(json.dumps({"commitLog": log, "initialState": {}}).encode())
    piece = sender.page(f"/api/v1/recordings/{body['id']}/epochs/1/context/")["pieces"][0]

    assert (piece["truncated"], piece["chars"], piece["text"]) == (True, len(text), text[:20_000])
    whole = sender.get(piece["text_url"])
    assert whole.content == text.encode("utf-16", "surrogatepass").decode("utf-16", "replace").encode()
    assert whole.headers["Content-Type"] == "text/plain; charset=utf-8"


@pytest.mark.parametrize(
    "path",
    [
        "epochs/99/context/",
        "epochs/0/context/",
        "epochs/99999999999999999999/context/",
        "diff/?to=99",
        "pieces/nothing/text/",
        "state/?lane=nothing",
    ],
)
def test_what_is_not_in_the_recording_is_a_404(path, sender):
    body = sender.sent(read_bytes(recording_files()["flat-rag"]))

    assert sender.get(f"/api/v1/recordings/{body['id']}/{path}").json()["code"] == "not_found"


def test_any_key_at_any_commit_of_any_log(sender):
    run = recording_named("grouped-injections")
    body = sender.sent(read_bytes(recording_files()["grouped-injections"]))
    url = f"/api/v1/recordings/{body['id']}/state/"

    keys = sender.page(url)["keys"]
    assert set(keys) == set(run.run_log.key_names())
    for name, log in [("", run.run_log), ("sf-llm-call#1", run.mount_log("sf-llm-call#1"))]:
        for commit in (-1, 0, 4, log.length - 1):
            for key in ("history", "systemPromptInjections", "iteration", "nothing"):
                answer = sender.page(url, f"?lane={name.replace('#', '%23')}&commit={commit}&key={key}")
                value = log.value_at(key, commit)
                assert answer["recorded"] == (value is not None and repr(value) != "UNDEFINED")
                assert not answer["recorded"] or same(answer["value"], value)
                if answer["written_by"] and answer["written_by"]["commit_index"] >= 0:
                    assert key in str([entry.path for entry in log.rows[answer["written_by"]["commit_index"]].trace])


def test_numbers_are_shown_as_they_were_written(sender):
    """C2: no digit is lost or added between the file and the answer."""
    digits = (
        '{"order": 107505301260286111, "wei": 18446744073709551617, "a": 1.10, "b": 1e999, "c": ' + "9" * 5000 + "}"
    )
    row = (
        '{"stage":"s","stageId":"s","runtimeStageId":"s#0","trace":[{"path":"k","verb":"set"}],"updates":{},"redactedPaths":[],"overwrite":{"k":'
        + digits
        + "}}"
    )
    body = sender.sent(f'{{"commitLog":[{row}],"initialState":{{}}}}'.encode())

    answer = sender.get(f"/api/v1/recordings/{body['id']}/state/", "?key=k&commit=0")

    assert digits in answer.content.decode()


def test_a_path_that_a_policy_lists_is_masked_where_the_recorder_left_it_in(sender):
    row = {
        "stage": "s",
        "stageId": "s",
        "runtimeStageId": "s#0",
        "updates": {},
        "redactedPaths": ["customer\x1fssn"],
        "trace": [{"path": "customer", "verb": "set"}, {"path": "copy", "verb": "set"}],
        "overwrite": {"customer": {"ssn": "123-45-6789", "name": "Dana"}, "copy": "123-45-6789"},
    }
    body = sender.sent(json.dumps({"commitLog": [row], "initialState": {}}).encode())
    url = f"/api/v1/recordings/{body['id']}/state/"

    customer = sender.page(url, "?key=customer&commit=0")
    copy = sender.page(url, "?key=copy&commit=0")

    assert customer["value"] == {"ssn": "REDACTED", "name": "Dana"}
    assert customer["redacted_paths"] == ["customer\x1fssn"]
    assert copy["value"] == "123-45-6789", "redaction covers paths, not values"


def test_recordings_are_read_only_through_their_workspace(sender, as_mallory, people):
    body = sender.sent(read_bytes(recording_files()["flat-rag"]))
    for path in ("", "epochs/", "epochs/1/context/", "diff/?from=1&to=1", "state/", "raw/"):
        theirs = as_mallory.get(f"/api/v1/recordings/{body['id']}/{path}")
        nothing = as_mallory.get(f"/api/v1/recordings/00000000-0000-4000-8000-000000000000/{path}")
        assert theirs.status_code == nothing.status_code == 404
        assert theirs.content == nothing.content
    assert as_mallory.get("/api/v1/recordings/").json() == {"results": [], "next": None}
    assert Recording.objects.visible_to(people.mallory).count() == 0
