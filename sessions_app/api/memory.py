"""Memory over HTTP, one endpoint for each method of the framework's store: each takes ``{identity, store?, …}``."""

from __future__ import annotations

from typing import ClassVar

from footprint_site.access.audit import audit
from footprint_site.access.models import Role, Scope
from footprint_site.access.principals import KeyHolder, Viewer
from sessions_app.api.methods import ReadMethod, WriteMethod, plain_json
from sessions_app.forms import Arguments
from sessions_app.services import memory, recalling
from sessions_app.services.writing import Writer, conversation_find


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
        return plain_json({})

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
        return plain_json({})


class PutMany(WriteMethod):
    """``{entries}`` → ``{}``: all or none."""

    def answer(self, writer: Writer, arguments: Arguments) -> str:
        memory.memory_put(writer=writer, place=arguments.place(), drafts=arguments.entries())
        return plain_json({})


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
        return f'{{"applied":{plain_json(is_applied)}{current}}}'


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
        cursor = f',"cursor":{plain_json(page.cursor)}' if page.cursor is not None else ""
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
        return plain_json({"seen": recalling.memory_seen(writer=writer, place=arguments.place(), signature=signature)})


class RecordSignature(WriteMethod):
    """``{signature}`` → ``{}``."""

    def answer(self, writer: Writer, arguments: Arguments) -> str:
        signature = arguments.text("signature")
        recalling.memory_record_signature(writer=writer, place=arguments.place(), signature=signature)
        return plain_json({})


class Feedback(WriteMethod):
    """``{id, usefulness}`` → ``{}``."""

    def answer(self, writer: Writer, arguments: Arguments) -> str:
        recalling.memory_feedback(
            writer=writer,
            place=arguments.place(),
            entry_id=arguments.text("id"),
            usefulness=float(arguments.number("usefulness")),
        )
        return plain_json({})


class GetFeedback(ReadMethod):
    """``{id}`` → ``{feedback}``: ``{average, count}``, or null for none."""

    def answer(self, writer: Writer, arguments: Arguments) -> str:
        found = recalling.memory_get_feedback(writer=writer, place=arguments.place(), entry_id=arguments.text("id"))
        return plain_json({"feedback": {"average": found[0], "count": found[1]} if found else None})
