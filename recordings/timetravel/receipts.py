"""
Receipts: the fingerprint that a call left of its request, and what it proves.

Source: ``buildReceipt`` and its digests in agentfootprint.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias, overload

import msgspec

from recordings.timetravel.epochs import EpochLocation, epoch_at, read_after_call
from recordings.timetravel.errors import TimeTravelError
from recordings.timetravel.jsontext import NumberText
from recordings.timetravel.jstext import stable_json, well_formed
from recordings.timetravel.merge import SEPARATOR
from recordings.timetravel.recording import Recording
from recordings.timetravel.values import UNDEFINED, Value, is_number, is_object, utf16_length

if TYPE_CHECKING:
    from recordings.timetravel.served import ServedContext

Receipt: TypeAlias = Mapping[str, Value]
Source: TypeAlias = Recording | Mapping[str, Value]
Cause: TypeAlias = Literal["no-receipt-committed", "receipt-shape-rejected"]

_HASH_DIGITS: Final = 16
_BETWEEN_FIELDS: Final = "\x1e"
_BETWEEN_CALL_FIELDS: Final = "\x1d"
_BETWEEN_CALLS: Final = "\x1c"


class EpochNotFoundError(TimeTravelError):
    """No epoch of the recording has the number."""

    code = "epoch_not_found"

    def __init__(self, number: float) -> None:
        self.number = number
        super().__init__(f"No epoch of the recording has the number {number}.")


class Check(msgspec.Struct, frozen=True):
    """What a receipt says about one field of a served context."""

    #: The field, by its name in the gaps.
    row: str
    #: ``verified`` or ``differs``; ``not-on-receipt`` when the receipt does not tell; else the gap because of which
    #: there is nothing to compare.
    state: str
    #: The gaps that leave the field unproven, whatever the state: they say why it may differ, and what a match of what
    #: was recorded does not prove.
    gaps: Sequence[str]


class ReceiptReading(msgspec.Struct, frozen=True):
    """A receipt that can be used, or why there is none."""

    receipt: Receipt | None = None
    cause: Cause | None = None


def locate(recording: Source | EpochLocation, location: EpochLocation | float) -> EpochLocation:
    """
    Return *location* itself, or where the first epoch with that number is.

    Raises:
        EpochNotFoundError: No epoch has the number.
    """
    if isinstance(location, EpochLocation):
        return location
    found = None if isinstance(recording, EpochLocation) else epoch_at(recording, location)
    if found is None:
        raise EpochNotFoundError(location)
    return found


@overload
def receipt_at(location: EpochLocation, /) -> Receipt | None: ...
@overload
def receipt_at(recording: Source, location: EpochLocation | float, /) -> Receipt | None: ...
def receipt_at(*where: Any) -> Receipt | None:
    """
    Return the receipt that the call left, as it was recorded; None when there is none that can be used.

    Args:
        where: A location, or a recording and a location in it or the number of an epoch.

    Raises:
        EpochNotFoundError: No epoch has the number.
    """
    return read_receipt(locate(where[0], where[-1])).receipt


def read_receipt(location: EpochLocation) -> ReceiptReading:
    """Return the receipt at *location*, or why there is none: it is usable when it names its epoch by a number."""
    receipt = read_after_call(location, "receipt")
    if receipt is UNDEFINED:
        return ReceiptReading(cause="no-receipt-committed")
    basis = receipt.get("basis") if is_object(receipt) else None
    epoch = basis.get("epoch") if is_object(basis) else None
    if is_object(receipt) and (is_number(epoch) or isinstance(epoch, NumberText)):
        return ReceiptReading(receipt)
    return ReceiptReading(cause="receipt-shape-rejected")


def receipt_hash(run_id: str, text: str) -> str:
    """Return the digest of *text* in the receipts of the run *run_id*: 16 hex digits."""
    salted = well_formed(run_id + SEPARATOR + text)
    return hashlib.sha256(salted.encode()).hexdigest()[:_HASH_DIGITS]


def message_digest_input(message: Mapping[str, Value]) -> str:
    """Return the text that the digest of a message is taken of. What is absent or null counts as empty."""
    calls = message.get("toolCalls")
    fields = [_text(message.get(name)) for name in ("role", "content", "toolCallId", "toolName")]
    fields.append(_BETWEEN_CALLS.join(map(_call_text, calls)) if isinstance(calls, list) else "")
    fields.append(_json_or_empty(message.get("thinkingBlocks")))
    return _BETWEEN_FIELDS.join(fields)


def tool_digest_input(schema: Value) -> str:
    """Return the text that the digest of a tool's schema is taken of."""
    return stable_json(schema)


def _call_text(call: Value) -> str:
    members = call if is_object(call) else {}
    arguments = stable_json(members["args"]) if "args" in members else ""
    parts = [
        _text(members.get("id")),
        _text(members.get("name")),
        arguments,
        _json_or_empty(members.get("providerMeta")),
    ]
    return _BETWEEN_CALL_FIELDS.join(parts)


def _text(value: Value) -> str:
    if value is None or value is UNDEFINED:
        return ""
    return value if isinstance(value, str) else stable_json(value)


def _json_or_empty(value: Value) -> str:
    return "" if value is None or value is UNDEFINED else stable_json(value)


def verify(served: ServedContext, receipt: Receipt | None) -> list[Check]:
    """
    Hold what is on record as served against what the call said it sent.

    Only what a served context has is compared. What the receipt alone tells (params, cache, measurements) has nothing
    to be held against; the gaps of the served context name it.

    Args:
        served: What was served at the epoch.
        receipt: The receipt of the same epoch; None when there is none.

    Returns:
        One check per field, always the same fields in the same order.
    """
    stated = {} if receipt is None else dict(_stated(receipt))
    shown = dict(_shown(served, stated.get("basis.runId", UNDEFINED)))
    gaps = {row: [gap.gap for gap in served.gaps if row in gap.fields] for row in shown}
    if receipt is None:
        return [Check(row, "no-receipt-on-chart", gaps[row]) for row in shown]
    return [
        Check(row, _state(row, value, stated.get(row, UNDEFINED), served), gaps[row]) for row, value in shown.items()
    ]


def _state(row: str, shown: Value, stated: Value, served: ServedContext) -> str:
    if stated is UNDEFINED or shown is UNDEFINED:
        return "not-on-receipt"
    gaps = {gap.gap for gap in served.gaps}
    if row.startswith("messages.") and "no-conversation-on-record" in gaps:
        return "no-conversation-on-record"
    if row == "tools.forced" and "no-run-log" in gaps:
        return "no-run-log"
    if shown == stated:
        return "verified"
    if row == "tools.schemaHashes" and is_object(stated) and served.tools.forced not in shown:
        # The schema of the forced tool is in no log. The others can be held against the receipt.
        others = {name: digest for name, digest in stated.items() if name != served.tools.forced}
        return "forced-tool-schema" if shown == others else "differs"
    return "differs"


def _shown(served: ServedContext, run_id: Value) -> Iterator[tuple[str, Value]]:
    """Yield each field of *served* in the shape of a receipt; `UNDEFINED` for digests of an unknown run."""

    def digest(text: str) -> Value:
        return receipt_hash(run_id, text) if isinstance(run_id, str) else UNDEFINED

    system, messages, tools = served.system, served.messages, served.tools
    is_salted = isinstance(run_id, str)
    entries = [(message.get("role"), digest(message_digest_input(message))) for message in map(_members, messages)]
    schemas = {_text(schema.get("name")): digest(tool_digest_input(schema)) for schema in map(_members, tools.schemas)}
    yield "epoch", served.epoch
    yield "system.hash", digest(system.text)
    yield "system.chars", utf16_length(system.text)
    pieces = [(digest(piece.text), piece.slot, piece.source) for piece in system.pieces]
    yield "system.pieces", pieces if is_salted else UNDEFINED
    yield "messages.count", len(messages)
    yield "messages.entries", entries if is_salted else UNDEFINED
    yield "messages.requestOnly", served.request_only
    yield "tools.names", tools.names
    yield "tools.schemaHashes", schemas if is_salted else UNDEFINED
    yield "tools.forced", tools.forced
    yield "tools.withheld", tools.withheld


def _stated(receipt: Receipt) -> Iterator[tuple[str, Value]]:
    """Yield each field that *receipt* tells, in the same shapes."""
    parts = {part: _members(receipt.get(part)) for part in ("basis", "system", "messages", "tools")}
    for part, members in parts.items():
        for name, value in members.items():
            yield f"{part}.{name}", value
    yield "epoch", parts["basis"].get("epoch")
    pieces, entries = parts["system"].get("pieces"), parts["messages"].get("entries")
    if isinstance(pieces, list):
        yield "system.pieces", [_picked(piece, "hash", "slot", "source") for piece in pieces]
    if isinstance(entries, list):
        # An entry's key repeats what its digest covers.
        yield "messages.entries", [_picked(entry, "role", "hash") for entry in entries]


def _picked(value: Value, *names: str) -> tuple[Value, ...]:
    members = _members(value)
    return tuple(members.get(name) for name in names)


def _members(value: Value) -> Mapping[str, Value]:
    return value if is_object(value) else {}
