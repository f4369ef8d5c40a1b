"""Turns and memory through the server, while its processes are killed and clients try again."""

import http.client
import json
import os
import random
import signal
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.corpus import ROOT
from tests.recordings.test_durability import web_workers
from tests.sessions.material import entry_json
from tests.site.test_serve import environment, free_port, served

N_CLIENTS = 8
N_RUNS = 16
PATIENCE_SECONDS = 15
SEED = 4711
IDENTITY = {"conversationId": "chat-501"}


class Server:
    """A server with a key for it."""

    def __init__(self, port: int, key: str, data: Path) -> None:
        self.port, self.key, self.data = port, key, data

    def post(self, path: str, body: Any, token: str = "") -> tuple[int, Any]:
        """Send *body* once. 0 when there was no answer."""
        headers = {"Authorization": f"Bearer {self.key}", "Content-Type": "application/json"}
        if token:
            headers["Footprint-Incarnation"] = token
        url = f"http://127.0.0.1:{self.port}/api/v1/{path}"
        try:
            with urllib.request.urlopen(
                urllib.request.Request(url, json.dumps(body).encode(), headers), timeout=20
            ) as got:
                return got.status, json.load(got)
        except urllib.error.HTTPError as error:
            with error:
                return error.code, json.load(error)
        except (OSError, http.client.HTTPException, ValueError):
            # Cut off before its first byte, or after it.
            return 0, None

    def insist(self, path: str, body: Any) -> Any:
        """Send *body* until it is answered well."""
        end = time.monotonic() + PATIENCE_SECONDS
        while time.monotonic() < end:
            status, answer = self.post(path, body)
            if status in (200, 201):
                return answer
            time.sleep(0.05)
        raise AssertionError((path, status, answer))


@contextmanager
def running(data: Path, **more: str) -> Iterator[Server]:
    """Yield a server on *data*, with what *more* sets in its environment."""
    port = free_port()
    with served(data, port, **more):
        command = [sys.executable, "manage.py", "create_api_key", "--workspace", "support"]
        made = subprocess.run(
            [*command, "--scope", "ingest", "--scope", "read"],
            cwd=ROOT,
            env=environment(data, port, **more),
            capture_output=True,
            text=True,
            check=True,
        )
        yield Server(port, made.stdout.split()[-1], data)


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with running(tmp_path_factory.mktemp("turns")) as server:
        yield server


def test_a_killed_server_gives_no_turn_twice_and_loses_none(server):
    is_over, told = threading.Event(), {}
    rng = random.Random(SEED)

    def kill_now_and_then() -> None:
        # Not faster than a new one starts.
        while not is_over.wait(rng.uniform(0.8, 1.2)):
            for worker in web_workers(server.data)[:1]:
                os.kill(worker, signal.SIGKILL)

    def converse(client: int) -> None:
        for number in range(N_RUNS):
            run_id = f"{client}-{number}"
            told[run_id] = server.insist("turns/", {"identity": IDENTITY, "run_id": run_id})["turn"]
            entry = json.loads(entry_json(f"msg-{told[run_id]}-0", told[run_id], run_id))
            server.insist("memory/put/", {"identity": IDENTITY, "entry": entry})

    killer = threading.Thread(target=kill_now_and_then)
    clients = [threading.Thread(target=converse, args=[number]) for number in range(N_CLIENTS)]
    killer.start()
    for client in clients:
        client.start()
    for client in clients:
        client.join()
    is_over.set()
    killer.join()

    assert sorted(told.values()) == list(range(1, N_CLIENTS * N_RUNS + 1))
    entries = server.insist("memory/list/", {"identity": IDENTITY, "limit": 1000})["entries"]
    assert {entry["value"]["content"]: entry["source"]["turn"] for entry in entries} == told
    # No put replaced what another turn had written, nor was one of them written twice.
    assert all(entry["id"] == f"msg-{entry['source']['turn']}-0" for entry in entries)
    for run_id, turn in told.items():
        again = server.insist("turns/", {"identity": IDENTITY, "run_id": run_id})
        assert again == {"turn": turn, "replayed": True}


def test_an_occupant_that_wakes_up_late_changes_nothing(server):
    """Its request is on its way, its server stands still, and meanwhile somebody else takes the seat."""
    token = server.insist("sessions/", {"session_id": "desk-7"})["token"]
    entry = json.loads(entry_json("a"))
    assert server.post("memory/put/", {"identity": IDENTITY, "entry": entry}, token)[0] == 200
    answers: list[tuple[int, Any]] = []

    def late() -> None:
        answers.append(server.post("memory/put/", {"identity": IDENTITY, "entry": entry | {"version": 2}}, token))

    workers = web_workers(server.data)
    for worker in workers:
        os.kill(worker, signal.SIGSTOP)
    sender = threading.Thread(target=late)
    sender.start()
    time.sleep(0.2)
    take_over(server.data)
    for worker in workers:
        os.kill(worker, signal.SIGCONT)
    sender.join()

    assert (answers[0][0], answers[0][1]["code"]) == (409, "stale_incarnation")
    status, listed = server.post("memory/list/", {"identity": IDENTITY}, token)
    assert (status, listed) == (200, {"entries": [entry]})


def take_over(data: Path) -> None:
    """Open a new occupant from another process."""
    code = (
        "import django; django.setup()\n"
        "from footprint_site.access.models import Workspace\n"
        "from sessions_app.services.sessions import incarnation_open\n"
        "incarnation_open(workspace=Workspace.objects.get(slug='support'), session_id='desk-7', actor='tests')\n"
    )
    variables = environment(data, 0) | {"DJANGO_SETTINGS_MODULE": "footprint_site.settings"}
    subprocess.run([sys.executable, "-c", code], cwd=ROOT, env=variables, check=True, capture_output=True)
