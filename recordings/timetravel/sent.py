"""From what stands in state to what was sent: the few rules that turn recorded values into parts of a request."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from recordings.timetravel.epochs import EpochLocation, read_at_call
from recordings.timetravel.values import Value, is_object

HISTORY: Final = "history"
SYSTEM_INJECTIONS: Final = "systemPromptInjections"
MESSAGES_INJECTIONS: Final = "messagesInjections"
#: Where the schemas of the tools stand: the first that is a list was offered.
TOOL_KEYS: Final = ("dynamicToolSchemas", "toolSchemas")
WRAP_UP: Final = "wrapUpAsked"
#: Members that the framework keeps on a message for itself.
_NOT_SENT: Final = frozenset({"injectedBy", "notDispatched"})


def message_as_sent(message: Value) -> Value:
    """Return *message* without what state says about it and the model never sees."""
    if not is_object(message) or _NOT_SENT.isdisjoint(message):
        return message
    return {name: value for name, value in message.items() if name not in _NOT_SENT}


def message_of_record(record: Mapping[str, Value]) -> dict[str, str] | None:
    """Return the message that a record of the messages slot stands for; None for one that is empty."""
    content = record.get("rawContent")
    if not isinstance(content, str):
        # The summary is cut short: it is better than nothing, not better than an empty text.
        content = record.get("contentSummary")
    role = record.get("asRole")
    if not isinstance(content, str) or not content:
        return None
    return {"role": role if isinstance(role, str) and role else "user", "content": content}


def are_tools_withheld(location: EpochLocation) -> bool:
    """Whether tools were taken away: at the last call of a turn that ran out of its budget."""
    return read_at_call(location, WRAP_UP) is True
