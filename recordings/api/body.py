"""The body of an upload, as it arrives."""

from __future__ import annotations

import re
from collections.abc import Iterator
from http import HTTPStatus
from typing import Final

from django.conf import settings
from django.http import HttpRequest
from rest_framework.request import Request

from footprint_site.api_errors import ApiError
from recordings.ingest.receive import too_large

_CHUNK_BYTES: Final = 1 << 16
_CHARSET: Final = re.compile(r'charset\s*=\s*"?([^\s;"]+)', re.IGNORECASE)


def plain_request(request: Request) -> HttpRequest:
    """Return Django's request: the framework's own parsers are not made for recordings."""
    return request._request  # noqa: SLF001  # its only door


def body_chunks(request: HttpRequest) -> Iterator[bytes]:
    """
    Yield the body of *request*.

    Raises:
        Refused: Its declared length is over the limit; then not a byte of it is read.
    """
    declared = request.META.get("CONTENT_LENGTH") or ""
    if declared.isdigit() and int(declared) > settings.RECORDING_MAX_WIRE_BYTES:
        raise too_large(settings.RECORDING_MAX_WIRE_BYTES)
    # Django reads as much as was declared, and nothing of a body that comes in chunks: the server knows where it ends.
    is_chunked = "chunked" in request.META.get("HTTP_TRANSFER_ENCODING", "").lower()
    stream = request.META["wsgi.input"] if is_chunked else request
    return iter(lambda: stream.read(_CHUNK_BYTES), b"")


def is_gzip(request: HttpRequest) -> bool:
    """Whether the body is compressed for transport. Raises `ApiError` for an encoding that is not known."""
    encoding = request.headers.get("Content-Encoding", "").strip().lower()
    if encoding in ("", "identity"):
        return False
    if encoding in ("gzip", "x-gzip"):
        return True
    message = f"The content encoding {encoding[:40]!r} is not known. Send plain JSON or gzip."
    raise ApiError(HTTPStatus.UNSUPPORTED_MEDIA_TYPE, "unsupported_encoding", message)


def check_charset(request: HttpRequest) -> None:
    """Raise `ApiError` for a content type that declares anything but UTF-8."""
    match = _CHARSET.search(request.headers.get("Content-Type", ""))
    if match and match[1].lower() not in ("utf-8", "utf8", "us-ascii"):
        message = f"The charset {match[1][:40]!r} is declared. A recording is UTF-8."
        raise ApiError(HTTPStatus.UNSUPPORTED_MEDIA_TYPE, "utf8_only", message)
