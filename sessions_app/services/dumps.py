"""Memory as it is dumped after a conversation: an identity, and entries in stores that the dump labels its own way."""

from __future__ import annotations

from footprint_site.access.models import Workspace
from sessions_app.models import Incarnation
from sessions_app.rawjson import JsonRefusedError, RawMember, decode_text, read_document, read_elements
from sessions_app.services.entries import entry_read
from sessions_app.services.memory import memory_put
from sessions_app.services.stores import Place
from sessions_app.services.writing import Identity, Writer

_FIELDS = ("conversationId", "principal", "tenant")


def memory_dump_import(
    *,
    workspace: Workspace,
    data: bytes,
    store: str,
    actor: str,
    label: str | None = None,
    incarnation: Incarnation | None = None,
) -> int:
    """
    Put the entries of a dump into the store called *store*. Returns how many there are.

    Args:
        workspace: Where the conversation is.
        data: The dump: ``{"identity": {…}, "stores": {LABEL: {"entries": […]}}}``.
        store: What recordings call the memory, such as ``chat``.
        actor: Who is named as the writer.
        label: Which store of the dump; None for the only one, or the one that is labelled as *store*.
        incarnation: The occupant whose memory it is; None for an unknown one.

    Raises:
        JsonRefusedError: It is no dump, or does not say which of its stores is meant.
        EntryInvalidError: One of its entries is none. Nothing is put then.
        StaleIncarnationError: The occupant is closed.
    """
    members = read_document(decode_text(data))
    identity = _identity(members.get("identity"))
    drafts = [
        entry_read(entry) for entry in _entries(members.get("stores"), label or store, is_asked=label is not None)
    ]
    writer = Writer(workspace, incarnation, actor)
    memory_put(writer=writer, place=Place(identity, store), drafts=drafts)
    return len(drafts)


def _identity(found: RawMember | None) -> Identity:
    fields = found.value if found is not None and isinstance(found.value, dict) else {}
    texts = [fields.get(name) for name in _FIELDS]
    if not isinstance(texts[0], str) or not all(text is None or isinstance(text, str) for text in texts):
        raise JsonRefusedError(
            "not_a_dump", "The file is no dump of a memory: it has no identity with a conversationId."
        )
    return Identity(texts[0], principal=texts[1], tenant=texts[2])


def _entries(stores: RawMember | None, label: str, *, is_asked: bool) -> list[RawMember]:
    found = _objects(stores)
    if label not in found and len(found) == 1 and not is_asked:
        (label,) = found
    if label not in found:
        labels = ", ".join(sorted(found)) or "none"
        raise JsonRefusedError("no_store", f"The dump has no store {label!r}. It has: {labels}. Name one with --label.")
    entries = _objects(found[label]).get("entries")
    if entries is None or not isinstance(entries.value, list):
        raise JsonRefusedError("not_a_dump", f"The store {label!r} of the dump has no list of entries.")
    return read_elements(entries)


def _objects(member: RawMember | None) -> dict[str, RawMember]:
    if member is None or not isinstance(member.value, dict):
        return {}
    return read_document(member.text)
