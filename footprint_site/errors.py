"""Pages and JSON bodies for what went wrong outside a view."""

import sys

from django.contrib.auth.decorators import login_not_required
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.template.loader import render_to_string

from footprint_site.api_errors import AWAY, NOT_FOUND, RETRY_AFTER_SECONDS, error_body
from footprint_site.away import is_database_away
from footprint_site.theme import theme_of


def _is_api(request: HttpRequest) -> bool:
    return request.path.startswith("/api/")


@login_not_required
def bad_request(request: HttpRequest, exception: Exception) -> HttpResponse:
    """400: Django refused the request before any view saw it."""
    if _is_api(request):
        return JsonResponse(
            error_body("malformed", "The request cannot be read. Check its address and headers."), status=400
        )
    return _page(request, 400)


@login_not_required
def permission_denied(request: HttpRequest, exception: Exception) -> HttpResponse:
    """403: a member without the role."""
    return render(request, "403.html", {"reason": str(exception)}, status=403)


@login_not_required
def csrf_failure(request: HttpRequest, reason: str = "") -> HttpResponse:
    """403: a form without, or with a stale, token of ours."""
    return render(request, "403_csrf.html", status=403)


@login_not_required
def not_found(request: HttpRequest, exception: Exception) -> HttpResponse:
    """404: nothing here, or nothing of the reader's; the same words for both."""
    if _is_api(request):
        return JsonResponse(NOT_FOUND, status=404)
    return render(request, "404.html", status=404)


@login_not_required
def server_error(request: HttpRequest) -> HttpResponse:
    """500, or 503 when the database is away. Uses neither the database nor the session: they may be what broke."""
    is_away = is_database_away(sys.exc_info()[1])
    if _is_api(request):
        unknown = error_body("internal", "Something went wrong on our side. It was logged; nothing was half done.")
        response: HttpResponse = JsonResponse(AWAY if is_away else unknown, status=503 if is_away else 500)
    else:
        response = _page(request, 503 if is_away else 500)
    if is_away:
        response["Retry-After"] = str(RETRY_AFTER_SECONDS)
    return response


def _page(request: HttpRequest, status: int) -> HttpResponse:
    return HttpResponse(render_to_string(f"{status}.html", {"theme": theme_of(request)}), status=status)
