"""Whether a JSON document is a recording, and of which form."""

from __future__ import annotations

from http import HTTPStatus
from typing import Final

from recordings.ingest.envelope import Envelope, printable, shown
from recordings.ingest.refusals import Problem, Refused
from recordings.ingest.skeleton import Skeleton
from recordings.timetravel.wire import ENVELOPE_FORMAT

_NAMES: Final = ("format", "snapshot", "commitLog")
_NAMES_SHOWN: Final = 5
_READ: Final = (
    f"This server reads a snapshot (an object with “commitLog”), a snapshot with its events (an object with "
    f"“snapshot”), and an envelope (“format”: “{ENVELOPE_FORMAT}”)."
)
_KINDS: Final = {b"[": "a list", b'"': "a text", b"n": "null", b"t": "a boolean", b"f": "a boolean"}


def recognise(data: bytes, span: slice, skeleton: Skeleton) -> Envelope | None:
    """
    Return the envelope that the document at *span* of *data* is; None for the forms that have none.

    Raises:
        Refused: It is no recording (``not_a_recording``), one in another format (``unknown_format``), or has a key
            twice where that makes it doubtful what is meant (``duplicate_key``).
    """
    start = skeleton.spans[()].start
    names = [path[0] for path in skeleton.spans if len(path) == 1]
    if data[start : start + 1] != b"{" or not set(_NAMES) & set(names):
        raise _not_a_recording(_found(data, skeleton.spans[()], names), start)
    envelope = Envelope(data, skeleton)
    if ("format",) not in skeleton.spans:
        _check_snapshot(data, skeleton)
        return None
    if envelope.value("format") != ENVELOPE_FORMAT:
        raise _unknown_format(data, skeleton.spans["format",])
    _check_repeated(skeleton)
    return envelope


def _check_snapshot(data: bytes, skeleton: Skeleton) -> None:
    span = skeleton.spans.get(("snapshot",))
    if span is not None and data[span.start : span.start + 1] != b"{":
        raise _not_a_recording("an object whose “snapshot” is no object", span.start)


def _found(data: bytes, span: slice, names: list[str]) -> str:
    first = data[span.start : span.start + 1]
    if first != b"{":
        return _KINDS.get(first, "a number")
    if not names:
        return "an empty object"
    first_names = ", ".join(f"“{printable(name)}”" for name in names[:_NAMES_SHOWN])
    more = f" and {len(names) - _NAMES_SHOWN} more" if len(names) > _NAMES_SHOWN else ""
    return f"an object with {first_names}{more}"


def _not_a_recording(found: str, at: int) -> Refused:
    message = f"The file is {found}. {_READ}"
    return Refused("not_a_recording", message, status=HTTPStatus.UNPROCESSABLE_ENTITY, at=at)


def _unknown_format(data: bytes, span: slice) -> Refused:
    message = f"The format is {shown(data, span)}. This server reads {ENVELOPE_FORMAT}."
    return Refused("unknown_format", message, status=HTTPStatus.UNPROCESSABLE_ENTITY, at=span.start)


def _check_repeated(skeleton: Skeleton) -> None:
    """Refuse a key that the envelope or its ``run`` has twice."""
    twice = [(path, at) for path, at in skeleton.repeated if len(path) == 1 or path[:-1] == ("run",)]
    if not twice:
        return
    problems = []
    for path, at in twice:
        name = ".".join(printable(part) for part in path)
        problems.append(Problem("duplicate_key", f"{name} is there twice.", at, name))
    message = f"The key {problems[0].path} is there twice, at byte {problems[0].at}. Send it once."
    status = HTTPStatus.UNPROCESSABLE_ENTITY
    raise Refused("duplicate_key", message, status=status, at=problems[0].at, problems=problems)
