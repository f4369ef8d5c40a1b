"""
How fast the core reads long runs, and how much memory it takes.

``python -m benchmarks.timetravel`` prints a table for the long runs of the conformance corpus. Each figure is the
median of runs in fresh processes; memory is the highest resident size of such a process above what it has before it
reads the file.
"""

import argparse
import json
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from benchmarks.processes import MIB, long_runs, resident_mib
from tests.corpus import ROOT

STEPS = ["decode", "locate", "presences", "scrub", "first epoch", "last epoch"]


def measure(path: Path) -> dict[str, float]:
    """Return seconds by step, and the peak of memory in MiB, of reading *path* in this process."""
    from recordings.timetravel import all_epoch_locations, context_of, decode_recording, read_at_call, served_at

    before = resident_mib()
    data = path.read_bytes()
    seconds: dict[str, float] = {}

    def step(name: str, work: Callable[[], Any]) -> Any:
        start = time.perf_counter()
        result = work()
        seconds[name] = time.perf_counter() - start
        return result

    recording = step("decode", lambda: decode_recording(data))
    locations = step("locate", lambda: all_epoch_locations(recording))
    step("presences", lambda: context_of(recording))
    # What the bar is about ends here: the rest would read into memory what nobody needs at once.
    peak = resident_mib()
    step("scrub", lambda: [read_at_call(location, "history") for location in locations])
    step("first epoch", lambda: served_at(recording, locations[0]))
    step("last epoch", lambda: served_at(recording, locations[-1]))
    return {**seconds, "memory": peak - before}


def in_fresh_process(path: Path) -> dict[str, float]:
    """Measure *path* where nothing was read before."""
    command = [sys.executable, "-m", "benchmarks.timetravel", "--measure", str(path)]
    done = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True)  # noqa: S603  # our own
    figures: dict[str, float] = json.loads(done.stdout)
    return figures


def table(n_runs: int) -> Iterator[str]:
    """Yield the lines of the table."""
    yield f"| run | MiB | {' | '.join(f'{step} ms' for step in STEPS)} | to presences ms | memory above file MiB |"
    yield f"|---|---|{'---|' * len(STEPS)}---|---|"
    for name, path, size in long_runs():
        runs = [in_fresh_process(path) for _ in range(n_runs)]
        median = {key: statistics.median(run[key] for run in runs) for key in runs[0]}
        to_presences = statistics.median(sum(run[step] for step in STEPS[:3]) for run in runs)
        cells = " | ".join(f"{median[step] * 1000:.1f}" for step in STEPS)
        above = median["memory"] - size / MIB
        yield f"| {name} | {size / MIB:.1f} | {cells} | {to_presences * 1000:.0f} | {above:.0f} |"


def main() -> None:
    """Print the table, or the figures of one file as JSON."""
    parser = argparse.ArgumentParser(description="Measure the core on the long runs of the corpus.")
    parser.add_argument("--runs", type=int, default=5, help="fresh processes for each file (default: %(default)s)")
    parser.add_argument("--measure", type=Path, metavar="FILE", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.measure:
        print(json.dumps(measure(options.measure)))
        return
    for line in table(options.runs):
        print(line, flush=True)


if __name__ == "__main__":
    main()
