"""``manage.py verify``: what is stored against what was received, and the index against what it is made from."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from django.core.management.base import BaseCommand, CommandError
from rich.progress import Progress

from recordings.blobs import DamagedBlobError
from recordings.models import INDEX_VERSION, Recording, Words
from recordings.models.words import words_of
from recordings.services.memorylinks import memory_links
from recordings.services.stored import run_of
from recordings.timetravel import Recording as Run
from recordings.timetravel import TimeTravelError, context_of

_LINK: Final = ("order", "kind", "store_key", "entry_key", "turn", "position", "n_calls", "number", "n_of_stage")


class Command(BaseCommand):
    """Read every blob, check its hash, and compare the index with it."""

    help = "Check every stored recording: its bytes against its hash, its index against its bytes."

    def handle(self, *args: Any, **options: Any) -> None:
        rows = Recording.objects.order_by("pk")
        n_damaged = 0
        with Progress(disable=not self.stdout.isatty()) as progress:
            for recording in progress.track(rows.iterator(chunk_size=100), total=rows.count(), description="Verifying"):
                for fault in faults_of(recording):
                    n_damaged += 1
                    self.stderr.write(f"{recording.public_id}: {fault}")
        self.stdout.write(f"Verified {rows.count()} recordings, {n_damaged} faults.")
        if n_damaged:
            raise CommandError(f"{n_damaged} faults were found. Build the index again with manage.py rebuild ID.")


def faults_of(recording: Recording) -> Iterator[str]:
    """Yield what is wrong with *recording*, in words."""
    try:
        run = run_of(recording)
    except (DamagedBlobError, TimeTravelError) as error:
        yield str(error)
        return
    if recording.status == Recording.Status.READY:
        yield from _index_faults(recording, run)


def _index_faults(recording: Recording, run: Run) -> Iterator[str]:
    if recording.index_version != INDEX_VERSION:
        yield f"the index is of version {recording.index_version}, not {INDEX_VERSION}"
        return
    context = context_of(run)
    expected = sorted((p.piece.id, p.first, p.last, p.order) for p in context.presences)
    columns = ("piece__piece_id", "first_position", "last_position", "order")
    stored = sorted(recording.presences.values_list(*columns))
    if stored != expected:
        yield f"the index has {len(stored)} presences that do not match the {len(expected)} of the recording"
    texts = {piece.id: piece.text for piece in context.pieces}
    for piece in recording.pieces.select_related("text").iterator(chunk_size=500):
        if piece.text.content != texts.get(piece.piece_id):
            yield f"the piece {piece.piece_id} has another text"
    told = memory_links(recording, run, context, {piece.id: 0 for piece in context.pieces})
    links = [tuple(getattr(link, name) for name in _LINK) for link in told]
    kept = list(recording.memory_links.order_by("order").values_list(*_LINK))
    if kept != links:
        yield f"the index has {len(kept)} links to memory that do not match the {len(links)} of the recording"
    words = Words.objects.filter(recording=recording).first()
    if words is None or (bytes(words.data), words.is_cut) != words_of(recording):
        yield "what the list looks for a phrase in is not what the recording says"
    n_epochs = recording.epochs.count()
    if n_epochs != len(context.epochs):
        yield f"the index has {n_epochs} epochs instead of {len(context.epochs)}"
