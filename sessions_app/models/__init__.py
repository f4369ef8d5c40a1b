"""Sessions and their occupants, conversations and their turns, and what was remembered in them."""

from sessions_app.models.conversation import Conversation, Turn
from sessions_app.models.memory import MemoryEntry, MemoryEntryVersion, MemoryFeedback, MemorySignature, MemoryStore
from sessions_app.models.records import Incident, SessionRecord
from sessions_app.models.session import Incarnation, LineageLink, Session

__all__ = [
    "Conversation",
    "Incarnation",
    "Incident",
    "LineageLink",
    "MemoryEntry",
    "MemoryEntryVersion",
    "MemoryFeedback",
    "MemorySignature",
    "MemoryStore",
    "Session",
    "SessionRecord",
    "Turn",
]
