"""Sending recordings, as programs do."""

from __future__ import annotations

from typing import Any

from django.test import Client

from footprint_site.access.models import Scope
from tests.people import People, bearer, make_key

RECORDINGS = "/api/v1/recordings/"


class Sender:
    """A program with a key of Alice's workspace that may send and read."""

    def __init__(self, people: People, *scopes: Scope) -> None:
        self.key = make_key(people.workspace, *scopes)[1]
        self.client = Client()

    def send(self, data: bytes, query: str = "", **headers: str) -> Any:
        content_type = headers.pop("content_type", "application/json")
        headers = {name.replace("_", "-"): value for name, value in headers.items()}
        # Not `post`, which would encode the bytes anew in whatever charset the content type names.
        return self.client.generic(
            "POST", f"{RECORDINGS}{query}", data, content_type, headers=bearer(self.key) | headers
        )

    def sent(self, data: bytes, query: str = "") -> dict[str, Any]:
        """Send what has to come in, and return what the answer says."""
        response = self.send(data, query)
        assert response.status_code == 201, response.content
        return response.json()

    def get(self, path: str, query: str = "") -> Any:
        return self.client.get(path + query, headers=bearer(self.key))

    def page(self, path: str, query: str = "") -> Any:
        response = self.get(path, query)
        assert response.status_code == 200, response.content
        return response.json()
