"""Asking the API as a program does."""

from __future__ import annotations

import json
from typing import Any

from django.test import Client

from footprint_site.access.models import Scope, Workspace
from tests.people import bearer, make_key

API = "/api/v1/"
IDENTITY = {"tenant": "brew", "principal": "dana", "conversationId": "chat-501"}


class Asker:
    """The holder of a key, as an occupant when it has a token."""

    def __init__(self, workspace: Workspace, *scopes: Scope, token: str = "") -> None:
        self.row, self.key = make_key(workspace, *scopes)
        self.token = token
        self.client = Client()

    def headers(self) -> dict[str, str]:
        return bearer(self.key) | ({"Footprint-Incarnation": self.token} if self.token else {})

    def post(self, path: str, body: Any = None, raw: str | bytes = "", **headers: str) -> Any:
        data = raw if body is None else json.dumps(body)
        return self.client.generic("POST", f"{API}{path}", data, "application/json", headers=self.headers() | headers)

    def get(self, path: str) -> Any:
        return self.client.get(f"{API}{path}", headers=self.headers())

    def method(self, name: str, _identity: Any = None, **arguments: Any) -> Any:
        """Call a method of the memory, and return its answer, which has to be a good one."""
        response = self.post(f"memory/{name}/", {"identity": _identity or IDENTITY} | arguments)
        assert response.status_code == 200, response.content
        return response.json()

    def put_raw(self, entry: str, store: str = "default") -> None:
        raw = f'{{"identity": {json.dumps(IDENTITY)}, "store": {json.dumps(store)}, "entry": {entry}}}'
        response = self.post("memory/put/", raw=raw)
        assert response.status_code == 200, response.content

    def open(self, session_id: str, **more: Any) -> dict[str, Any]:
        """Open an occupant and be it from now on."""
        response = self.post("sessions/", {"session_id": session_id} | more)
        assert response.status_code == 201, response.content
        answer = response.json()
        self.token = answer["token"]
        return answer
