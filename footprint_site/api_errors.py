"""The one shape of an error in the REST API: ``{"code", "message", "at"?, "limit"?}``."""

from http import HTTPStatus
from typing import Any

from rest_framework.exceptions import APIException

NOT_FOUND = {"code": "not_found", "message": "There is nothing here, or it is not yours to see."}
AWAY = {"code": "database_away", "message": "The database does not answer. Nothing was changed; try again shortly."}
NOT_AUTHENTICATED = {
    "code": "not_authenticated",
    "message": "A valid API key is needed. Send it as “Authorization: Bearer KEY”, never in a URL.",
}
RETRY_AFTER_SECONDS = 2


class ApiError(APIException):
    """
    A refusal with our own code.

    Args:
        status: The HTTP status.
        code: A word for programs.
        message: A sentence for people: what was found, and what to do.
        at: Where in the input: a byte offset.
        limit: The limit that was passed, in the unit that the message names.
    """

    def __init__(
        self, status: HTTPStatus, code: str, message: str, *, at: int | None = None, limit: int | None = None
    ) -> None:
        super().__init__(message, code)
        self.status_code = status
        self.body = error_body(code, message, at=at, limit=limit)


def error_body(code: str, message: str, *, at: int | None = None, limit: int | None = None) -> dict[str, Any]:
    """Return the body of an error; what is not known is left out."""
    body: dict[str, Any] = {"code": code, "message": message}
    if at is not None:
        body["at"] = at
    if limit is not None:
        body["limit"] = limit
    return body
