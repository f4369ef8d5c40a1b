"""``bin/serve.py``, as ``bin/run`` starts it: real processes on a free port, with data of their own."""

import http.cookiejar
import os
import re
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent.parent
START_SECONDS = 60


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def environment(data: Path, port: int, **more: str) -> dict[str, str]:
    """The environment of a person, not of the tests, with *data*, *port* and what *more* sets."""
    clean = {name: value for name, value in os.environ.items() if not name.startswith(("FOOTPRINT_", "DJANGO_"))}
    return clean | {"FOOTPRINT_DATA_DIR": str(data), "FOOTPRINT_PORT": str(port)} | more


@contextmanager
def served(data: Path, port: int, **more: str) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """Yield the running process and what it printed until it listened."""
    process = subprocess.Popen(
        [sys.executable, "bin/serve.py"],
        cwd=ROOT,
        env=environment(data, port, **more),
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    greeting = ""
    try:
        for line in process.stdout:
            greeting += line
            if "Sign in once" in line:
                break
        yield process, greeting
    finally:
        if process.poll() is None:
            process.send_signal(signal.SIGTERM)
            process.wait(40)
        process.stdout.close()


def processes_of(data: Path) -> list[str]:
    """Return the command lines of all living processes that were started with *data*."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            environment = (folder / "environ").read_bytes()
            command = (folder / "cmdline").read_bytes()
        except OSError:
            continue
        if f"FOOTPRINT_DATA_DIR={data}\0".encode() in environment and command:
            found.append(command.replace(b"\0", b" ").decode())
    return found


def browser() -> urllib.request.OpenerDirector:
    return urllib.request.build_opener(urllib.request.HTTPCookieProcessor(http.cookiejar.CookieJar()))


def sign_in(greeting: str) -> str:
    """Follow the printed link as a browser without scripts does. Returns the page that comes after it."""
    link = re.search(r"Sign in once as admin: (\S+)", greeting)[1]
    opener = browser()
    with opener.open(link) as page:
        token = re.search(r'name="csrfmiddlewaretoken" value="([^"]+)"', page.read().decode())[1]
    with opener.open(link, urllib.parse.urlencode({"csrfmiddlewaretoken": token}).encode()) as page:
        return page.read().decode()


def test_start_sign_in_stop_and_start_again(tmp_path):
    """The printed link signs in; Ctrl-C ends every process; the second start keeps the data."""
    port = free_port()
    with served(tmp_path, port) as (process, greeting):
        assert f"http://127.0.0.1:{port}/" in greeting
        assert "Support" in sign_in(greeting)
        assert {
            name for name in ("gunicorn", "manage.py work") if any(name in line for line in processes_of(tmp_path))
        } == {
            "gunicorn",
            "manage.py work",
        }
        process.send_signal(signal.SIGINT)
        assert process.wait(40) == 0
    assert processes_of(tmp_path) == []

    with served(tmp_path, port) as (_, greeting):
        assert "Support" in sign_in(greeting), "the admin still has no password, so there is a new link"


def test_nothing_survives_when_the_run_is_killed(tmp_path):
    with served(tmp_path, free_port()) as (process, _):
        process.kill()
        process.wait(10)
        deadline = time.monotonic() + 40
        while processes_of(tmp_path) and time.monotonic() < deadline:
            time.sleep(0.1)

        assert processes_of(tmp_path) == []


def test_a_killed_worker_is_started_again(tmp_path):
    with served(tmp_path, free_port()):
        first = worker_of(tmp_path)
        os.kill(first, signal.SIGKILL)
        deadline = time.monotonic() + START_SECONDS
        while worker_of(tmp_path) in {first, 0} and time.monotonic() < deadline:
            time.sleep(0.1)

        assert worker_of(tmp_path) not in {first, 0}


def worker_of(data: Path) -> int:
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            if b"manage.py\0work" not in (folder / "cmdline").read_bytes():
                continue
            if f"FOOTPRINT_DATA_DIR={data}\0".encode() in (folder / "environ").read_bytes():
                return int(folder.name)
        except OSError:
            continue
    return 0


def test_a_port_that_is_taken_is_named(tmp_path):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        done = subprocess.run(
            [sys.executable, "bin/serve.py"],
            cwd=ROOT,
            env=environment(tmp_path, port),
            capture_output=True,
            text=True,
            check=False,
        )

    assert done.returncode == 1
    assert f"port {port}" in done.stderr
    assert "FOOTPRINT_PORT" in done.stderr


@pytest.mark.parametrize("value", ["Bearer " + "x" * 100_000, "Bearer schl\u00fcssel", "Bearer"])
def test_an_odd_header_reaches_our_own_refusal_through_the_real_server(value, tmp_path_factory, one_server):
    request = urllib.request.Request(f"{one_server}/api/v1/me/", headers={"Authorization": value})
    with pytest.raises(urllib.error.HTTPError) as refusal:
        urllib.request.urlopen(request)

    with refusal.value as answer:
        assert answer.status == 401
        assert answer.headers["Content-Type"] == "application/json"


def test_a_header_sent_twice_is_refused(one_server):
    host, port = one_server.removeprefix("http://").split(":")
    with socket.create_connection((host, int(port))) as wire:
        wire.sendall(
            b"GET /api/v1/me/ HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer a\r\nAuthorization: Bearer b\r\n"
            b"Connection: close\r\n\r\n"
        )
        answer = b"".join(iter(lambda: wire.recv(65536), b""))

    assert answer.startswith(b"HTTP/1.1 401 ")
    assert b"not_authenticated" in answer


@pytest.fixture(scope="module")
def one_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    port = free_port()
    with served(tmp_path_factory.mktemp("data"), port):
        yield f"http://127.0.0.1:{port}"
