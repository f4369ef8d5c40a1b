"""From refusals of services and forms to the API's one shape of errors."""

from __future__ import annotations

import errno
from collections.abc import Callable
from functools import wraps
from http import HTTPStatus
from typing import Any, NoReturn, TypeVar

from django.forms import Form
from django.http.response import HttpResponseBase
from rest_framework.response import Response

from footprint_site.api_errors import ApiError, error_body
from recordings.blobs import DamagedBlobError
from recordings.ingest.refusals import Problem, Refused

Answer = TypeVar("Answer", bound=Callable[..., HttpResponseBase])
_FULL = {errno.ENOSPC, errno.EDQUOT}


def refusals_answered(view: Answer) -> Answer:
    """Answer what the ingest refuses, and a storage that fails or is damaged, instead of letting it become a 500."""

    @wraps(view)
    def answered(*args: Any, **kwargs: Any) -> HttpResponseBase:
        try:
            return view(*args, **kwargs)
        except Refused as refused:
            return refusal(refused)
        except DamagedBlobError as error:
            return Response(error_body("blob_damaged", str(error)), HTTPStatus.CONFLICT)
        except OSError as error:
            return storage_failure(error)

    return answered  # type: ignore[return-value]  # it takes and answers the same


def refusal(refused: Refused) -> Response:
    """Return the answer to *refused*."""
    body = error_body(refused.code, refused.message, at=refused.at, limit=refused.limit)
    if refused.problems:
        body["problems"] = problems_of(refused)
    return Response(body, int(refused.status))


def problems_of(refused: Refused) -> list[dict[str, Any]]:
    """Return what *refused* found wrong, one or more things."""
    problems = refused.problems or [Problem(refused.code, refused.message, refused.at, None)]
    return [{"code": p.code, "message": p.message, "at": p.at, "path": p.path} for p in problems]


def storage_failure(error: OSError) -> Response:
    """Return the answer when nothing can be stored now."""
    is_full = error.errno in _FULL
    code = "storage_full" if is_full else "storage_failed"
    message = "There is no room to store the recording." if is_full else "The recording could not be stored."
    body = error_body(code, f"{message} Nothing was kept; try again later.")
    return Response(body, HTTPStatus.SERVICE_UNAVAILABLE, headers={"Retry-After": "30"})


def refuse_form(form: Form) -> NoReturn:
    """Refuse the first field of *form* that has an error, by its code and name."""
    name, errors = next(iter(form.errors.as_data().items()))
    message = " ".join(errors[0].messages)
    raise ApiError(HTTPStatus.UNPROCESSABLE_ENTITY, errors[0].code or "invalid", f"{name}: {message}")
