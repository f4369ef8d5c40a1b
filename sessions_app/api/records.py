"""Records of sessions over HTTP: what a program keeps by the id of its session, and finds again."""

from __future__ import annotations

from sessions_app.api.methods import ReadMethod, WriteMethod, plain_json
from sessions_app.forms import Arguments
from sessions_app.services.records import session_record_keep, session_record_recall
from sessions_app.services.writing import Writer


class Keep(WriteMethod):
    """``{session_id, name, record}`` → ``{record, kept}``: the first of each occupant stays, and is answered."""

    def answer(self, writer: Writer, arguments: Arguments) -> str:
        record, is_kept = session_record_keep(
            writer=writer,
            session_id=arguments.text("session_id"),
            name=arguments.text("name"),
            body=arguments.json("record"),
        )
        return f'{{"record":{record.body},"kept":{plain_json(is_kept)}}}'


class Recall(ReadMethod):
    """``{session_id, name}`` → ``{record, occupant, separated}``: null for no record that binds whoever asks."""

    def answer(self, writer: Writer, arguments: Arguments) -> str:
        found = session_record_recall(
            writer=writer, session_id=arguments.text("session_id"), name=arguments.text("name")
        )
        body = found.record.body if found.record else "null"
        rest = plain_json({"occupant": found.occupant, "separated": found.is_separated})
        return f'{{"record":{body},{rest[1:]}'
