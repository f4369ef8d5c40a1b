"""
How long it takes from a file to committed rows, and how much memory, on SQLite or a database that may be thrown away.

``python -m benchmarks.importing`` prints a table for the long runs of the conformance corpus, alone and two at once,
and the times of a hundred small uploads through the API. Memory is the highest resident size of the process above
what it has before, and above the size of the file.
"""

import argparse
import gzip
import json
import logging
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from benchmarks.processes import MIB, long_runs, resident_mib
from tests.corpus import CORPUS, ROOT

_CHUNK = 1024 * 1024
_SMALL_BYTES = 100_000
_N_SMALL = 100


def set_up(data_dir: str, database: str) -> None:
    """Make Django ready on the database, which has its tables."""
    os.environ |= {"FOOTPRINT_DATA_DIR": data_dir, "FOOTPRINT_DATABASE_URL": database}
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "footprint_site.settings")
    # What the server would serve; missing, it is warned about.
    Path(data_dir, "static").mkdir(exist_ok=True)
    import django

    django.setup()
    logging.disable(logging.INFO)


def migrate() -> None:
    """Create the tables where there are none."""
    from django.core.management import call_command

    call_command("migrate", verbosity=0)


def workspace_new() -> Any:
    """Return a workspace without anything in it."""
    from footprint_site.access.services.workspaces import workspace_create

    slug = f"bench-{os.getpid()}-{time.monotonic_ns()}"
    return workspace_create(slug=slug, name=slug, actor="benchmarks")


def measure_import(path: Path) -> dict[str, float]:
    """Return the seconds from opening *path* to its committed rows, and the MiB above what there was."""
    from recordings.services.drafting import Stated
    from recordings.services.importing import recording_import

    workspace, before = workspace_new(), resident_mib()
    start = time.perf_counter()
    with path.open("rb") as file:
        recording_import(
            workspace=workspace,
            chunks=iter(lambda: file.read(_CHUNK), b""),
            is_gzip=False,
            stated=Stated(filename=path.name),
            actor="benchmarks",
            index_at_once=True,
        )
    return {"seconds": time.perf_counter() - start, "memory": resident_mib() - before}


def measure_uploads() -> dict[str, float]:
    """Return the seconds that an upload of some 100 KB takes until it is durable and readable: median and p95."""
    from django.test import Client

    from footprint_site.access.models import Scope
    from footprint_site.access.services.keys import api_key_create

    _row, key = api_key_create(workspace=workspace_new(), name="bench", scopes=[Scope.INGEST], actor="benchmarks")
    client, seconds = Client(SERVER_NAME="localhost"), []
    for body in small_bodies():
        start = time.perf_counter()
        response = client.post(
            "/api/v1/recordings/", body, content_type="application/json", headers={"Authorization": f"Bearer {key}"}
        )
        seconds.append(time.perf_counter() - start)
        if response.status_code != 201 or response.json()["status"] != "ready":
            raise SystemExit(response.content.decode())
    cuts = statistics.quantiles(seconds, n=20)
    return {"median": statistics.median(seconds), "p95": cuts[-1]}


def small_bodies() -> Iterator[bytes]:
    """Yield recordings of about 100 KB that differ in the id of their run."""
    candidates = [gzip.decompress(path.read_bytes()) for path in (CORPUS / "recordings").glob("*.json.gz")]
    candidates += [path.read_bytes() for path in (CORPUS / "recordings").glob("*.json")]
    body = min(candidates, key=lambda data: abs(len(data) - _SMALL_BYTES))
    run_id = str(json.loads(body).get("runId") or json.loads(body)["trace"]["runId"])
    for number in range(_N_SMALL):
        yield body.replace(run_id.encode(), f"{run_id}-{number}".encode())


def in_fresh_processes(arguments: list[str], n_at_once: int) -> list[dict[str, float]]:
    """Measure in *n_at_once* processes that start together."""
    command = [sys.executable, "-m", "benchmarks.importing", *arguments]
    running = [
        subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True)  # noqa: S603  # our own
        for _ in range(n_at_once)
    ]
    outputs = [process.communicate()[0] for process in running]
    if any(process.returncode for process in running):
        raise SystemExit("A measurement failed: see above.")
    return [json.loads(output) for output in outputs]


def table(n_runs: int, where: list[str]) -> Iterator[str]:
    """Yield the lines of the tables."""
    yield "| run | MiB | import s | memory above file MiB | two at once s | memory of each above file MiB |"
    yield "|---|---|---|---|---|---|"
    for name, path, size in long_runs():
        cells = []
        for n_at_once in (1, 2):
            runs = [
                run for _ in range(n_runs) for run in in_fresh_processes([*where, "--measure", str(path)], n_at_once)
            ]
            cells.append(f"{statistics.median(run['seconds'] for run in runs):.2f}")
            cells.append(f"{statistics.median(run['memory'] for run in runs) - size / MIB:.0f}")
        yield f"| {name} | {size / MIB:.1f} | {' | '.join(cells)} |"
    runs = [run for _ in range(n_runs) for run in in_fresh_processes([*where, "--uploads"], 1)]
    medians = {name: statistics.median(run[name] for run in runs) * 1000 for name in runs[0]}
    yield ""
    yield f"100 KB through the API: median {medians['median']:.0f} ms, p95 {medians['p95']:.0f} ms."


def main() -> None:
    """Print the tables, or the figures of one process as JSON."""
    parser = argparse.ArgumentParser(description="Measure imports.")
    parser.add_argument("--runs", type=int, default=5, help="times that each is measured (default: %(default)s)")
    parser.add_argument("--database", default="", metavar="URL", help="a database to throw away (default: SQLite)")
    parser.add_argument("--data-dir", default="", help=argparse.SUPPRESS)
    parser.add_argument("--measure", type=Path, metavar="FILE", help=argparse.SUPPRESS)
    parser.add_argument("--uploads", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.measure or options.uploads:
        set_up(options.data_dir, options.database)
        print(json.dumps(measure_import(options.measure) if options.measure else measure_uploads()))
        return
    with tempfile.TemporaryDirectory() as data_dir:
        set_up(data_dir, options.database)
        migrate()
        for line in table(options.runs, ["--data-dir", data_dir, "--database", options.database]):
            print(line, flush=True)


if __name__ == "__main__":
    main()
