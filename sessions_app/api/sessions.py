"""Sessions and their occupants over HTTP."""

from __future__ import annotations

from collections.abc import Mapping
from http import HTTPStatus
from uuid import UUID

from django.db.models import Q
from django.shortcuts import get_object_or_404
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from footprint_site.access.models import Role, Scope, Workspace
from footprint_site.access.permissions import get_workspace_for
from footprint_site.access.principals import KeyHolder, Viewer
from footprint_site.api import PathPagination
from sessions_app.api.asking import arguments_of, plain_request, refusals_answered, workspace_for
from sessions_app.api.fields import incarnation_fields, session_detail_fields, session_fields
from sessions_app.forms import Arguments
from sessions_app.models import Incarnation, Session
from sessions_app.services.errors import UnknownAncestorError
from sessions_app.services.sessions import incarnation_close, incarnation_open


class SessionList(APIView):
    """``GET`` and ``POST /api/v1/sessions/``."""

    def get(self, request: Request) -> Response:
        pages = PathPagination()
        rows = Session.objects.visible_to(request.user).for_list()
        page = pages.paginate_queryset(rows, request, view=self)
        return pages.get_paginated_response([session_fields(row) for row in page or []])

    @refusals_answered
    def post(self, request: Request) -> Response:
        workspace = workspace_for(request, at_least=Role.ADMIN)
        arguments = arguments_of(request)
        incarnation, token = incarnation_open(
            workspace=workspace,
            session_id=arguments.text("session_id"),
            forked_from=_ancestor(workspace, arguments.inside("forked_from")),
            actor=request.user,
            request=plain_request(request),
        )
        body = {
            "id": str(incarnation.public_id),
            "session": str(incarnation.session.public_id),
            "session_id": incarnation.session.session_id,
            "number": incarnation.number,
            "token": token,
        }
        # The one answer with a token in it: nobody in between may keep it.
        return Response(body, HTTPStatus.CREATED, headers={"Cache-Control": "no-store"})


class SessionDetail(APIView):
    """``GET /api/v1/sessions/{id}/``; the id of one of its occupants finds it too."""

    def get(self, request: Request, public_id: UUID) -> Response:
        rows = Session.objects.visible_to(request.user).for_list()
        occupants = Incarnation.objects.visible_to(request.user).filter(public_id=public_id)
        rows = rows.filter(Q(public_id=public_id) | Q(pk__in=occupants.values("session")))
        return Response(session_detail_fields(get_object_or_404(rows)))


class IncarnationClose(APIView):
    """``POST …/sessions/{id}/incarnations/{id}/close/``, or without the session: ``{reason}``."""

    scopes: Mapping[str, Scope | None] = {"POST": Scope.INGEST}

    @refusals_answered
    def post(self, request: Request, incarnation_id: UUID, public_id: UUID | None = None) -> Response:
        rows = Incarnation.objects.visible_to(request.user).select_related("workspace", "session")
        if public_id is not None:
            rows = rows.filter(Q(session__public_id=public_id) | Q(public_id=public_id))
        incarnation = get_object_or_404(rows, public_id=incarnation_id)
        viewer: Viewer = request.user
        if not isinstance(viewer, KeyHolder):
            get_workspace_for(viewer, incarnation.workspace.slug, at_least=Role.ADMIN)
        reason = arguments_of(request).text("reason")
        closed = incarnation_close(
            incarnation=incarnation, reason=reason, actor=request.user, request=plain_request(request)
        )
        return Response(incarnation_fields(Incarnation.objects.for_list().get(pk=closed.pk)))


def _ancestor(workspace: Workspace, named: Arguments | None) -> Incarnation | None:
    """Return the occupant that is named as ``{session_id, incarnation}``."""
    if named is None:
        return None
    session_id, incarnation_id = named.text("session_id"), named.text("incarnation")
    try:
        public_id = UUID(incarnation_id)
    except ValueError as error:
        raise UnknownAncestorError from error
    found = Incarnation.objects.filter(workspace=workspace, public_id=public_id).select_related("session").first()
    if found is None or found.session.session_id != session_id:
        raise UnknownAncestorError
    return found
