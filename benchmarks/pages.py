"""
How long the server takes for pages of long runs, on SQLite: the first, the middle and the last epoch, in each tab.

``python -m benchmarks.pages`` prints the median and the 95th percentile of the server's time, the queries, and what
the page weighs. One request after another, in one process, each page once before it is measured.
"""

import argparse
import gzip
import re
import statistics
import tempfile
import time
from typing import Any

from benchmarks.importing import migrate, set_up, workspace_new
from tests.corpus import read_bytes, recording_files

_TAG = re.compile(rb"<[a-z]")
_RUNS = ("flat-600", "grouped-600")
_TRACED = {"flat-600": "page 311: debit 12.50 credit 0.00", "grouped-600": "page 311: debit 12.50 credit 0.00"}


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=40)
    n_runs = parser.parse_args().runs
    from django.core.management import call_command

    with tempfile.TemporaryDirectory() as data_dir:
        set_up(data_dir, "")
        migrate()
        call_command("collectstatic", verbosity=0, interactive=False)
        client = signed_in_client()
        print("| run | page | epoch | median ms | p95 ms | queries | KiB gzipped | elements |")
        print("|---|---|---|---|---|---|---|---|")
        for name in _RUNS:
            recording = imported(name)
            for tab in ("served", "diff", "raw"):
                for position in (5, recording.n_epochs // 2, recording.n_epochs):
                    print_row(
                        client,
                        name,
                        tab,
                        position,
                        f"{recording.get_absolute_url()}?epoch={position}&tab={tab}",
                        n_runs,
                    )
            url = f"{recording.get_absolute_url()}?epoch={recording.n_epochs}&phrase={_TRACED[name]}"
            print_row(client, name, "trail", recording.n_epochs, url, n_runs)
            api = f"/api/v1/recordings/{recording.public_id}/trail/?phrase={_TRACED[name]}"
            print_row(client, name, "trail API", recording.n_epochs, api, n_runs)


def signed_in_client() -> Any:
    """Return a browser of somebody who may see everything."""
    from django.conf import settings
    from django.contrib.auth.models import User
    from django.test import Client

    settings.ALLOWED_HOSTS = ["*"]
    client = Client()
    client.force_login(User.objects.create_superuser("bench"))
    return client


def imported(name: str) -> Any:
    """Import the run *name* of the corpus, and return its row."""
    from recordings.services.drafting import Stated
    from recordings.services.importing import recording_import

    return recording_import(
        workspace=workspace_new(),
        chunks=[read_bytes(recording_files()[name])],
        is_gzip=False,
        stated=Stated(filename=name),
        actor="benchmarks",
        index_at_once=True,
    ).recording


def print_row(client: Any, name: str, page: str, position: int, url: str, n_runs: int) -> None:
    """Ask for *url* again and again, and print what it cost."""
    from django.db import connection
    from django.test.utils import CaptureQueriesContext

    client.get(url)
    times = []
    for _ in range(n_runs):
        start = time.perf_counter()
        response = client.get(url)
        times.append((time.perf_counter() - start) * 1000)
    with CaptureQueriesContext(connection) as queries:
        client.get(url)
    assert response.status_code == 200, (url, response.status_code)
    p95 = statistics.quantiles(times, n=20)[-1]
    weight, n_elements = len(gzip.compress(response.content)) / 1024, len(_TAG.findall(response.content))
    print(
        f"| {name} | {page} | {position} | {statistics.median(times):.1f} | {p95:.1f} | {len(queries)} "
        f"| {weight:.1f} | {n_elements} |"
    )


if __name__ == "__main__":
    main()
