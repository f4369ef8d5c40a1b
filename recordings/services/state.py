"""The state behind an epoch: any key at any commit of any log, as it was recorded."""

from __future__ import annotations

from typing import Final

import msgspec

from recordings.fields import dump_recorded
from recordings.models import Recording
from recordings.services.rows import place_fields
from recordings.services.stored import run_of
from recordings.timetravel import UNDEFINED, Log, Place
from recordings.timetravel import Recording as Run
from recordings.timetravel.merge import SEPARATOR
from recordings.timetravel.places import BASE, Places
from recordings.timetravel.values import Value

_MAX_KEYS: Final = 10_000
#: More digits than an index of any list has.
_INDEX_DIGITS: Final = 15


class StateOfKey(msgspec.Struct, frozen=True):
    """What a key is at a commit of a log, and which commit made it that."""

    key: str
    #: −1 for the base.
    commit: int
    #: Masked; `UNDEFINED` when it has none.
    value: Value
    #: The very characters of the value; None when no single commit wrote it as a whole.
    text: str | None
    #: What a policy lists at or below the key, sorted.
    redacted_paths: list[str]
    #: The row that last wrote to it; −1 for the base, which may hold nothing of it.
    row: int
    #: The place of that row; None when neither a row nor the base holds it.
    written_by: Place | None

    @property
    def is_recorded(self) -> bool:
        """Whether it has a value, which may be null."""
        return self.value is not UNDEFINED


def log_of(run: Run, name: str) -> Log | None:
    """Return the log called *name*: the run's own for the empty name, else that of a mount; None when there is none."""
    return run.mount_log(name) if name else run.run_log


def state_of_key(run: Run, log: Log, log_name: str, commit: int, key: str) -> StateOfKey:
    """
    Return what *key* of *log* is at row *commit*.

    Args:
        log: The log of *run* that *log_name* names.
        commit: −1 for the base, up to the last row.
    """
    row = log.last_row(key, commit + 1)
    value = log.value_at(key, commit)
    is_recorded = value is not UNDEFINED
    return StateOfKey(
        key=key,
        commit=commit,
        value=value,
        text=as_written(log, key, row) if is_recorded else None,
        redacted_paths=redacted_paths_of(log, key),
        row=row,
        written_by=Places(run).place(log, log_name, row, "") if is_recorded or row != BASE else None,
    )


def state_json(recording: Recording, log_name: str, commit: int, key: str | None) -> bytes | None:
    """
    Return the state of *recording* at row *commit* of a log, as JSON; None when there is no such log.

    Args:
        commit: Clamped to the log: −1 is the base.
        key: One key; None for the names of all keys.

    Raises:
        DamagedBlobError: The bytes are damaged.

    A value that one commit wrote as a whole is given in the very characters in which it was recorded.
    """
    run = run_of(recording)
    log = log_of(run, log_name)
    if log is None:
        return None
    commit = min(commit, log.length - 1)
    head = {"log": log_name, "commit": commit, "commits": log.length, "basis": log.basis}
    if key is None:
        names = list(log.key_names())
        return dump_recorded(head | {"keys": names[:_MAX_KEYS], "n_keys": len(names)}).encode()
    state = state_of_key(run, log, log_name, commit, key)
    head |= {
        "key": key,
        "recorded": state.is_recorded,
        "redacted_paths": state.redacted_paths,
        "written_by": None if state.written_by is None else place_fields(state.written_by),
    }
    shown = state.text if state.text is not None else dump_recorded(state.value if state.is_recorded else None)
    return (dump_recorded(head)[:-1] + ',"value":' + shown + "}").encode("utf-8", "surrogatepass")


def as_written(log: Log, key: str, row: int) -> str | None:
    """Return the characters of the value that *row* wrote as a whole; None when it wrote it otherwise."""
    if row == BASE:
        text = bytes(log.base_text(key))
        return text.decode() if text else None
    touches = [touch for touch in log.touches(key) if touch.row == row]
    if len(touches) != 1 or not touches[0].is_whole or touches[0].verb != "set":
        return None
    text = bytes(log.rows[row].overwrite.get(key, b""))
    return text.decode() if text else None


def redacted_paths_of(log: Log, key: str) -> list[str]:
    """Return the paths at or below *key* that any row of *log* lists: what one takes out is taken out of all."""
    return sorted({path for row in log.rows for path in row.redacted_paths if path.split(SEPARATOR)[0] == key})
