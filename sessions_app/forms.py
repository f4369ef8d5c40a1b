"""All untrusted input: the arguments of a request, read from its JSON."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from sessions_app.models.conversation import MAX_TURN
from sessions_app.rawjson import RawMember, read_elements
from sessions_app.services.entries import ID_MAX_LENGTH, EntryDraft, entry_read, is_number
from sessions_app.services.errors import EntryInvalidError
from sessions_app.services.recalling import DEFAULT_LIMIT
from sessions_app.services.stores import DEFAULT_STORE, Place
from sessions_app.services.writing import Identity

MAX_ENTRIES: Final = 10_000


class ArgumentError(Exception):
    """
    An argument that is missing or not to be used.

    Attributes:
        code: A word for programs.
        message: A sentence for people, with the name of the argument.
        limit: What was exceeded, None where nothing was.
    """

    def __init__(self, code: str, message: str, *, limit: int | None = None) -> None:
        super().__init__(message)
        self.code, self.message, self.limit = code, message, limit


class Arguments:
    """
    The members of a request.

    Every method raises `ArgumentError` for what it cannot use.
    """

    def __init__(self, members: Mapping[str, RawMember]) -> None:
        self._members = members

    def _value(self, name: str) -> Any:
        return self._members[name].value if name in self._members else None

    def text(self, name: str) -> str:
        """Return the id *name*: a text of at most `ID_MAX_LENGTH` characters."""
        value = self.text_or_none(name)
        if value is None:
            raise ArgumentError(f"{name}_missing", f"{name} is missing: send it as a text.")
        return value

    def text_or_none(self, name: str) -> str | None:
        """Return the same, None when it is null or left out."""
        return _text(name, self._value(name))

    def identity(self) -> Identity:
        """Return whose conversation it is about."""
        value = self._value("identity")
        if not isinstance(value, dict):
            raise ArgumentError("identity_missing", "identity is an object {tenant?, principal?, conversationId}.")
        if "conversationId" not in value:
            raise ArgumentError("identity_invalid", "identity.conversationId is missing.")
        fields = [_text(f"identity.{name}", value.get(name)) for name in ("conversationId", "principal", "tenant")]
        return Identity(*fields)

    def place(self) -> Place:
        """Return which store of which conversation it is about."""
        store = self.text_or_none("store")
        return Place(self.identity(), DEFAULT_STORE if store is None else store)

    def entry(self) -> EntryDraft:
        """Return the entry that is to be put."""
        if "entry" not in self._members:
            raise ArgumentError("entry_missing", "entry is missing.")
        return _entry("entry", self._members["entry"])

    def entries(self) -> list[EntryDraft]:
        """Return the entries that are to be put, at most `MAX_ENTRIES`."""
        sent = self._members.get("entries")
        if sent is None or not isinstance(sent.value, list):
            raise ArgumentError("entries_missing", "entries is a list.")
        if len(sent.value) > MAX_ENTRIES:
            message = f"entries has more than {MAX_ENTRIES} entries. Send them in several requests."
            raise ArgumentError("too_many_entries", message, limit=MAX_ENTRIES)
        # Each is read once more, by itself: what was read of all of them is let go first.
        sent.value.clear()
        elements = read_elements(sent)
        return [_entry(f"entries[{index}]", element) for index, element in enumerate(elements)]

    def json(self, name: str) -> str:
        """Return the value of *name*, whatever it is, as it was written."""
        if name not in self._members:
            raise ArgumentError(f"{name}_missing", f"{name} is missing.")
        return self._members[name].text

    def number(self, name: str) -> float:
        """Return the finite number *name*."""
        value = self._value(name)
        if not is_number(value) or abs(value) == float("inf"):
            raise ArgumentError(f"{name}_invalid", f"{name} is a number.")
        return value

    def limit(self) -> int:
        """Return how many entries are asked for."""
        value = self._value("limit")
        if value is None:
            return DEFAULT_LIMIT
        if isinstance(value, bool) or not isinstance(value, int) or value < 0:
            raise ArgumentError("limit_invalid", "limit is a whole number from 0 on.")
        return value

    def tiers(self) -> list[str] | None:
        """Return the tiers that are asked for, None for all."""
        value = self._value("tiers")
        if value is not None and not (isinstance(value, list) and all(isinstance(tier, str) for tier in value)):
            raise ArgumentError("tiers_invalid", "tiers is a list of texts.")
        return value

    def cursor(self) -> str | None:
        """Return where to go on. What is no text starts at the first entry, as in the framework's own store."""
        value = self._value("cursor")
        return value if isinstance(value, str) else None

    def turn(self, name: str) -> int | None:
        """Return the turn *name*, a whole number from 1 on, None when it is left out."""
        if name not in self._members:
            return None
        value = self._value(name)
        if isinstance(value, bool) or not isinstance(value, int):
            # An integer of very many digits is read as an infinite number.
            if value == float("inf") and self._members[name].text.isdigit():
                raise _out_of_range(name)
            raise ArgumentError("turn_not_integer", f"{name} is a whole number from 1 on.")
        if not 1 <= value <= MAX_TURN:
            raise _out_of_range(name)
        return value

    def inside(self, name: str) -> Arguments | None:
        """Return the members of the object *name*, None when it is null or left out."""
        value = self._value(name)
        if value is None:
            return None
        if not isinstance(value, dict):
            raise ArgumentError(f"{name}_invalid", f"{name} is an object.")
        return Arguments({key: RawMember(inner, "", 0) for key, inner in value.items()})


def _out_of_range(name: str) -> ArgumentError:
    return ArgumentError("turn_out_of_range", f"{name} is a whole number from 1 to {MAX_TURN}.", limit=MAX_TURN)


def _text(name: str, value: object) -> str | None:
    if value is None:
        return None
    if not isinstance(value, str):
        code = "identity_invalid" if name.startswith("identity.") else f"{name}_invalid"
        raise ArgumentError(code, f"{name} is a text.")
    if len(value) > ID_MAX_LENGTH:
        raise ArgumentError("id_too_long", f"{name} has more than {ID_MAX_LENGTH} characters.", limit=ID_MAX_LENGTH)
    return value


def _entry(name: str, sent: RawMember) -> EntryDraft:
    try:
        return entry_read(sent)
    except EntryInvalidError as error:
        raise ArgumentError(error.code, f"{name}: {error}") from error
