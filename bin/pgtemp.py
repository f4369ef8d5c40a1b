"""
Run a command beside a PostgreSQL of its own that is thrown away afterwards.

``pgtemp.py -- COMMAND...`` sets FOOTPRINT_DATABASE_URL to a fresh cluster that listens on a Unix socket in a temporary
folder, runs COMMAND, removes the cluster, and exits as COMMAND did. Works as root (by dropping to another user, because
PostgreSQL refuses root) and as anybody else. Nothing is fsynced: for tests only.
"""

import contextlib
import ctypes
import glob
import os
import pwd
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import types
import urllib.parse
from collections.abc import Iterator
from typing import Any

PR_SET_PDEATHSIG = 1
START_SECONDS = 30
SPEED = ["fsync=off", "synchronous_commit=off", "full_page_writes=off"]


def binaries() -> str:
    """Return the folder of the newest server that is installed. Exits with a message when there is none."""
    found = [os.path.dirname(path) for path in glob.glob("/usr/lib/postgresql/*/bin/initdb")]
    on_path = shutil.which("initdb")
    found.sort(key=lambda path: int(path.split("/")[-2]))
    if not found and not on_path:
        sys.exit("No PostgreSQL server is installed: install Debian's package postgresql.")
    return found[-1] if found else os.path.dirname(str(on_path))


def unprivileged() -> dict[str, Any]:
    """Return the arguments that make `subprocess` run as somebody whom PostgreSQL accepts."""
    if os.geteuid() != 0:
        return {}
    try:
        person = pwd.getpwnam("postgres")
    except KeyError:
        person = pwd.getpwnam("nobody")
    return {"user": person.pw_uid, "group": person.pw_gid, "extra_groups": []}


def stop_with_parent() -> None:
    """In the child, after it changed user: shut down at once when the parent is killed."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGINT)


def wait_until_ready(data: str, server: "subprocess.Popen[bytes]") -> None:
    """Wait for the server's own word. Exits with its log when it ends instead."""
    deadline = time.monotonic() + START_SECONDS
    while time.monotonic() < deadline and server.poll() is None:
        # It may be there and still be empty.
        with contextlib.suppress(OSError), open(os.path.join(data, "postmaster.pid"), encoding="utf-8") as file:
            if file.read().split()[-1:] == ["ready"]:
                return
        time.sleep(0.02)
    with open(os.path.join(os.path.dirname(data), "log"), encoding="utf-8") as log:
        sys.exit(f"PostgreSQL did not start:\n{log.read()}")


@contextlib.contextmanager
def cluster() -> Iterator[str]:
    """Yield the URL of a running, empty cluster."""
    folder, who = binaries(), unprivileged()
    root = tempfile.mkdtemp(prefix="pgtemp-")  # short, because the path of a socket is
    data = os.path.join(root, "data")
    if who:
        os.chown(root, who["user"], who["group"])
    clean = {name: value for name, value in os.environ.items() if not name.startswith("PG")}
    environment = clean | {"LC_ALL": "C.UTF-8", "TZ": "UTC", "HOME": root}
    initdb = [f"{folder}/initdb", "-D", data, "-U", "postgres", "--auth=trust", "-E", "UTF8", "--locale=C.UTF-8"]
    options = [part for option in ["listen_addresses=", *SPEED] for part in ("-c", option)]
    server = None
    try:
        subprocess.run([*initdb, "--no-sync"], cwd=root, env=environment, check=True, stdout=subprocess.DEVNULL, **who)
        with open(os.path.join(root, "log"), "wb") as log:
            server = subprocess.Popen(
                [f"{folder}/postgres", "-D", data, "-k", root, *options],
                cwd=root,
                env=environment,
                stdout=log,
                stderr=log,
                start_new_session=True,
                preexec_fn=stop_with_parent,
                **who,
            )
        wait_until_ready(data, server)
        yield f"postgresql://postgres@{urllib.parse.quote(root, safe='')}:5432/postgres"
    finally:
        if server is not None:
            server.send_signal(signal.SIGQUIT)
            server.wait(10)
        shutil.rmtree(root, ignore_errors=True)


def ended(number: int, frame: types.FrameType | None) -> None:
    """Let ``finally`` run when somebody stops us."""
    sys.exit(128 + number)


def main(arguments: list[str]) -> int:
    """Run the command after ``--``. Returns its exit code."""
    if arguments[:1] != ["--"] or len(arguments) < 2:
        sys.exit("usage: pgtemp.py -- COMMAND...")
    signal.signal(signal.SIGTERM, ended)
    signal.signal(signal.SIGINT, ended)
    with cluster() as url:
        return subprocess.run(arguments[1:], env=os.environ | {"FOOTPRINT_DATABASE_URL": url}, check=False).returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
