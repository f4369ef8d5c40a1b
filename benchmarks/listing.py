"""
How long the server takes for the list of recordings, on SQLite or on the PostgreSQL of FOOTPRINT_DATABASE_URL.

``python -m benchmarks.listing`` prints the median and the 95th percentile of the server's time over 10,000 recordings
that differ in what the list can be narrowed by. One request after another, in one process.
"""

import argparse
import os
import random
import tempfile
from collections.abc import Iterator
from typing import Any

from benchmarks.importing import migrate, set_up
from benchmarks.pages import imported, print_row, signed_in_client

#: What is asked for: nothing, filters, and phrases that few, some and all recordings hold.
_ASKED = {
    "plain": "",
    "page 100": "?page=100",
    "outcome and flag": "?outcome=failed&flag=errors",
    "session": "?session_id=desk-7",
    "by tokens": "?sort=tokens",
    "phrase of one": "?q=needle+7123+",
    "phrase of some": "?q=Mill+Lane",
    "phrase of all": "?q=order",
    "phrase of none": "?q=nowhere+to+be+found",
}
_BATCH = 500


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=40)
    parser.add_argument("--recordings", type=int, default=10_000)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as data_dir:
        set_up(data_dir, os.environ.get("FOOTPRINT_DATABASE_URL", ""))
        migrate()
        from django.core.management import call_command

        call_command("collectstatic", verbosity=0, interactive=False)
        client = signed_in_client()
        fill(arguments.recordings)
        print("| list | asked for | recordings | median ms | p95 ms | queries | KiB gzipped | elements |")
        print("|---|---|---|---|---|---|---|---|")
        for name, query in _ASKED.items():
            print_row(client, "list", name, arguments.recordings, f"/recordings/{query}", arguments.runs)


def fill(n_recordings: int) -> None:
    """Store copies of a run that differ in what a list shows and asks for."""
    from recordings.models import Recording

    one, rng = imported("flat-memory-turn4"), random.Random(7)  # noqa: S311  # made-up data is not secret
    kept = {field.attname: getattr(one, field.attname) for field in Recording._meta.concrete_fields}  # noqa: SLF001  # documented
    del kept["id"], kept["public_id"], kept["created_at"]
    rows: list[Recording] = []
    for values in _differences(n_recordings, rng):
        rows.append(Recording(**(kept | values)))
        if len(rows) == _BATCH:
            _insert(rows)
            rows = []
    _insert(rows)


def _insert(rows: list[Any]) -> None:
    from recordings.models import Recording, Words
    from recordings.models.words import words_of

    stored = Recording.objects.bulk_create(rows)
    Words.objects.bulk_create(
        Words(recording=row, workspace_id=row.workspace_id, data=words_of(row)[0]) for row in stored
    )


def _differences(n_recordings: int, rng: random.Random) -> Iterator[dict[str, Any]]:
    from recordings.models.recording import id_key

    words = ["refund", "parcel", "grinder", "invoice", "address", "delivery", "policy", "warranty", "days", "credit"]
    for number in range(n_recordings):
        outcome, session = rng.choice(["finished", "finished", "failed", "paused"]), f"desk-{rng.randrange(40)}"
        text = f"About order {number}: {' '.join(rng.choices(words, k=60))}."
        text += " 12 Mill Lane, Leeds." if number % 20 == 0 else f" needle {number} ."
        yield {
            "sha256": f"{number:064}",
            "engine_run_key": "",
            "filename": f"run-{number}.json",
            "outcome": outcome,
            "has_errors": outcome == "failed",
            "sources": "".join(rng.sample("SMTUR", 3)),
            "session_id": session,
            "session_key": id_key(session),
            "input_tokens": rng.randrange(100_000),
            "question": f"Where is order {number}?",
            "answers": [{"lane": "", "text": text, "is_redacted": False}],
        }


if __name__ == "__main__":
    main()
