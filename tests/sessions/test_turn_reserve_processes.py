"""No turn is given twice and none that was acknowledged is lost, whatever is killed when: real processes, signal 9."""

import os
import random
import subprocess
import sys
import time
import urllib.parse
from collections import defaultdict
from pathlib import Path

import pytest
from django.conf import settings
from django.db import connection

from sessions_app.models import Conversation, Turn
from tests.corpus import ROOT
from tests.people import make_people

N_PROCESSES = 4
N_THREADS = 8
SECONDS = 5
#: So many turns are reserved and so many processes killed at least, however long that takes on a machine that is busy.
N_TURNS = int(os.environ.get("FOOTPRINT_TEST_TURNS", "200"))
N_KILLED = 3
PATIENCE_SECONDS = 120
SEED = 4711


def database_url() -> str:
    """The address of the database of the tests, for another process."""
    name = str(connection.settings_dict["NAME"])
    if connection.vendor == "sqlite":
        return f"sqlite:///{name}"
    return urllib.parse.urlsplit(os.environ["FOOTPRINT_DATABASE_URL"])._replace(path=f"/{name}").geturl()


def start(workspace_id: int, n_conversations: int, told: Path) -> "subprocess.Popen[bytes]":
    environment = os.environ | {
        "DJANGO_SETTINGS_MODULE": "footprint_site.settings",
        "FOOTPRINT_DATABASE_URL": database_url(),
        "FOOTPRINT_DATA_DIR": str(settings.DATA_DIR),
    }
    arguments = [str(workspace_id), str(n_conversations), str(N_THREADS)]
    with told.open("ab") as output:
        return subprocess.Popen(
            [sys.executable, "-m", "tests.sessions.reserving", *arguments],
            cwd=ROOT,
            env=environment,
            stdout=output,
            stderr=subprocess.DEVNULL,
        )


def reserve_and_kill(workspace_id: int, n_conversations: int, told: Path) -> int:
    """Let 32 writers in 4 processes reserve turns, and kill a process now and then. Returns how many were killed."""
    rng = random.Random(SEED)
    processes = [start(workspace_id, n_conversations, told) for _ in range(N_PROCESSES)]
    n_killed, end = 0, time.monotonic() + SECONDS
    try:
        while time.monotonic() < end or n_killed < N_KILLED or told.read_bytes().count(b"\n") < N_TURNS:
            time.sleep(rng.uniform(0.6, 1.2))
            if told.stat().st_size == 0:
                assert time.monotonic() < end + PATIENCE_SECONDS, "Nobody reserves anything."
                continue
            victim = rng.randrange(N_PROCESSES)
            processes[victim].kill()
            processes[victim].wait()
            n_killed += 1
            processes[victim] = start(workspace_id, n_conversations, told)
    finally:
        for process in processes:
            process.kill()
            process.wait()
    return n_killed


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("n_conversations", [1, 64])
def test_no_turn_twice_and_none_lost(n_conversations, tmp_path):
    people, told = make_people(), tmp_path / "told"
    n_killed = reserve_and_kill(people.workspace.pk, n_conversations, told)

    by_run: dict[tuple[str, str], set[int]] = defaultdict(set)
    for line in told.read_text().splitlines():
        conversation, turn, run_id = line.split()
        by_run[conversation, run_id].add(int(turn))
    stored = {
        (turn.conversation.conversation_id.removeprefix("chat "), turn.run_id): turn.number
        for turn in Turn.objects.select_related("conversation")
    }

    assert n_killed >= N_KILLED
    assert len(by_run) >= N_TURNS // 2
    # A run that asked twice was told the same, and everything that was told is there.
    assert {run: {stored.get(run)} for run in by_run} == by_run
    for conversation in Conversation.objects.all():
        numbers = list(conversation.turns.values_list("number", flat=True))
        assert numbers == list(range(1, len(numbers) + 1))
        assert conversation.highest_turn == len(numbers)
