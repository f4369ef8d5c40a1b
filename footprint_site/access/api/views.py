"""What the holder of a key, or a person, may ask about their own access."""

from collections.abc import Mapping
from typing import Any

from rest_framework.generics import ListAPIView
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.serializers import ModelSerializer
from rest_framework.views import APIView

from footprint_site.access.models import ApiKey, Scope, Workspace
from footprint_site.access.models.workspace import WorkspaceQuerySet


class WorkspaceSerializer(ModelSerializer[Workspace]):
    """A workspace as a program sees it."""

    class Meta:
        model = Workspace
        fields = ["slug", "name", "created_at"]


class WorkspaceList(ListAPIView[Workspace]):
    """``GET /api/v1/workspaces/``: those that the asker may see. A key sees its own."""

    serializer_class = WorkspaceSerializer

    def get_queryset(self) -> WorkspaceQuerySet:
        return Workspace.objects.visible_to(self.request.user)


class Me(APIView):
    """``GET /api/v1/me/``: who the server thinks is asking. Any key may, whatever its scopes."""

    scopes: Mapping[str, Scope | None] = {"GET": None, "HEAD": None}

    def get(self, request: Request) -> Response:
        key = request.auth
        body: dict[str, Any] = {"user": None, "key": None}
        if isinstance(key, ApiKey):
            body["key"] = {
                "name": key.name,
                "prefix": key.prefix,
                "workspace": key.workspace.slug,
                "scopes": key.scopes,
                "expires_at": key.expires_at,
            }
        else:
            body["user"] = request.user.get_username()
        return Response(body)
