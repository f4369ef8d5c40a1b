"""The commands that need no server: import, rebuild, verify, and the samples of a first start."""

import gzip
from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from recordings.management.commands.verify import faults_of
from recordings.models import MemoryLink, Piece, Recording, Text, Words
from recordings.services.files import import_file
from recordings.services.samples import first_samples_load, manifest, samples_load
from tests.corpus import ROOT, needs_corpus, read_bytes, recording_files

pytestmark = pytest.mark.django_db
SAMPLES = ROOT / "recordings" / "samples"


def run(*arguments: str) -> tuple[str, str]:
    out, err = StringIO(), StringIO()
    call_command(*arguments, stdout=out, stderr=err)
    return out.getvalue(), err.getvalue()


def test_a_folder_is_imported_file_by_file(workspace, tmp_path):
    plain = gzip.decompress((SAMPLES / "free-repairs-promise.json.gz").read_bytes())
    (tmp_path / "run.json").write_bytes(plain)
    (tmp_path / "inner").mkdir()
    (tmp_path / "inner" / "again.json.gz").write_bytes(gzip.compress(plain))
    (tmp_path / "notes.txt").write_text("no recording")

    out, _ = run("import_recordings", str(tmp_path), "--workspace", workspace.slug)

    recording = Recording.objects.get()
    assert recording.status == "ready"
    assert f"ready as {recording.public_id}" in out
    assert f"already here as {recording.public_id}" in out


def test_a_refused_file_does_not_stop_the_others(workspace, tmp_path):
    (tmp_path / "a.json").write_text("{")
    (tmp_path / "b.json").write_text('{"commitLog": []}')
    err = StringIO()

    with pytest.raises(CommandError, match="1 of 2 files were refused"):
        call_command("import_recordings", str(tmp_path), "--workspace", workspace.slug, stdout=StringIO(), stderr=err)

    assert "json_truncated" in err.getvalue()
    assert Recording.objects.count() == 1


@pytest.mark.parametrize(
    "arguments", [["/no/such/file", "--workspace", "brew"], ["x", "--workspace", "nothing"], ["x"]]
)
def test_bad_arguments_are_named(arguments, people):
    with pytest.raises(CommandError):
        run("import_recordings", *arguments)


def test_verify_finds_what_was_changed_and_rebuild_mends_it(workspace):
    run("import_recordings", str(SAMPLES / "outdated-returns-policy.json.gz"), "--workspace", workspace.slug)
    assert "0 faults" in run("verify")[0]
    piece, gone = Piece.objects.all()[:2]
    Text.objects.filter(pk=piece.text_id).update(head="something else", rest=None)
    gone.delete()

    with pytest.raises(CommandError, match="faults were found"):
        run("verify")
    run("rebuild")

    assert "0 faults" in run("verify")[0]


@pytest.mark.parametrize(
    ("changed", "fault"),
    [
        (lambda: MemoryLink.objects.filter(kind="written").update(entry_key="x"), "links to memory that do not match"),
        (lambda: MemoryLink.objects.all().delete(), "the index has 0 links to memory"),
        (lambda: Words.objects.update(data=b"something else"), "what the list looks for a phrase in"),
        (lambda: Words.objects.all().delete(), "what the list looks for a phrase in"),
    ],
)
def test_verify_looks_at_what_memory_and_the_list_are_told_by(changed, fault, workspace):
    run("import_recordings", str(SAMPLES / "delivery-address-turn-2.json.gz"), "--workspace", workspace.slug)
    assert "0 faults" in run("verify")[0]
    changed()

    faults = list(faults_of(Recording.objects.get()))

    assert len(faults) == 1
    assert fault in faults[0]
    run("rebuild")
    assert "0 faults" in run("verify")[0]


def test_the_samples_belong_to_their_sessions(workspace):
    assert samples_load(workspace=workspace) == 14 == Recording.objects.filter(status="ready").count()

    desk = Recording.objects.filter(session_id__isnull=False)
    by_token: dict[str, set[str]] = {}
    for recording in desk:
        by_token.setdefault(recording.incarnation_sha256, set()).add(recording.filename)
    assert sorted(len(names) for names in by_token.values()) == [1, 2, 4]
    resumed = Recording.objects.get(filename="refund-resumed.json.gz")
    assert resumed.earlier_leg.filename == "refund-paused.json.gz"


def test_a_first_start_that_was_killed_loads_the_samples_at_the_next(workspace, monkeypatch):
    def die_after_one(**arguments):
        import_file(**arguments)
        raise KeyboardInterrupt

    with monkeypatch.context() as killed:
        killed.setattr("recordings.services.samples.import_file", die_after_one)
        with pytest.raises(KeyboardInterrupt):
            first_samples_load(workspace=workspace)

    assert first_samples_load(workspace=workspace) == 14 == Recording.objects.count()
    Recording.objects.filter(filename="refund-resumed.json.gz").delete()
    assert first_samples_load(workspace=workspace) is None
    assert Recording.objects.count() == 13


def test_every_wrong_answer_of_the_samples_says_its_phrase(workspace):
    samples_load(workspace=workspace)
    for wrong in manifest()["wrong_answers"]:
        recording = Recording.objects.get(filename=wrong["file"])
        assert wrong["phrase"] in recording.answers[0]["text"]


def test_the_shipped_samples_are_those_of_the_corpus_beside_us():
    shared = ROOT.parent / "shared" / "samples"
    if not shared.is_dir():
        return
    assert {path.name: path.read_bytes() for path in SAMPLES.iterdir()} == {
        path.name: path.read_bytes() for path in shared.iterdir()
    }


@needs_corpus
def test_rebuilding_one_leaves_the_others(workspace, tmp_path):
    for name in ("flat-rag", "flat-one-epoch"):
        (tmp_path / f"{name}.json").write_bytes(read_bytes(recording_files()[name]))
    run("import_recordings", str(tmp_path), "--workspace", workspace.slug)
    one, other = Recording.objects.order_by("pk")
    kept = set(other.pieces.values_list("pk", flat=True))

    run("rebuild", str(one.public_id))

    assert set(other.pieces.values_list("pk", flat=True)) == kept
