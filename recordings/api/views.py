"""Recordings over HTTP: sent, listed, fetched, deleted."""

from __future__ import annotations

from collections.abc import Mapping
from http import HTTPStatus
from typing import Any
from uuid import UUID

from django.core.exceptions import PermissionDenied
from django.http import HttpResponse
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from footprint_site.access.audit import audit
from footprint_site.access.models import Role, Scope, Workspace
from footprint_site.access.permissions import get_workspace_for
from footprint_site.access.principals import KeyHolder, Viewer
from footprint_site.api import PathPagination
from footprint_site.api_errors import ApiError
from recordings.api.body import body_chunks, check_charset, is_gzip, plain_request
from recordings.api.errors import problems_of, refusals_answered, refuse_form
from recordings.api.fields import epoch_fields, recording_fields, refused_fields
from recordings.forms import ListForm, StatedForm
from recordings.ingest.refusals import Refused
from recordings.models import Recording
from recordings.models.recording import id_key
from recordings.reads import get_recording_for
from recordings.services.deleting import recording_delete
from recordings.services.importing import recording_import
from recordings.services.stored import bytes_of


class RecordingList(APIView):
    """``GET`` and ``POST /api/v1/recordings/``."""

    def get(self, request: Request) -> Response:
        form = ListForm(request.query_params)
        if form.unknown():
            known = ", ".join(sorted(form.fields))
            message = f"There is no filter {', '.join(form.unknown())}. There are: {known}."
            raise ApiError(HTTPStatus.BAD_REQUEST, "unknown_filter", message)
        if not form.is_valid():
            refuse_form(form)
        rows = Recording.objects.visible_to(request.user).select_related("workspace", "earlier_leg", "incarnation")
        pages = PathPagination()
        page = pages.paginate_queryset(rows.filter(**_wanted(form)), request, view=self)
        return pages.get_paginated_response([recording_fields(row) for row in page or []])

    @refusals_answered
    def post(self, request: Request) -> Response:
        form = StatedForm(request.query_params)
        if not form.is_valid():
            refuse_form(form)
        http = plain_request(request)
        check_charset(http)
        is_dry_run, workspace = form.cleaned_data["dry_run"], _workspace_to_send_to(request)
        chunks, is_compressed = body_chunks(http), is_gzip(http)
        try:
            imported = recording_import(
                workspace=workspace,
                chunks=chunks,
                is_gzip=is_compressed,
                stated=form.stated(incarnation=http.headers.get("Footprint-Incarnation", "")),
                actor=request.user,
                request=http,
                is_dry_run=is_dry_run,
            )
        except Refused as refused:
            if not is_dry_run:
                raise
            # To look is to be told, so this is no failure.
            return Response(refused_fields(workspace, refused.message) | {"problems": problems_of(refused)})
        body = recording_fields(imported.recording, replayed=not imported.is_new)
        if is_dry_run:
            return Response(body | {"id": None, "problems": imported.problems})
        return Response(body, HTTPStatus.CREATED if imported.is_new else HTTPStatus.OK)


def _wanted(form: ListForm) -> dict[str, Any]:
    """Return the filters of *form* as fields of the table."""
    cleaned = form.cleaned_data
    wanted = {name: cleaned[name] for name in ("status", "outcome", "turn") if cleaned[name]}
    for name, field in (("conversation", "thread__public_id"), ("incarnation", "incarnation__public_id")):
        if cleaned[name] is not None:
            wanted[field] = cleaned[name]
    for name in ("session", "conversation", "run", "engine_run"):
        if cleaned[f"{name}_id"] is not None:
            wanted[f"{name}_key"] = id_key(cleaned[f"{name}_id"])
    return wanted


def _workspace_to_send_to(request: Request) -> Workspace:
    """Return the workspace of the key; for a person the one that they name, or their only one."""
    viewer: Viewer = request.user
    if isinstance(viewer, KeyHolder):
        return viewer.key.workspace
    slug = request.query_params.get("workspace")
    if slug is not None:
        return get_workspace_for(request.user, slug, at_least=Role.INVESTIGATOR)
    mine = list(Workspace.objects.where_at_least(request.user, Role.INVESTIGATOR)[:2])
    if not mine:
        raise PermissionDenied("Sending recordings needs the role investigator.")
    if len(mine) > 1:
        raise ApiError(
            HTTPStatus.UNPROCESSABLE_ENTITY, "workspace_missing", "Name one of your workspaces: ?workspace=SLUG."
        )
    return mine[0]


class RecordingDetail(APIView):
    """``GET`` and ``DELETE /api/v1/recordings/{id}/``."""

    def get(self, request: Request, public_id: UUID) -> Response:
        return Response(recording_fields(get_recording_for(request.user, public_id)))

    def delete(self, request: Request, public_id: UUID) -> Response:
        recording = get_recording_for(request.user, public_id)
        _require_admin(request, recording)
        gone = recording_delete(recording=recording, actor=request.user, request=plain_request(request))
        return Response({"deleted": gone})


class RecordingRaw(APIView):
    """``GET /api/v1/recordings/{id}/raw/``: the bytes, for admins and for keys that may send."""

    scopes: Mapping[str, Scope | None] = {"GET": Scope.INGEST, "HEAD": Scope.INGEST}

    @refusals_answered
    def get(self, request: Request, public_id: UUID) -> HttpResponse:
        recording = get_recording_for(request.user, public_id)
        if request.auth is None:
            _require_admin(request, recording)
        data = bytes_of(recording)
        audit(
            "recording_raw", actor=request.user, target=str(public_id), workspace=recording.workspace, request=request
        )
        return HttpResponse(
            data,
            content_type="application/octet-stream",
            headers={
                "Content-Disposition": f'attachment; filename="recording-{public_id}.json"',
                "Content-Security-Policy": "sandbox; default-src 'none'",
            },
        )


class EpochPagination(PathPagination):
    """Epochs in the order of the run."""

    ordering = "position"


class EpochList(APIView):
    """``GET /api/v1/recordings/{id}/epochs/``."""

    def get(self, request: Request, public_id: UUID) -> Response:
        recording = get_recording_for(request.user, public_id)
        pages = EpochPagination()
        page = pages.paginate_queryset(recording.epochs.all(), request, view=self)
        return pages.get_paginated_response([epoch_fields(epoch, recording) for epoch in page or []])


def _require_admin(request: Request, recording: Recording) -> None:
    if request.auth is not None:
        raise PermissionDenied("This needs an admin who is signed in.")
    get_workspace_for(request.user, recording.workspace.slug, at_least=Role.ADMIN)
