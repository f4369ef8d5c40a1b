"""Who asks, for which workspace, and what: access and input of every endpoint here."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import wraps
from http import HTTPStatus
from typing import Any, Final, TypeVar

from django.core.exceptions import PermissionDenied
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from rest_framework.request import Request

from footprint_site.access.models import ApiKey, Role, Workspace
from footprint_site.access.permissions import get_workspace_for
from footprint_site.access.principals import KeyHolder, Viewer
from footprint_site.api_errors import ApiError
from sessions_app.forms import ArgumentError, Arguments
from sessions_app.rawjson import JsonRefusedError, decode_text, read_document
from sessions_app.services.errors import (
    SessionsError,
    StaleIncarnationError,
    TurnOutOfRangeError,
    UnknownIncarnationError,
)
from sessions_app.services.sessions import incarnation_of_token
from sessions_app.services.writing import Writer

#: Of a request. A recording may be longer; memory is many small things.
MAX_BODY_BYTES: Final = 8 * 1024 * 1024
TOKEN_HEADER: Final = "Footprint-Incarnation"  # noqa: S105  # its name
_CHARSET: Final = re.compile(r'charset\s*=\s*"?([^\s;"]+)', re.IGNORECASE)
_CHUNK_BYTES: Final = 1 << 16

Answer = TypeVar("Answer", bound=Callable[..., HttpResponseBase])


def refusals_answered(view: Answer) -> Answer:
    """Answer what is refused in the API's one shape of errors."""

    @wraps(view)
    def answered(*args: Any, **kwargs: Any) -> HttpResponseBase:
        try:
            return view(*args, **kwargs)
        except JsonRefusedError as error:
            is_text = error.code != "utf8_only"
            status = HTTPStatus.BAD_REQUEST if is_text else HTTPStatus.UNSUPPORTED_MEDIA_TYPE
            if error.code == "not_an_object":
                status = HTTPStatus.UNPROCESSABLE_ENTITY
            raise ApiError(status, error.code, error.message, at=error.at, limit=error.limit) from error
        except ArgumentError as error:
            raise ApiError(HTTPStatus.UNPROCESSABLE_ENTITY, error.code, error.message, limit=error.limit) from error
        except TurnOutOfRangeError as error:
            raise ApiError(HTTPStatus.UNPROCESSABLE_ENTITY, error.code, str(error), limit=error.limit) from error
        except SessionsError as error:
            is_conflict = isinstance(error, StaleIncarnationError | UnknownIncarnationError)
            status = HTTPStatus.CONFLICT if is_conflict else HTTPStatus.UNPROCESSABLE_ENTITY
            raise ApiError(status, error.code, str(error)) from error

    return answered  # type: ignore[return-value]  # it takes and answers the same


def plain_request(request: Request) -> HttpRequest:
    """Return Django's request: the framework's own parser changes numbers and refuses odd characters."""
    return request._request  # noqa: SLF001  # its only door


def arguments_of(request: Request) -> Arguments:
    """
    Return what *request* asks for.

    Raises:
        ApiError: It is too long, compressed or not UTF-8.
        JsonRefusedError: It is no JSON object.
    """
    http = plain_request(request)
    _check_headers(http)
    return Arguments(read_document(decode_text(_body(http))))


def _check_headers(http: HttpRequest) -> None:
    encoding = http.headers.get("Content-Encoding", "").strip().lower()
    if encoding not in ("", "identity"):
        message = f"The content encoding {encoding[:40]!r} is not known here. Send plain JSON."
        raise ApiError(HTTPStatus.UNSUPPORTED_MEDIA_TYPE, "unsupported_encoding", message)
    charset = _CHARSET.search(http.headers.get("Content-Type", ""))
    if charset and charset[1].lower() not in ("utf-8", "utf8", "us-ascii"):
        message = f"The charset {charset[1][:40]!r} is declared. A request is UTF-8."
        raise ApiError(HTTPStatus.UNSUPPORTED_MEDIA_TYPE, "utf8_only", message)


def _body(http: HttpRequest) -> bytes:
    declared = http.META.get("CONTENT_LENGTH") or ""
    if declared.isdigit() and int(declared[:20]) > MAX_BODY_BYTES:
        raise _too_large()
    # Django reads nothing of a body that comes in chunks: the server knows where it ends.
    is_chunked = "chunked" in http.META.get("HTTP_TRANSFER_ENCODING", "").lower()
    stream: Any = http.META["wsgi.input"] if is_chunked else http
    data = bytearray()
    while chunk := stream.read(_CHUNK_BYTES):
        data += chunk
        if len(data) > MAX_BODY_BYTES:
            raise _too_large()
    return bytes(data)


def _too_large() -> ApiError:
    message = f"The request is longer than {MAX_BODY_BYTES} bytes. Send less at once."
    return ApiError(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, "too_large", message, limit=MAX_BODY_BYTES)


def workspace_for(request: Request, *, at_least: Role) -> Workspace:
    """Return the workspace of the key; for a person the one that they name, or their only one with that role."""
    viewer: Viewer = request.user
    if isinstance(viewer, KeyHolder):
        return viewer.key.workspace
    slug = request.query_params.get("workspace")
    if slug is not None:
        return get_workspace_for(viewer, slug, at_least=at_least)
    mine = list(Workspace.objects.where_at_least(viewer, at_least)[:2])
    if not mine:
        raise PermissionDenied(f"This needs the role {at_least.label.lower()}.")
    if len(mine) > 1:
        message = "Name one of your workspaces: ?workspace=SLUG."
        raise ApiError(HTTPStatus.UNPROCESSABLE_ENTITY, "workspace_missing", message)
    return mine[0]


def writer_of(request: Request, *, at_least: Role) -> Writer:
    """
    Return who asks: as the occupant whose token the header has, or as an unknown one.

    Raises:
        UnknownIncarnationError: The token is nobody's in this workspace.
    """
    workspace = workspace_for(request, at_least=at_least)
    token = plain_request(request).headers.get(TOKEN_HEADER, "")
    incarnation = incarnation_of_token(workspace=workspace, token=token) if token else None
    return Writer(workspace, incarnation, name_of(request))


def name_of(request: Request) -> str:
    """Return what the asker goes by: the key's name and prefix, or the person's."""
    key = request.auth
    return str(key) if isinstance(key, ApiKey) else str(request.user.get_username())
