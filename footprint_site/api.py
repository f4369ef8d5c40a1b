"""What every endpoint of the REST API shares: errors, lists, and JSON whatever the client asks for."""

import logging
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from django.core.exceptions import PermissionDenied
from django.http import Http404
from rest_framework import exceptions
from rest_framework.negotiation import BaseContentNegotiation
from rest_framework.pagination import CursorPagination
from rest_framework.parsers import BaseParser
from rest_framework.renderers import BaseRenderer
from rest_framework.request import Request
from rest_framework.response import Response

from footprint_site.access.audit import audit
from footprint_site.api_errors import AWAY, NOT_AUTHENTICATED, NOT_FOUND, RETRY_AFTER_SECONDS, ApiError, error_body
from footprint_site.away import is_database_away

logger = logging.getLogger(__name__)

if TYPE_CHECKING:
    # DRF reads its settings, and so this module, while it makes the class.
    from rest_framework.views import APIView


def exception_handler(error: Exception, context: dict[str, Any]) -> Response | None:
    """Answer every refusal of every endpoint; None, for what nobody foresaw, ends in the site's own 500."""
    request: Request = context["request"]
    if isinstance(error, exceptions.NotAuthenticated | exceptions.AuthenticationFailed):
        # One body for every reason: a key that was right once looks like one that never was.
        audit("api_request", actor="anonymous", target=request.path, outcome="denied", request=request, keep=False)
        return Response(NOT_AUTHENTICATED, 401, headers={"WWW-Authenticate": 'Bearer realm="Footprint"'})
    if isinstance(error, Http404 | exceptions.NotFound):
        return Response(NOT_FOUND, 404)
    if is_database_away(error):
        logger.error("The database is away: %s", type(error).__name__, exc_info=error)
        return Response(AWAY, 503, headers={"Retry-After": str(RETRY_AFTER_SECONDS)})
    if isinstance(error, PermissionDenied | exceptions.PermissionDenied):
        audit("api_request", actor=request.user, target=request.path, outcome="denied", request=request)
    if isinstance(error, PermissionDenied):
        return Response(error_body("permission_denied", str(error) or "You may not do this."), 403)
    if isinstance(error, exceptions.APIException):
        return Response(_body_of(error), error.status_code, headers=_headers_of(error, context["view"]))
    return None


def _body_of(error: exceptions.APIException) -> dict[str, Any]:
    if isinstance(error, ApiError):
        return error.body
    if isinstance(error, exceptions.ParseError):
        return error_body("malformed", str(error.detail))
    codes, detail = error.get_codes(), error.detail
    return error_body(str(codes) if isinstance(codes, str) else "invalid", str(detail))


def _headers_of(error: exceptions.APIException, view: "APIView") -> dict[str, str]:
    headers: dict[str, str] = {}
    if isinstance(error, exceptions.MethodNotAllowed):
        headers["Allow"] = ", ".join(view.allowed_methods)
    return headers


class JsonOnly(BaseContentNegotiation):
    """JSON for every ``Accept``: a client that asks for HTML by habit is still a program."""

    def select_parser(self, request: Request, parsers: Iterable[BaseParser]) -> BaseParser:
        return next(iter(parsers))

    def select_renderer(
        self, request: Request, renderers: Iterable[BaseRenderer], format_suffix: str | None = None
    ) -> tuple[BaseRenderer, str]:
        renderer = next(iter(renderers))
        return renderer, renderer.media_type or "application/json"


class PathPagination(CursorPagination):
    """``{"results", "next"}`` with 100 rows a page; *next* is a path, because a proxy may change the host."""

    ordering = "-pk"

    def get_paginated_response(self, data: Any) -> Response:
        link = self.get_next_link()
        parts = urlsplit(link) if link else None
        return Response({"results": data, "next": f"{parts.path}?{parts.query}" if parts else None})
