"""What every template may use."""

from typing import Any

from django.contrib.auth.models import User
from django.http import HttpRequest
from django.utils.functional import SimpleLazyObject

from footprint_site.access.models import Membership, Role, Workspace
from footprint_site.theme import theme_of


def site(request: HttpRequest) -> dict[str, Any]:
    """
    Return the reader's theme and rights.

    ``theme`` is ``light``, ``dark``, or ``system`` when they chose none; ``may_upload`` whether there is a workspace
    that they may bring recordings into, ``may_manage`` whether there is one that they manage.
    """
    # Asked for on signed-in pages only, and once.
    roles = SimpleLazyObject(lambda: _roles(request))
    return {
        "theme": theme_of(request),
        "may_upload": SimpleLazyObject(lambda: bool(roles)),
        "may_manage": SimpleLazyObject(lambda: Role.ADMIN in roles),
    }


def _roles(request: HttpRequest) -> set[str]:
    """Return as what the reader may do more than read, anywhere."""
    user = getattr(request, "user", None)
    if not isinstance(user, User):
        return set()
    if user.is_superuser:
        return {Role.ADMIN} if Workspace.objects.exists() else set()
    given = Membership.objects.filter(user=user, is_active=True).exclude(role=Role.VIEWER)
    return set(given.order_by().values_list("role", flat=True).distinct()) if user.is_active else set()
