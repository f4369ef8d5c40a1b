"""What every template may use."""

from typing import Any

from django.contrib.auth.models import User
from django.http import HttpRequest
from django.utils.functional import SimpleLazyObject

from footprint_site.access.models import Role, Workspace
from footprint_site.theme import theme_of


def site(request: HttpRequest) -> dict[str, Any]:
    """
    Return the reader's theme and rights.

    ``theme`` is ``light``, ``dark``, or ``system`` when they chose none; ``may_upload`` whether there is a workspace
    that they may bring recordings into.
    """
    # Asked for on signed-in pages only.
    return {"theme": theme_of(request), "may_upload": SimpleLazyObject(lambda: _may_upload(request))}


def _may_upload(request: HttpRequest) -> bool:
    user = getattr(request, "user", None)
    return isinstance(user, User) and Workspace.objects.where_at_least(user, Role.INVESTIGATOR).exists()
