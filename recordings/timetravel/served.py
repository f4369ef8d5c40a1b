"""
The served context: what the model was handed at an epoch, and what the record cannot prove about it.

Source: ``servedAt`` of agentfootprint's time travel, and its gaps.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final, Literal, TypeAlias

import msgspec

from recordings.timetravel.epochs import EpochLocation, read_at_call, read_run_constant
from recordings.timetravel.receipts import Cause, ReceiptReading, Source, locate, read_receipt
from recordings.timetravel.sent import (
    HISTORY,
    MESSAGES_INJECTIONS,
    SYSTEM_INJECTIONS,
    TOOL_KEYS,
    are_tools_withheld,
    message_as_sent,
    message_of_record,
)
from recordings.timetravel.values import UNDEFINED, Value, is_object

GapName: TypeAlias = Literal[
    "no-fold-base",
    "no-conversation-on-record",
    "no-run-log",
    "no-receipt-on-chart",
    "cache-transform",
    "provider-defaults",
    "forced-tool-schema",
]

_BETWEEN_PIECES: Final = "\n\n"
_SYSTEM_FIELDS: Final = ("system.hash", "system.chars", "system.pieces")
_MESSAGES_FIELDS: Final = ("messages.count", "messages.entries", "messages.requestOnly")
_TOOLS_FIELDS: Final = ("tools.names", "tools.schemaHashes", "tools.forced", "tools.withheld")
_CACHE_FIELDS: Final = ("cache.transform", "cache.transformHash", "cache.markersApplied", "cache.strategy")

#: What each gap leaves unproven.
_GAP_FIELDS: Final[Mapping[GapName, tuple[str, ...]]] = {
    "no-fold-base": (
        *_SYSTEM_FIELDS,
        *_MESSAGES_FIELDS,
        "tools.schemaHashes",
        "tools.names",
        "tools.forced",
        "tools.withheld",
        "epoch",
    ),
    "no-conversation-on-record": _MESSAGES_FIELDS,
    "no-run-log": ("tools.names", "tools.forced", "tools.schemaHashes", "messages.requestOnly"),
    "no-receipt-on-chart": (
        "basis.model",
        "basis.provider",
        "basis.runId",
        "basis.epoch",
        "params",
        *_CACHE_FIELDS,
        "omittedForAttention",
        "requestMeasurement",
    ),
    "cache-transform": (*_CACHE_FIELDS, *_SYSTEM_FIELDS, *_MESSAGES_FIELDS, *_TOOLS_FIELDS),
    "provider-defaults": ("params",),
    "forced-tool-schema": ("tools.schemaHashes",),
}


class SystemPiece(msgspec.Struct, frozen=True):
    """One part of the system text, as one injection gave it."""

    text: str
    #: None when the record does not tell.
    slot: str | None
    source: str | None


class ServedSystem(msgspec.Struct, frozen=True):
    """The system text, and its pieces in order: they are joined by a blank line."""

    text: str
    pieces: list[SystemPiece]


class ServedTools(msgspec.Struct, frozen=True):
    """The tools that were offered."""

    #: The names of the schemas, and of the forced tool.
    names: list[str]
    #: As they were sent. The forced tool's is in no log.
    schemas: list[Value]
    #: The tool that the model had to answer with, None when there is none on record.
    forced: str | None = None
    #: Why there was no tool; None when nothing was withheld.
    withheld: Literal["wrap-up"] | None = None


class ServedBasis(msgspec.Struct, frozen=True):
    """Who was asked, as the receipt says it; None for what it does not say."""

    model: str | None
    provider: str | None
    run_id: str | None


class Gap(msgspec.Struct, frozen=True):
    """Something that the record cannot prove."""

    gap: GapName
    #: The fields of a receipt that it leaves unproven.
    fields: list[str]
    #: Why there is no receipt; None for the other gaps.
    cause: Cause | None = None


class ServedContext(msgspec.Struct, frozen=True):
    """What the model was handed at one epoch."""

    epoch: int | float
    #: `UNDEFINED` when the call's row has no id.
    call_runtime_stage_id: Value
    system: ServedSystem
    #: As they were sent, in order.
    messages: list[Value]
    #: Lines of the request that are in no state. No recording so far holds any.
    request_only: list[Value]
    tools: ServedTools
    #: In the order of the reference; empty when the record proves everything.
    gaps: list[Gap]
    #: None when no receipt could be used.
    basis: ServedBasis | None = None


def served_at(recording: Source, location: EpochLocation | float) -> ServedContext:
    """
    Return what the model was handed at an epoch.

    It costs what the epoch holds: the copies of the conversation in ``messagesInjections`` are read only where there is
    no ``history``.

    Args:
        recording: The recording, or its parsed JSON.
        location: An epoch of it, or the number of one: of several, the first.

    Returns:
        The served context. It shares values with the recording, so it is not to be changed.

    Raises:
        EpochNotFoundError: No epoch has the number.
    """
    location = locate(recording, location)
    messages = _messages(location)
    reading = read_receipt(location)
    forced = forced_tool_of(location)
    return ServedContext(
        epoch=location.epoch,
        call_runtime_stage_id=location.call_runtime_stage_id,
        system=_system(location),
        messages=messages or [],
        request_only=[],
        tools=_tools(location, forced),
        gaps=list(_gaps(location, reading, has_conversation=messages is not None, has_forced=forced is not None)),
        basis=_basis(reading),
    )


def gaps_at(location: EpochLocation, *, has_conversation: bool) -> list[Gap]:
    """
    Return what the record cannot prove about the epoch at *location*, as `served_at` does.

    Args:
        has_conversation: Whether a list on record tells the messages: for who knows, and need not read it again.
    """
    forced = forced_tool_of(location)
    reading = read_receipt(location)
    return list(_gaps(location, reading, has_conversation=has_conversation, has_forced=forced is not None))


def forced_tool_of(location: EpochLocation) -> str | None:
    """Return the tool that the model had to answer with, None when there is none on record."""
    return _text_or_none(read_run_constant(location, "forcedOutputToolName")) or None


def _system(location: EpochLocation) -> ServedSystem:
    pieces = [
        SystemPiece(record["rawContent"], _text_or_none(record.get("slot")), _text_or_none(record.get("source")))
        for record in _records(location, SYSTEM_INJECTIONS) or ()
        if _text_or_none(record.get("rawContent"))
    ]
    return ServedSystem(_BETWEEN_PIECES.join(piece.text for piece in pieces), pieces)


def _messages(location: EpochLocation) -> list[Value] | None:
    """Return the messages as they were sent; None when no list on record tells them."""
    history = read_at_call(location, HISTORY)
    if isinstance(history, list):
        return [message_as_sent(message) for message in history]
    records = _records(location, MESSAGES_INJECTIONS)
    if records is None:
        return None
    return [message for record in records if (message := message_of_record(record)) is not None]


def _tools(location: EpochLocation, forced: str | None) -> ServedTools:
    if are_tools_withheld(location):
        return ServedTools([], [], forced, "wrap-up")
    read = (read_at_call(location, key) for key in TOOL_KEYS)
    schemas: list[Value] = next((value for value in read if isinstance(value, list)), [])
    found = (_text_or_none(schema.get("name")) for schema in schemas if is_object(schema))
    names = [name for name in found if name is not None]
    return ServedTools(names if forced is None or forced in names else [*names, forced], schemas, forced)


def _basis(reading: ReceiptReading) -> ServedBasis | None:
    if reading.receipt is None:
        return None
    basis = reading.receipt["basis"]
    return ServedBasis(*(_text_or_none(basis.get(name)) for name in ("model", "provider", "runId")))


def _gaps(
    location: EpochLocation, reading: ReceiptReading, *, has_conversation: bool, has_forced: bool
) -> Iterator[Gap]:
    if "log-only" in (location.basis, location.run_basis):
        yield _gap("no-fold-base")
    if not has_conversation:
        yield _gap("no-conversation-on-record")
    if not location.has_run_log:
        yield _gap("no-run-log")
    if reading.receipt is None:
        yield _gap("no-receipt-on-chart", reading.cause)
    if not _is_untouched_by_cache(reading):
        yield _gap("cache-transform")
    if reading.receipt is not None:
        yield _gap("provider-defaults")
    if has_forced:
        yield _gap("forced-tool-schema")


def _gap(name: GapName, cause: Cause | None = None) -> Gap:
    return Gap(name, list(_GAP_FIELDS[name]), cause)


def _is_untouched_by_cache(reading: ReceiptReading) -> bool:
    """Whether the receipt says that no cache strategy was at work: by null, which is not the same as nothing."""
    cache = reading.receipt.get("cache") if reading.receipt is not None else None
    return is_object(cache) and cache.get("strategy", UNDEFINED) is None


def _records(location: EpochLocation, key: str) -> list[Mapping[str, Value]] | None:
    """Return the injections under *key* at the call; None when what is there is no list."""
    value = read_at_call(location, key)
    return [record for record in value if is_object(record)] if isinstance(value, list) else None


def _text_or_none(value: Value) -> str | None:
    return value if isinstance(value, str) else None
