"""The long runs of the corpus, and the memory of a process."""

import tempfile
from collections.abc import Iterator
from pathlib import Path

from tests.corpus import CORPUS, read_bytes

MIB = 1024 * 1024


def resident_mib() -> float:
    """Return the highest resident size of this process so far, in MiB."""
    # Not what getrusage says: that starts with the size of the process that forked this one.
    status = Path("/proc/self/status").read_text(encoding="ascii")
    return int(status.partition("VmHWM:")[2].split()[0]) / 1024


def long_runs() -> Iterator[tuple[str, Path, int]]:
    """Yield name, an uncompressed copy and its size for each long run."""
    with tempfile.TemporaryDirectory() as folder:
        for source in sorted((CORPUS / "perf").glob("*.json.gz")):
            data = read_bytes(source)
            path = Path(folder) / source.stem
            path.write_bytes(data)
            yield source.name.split(".")[0], path, len(data)
