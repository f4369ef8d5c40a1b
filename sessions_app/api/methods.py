"""
Methods over HTTP: ``POST`` with a JSON object, answered with one.

What programs store goes out as the text that came in, so no answer with it is made by the serializer.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, ClassVar

from django.http import HttpResponse
from rest_framework.request import Request
from rest_framework.views import APIView

from footprint_site.access.models import Role, Scope
from sessions_app.api.asking import arguments_of, refusals_answered, writer_of
from sessions_app.forms import Arguments
from sessions_app.services.writing import Writer


class Method(APIView):
    """One of them."""

    role: ClassVar[Role]
    scopes: ClassVar[Mapping[str, Scope | None]]

    @refusals_answered
    def post(self, request: Request) -> HttpResponse:
        writer = writer_of(request, at_least=self.role)
        answer = self.answer(writer, arguments_of(request))
        return HttpResponse(answer, content_type="application/json")

    def answer(self, writer: Writer, arguments: Arguments) -> str:
        """Do what is asked, and return the JSON of the answer."""
        raise NotImplementedError


class ReadMethod(Method):
    """A method for whoever may read."""

    role = Role.VIEWER
    scopes = {"POST": Scope.READ}


class WriteMethod(Method):
    """A method for whoever may send."""

    role = Role.INVESTIGATOR
    scopes = {"POST": Scope.INGEST}


def plain_json(value: Any) -> str:
    """Return *value* as JSON without spaces."""
    return json.dumps(value, separators=(",", ":"))
