"""
The context of every epoch of a recording, as pieces and the spans in which they were served.

One pass over the logs: what an epoch shares with the one before is not looked at again.
"""

from __future__ import annotations

from weakref import WeakKeyDictionary

import msgspec

from recordings.timetravel.epochs import EpochLocation
from recordings.timetravel.keyreader import KeyReader
from recordings.timetravel.lanemessages import LaneMessages, SlotState
from recordings.timetravel.lanes import epochs_of_lane, lanes
from recordings.timetravel.offered import LaneTools, note_reasons
from recordings.timetravel.piecemaker import PieceMaker
from recordings.timetravel.pieces import SLOTS, Piece, number_keys, piece_id
from recordings.timetravel.places import Places
from recordings.timetravel.presence import Presence, SlotPresences
from recordings.timetravel.recording import Recording
from recordings.timetravel.sent import SYSTEM_INJECTIONS
from recordings.timetravel.system import system_parts
from recordings.timetravel.values import REDACTED, Value


class EpochSlots(msgspec.Struct):
    """How each slot of one epoch could be read."""

    position: int
    lane: str
    system: SlotState
    messages: SlotState
    tools: SlotState


class Context(msgspec.Struct):
    """All that was served in a recording."""

    #: By lane and slot, in their order there.
    presences: list[Presence]
    #: By position.
    epochs: dict[int, EpochSlots]

    @property
    def pieces(self) -> list[Piece]:
        """Every piece once."""
        return list({id(presence.piece): presence.piece for presence in self.presences}.values())

    def at(self, position: int) -> list[Presence]:
        """Return what was served at the epoch at *position*, in the order of the request; empty when there is none."""
        epoch = self.epochs.get(position)
        if epoch is None:
            return []
        found = [p for p in self.presences if p.lane == epoch.lane and p.first <= position <= p.last]
        return sorted(found, key=lambda presence: (SLOTS.index(presence.slot), presence.order))


_contexts: WeakKeyDictionary[Recording, Context] = WeakKeyDictionary()


def context_of(recording: Recording) -> Context:
    """Return the pieces and presences of *recording*, found once."""
    if recording not in _contexts:
        places = Places(recording)
        presences: list[Presence] = []
        epochs: list[EpochSlots] = []
        for lane in lanes(recording):
            builder = _LaneContext(recording, places, lane)
            epochs += [builder.follow(location) for location in epochs_of_lane(recording, lane)]
            presences += builder.finish()
        _contexts[recording] = Context(presences, {epoch.position: epoch for epoch in epochs})
    return _contexts[recording]


class _LaneContext:
    """Builds the presences of one lane, epoch by epoch."""

    def __init__(self, recording: Recording, places: Places, lane: str) -> None:
        self._recording = recording
        self._lane = lane
        self._make = PieceMaker(recording, places, lane)
        self._slots = {slot: SlotPresences(lane, slot) for slot in SLOTS}
        self._system = KeyReader(SYSTEM_INJECTIONS)
        self._messages = LaneMessages(recording)
        self._tools = LaneTools()

    def follow(self, location: EpochLocation) -> EpochSlots:
        """Note what was served at *location*."""
        return EpochSlots(
            location.position,
            self._lane,
            self._follow_system(location),
            self._follow_messages(location),
            self._follow_tools(location),
        )

    def finish(self) -> list[Presence]:
        """Return the presences, slot by slot."""
        return [presence for slot in SLOTS for presence in self._slots[slot].finish()]

    def _follow_system(self, location: EpochLocation) -> SlotState:
        slot = self._slots["system-prompt"]
        records, is_same = self._system.read(location.source, location.call_index)
        if is_same:
            slot.serve([], location.position, slot.n_current)
        elif isinstance(records, list):
            landed = self._make.place(location, self._system.row)
            parts = system_parts(self._recording, location, records)
            pieces = [self._make.system_piece(part, number, location, landed) for number, part in enumerate(parts)]
            self._serve(slot, pieces, location.position)
        else:
            slot.serve([], location.position)
        return _state_of(records)

    def _follow_messages(self, location: EpochLocation) -> SlotState:
        slot = self._slots["messages"]
        served = self._messages.at(location)
        pieces = []
        for message in served.messages[served.n_same :]:
            if message.piece is None:
                message.piece = self._make.message_piece(message, served, location)
            pieces.append(message.piece)
        slot.serve(pieces, location.position, served.n_same)
        return served.state

    def _follow_tools(self, location: EpochLocation) -> SlotState:
        slot = self._slots["tools"]
        offered = self._tools.at(location)
        if offered.is_same:
            slot.serve([], location.position, slot.n_current)
        else:
            landed = self._make.place(location, offered.row)
            pieces = [self._make.tool_piece(schema, number, landed) for number, schema in enumerate(offered.schemas)]
            self._serve(slot, pieces, location.position)
        for piece in slot.current:
            note_reasons(piece.sources, offered.reasons.get(piece.tool_name or "", ()), location.position)
            _name_source(piece)
        return offered.state

    def _serve(self, slot: SlotPresences, pieces: list[Piece], position: int) -> None:
        """Serve *pieces*, with those that were there before, by key and text, in the place of their likes."""
        before = {piece.key: piece for piece in slot.current}
        known = [before.get(piece.key) for piece in number_keys(pieces)]
        stayed = [
            old if old is not None and _is_same(old, piece) else piece for old, piece in zip(known, pieces, strict=True)
        ]
        for piece in stayed:
            if not piece.id:
                piece.id = piece_id(self._recording.sha256, self._lane, piece.key, piece.birth)
        slot.serve(stayed, position)


def _is_same(old: Piece, new: Piece) -> bool:
    """Whether *new*, which has the key of *old*, is still the same piece."""
    return old.text == new.text and old.starts_record == new.starts_record


def _name_source(piece: Piece) -> None:
    """Call a tool after the first reason why it was offered: the registry's, when it was offered anyway."""
    first = next((s for s in piece.sources if s.source == "registry"), piece.sources[0] if piece.sources else None)
    if first is not None:
        piece.source, piece.source_id, piece.reason = first.source, first.source_id, first.reason


def _state_of(value: Value) -> SlotState:
    if isinstance(value, list):
        return "recorded"
    return "redacted" if value == REDACTED else "absent"
