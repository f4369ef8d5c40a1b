"""What every template may use."""

from typing import Any

from django.http import HttpRequest

from footprint_site.theme import theme_of


def site(request: HttpRequest) -> dict[str, Any]:
    """Return the reader's theme: ``light``, ``dark``, or ``system`` when they chose none."""
    return {"theme": theme_of(request)}
