"""The state behind an epoch: any key at any commit of any log, as it was recorded."""

from __future__ import annotations

from typing import Any, Final

from recordings.fields import dump_recorded
from recordings.models import Recording
from recordings.services.rows import place_fields
from recordings.services.stored import run_of
from recordings.timetravel import UNDEFINED, Log
from recordings.timetravel import Recording as Run
from recordings.timetravel.merge import SEPARATOR
from recordings.timetravel.pieces import REDACTED
from recordings.timetravel.places import BASE, Places
from recordings.timetravel.values import Value, clone

_MAX_KEYS: Final = 10_000


def log_of(run: Run, name: str) -> Log | None:
    """Return the log called *name*: the run's own for the empty name, else that of a mount; None when there is none."""
    return run.mount_log(name) if name else run.run_log


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
    row = log.last_row(key, commit + 1)
    writer = Places(run).place(log, log_name, row, "")
    redacted = redacted_paths_of(log, key, commit)
    value = masked(log.value_at(key, commit), key, redacted)
    head |= {
        "key": key,
        "recorded": value is not UNDEFINED,
        "redacted_paths": redacted,
        "written_by": None if row == BASE and value is UNDEFINED else place_fields(writer),
    }
    text = as_written(log, key, row) if not redacted and value is not UNDEFINED else None
    shown = text if text is not None else dump_recorded(None if value is UNDEFINED else value)
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


def redacted_paths_of(log: Log, key: str, commit: int) -> list[str]:
    """Return the paths at or below *key* that a policy lists up to *commit*."""
    rows = log.rows[: commit + 1]
    return sorted({path for row in rows for path in row.redacted_paths if path.split(SEPARATOR)[0] == key})


def masked(value: Value, key: str, paths: list[str]) -> Value:
    """Return *value* with what *paths* list taken out, also where the recorder left it in."""
    if not paths or value is UNDEFINED:
        return value
    root: Any = {key: clone(value)}
    for path in paths:
        *parents, last = path.split(SEPARATOR)
        target = root
        for segment in parents:
            target = target.get(segment) if isinstance(target, dict) else None
        if isinstance(target, dict) and last in target:
            target[last] = REDACTED
    return root[key]
