"""What pages show of an epoch is what was served, however much of it is folded; laws over the whole corpus."""

import pytest

from recordings.models import Recording
from recordings.reads import difference_of, served_at_epoch
from recordings.reads.changes import N_SHOWN, changes_of
from recordings.reads.pieceview import Links
from recordings.reads.strip import MAP_PARTS, N_CELLS, strip_of
from recordings.reads.window import N_LAST, N_NEW, Fold, OpenFold, fold_of, window_of
from recordings.timetravel.pieces import SLOTS
from tests.corpus import needs_corpus, read_bytes, recording_files

pytestmark = [needs_corpus, pytest.mark.django_db]

LONG = ["flat-600", "grouped-600"]
SHORT = [name for name in recording_files() if name not in (*LONG, "empty-object")]


def imported(sender, settings, name: str) -> Recording:
    settings.RECORDING_INDEX_AT_ONCE_BYTES = 1 << 30
    body = sender.sent(read_bytes(recording_files()[name]))
    return Recording.objects.get(public_id=body["id"])


def unfolded(epoch, items) -> list:
    """Open every fold, as a reader may."""
    shown = []
    for item in items:
        if isinstance(item, Fold):
            inside = fold_of(epoch, OpenFold(item.slot, item.start, item.end))
            pieces = unfolded(epoch, inside)
            assert len(pieces) == item.n_pieces
            assert sum(presence.piece.text.n_chars for presence in pieces) == item.n_chars
            shown += pieces
        else:
            shown.append(item)
    return shown


def assert_is_served(epoch) -> None:
    served = list(served_at_epoch(epoch))
    views = window_of(epoch)
    for number, view in enumerate(views):
        expected = [presence for presence in served if presence.slot_order == number]
        assert (view.name, view.n_pieces) == (SLOTS[number], len(expected))
        assert view.n_chars == sum(presence.piece.text.n_chars for presence in expected)
        assert [p.pk for p in unfolded(epoch, view.items)] == [p.pk for p in expected]
    new = {p.pk for p in served if p.first_position == epoch.position}
    shown = {item.pk for view in views for item in view.items if not isinstance(item, Fold)}
    assert len(new - shown) <= max(len(new) - N_NEW, 0)
    assert {p.pk for p in [p for p in served if p.slot_order == 1][-N_LAST[1] :]} <= shown


@pytest.mark.parametrize("name", SHORT)
def test_every_piece_is_shown_or_in_a_fold(name, sender, settings):
    for epoch in imported(sender, settings, name).epochs.all():
        assert_is_served(epoch)


@pytest.mark.parametrize("name", LONG)
def test_so_it_is_in_long_runs(name, sender, settings):
    for epoch in imported(sender, settings, name).epochs.filter(position__in=[1, 2, 40, 77, 311, 599, 600]):
        assert_is_served(epoch)


@pytest.mark.parametrize("name", SHORT)
def test_an_epoch_counts_what_it_was_served(name, sender, settings):
    """What the index counts once is what can be counted at each epoch."""
    lanes: dict[int, list] = {}
    for epoch in imported(sender, settings, name).epochs.all():
        served = list(served_at_epoch(epoch))
        by_source: dict[str, int] = {}
        for presence in served:
            source = presence.piece.facts["source"] or "unknown"
            by_source[source] = by_source.get(source, 0) + presence.piece.text.n_chars
        assert {source: n for source, n in by_source.items() if n} == epoch.by_source
        before = lanes.setdefault(epoch.lane, [])
        assert epoch.previous_position == (before[-1][0] if before else None)
        messages = {p.piece_id for p in served if p.slot_order == 1}
        if before:
            assert epoch.n_gone == len(before[-1][1] - messages)
        lanes[epoch.lane].append((epoch.position, messages))


@pytest.mark.parametrize(
    "name", ["flat-injections", "flat-window-sliding", "flat-wrong-skill", "parallel-grouped-agents"]
)
def test_the_changes_are_the_difference(name, sender, settings):
    recording = imported(sender, settings, name)
    epochs = list(recording.epochs.all())
    for before in epochs:
        for after in epochs:
            difference = difference_of(before, after)
            changes = changes_of(Links(recording), before, after, [])
            assert changes.n_by_kind == {
                "added": len(difference.added),
                "removed": len(difference.removed),
                "changed": len(difference.changed),
                "moved": len(difference.moved),
            }
            assert sum(len(slot.changes) for slot in changes.slots) == min(changes.n_changes, N_SHOWN)
            assert changes.n_same == sum(after.n_pieces) - sum(changes.n_by_kind.values()) + len(difference.removed)


def test_the_strip_of_a_long_run_is_a_window_and_a_map(sender, settings):
    recording = imported(sender, settings, "flat-600")
    for position in (1, 39, 40, 41, 300, 599, 600):
        strip = strip_of(recording, recording.epochs.get(position=position))

        positions = [cell.position for cell in strip.cells]
        assert positions == list(range(positions[0], positions[0] + N_CELLS))
        assert [cell.position for cell in strip.cells if cell.is_current] == [position]
        assert len(strip.map_parts) <= MAP_PARTS
        assert [strip.map_parts[0].first, strip.map_parts[-1].last] == [1, 600]
        assert all(a.last + 1 == b.first for a, b in zip(strip.map_parts, strip.map_parts[1:], strict=False))


def test_the_strip_of_a_short_run_shows_all_of_it(sender, settings):
    recording = imported(sender, settings, "flat-window-sliding")
    strip = strip_of(recording, recording.epochs.get(position=2))

    assert [cell.position for cell in strip.cells] == list(range(1, recording.n_epochs + 1))
    assert strip.map_parts == []
    assert {path.source for path in strip.paths} == {
        source for epoch in recording.epochs.all() for source in epoch.by_source
    }
    assert "messages left" in " ".join(cell.label for cell in strip.cells)
