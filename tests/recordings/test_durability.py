"""What was acknowledged is there, whatever was killed when: real processes, killed with signal 9."""

import hashlib
import http.client
import json
import os
import random
import signal
import sqlite3
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.corpus import ROOT
from tests.site.test_serve import environment, free_port, served

N_UPLOADS = 24
SEED = 4711


def run_of_size(number: int, n_bytes: int) -> bytes:
    """A recording of about *n_bytes* that is like no other."""
    words = random.Random(number).randbytes(n_bytes // 2).hex()
    row = {
        "stage": "call-llm",
        "stageId": "call-llm",
        "runtimeStageId": "call-llm#1",
        "trace": [],
        "overwrite": {},
        "updates": {},
        "redactedPaths": [],
    }
    return json.dumps({"initialState": {"history": [{"role": "user", "content": words}]}, "commitLog": [row]}).encode()


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, str, Path]]:
    data, port = tmp_path_factory.mktemp("durable"), free_port()
    with served(data, port):
        command = [sys.executable, "manage.py", "create_api_key", "--workspace", "support"]
        made = subprocess.run(
            [*command, "--scope", "ingest", "--scope", "read"],
            cwd=ROOT,
            env=environment(data, port),
            capture_output=True,
            text=True,
            check=True,
        )
        yield f"http://127.0.0.1:{port}", made.stdout.split()[-1], data


def web_workers(data: Path) -> list[int]:
    """The processes that serve requests: children of the one that listens."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            is_ours = f"FOOTPRINT_DATA_DIR={data}\0".encode() in (folder / "environ").read_bytes()
            is_web = b"gunicorn" in (folder / "cmdline").read_bytes()
            parent = int((folder / "stat").read_text().rpartition(")")[2].split()[1])
            is_child = is_ours and is_web and b"gunicorn" in Path(f"/proc/{parent}/cmdline").read_bytes()
        except (OSError, ValueError):
            continue
        if is_child:
            found.append(int(folder.name))
    return found


def send(server: tuple[str, str, Path], data: bytes) -> tuple[int, dict]:
    address, key, _ = server
    request = urllib.request.Request(
        f"{address}/api/v1/recordings/", data, {"Authorization": f"Bearer {key}", "Content-Type": "application/json"}
    )
    try:
        with urllib.request.urlopen(request, timeout=30) as answer:
            return answer.status, json.loads(answer.read())
    except urllib.error.HTTPError as error:
        with error:
            return error.code, json.loads(error.read())
    except (OSError, urllib.error.URLError):
        return 0, {}


def fetch(server: tuple[str, str, Path], path: str) -> bytes:
    address, key, _ = server
    request = urllib.request.Request(address + path, headers={"Authorization": f"Bearer {key}"})
    with urllib.request.urlopen(request, timeout=30) as answer:
        return answer.read()


def test_nothing_acknowledged_is_lost_and_nothing_half_done_is_seen(server):
    _, _, data_dir = server
    rng = random.Random(SEED)
    bodies = [run_of_size(number, rng.choice([20_000, 300_000, 2_000_000])) for number in range(N_UPLOADS)]
    acknowledged: dict[int, str] = {}
    is_over = threading.Event()

    def kill_now_and_then() -> None:
        while not is_over.wait(rng.uniform(0.05, 0.25)):
            for worker in web_workers(data_dir)[:1]:
                os.kill(worker, signal.SIGKILL)

    killer = threading.Thread(target=kill_now_and_then)
    killer.start()
    for number, body in enumerate(bodies):
        status, answer = send(server, body)
        if status in (200, 201):
            acknowledged[number] = answer["id"]
    is_over.set()
    killer.join()
    time.sleep(0.5)

    for number, public_id in acknowledged.items():
        assert fetch(server, f"/api/v1/recordings/{public_id}/raw/") == bodies[number]
    # What was not acknowledged is sent again: each ends as one recording, also those that were stored unanswered.
    for number, body in enumerate(bodies):
        for _ in range(5):
            status, answer = send(server, body)
            if status in (200, 201):
                break
        assert acknowledged.get(number, answer["id"]) == answer["id"]
        assert fetch(server, f"/api/v1/recordings/{answer['id']}/raw/") == body
    with sqlite3.connect(data_dir / "footprint.sqlite3") as database:
        rows = database.execute("SELECT sha256 FROM recordings_recording").fetchall()
        hashes = [hashlib.sha256(body).hexdigest() for body in bodies]
        assert all(rows.count((sha256,)) == 1 for sha256 in hashes)
        assert database.execute("PRAGMA integrity_check").fetchone() == ("ok",)


def test_a_length_over_the_limit_is_refused_before_a_byte_of_the_body(server):
    address, key, _ = server
    connection = http.client.HTTPConnection(address.removeprefix("http://"), timeout=10)
    connection.putrequest("POST", "/api/v1/recordings/")
    for name, value in {"Authorization": f"Bearer {key}", "Content-Length": "268435457"}.items():
        connection.putheader(name, value)
    connection.endheaders()

    answer = connection.getresponse()

    assert (answer.status, json.loads(answer.read())["code"]) == (413, "too_large")
    connection.close()


def test_a_body_in_chunks_is_taken_in(server):
    """Without a declared length: the server knows where it ends."""
    address, key, _ = server
    connection = http.client.HTTPConnection(address.removeprefix("http://"), timeout=30)
    body = run_of_size(99, 100_000)
    parts = (body[start : start + 1_000] for start in range(0, len(body), 1_000))
    connection.request("POST", "/api/v1/recordings/", parts, {"Authorization": f"Bearer {key}"}, encode_chunked=True)
    answer = json.loads(connection.getresponse().read())
    connection.close()

    assert answer["bytes"] == len(body)
