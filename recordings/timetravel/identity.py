"""What a recording says about itself: the conversation it belongs to, what it was asked, and how complete it is."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

import msgspec

from recordings.timetravel.callevents import member, text_or_none
from recordings.timetravel.epochs import all_epoch_locations, read_at_call
from recordings.timetravel.jsontext import read_members
from recordings.timetravel.lanes import epochs_of_lane, lane_log, lanes
from recordings.timetravel.outcome import final_mounts
from recordings.timetravel.recording import Recording
from recordings.timetravel.values import REDACTED, UNDEFINED, Value, is_number, is_object

#: The id that an agent gives to its run, and to the conversation when its host named none.
_RUN_ID: Final = re.compile(r"run-[0-9]+-[0-9]+", re.ASCII)
#: What a step of a composed run is given for a conversation.
_PLACEHOLDER: Final = "pending"
_TURN_START: Final = "agentfootprint.agent.turn_start"


class UserMessage(msgspec.Struct, frozen=True):
    """What a run was asked."""

    #: None when a policy took it out.
    text: str | None
    is_redacted: bool = False


class IdentityClaim(msgspec.Struct, frozen=True):
    """Whose conversation a run says it belongs to: a claim of the file, proof of nothing. None where it claims none."""

    tenant: str | None
    principal: str | None
    #: Also None when the host named none: then the run's own id stands there.
    conversation_id: str | None
    turn_number: int | float | None
    #: The fields above that a policy took out.
    redacted: tuple[str, ...] = ()


class Completeness(msgspec.Struct, frozen=True):
    """What the envelope says about the recording in it. None where the form of the file does not say."""

    is_complete: bool | None
    n_dropped_events: int | None
    #: ISO 8601, as written.
    started_at: str | None
    ended_at: str | None
    #: The versions of what made it.
    agentfootprint_version: str | None
    footprintjs_version: str | None
    session_id: str | None
    run_id: str | None


def user_message_of(recording: Recording) -> UserMessage | None:
    """
    Return what the run was asked, None when that is not on record.

    Of a composed run it is what its first lane was asked.
    """
    for text in _user_messages(recording):
        if isinstance(text, str):
            return UserMessage(None, is_redacted=True) if text == REDACTED else UserMessage(text)
    return None


def _user_messages(recording: Recording) -> Iterator[Value]:
    log = recording.run_log
    yield log.value_at("userMessage", log.length)
    for location in all_epoch_locations(recording)[:1]:
        yield from (state["userMessage"] for state in _lane_states(recording, [location.lane], "userMessage"))
        yield read_at_call(location, "userMessage")
    for event in recording.events or ():
        if event.type == _TURN_START:
            yield member(read_members(event.payload) or {}, "userPrompt")


def identity_claimed(recording: Recording) -> IdentityClaim | None:
    """
    Return whose conversation the run claims to belong to, None when it claims nothing at all.

    The claim stands in the log, in the stage that ends an agent where the log lost it, or in the envelope.
    """
    identity, is_of_run = _identity(recording)
    members = identity if is_object(identity) else {}
    run = _run(recording)
    claimed = {
        "tenant": text_or_none(members.get("tenant", run.get("tenant"))),
        "principal": text_or_none(members.get("principal", run.get("principal"))),
        "conversation_id": text_or_none(members.get("conversationId")),
    }
    redacted = tuple(name for name, text in claimed.items() if REDACTED in (text, identity))
    kept = {name: None if name in redacted else text or None for name, text in claimed.items()}
    conversation = kept["conversation_id"]
    if conversation is not None and _is_given_by_nobody(recording, conversation, is_of_run=is_of_run):
        kept["conversation_id"] = None
    turn = _turn(recording)
    if not redacted and turn is None and not any(kept.values()):
        return None
    return IdentityClaim(kept["tenant"], kept["principal"], kept["conversation_id"], turn, redacted)


def _identity(recording: Recording) -> tuple[Value, bool]:
    """Return the identity on record, `UNDEFINED` without one, and whether it is the run's, not one of its steps'."""
    log = recording.run_log
    identity = log.value_at("runIdentity", log.length)
    if identity is not UNDEFINED:
        return identity, True
    found = (state["runIdentity"] for state in _lane_states(recording, lanes(recording), "runIdentity"))
    return next(found, UNDEFINED), "" in lanes(recording)


def _lane_states(recording: Recording, names: Sequence[str], key: str) -> Iterator[Mapping[str, Value]]:
    """Yield the states of those lanes that hold *key*: at the end of the lane's log, then in the stage that ends it."""
    for lane in names:
        log = lane_log(recording, epochs_of_lane(recording, lane)[-1])
        if (value := log.value_at(key, log.length)) is not UNDEFINED:
            yield {key: value}
        for mount in reversed(final_mounts(recording, lane)):
            state = recording.mount_state(mount)
            if is_object(state) and key in state:
                yield state


def _is_given_by_nobody(recording: Recording, conversation: str, *, is_of_run: bool) -> bool:
    """Whether the framework put *conversation* there itself. A resumed leg names the run that it goes on with."""
    own = (recording.engine_run_id, _run(recording).get("runId"))
    return (
        conversation in own or bool(_RUN_ID.fullmatch(conversation)) or (conversation == _PLACEHOLDER and not is_of_run)
    )


def _turn(recording: Recording) -> int | float | None:
    log = recording.run_log
    turns = [log.value_at("turnNumber", log.length)]
    turns += [state["turnNumber"] for state in _lane_states(recording, lanes(recording), "turnNumber")]
    return next((turn for turn in turns if is_number(turn)), None)


def completeness_of(recording: Recording) -> Completeness:
    """Return what the envelope around *recording* says; all None for the forms that have none."""
    run, producer = _run(recording), recording.envelope.get("producer")
    producer = producer if is_object(producer) else {}
    complete, dropped = run.get("complete"), run.get("droppedEvents")
    return Completeness(
        is_complete=complete if isinstance(complete, bool) else None,
        n_dropped_events=dropped if isinstance(dropped, int) and not isinstance(dropped, bool) else None,
        started_at=text_or_none(run.get("startedAt")),
        ended_at=text_or_none(run.get("endedAt")),
        agentfootprint_version=text_or_none(producer.get("agentfootprintVersion")),
        footprintjs_version=text_or_none(producer.get("footprintjsVersion")),
        session_id=text_or_none(run.get("sessionId")),
        run_id=text_or_none(run.get("runId")),
    )


def _run(recording: Recording) -> Mapping[str, Value]:
    run = recording.envelope.get("run")
    return run if is_object(run) else {}
