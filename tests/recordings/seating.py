"""Occupants, and recordings that come with their tokens."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Any

from django.utils.html import strip_tags

from recordings.models import Recording
from recordings.services.drafting import Stated
from recordings.services.importing import recording_import
from sessions_app.models import Conversation, Incarnation, MemoryStore, Session
from sessions_app.services.memory import memory_put
from sessions_app.services.sessions import incarnation_open
from sessions_app.services.stores import Place
from sessions_app.services.turns import turn_reserve
from sessions_app.services.writing import Identity, Writer
from tests.people import People
from tests.sessions.material import draft

DANA = Identity("chat-501", principal="dana", tenant="brew")


def run_of(question: str, answer: str, **head: Any) -> dict[str, Any]:
    """A small recording, of one call that answered."""
    history = [{"role": "user", "content": question}, {"role": "assistant", "content": answer}]
    commit = {
        "stage": "call-llm",
        "stageId": "call-llm",
        "runtimeStageId": "call-llm#1",
        "trace": [],
        "overwrite": {"answer": answer},
        "updates": {},
        "redactedPaths": [],
    }
    state = {"history": history[:1], "userMessage": question}
    return {"initialState": state, "commitLog": [commit], "sharedState": {"finalContent": answer}} | head


@dataclass
class Seat:
    """An occupant, with the token that nobody else has."""

    people: People
    incarnation: Incarnation | None
    token: str = ""

    @property
    def session(self) -> Session:
        return self.incarnation.session

    @property
    def url(self) -> str:
        return f"/sessions/{self.session.public_id}/"

    @property
    def writer(self) -> Writer:
        return Writer(self.people.workspace, self.incarnation, "key fp_seat")

    def brings(self, question: str, turn: int | None = 1, identity: Identity = DANA, **more: Any) -> Recording:
        """Import a recording as this occupant's."""
        session_id = more.pop("session_id", "desk-7")
        data = json.dumps(run_of(question, f"answer to {question}", **more)).encode()
        return self.brings_file(data, turn, identity, session_id=session_id)

    def brings_file(self, data: bytes, turn: int | None, identity: Identity, session_id: str = "desk-7") -> Recording:
        """Import a file as this occupant's."""
        stated = Stated(
            session_id=session_id,
            tenant=identity.tenant,
            principal=identity.principal,
            conversation_id=identity.conversation_id,
            turn=turn,
            incarnation=self.token,
        )
        return recording_import(
            workspace=self.people.workspace,
            chunks=[data],
            is_gzip=data.startswith(b"\x1f\x8b"),
            stated=stated,
            actor="tests",
            index_at_once=True,
        ).recording

    def reserves(self, **more: Any) -> int:
        return turn_reserve(writer=self.writer, identity=more.pop("identity", DANA), **more).turn

    def puts(self, *arguments: Any, store: str = "chat", identity: Identity = DANA, **more: Any) -> MemoryStore:
        """Put an entry, as `draft` makes it."""
        place = Place(identity, store)
        memory_put(writer=self.writer, place=place, drafts=[draft(*arguments, **more)])
        return MemoryStore.objects.filter(conversation=self.thread(identity)).latest("pk")

    def thread(self, identity: Identity = DANA) -> Conversation:
        return Conversation.objects.get(
            workspace=self.people.workspace, namespace=identity.namespace, incarnation=self.incarnation
        )

    def thread_url(self, identity: Identity = DANA) -> str:
        return f"/conversations/{self.thread(identity).public_id}/"


def seat(people: People, session_id: str = "desk-7", **more: Any) -> Seat:
    """Open the next occupant of a session."""
    incarnation, token = incarnation_open(workspace=people.workspace, session_id=session_id, actor="alice", **more)
    return Seat(people, incarnation, token)


def nobody(people: People) -> Seat:
    """Somebody without a token."""
    return Seat(people, None)


def words(response: Any) -> str:
    """What a reader reads, each run of white space as one blank."""
    html = re.sub(r"</(?:th|td|dt|dd|li|p|h[1-6])>", r"\g<0> ", response.content.decode())
    return re.sub(r"\s+", " ", strip_tags(html))


def panel(response: Any, label: str) -> str:
    """The words of the section that is labelled by the element *label*."""
    html = response.content.decode()
    found = re.search(rf'<section [^>]*aria-labelledby="{label}".*?</section>', html, re.DOTALL)
    assert found, label
    return re.sub(r"\s+", " ", strip_tags(found[0]))
