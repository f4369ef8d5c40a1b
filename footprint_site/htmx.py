"""The one place that decides whether an answer is a page or a part of it."""

from typing import Any

from django.contrib.auth.models import User
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.cache import patch_vary_headers
from django_htmx.middleware import HtmxDetails


class HtmxHttpRequest(HttpRequest):
    """A request as views see it, after ``HtmxMiddleware``."""

    htmx: HtmxDetails


class SignedInRequest(HtmxHttpRequest):
    """A request behind ``SignInRequiredMiddleware``: as every view sees it that does not opt out."""

    user: User


def render_partial(
    request: HtmxHttpRequest, template_name: str, partial: str, context: dict[str, Any], *, status: int = 200
) -> HttpResponse:
    """
    Render *template_name*, or only its *partial* when htmx asked for a swap.

    A boosted link and a history restore also carry ``HX-Request`` but replace the whole page, so they get all of it.
    """
    htmx = request.htmx
    if htmx and not htmx.boosted and not htmx.history_restore_request:
        template_name = f"{template_name}#{partial}"
    response = render(request, template_name, context, status=status)
    # One URL, two answers: no cache may mix them up.
    patch_vary_headers(response, ["HX-Request", "HX-Boosted", "HX-History-Restore-Request"])
    return response
