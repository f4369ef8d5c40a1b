"""What an envelope says about the recording in it, and what of that cannot be."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from datetime import datetime
from typing import Any, Final

import msgspec

from recordings.ingest.refusals import Problem
from recordings.ingest.skeleton import Path, Skeleton
from recordings.timetravel import Recording
from recordings.timetravel.jsonspans import JsonError
from recordings.timetravel.jsontext import read_value
from recordings.timetravel.merge import SEPARATOR
from recordings.timetravel.values import REDACTED, is_object

_ISO_TIME: Final = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:?\d\d)?", re.ASCII)
#: Beyond it no two counts differ to the recorder.
_MAX_SAFE_INTEGER: Final = 2**53 - 1


class _Field(msgspec.Struct, frozen=True):
    path: Path
    is_right: Callable[[Any], bool]
    #: What it has to be.
    wanted: str
    is_required: bool = False


def _is_object(value: Any) -> bool:
    return isinstance(value, dict)


def _is_text(value: Any) -> bool:
    return isinstance(value, str)


def _is_id(value: Any) -> bool:
    return isinstance(value, str) and value != ""


def _is_flag(value: Any) -> bool:
    return isinstance(value, bool)


def _is_count(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= _MAX_SAFE_INTEGER


def _is_time(value: Any) -> bool:
    if not isinstance(value, str) or not _ISO_TIME.fullmatch(value):
        return False
    try:
        datetime.fromisoformat(value)
    except ValueError:
        return False
    return True


_TIME: Final = "a time as “2026-11-30T13:38:47.504Z”"
_FIELDS: Final = (
    _Field(("run",), _is_object, "an object", is_required=True),
    _Field(("run", "runId"), _is_id, "a text that is not empty", is_required=True),
    _Field(("run", "sessionId"), _is_text, "a text"),
    _Field(("run", "principal"), _is_text, "a text"),
    _Field(("run", "tenant"), _is_text, "a text"),
    _Field(("run", "startedAt"), _is_time, _TIME, is_required=True),
    _Field(("run", "endedAt"), _is_time, _TIME),
    _Field(("run", "complete"), _is_flag, "true or false", is_required=True),
    _Field(("run", "droppedEvents"), _is_count, "a whole number from 0", is_required=True),
    _Field(("producer",), _is_object, "an object"),
    _Field(("producer", "agentfootprintVersion"), _is_text, "a text"),
    _Field(("producer", "footprintjsVersion"), _is_text, "a text"),
    _Field(("privacy",), _is_object, "an object"),
    _Field(("privacy", "mode"), _is_text, "a text"),
    _Field(("privacy", "policyId"), _is_text, "a text"),
    _Field(("recording",), _is_object, "an object", is_required=True),
    _Field(("recording", "snapshot"), _is_object, "an object", is_required=True),
)
#: What is kept in columns, and bounded like ids.
_ID_PATHS: Final = tuple(field.path for field in _FIELDS if field.is_right in (_is_text, _is_id))
_VERSIONS: Final = ("agentfootprintVersion", "footprintjsVersion")
_SHOWN_CHARS: Final = 60


class Envelope:
    """The envelope that the document *data* is, by its *skeleton*."""

    def __init__(self, data: bytes, skeleton: Skeleton) -> None:
        self._data = data
        self._spans = skeleton.spans

    def value(self, *path: str) -> Any:
        """Return the text, number or flag at *path*, None when there is none."""
        span = self._spans.get(path)
        if span is None or self._data[span.start : span.start + 1] in (b"{", b"["):
            return None
        try:
            return read_value(self._data[span])
        except JsonError:
            return None

    def text(self, *path: str) -> str | None:
        """Return the value at *path* if it is a text."""
        value = self.value(*path)
        return value if isinstance(value, str) else None

    def position(self, *path: str) -> int | None:
        """Return where the value at *path* starts."""
        return self._spans[path].start if path in self._spans else None

    @property
    def is_complete(self) -> bool | None:
        """Whether the run was recorded to its end."""
        value = self.value("run", "complete")
        return value if isinstance(value, bool) else None

    @property
    def n_dropped_events(self) -> int | None:
        """How many events are missing."""
        value = self.value("run", "droppedEvents")
        return value if _is_count(value) else None

    @property
    def producer(self) -> dict[str, str]:
        """The versions of what made it."""
        found = ((name, self.text("producer", name)) for name in _VERSIONS)
        return {name: version for name, version in found if version is not None}

    def problems(self) -> Iterator[Problem]:
        """Yield what is wrong with it."""
        for field in _FIELDS:
            parent, path = field.path[:-1], ".".join(field.path)
            if parent and not self._is_object(parent):
                continue
            span = self._spans.get(field.path)
            if span is None:
                if field.is_required:
                    message = f"{path} is missing. It has to be {field.wanted}."
                    yield Problem("missing", message, self.position(*parent), path)
            elif not self._is_right(field, span):
                message = f"{path} is {shown(self._data, span)}. It has to be {field.wanted}."
                yield Problem("invalid", message, span.start, path)

    def _is_right(self, field: _Field, span: slice) -> bool:
        if field.is_right is _is_object:
            return self._is_object(field.path)
        if not field.is_required and self._data[span.start : span.start + 4] == b"null":
            return True
        return field.is_right(self.value(*field.path))

    def _is_object(self, path: Path) -> bool:
        span = self._spans.get(path)
        return span is not None and self._data[span.start : span.start + 1] == b"{"

    def ids(self) -> Iterator[tuple[Path, str]]:
        """Yield the ids in it, and what is kept like them, with their paths."""
        for path in _ID_PATHS:
            text = self.text(*path)
            if text is not None:
                yield path, text


def raw_content(recording: Recording, redacted_paths: Sequence[str], envelope: Envelope | None) -> Iterator[Problem]:
    """
    Yield where a recording is not redacted although its *envelope* calls it so.

    Args:
        redacted_paths: What its logs say was taken out.
    """
    if envelope is None or envelope.text("privacy", "mode") != "redacted":
        return
    if not redacted_paths:
        message = "privacy.mode is “redacted”, but no commit says that anything was taken out. Say “full”, or redact."
        yield Problem("invalid", message, envelope.position("privacy", "mode"), "privacy.mode")
    for path in redacted_paths:
        value = recording.shared_state
        for segment in path.split(SEPARATOR):
            value = value.get(segment) if is_object(value) else None
        if value is not None and value != REDACTED:
            where = f"recording.snapshot.sharedState.{printable(path.replace(SEPARATOR, '.'))}"
            message = f"{where} is there in full, but privacy.mode is “redacted” and the log took it out."
            yield Problem("invalid", message, path=where)


def shown(data: bytes, span: slice) -> str:
    """Return the beginning of the value at *span* as it can be shown anywhere."""
    return printable(data[span.start : min(span.stop, span.start + 4 * _SHOWN_CHARS)].decode("utf-8", "replace"))


def printable(text: str) -> str:
    """Return the beginning of *text* as it can be shown anywhere."""
    text = text.strip()
    cut = text if len(text) <= _SHOWN_CHARS else f"{text[: _SHOWN_CHARS - 1]}…"
    return "".join(character if character.isprintable() else "�" for character in cut)
