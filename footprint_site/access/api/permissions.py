"""What a key's scopes and a person's roles allow."""

from collections.abc import Mapping
from http import HTTPStatus
from typing import TYPE_CHECKING

from rest_framework.permissions import BasePermission
from rest_framework.request import Request

from footprint_site.access.models import Scope
from footprint_site.access.principals import KeyHolder, Viewer
from footprint_site.api_errors import ApiError

if TYPE_CHECKING:
    # DRF reads its settings, and so this module, while it makes the class.
    from rest_framework.views import APIView

#: What a view asks of a key unless it says otherwise in ``scopes``.
DEFAULT_SCOPES: Mapping[str, Scope | None] = {"GET": Scope.READ, "HEAD": Scope.READ}


class HasScope(BasePermission):
    """
    A person who signed in, or a key with the scope that the view names for the method.

    A view states ``scopes``, a mapping of methods to scopes: None lets any key in, and methods it does not name need
    `Scope.INGEST`. What a person may do depends on their role in the workspace that is asked about, which the view
    looks up.
    """

    def has_permission(self, request: Request, view: "APIView") -> bool:
        viewer: Viewer = request.user
        if not isinstance(viewer, KeyHolder):
            return viewer.is_authenticated
        scopes: Mapping[str, Scope | None] = getattr(view, "scopes", DEFAULT_SCOPES)
        needed = scopes.get(request.method or "", Scope.INGEST)
        if needed is not None and needed not in viewer.key.scopes:
            message = f"This key may not do this: it lacks the scope “{needed}”. Ask an admin for a key that has it."
            raise ApiError(HTTPStatus.FORBIDDEN, "scope_missing", message)
        return True
