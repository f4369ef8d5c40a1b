"""
Memory over HTTP, one endpoint for each method of the framework's store.

Entries go out as the text that came in, so no answer with one is made by the serializer.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, ClassVar

from django.http import HttpResponse
from rest_framework.request import Request
from rest_framework.views import APIView

from footprint_site.access.audit import audit
from footprint_site.access.models import Role, Scope
from footprint_site.access.principals import KeyHolder, Viewer
from sessions_app.api.asking import arguments_of, refusals_answered, writer_of
from sessions_app.forms import Arguments
from sessions_app.services import memory, recalling
from sessions_app.services.writing import Writer, conversation_find


class MemoryMethod(APIView):
    """``POST {identity, store?, …}``: one method of a store."""

    role: ClassVar[Role]
    scopes: ClassVar[Mapping[str, Scope | None]]

    @refusals_answered
    def post(self, request: Request) -> HttpResponse:
        writer = writer_of(request, at_least=self.role)
        answer = self.answer(writer, arguments_of(request))
        return HttpResponse(answer, content_type="application/json")

    def answer(self, writer: Writer, arguments: Arguments) -> str:
        """Do what is asked, and return the JSON of the answer."""
        raise NotImplementedError


class ReadMethod(MemoryMethod):
    """A method for whoever may read."""

    role = Role.VIEWER
    scopes = {"POST": Scope.READ}


class WriteMethod(MemoryMethod):
    """A method for whoever may send."""

    role = Role.INVESTIGATOR
    scopes = {"POST": Scope.INGEST}


class DeleteMethod(WriteMethod):
    """A method that takes away: of people for admins only, and with an audit line."""

    role = Role.ADMIN
    action: ClassVar[str]

    def answer(self, writer: Writer, arguments: Arguments) -> str:
        self.delete_from(writer, arguments)
        conversation = conversation_find(writer, arguments.identity())
        audit(
            self.action,
            actor=self.request.user,
            target=str(conversation.public_id) if conversation else "nothing",
            workspace=writer.workspace,
            request=self.request,
        )
        return _json({})

    def delete_from(self, writer: Writer, arguments: Arguments) -> None:
        """Take away what is asked."""
        raise NotImplementedError


class Get(ReadMethod):
    """``{id}`` → ``{entry}``. It counts as an access when the asker may also write."""

    def answer(self, writer: Writer, arguments: Arguments) -> str:
        asker: Viewer = self.request.user
        is_counted = isinstance(asker, KeyHolder) and Scope.INGEST in asker.key.scopes
        place, entry_id = arguments.place(), arguments.text("id")
        entry = recalling.memory_get(writer=writer, place=place, entry_id=entry_id, is_counted=is_counted)
        return f'{{"entry":{entry or "null"}}}'


class Put(WriteMethod):
    """``{entry}`` → ``{}``."""

    def answer(self, writer: Writer, arguments: Arguments) -> str:
        memory.memory_put(writer=writer, place=arguments.place(), drafts=[arguments.entry()])
        return _json({})


class PutMany(WriteMethod):
    """``{entries}`` → ``{}``: all or none."""

    def answer(self, writer: Writer, arguments: Arguments) -> str:
        memory.memory_put(writer=writer, place=arguments.place(), drafts=arguments.entries())
        return _json({})


class PutIfVersion(WriteMethod):
    """``{entry, expectedVersion}`` → ``{applied, currentVersion?}``; 0 for an entry that must not be there."""

    def answer(self, writer: Writer, arguments: Arguments) -> str:
        is_applied, version = memory.memory_put_if_version(
            writer=writer,
            place=arguments.place(),
            draft=arguments.entry(),
            expected_version=arguments.number("expectedVersion"),
        )
        current = f',"currentVersion":{version}' if version is not None else ""
        return f'{{"applied":{_json(is_applied)}{current}}}'


class List(ReadMethod):
    """``{cursor?, limit?, tiers?}`` → ``{entries, cursor?}``."""

    def answer(self, writer: Writer, arguments: Arguments) -> str:
        options = arguments.inside("options") or arguments
        page = recalling.memory_list(
            writer=writer,
            place=arguments.place(),
            cursor=options.cursor(),
            limit=options.limit(),
            tiers=options.tiers(),
        )
        cursor = f',"cursor":{_json(page.cursor)}' if page.cursor is not None else ""
        return f'{{"entries":[{",".join(page.entries)}]{cursor}}}'


class Delete(DeleteMethod):
    """``{id}`` → ``{}``."""

    action = "memory_delete"

    def delete_from(self, writer: Writer, arguments: Arguments) -> None:
        memory.memory_delete(writer=writer, place=arguments.place(), entry_id=arguments.text("id"))


class Forget(DeleteMethod):
    """``{}`` → ``{}``: everything in the store."""

    action = "memory_forget"

    def delete_from(self, writer: Writer, arguments: Arguments) -> None:
        memory.memory_forget(writer=writer, place=arguments.place())


class Seen(ReadMethod):
    """``{signature}`` → ``{seen}``."""

    def answer(self, writer: Writer, arguments: Arguments) -> str:
        signature = arguments.text("signature")
        return _json({"seen": recalling.memory_seen(writer=writer, place=arguments.place(), signature=signature)})


class RecordSignature(WriteMethod):
    """``{signature}`` → ``{}``."""

    def answer(self, writer: Writer, arguments: Arguments) -> str:
        signature = arguments.text("signature")
        recalling.memory_record_signature(writer=writer, place=arguments.place(), signature=signature)
        return _json({})


class Feedback(WriteMethod):
    """``{id, usefulness}`` → ``{}``."""

    def answer(self, writer: Writer, arguments: Arguments) -> str:
        recalling.memory_feedback(
            writer=writer,
            place=arguments.place(),
            entry_id=arguments.text("id"),
            usefulness=float(arguments.number("usefulness")),
        )
        return _json({})


class GetFeedback(ReadMethod):
    """``{id}`` → ``{feedback}``: ``{average, count}``, or null for none."""

    def answer(self, writer: Writer, arguments: Arguments) -> str:
        found = recalling.memory_get_feedback(writer=writer, place=arguments.place(), entry_id=arguments.text("id"))
        return _json({"feedback": {"average": found[0], "count": found[1]} if found else None})


def _json(value: Any) -> str:
    return json.dumps(value, separators=(",", ":"))
