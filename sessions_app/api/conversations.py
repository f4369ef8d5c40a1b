"""Conversations and their turns over HTTP."""

from __future__ import annotations

from collections.abc import Mapping
from http import HTTPStatus
from typing import Final
from uuid import UUID

from django.shortcuts import get_object_or_404
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from footprint_site.access.models import Role, Scope
from footprint_site.api import PathPagination
from footprint_site.api_errors import ApiError
from sessions_app.api.asking import arguments_of, refusals_answered, writer_of
from sessions_app.api.fields import conversation_fields, entry_fields, turn_fields
from sessions_app.models import Conversation, MemoryEntry
from sessions_app.services.texts import Texts, with_versions
from sessions_app.services.turns import turn_reserve

_FILTERS: Final = {"session": "incarnation__session__public_id", "incarnation": "incarnation__public_id"}


class ConversationList(APIView):
    """``GET /api/v1/conversations/?session=&incarnation=``, by their ids here."""

    def get(self, request: Request) -> Response:
        pages = PathPagination()
        rows = Conversation.objects.visible_to(request.user).for_list().filter(**_wanted(request))
        page = pages.paginate_queryset(rows, request, view=self)
        return pages.get_paginated_response([conversation_fields(row) for row in page or []])


class ConversationDetail(APIView):
    """``GET /api/v1/conversations/{id}/``."""

    def get(self, request: Request, public_id: UUID) -> Response:
        conversation = _conversation_for(request, public_id)
        stores = [{"name": store.name, "entries": store.entries.count()} for store in conversation.stores.all()]
        return Response(conversation_fields(conversation) | {"stores": stores})


class TurnPagination(PathPagination):
    """Turns in their order."""

    ordering = "number"


class TurnsOfConversation(APIView):
    """``GET /api/v1/conversations/{id}/turns/``."""

    def get(self, request: Request, public_id: UUID) -> Response:
        conversation = _conversation_for(request, public_id)
        pages = TurnPagination()
        page = pages.paginate_queryset(conversation.turns.all(), request, view=self)
        return pages.get_paginated_response([turn_fields(turn) for turn in page or []])


class EntryPagination(PathPagination):
    """Entries in the order in which their ids first came."""

    ordering = "pk"


class EntriesOfConversation(APIView):
    """``GET /api/v1/conversations/{id}/entries/``: all of them, expired ones and earlier versions included."""

    def get(self, request: Request, public_id: UUID) -> Response:
        conversation = _conversation_for(request, public_id)
        rows = MemoryEntry.objects.filter(workspace=conversation.workspace, store__conversation=conversation)
        pages = EntryPagination()
        page = pages.paginate_queryset(with_versions(rows), request, view=self) or []
        texts = Texts(page)
        return pages.get_paginated_response([entry_fields(row, texts) for row in page])


class TurnReserve(APIView):
    """``POST /api/v1/turns/``: ``{identity, host_turn?, run_id?}`` → ``{turn, replayed}``."""

    scopes: Mapping[str, Scope | None] = {"POST": Scope.INGEST}

    @refusals_answered
    def post(self, request: Request) -> Response:
        writer = writer_of(request, at_least=Role.INVESTIGATOR)
        arguments = arguments_of(request)
        reserved = turn_reserve(
            writer=writer,
            identity=arguments.identity(),
            host_turn=arguments.turn("host_turn"),
            run_id=arguments.text_or_none("run_id"),
        )
        status = HTTPStatus.OK if reserved.is_replayed else HTTPStatus.CREATED
        return Response({"turn": reserved.turn, "replayed": reserved.is_replayed}, status)


def _wanted(request: Request) -> dict[str, UUID]:
    """Return the filters that are asked for as fields of the table. Raises `ApiError` for any other."""
    unknown = set(request.query_params) - {*_FILTERS, "cursor"}
    if unknown:
        message = f"There is no filter {', '.join(sorted(unknown))}. There are: {', '.join(_FILTERS)}."
        raise ApiError(HTTPStatus.BAD_REQUEST, "unknown_filter", message)
    wanted = {}
    for name, field in _FILTERS.items():
        if name in request.query_params:
            try:
                wanted[field] = UUID(request.query_params[name])
            except ValueError as error:
                message = f"{name} is the id of one here, a UUID."
                raise ApiError(HTTPStatus.UNPROCESSABLE_ENTITY, f"{name}_invalid", message) from error
    return wanted


def _conversation_for(request: Request, public_id: UUID) -> Conversation:
    rows = Conversation.objects.visible_to(request.user).for_list()
    return get_object_or_404(rows, public_id=public_id)
