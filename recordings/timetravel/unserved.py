"""
What a call could have been served and was not: rejected passages, messages that left the window, and injections that
were deferred or inactive.

Retrieval and the window stand in the lane's log, delivery in the log of the call.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final, Literal, TypeAlias
from weakref import WeakKeyDictionary

import msgspec

from recordings.timetravel.callevents import Payload, call_events, member, text_or_none
from recordings.timetravel.epochs import EpochLocation, all_epoch_locations, read_at_call
from recordings.timetravel.lanes import execution_index
from recordings.timetravel.lanewindow import LaneWindow, WindowMessage, lane_window
from recordings.timetravel.places import BASE, Place, Places, log_name_of
from recordings.timetravel.recording import Recording
from recordings.timetravel.values import Value, is_number, is_object

Kind: TypeAlias = Literal["retrieved", "evicted", "deferred", "inactive"]

_EVIDENCE: Final = "retrievalEvidence_"
_DELIVERY: Final = "messagesDelivery"
_INJECTIONS: Final = "activeInjections"


class NotServed(msgspec.Struct, frozen=True):
    """Something that was there and did not reach a call."""

    kind: Kind
    #: Of the document, the injection, or the tool call whose result it is; the hash of its content where that is all
    #: an event tells. None where it has none.
    id: str | None
    #: The code that the recording gives; for a message the window strategy. None where it gives none.
    reason: str | None
    #: None where the recording does not hold it, as with every rejected passage.
    text: str | None
    #: The commit that wrote it, or, without a text, that tells of it. None where only an event does.
    origin: Place | None
    #: What the recording says beside the code: a note, a description, the reason that an event gives.
    note: str | None = None
    #: Of a passage: its score, its place in the ranking from 1, what its score had to reach, and the memory.
    score: int | float | None = None
    rank: int | float | None = None
    threshold: int | float | None = None
    memory_id: str | None = None
    #: Of a message.
    role: str | None = None
    #: The position of the first epoch that it was missing from since; None for what left before this recording.
    since: int | None = None
    #: How many messages it stands for: more than one where the recording only counts them; None where it does not.
    n_messages: int | None = 1


def not_served_at(recording: Recording, location: EpochLocation) -> list[NotServed]:
    """
    Return what the call at *location*, one of `all_epoch_locations`, was not served although it was there.

    A message that left the window is named at every epoch from then on.
    """
    lane = _lane_of(recording, location)
    end, call = lane.end(location), execution_index(location.call_runtime_stage_id)
    return [
        *_retrieved(lane, location),
        *(gone for row, gone in lane.evictions if row < end),
        *(gone for index, gone in lane.told_by_events if index < call),
        *_deferred(lane, location),
        *_inactive(recording, location),
    ]


class _Lane:
    """One lane's window, and what left it, found once."""

    def __init__(self, recording: Recording, window: LaneWindow, locations: Sequence[EpochLocation]) -> None:
        self.window = window
        self._places = Places(recording)
        self._lane = locations[0].lane
        #: The row before which each epoch stands, and its position.
        self._ends = [(self.end(location), location.position) for location in locations]
        self._calls = [(execution_index(location.call_runtime_stage_id), location.position) for location in locations]
        events = call_events(recording).evictions.get(self._lane, ())
        self._event_reasons = {stage: text_or_none(member(payload, "reason")) for stage, payload in events}
        #: By the row that took them out, and by the execution for those that only events tell of.
        self.evictions = list(self._find())
        known = {self._stage(row) for row, _ in self.evictions}
        self.told_by_events = [
            (execution_index(stage), self._told(stage, payload)) for stage, payload in events if stage not in known
        ]

    def end(self, location: EpochLocation) -> int:
        """Return the row of the lane's log that the call stands before; the end of a log that does not hold it."""
        row = self.window.row_of(location)
        return self.window.log.length if row is None else row

    def place(self, row: int) -> Place:
        """Return the place of row *row* of the lane's log."""
        return self._places.place(self.window.log, self.window.log_name, row, self._lane)

    def call_place(self, location: EpochLocation, key: str) -> Place:
        """Return the place in the call's log of the commit that wrote *key* last before the call."""
        row = location.source.last_row(key, location.call_index)
        return self._places.place(location.source, log_name_of(location), row, self._lane)

    def _find(self) -> Iterator[tuple[int, NotServed]]:
        left: dict[int, list[WindowMessage]] = {}
        for message in self.window.messages:
            if message.left_at is not None:
                left.setdefault(message.left_at, []).append(message)
        compactions = _compactions(self.window)
        for row in sorted({*left, *compactions}):
            entries = compactions.get(row, [])
            reason = text_or_none(entries[-1].get("strategy")) if entries else None
            gone = [self._message(row, m.message.value, reason, self.place(m.message.row)) for m in left.get(row, ())]
            for entry in entries:
                gone += self._only_on_record(row, entry, len(gone))
            yield from ((row, item) for item in gone)

    def _only_on_record(self, row: int, entry: Value, n_seen: int) -> Iterator[NotServed]:
        """Yield what *entry* says it removed beyond the *n_seen* messages that were seen to leave."""
        reason = text_or_none(entry.get("strategy"))
        spans = self.window.log.value_at("foldedSpans", row) if not n_seen else None
        for span in spans if isinstance(spans, list) else ():
            same = is_object(span) and all(span.get(key) == entry.get(key) for key in ("iteration", "removedStageIds"))
            if same and isinstance(span.get("messages"), list):
                yield from (self._message(row, message, reason, self.place(row)) for message in span["messages"])
                return
        count = entry.get("removedMessageCount")
        n_missing = max(0, int(count) - n_seen) if is_number(count) else None
        if n_missing or (n_missing is None and not n_seen):
            since, note = self._since(row), self._event_reasons.get(self._stage(row))
            yield NotServed("evicted", None, reason, None, self.place(row), note, since=since, n_messages=n_missing)

    def _message(self, row: int, message: Value, reason: str | None, origin: Place) -> NotServed:
        members = message if is_object(message) else {}
        return NotServed(
            "evicted",
            text_or_none(members.get("toolCallId")),
            reason,
            text_or_none(members.get("content")),
            origin,
            self._event_reasons.get(self._stage(row)),
            role=text_or_none(members.get("role")),
            since=self._since(row),
        )

    def _told(self, stage: str, payload: Payload) -> NotServed:
        since = next((position for call, position in self._calls if call > execution_index(stage)), None)
        content_hash, reason = member(payload, "contentHash"), member(payload, "reason")
        return NotServed("evicted", text_or_none(content_hash), text_or_none(reason), None, None, since=since)

    def _since(self, row: int) -> int | None:
        return None if row == BASE else next((position for end, position in self._ends if end > row), None)

    def _stage(self, row: int) -> str:
        return "" if row == BASE else str(self.window.log.rows[row].runtime_stage_id)


_lanes: WeakKeyDictionary[Recording, dict[LaneWindow, _Lane]] = WeakKeyDictionary()


def _lane_of(recording: Recording, location: EpochLocation) -> _Lane:
    lanes = _lanes.setdefault(recording, {})
    window = lane_window(recording, location)
    if window not in lanes:
        locations = [other for other in all_epoch_locations(recording) if lane_window(recording, other) is window]
        lanes[window] = _Lane(recording, window, locations)
    return lanes[window]


def _compactions(window: LaneWindow) -> dict[int, list[Value]]:
    """Return what a window strategy wrote about its removals, by the row that wrote it; `BASE` for earlier ones."""
    found: dict[int, list[Value]] = {}
    n_known = 0
    for row in dict.fromkeys([BASE, *(touch.row for touch in window.log.touches("compactions"))]):
        entries = window.log.value_at("compactions", row)
        fresh = entries[n_known:] if isinstance(entries, list) else []
        removing = [entry for entry in fresh if is_object(entry) and entry.get("removedMessageCount") != 0]
        if removing:
            found[row] = removing
        n_known = len(entries) if isinstance(entries, list) else 0
    return found


def _retrieved(lane: _Lane, location: EpochLocation) -> Iterator[NotServed]:
    log, end = lane.window.log, lane.end(location)
    for key in log.key_names():
        evidence = log.value_at(key, end - 1) if key.startswith(_EVIDENCE) else None
        evidence = evidence if is_object(evidence) else {}
        candidates = evidence.get("candidates")
        for candidate in candidates if isinstance(candidates, list) else ():
            # Without a word on it nobody knows whether a candidate was let in.
            if not is_object(candidate) or candidate.get("admitted") is not False:
                continue
            yield NotServed(
                "retrieved",
                text_or_none(candidate.get("id")),
                text_or_none(candidate.get("reason")),
                None,
                lane.place(log.last_row(key, end)),
                score=_number(candidate.get("score")),
                rank=_number(candidate.get("rank")),
                threshold=_number(evidence.get("threshold")),
                memory_id=key.removeprefix(_EVIDENCE),
            )


def _deferred(lane: _Lane, location: EpochLocation) -> Iterator[NotServed]:
    delivery = read_at_call(location, _DELIVERY)
    deferred = delivery.get("deferred") if is_object(delivery) else None
    for entry in deferred if isinstance(deferred, list) else ():
        if not is_object(entry):
            continue
        id_, reason, note, role = (text_or_none(entry.get(name)) for name in ("injectionId", "reason", "note", "role"))
        texts = _texts_of(location, id_, role)
        origin = lane.call_place(location, _INJECTIONS if texts else _DELIVERY)
        held: list[str | None] = [*texts] or [None]
        yield from (NotServed("deferred", id_, reason, text, origin, note, role=role) for text in held)


def _texts_of(location: EpochLocation, injection_id: str | None, role: str | None) -> list[str]:
    """Return the messages that the injection would have put into the conversation under that role."""
    injections = read_at_call(location, _INJECTIONS)
    found: list[Value] = []
    for injection in injections if isinstance(injections, list) and injection_id is not None else ():
        inject = injection.get("inject") if is_object(injection) and injection.get("id") == injection_id else None
        messages = inject.get("messages") if is_object(inject) else None
        found += messages if isinstance(messages, list) else []
    fitting = [message for message in found if is_object(message) and role in (None, message.get("role"))]
    return [message["content"] for message in fitting if isinstance(message.get("content"), str)]


def _inactive(recording: Recording, location: EpochLocation) -> Iterator[NotServed]:
    """Yield the injections that were looked at for the call and left out; only events tell of them."""
    evaluation = call_events(recording).evaluations.get(str(location.call_runtime_stage_id), {})
    active = member(evaluation, "activeIds")
    seen = set(active) if isinstance(active, list) and all(isinstance(id_, str) for id_ in active) else set()
    if not isinstance(active, list):
        # Then nobody knows which of the catalogue were active.
        return
    for name, note in (("skippedDetails", "error"), ("skillCatalog", "description")):
        listed = member(evaluation, name)
        entries = [entry for entry in listed if is_object(entry)] if isinstance(listed, list) else []
        for entry in entries:
            id_ = text_or_none(entry.get("id"))
            if id_ is not None and id_ not in seen:
                seen.add(id_)
                reason = text_or_none(entry.get("reason"))
                yield NotServed("inactive", id_, reason, None, None, text_or_none(entry.get(note)))


def _number(value: Value) -> int | float | None:
    return value if is_number(value) else None
