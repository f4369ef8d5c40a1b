"""The page of a state: which logs and keys there are, what one commit did, and what one key is."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from typing import Final

import msgspec

from recordings.models import Recording
from recordings.services.keypage import MAX_WRITES, KeyPage, Write, key_page, row_of, words_of, write_of
from recordings.services.state import log_of
from recordings.services.stored import run_of
from recordings.timetravel import Log
from recordings.timetravel import Recording as Run
from recordings.timetravel.fold import Basis
from recordings.timetravel.jsonspans import first_byte
from recordings.timetravel.merge import SEPARATOR
from recordings.timetravel.places import BASE

MAX_KEYS: Final = 500
MAX_LOGS: Final = 1_000
_MAX_WORDS: Final = 50


class LogName(msgspec.Struct, frozen=True):
    """A log of the recording."""

    name: str
    n_commits: int


class Commit(msgspec.Struct, frozen=True):
    """One row of a log; what a row does not say is None."""

    index: int
    stage: str | None
    stage_id: str | None
    runtime_stage_id: str | None
    tags: Sequence[str]
    n_tags: int
    untracked_sources: Sequence[str]
    n_untracked_sources: int
    writes: Sequence[Write]
    n_writes: int
    #: Why the row is no commit; None for a commit.
    problem: str | None


class KeyRow(msgspec.Struct, frozen=True):
    """A key in the list: who wrote it last at the commit."""

    name: str
    #: −1 when no row up to the commit wrote it.
    row: int
    stage: str | None
    verb: str | None
    n_writes: int
    is_in_base: bool


class StatePage(msgspec.Struct, frozen=True):
    """Everything that the page shows."""

    log: LogName
    basis: Basis
    commit_index: int
    commit: Commit | None
    logs: Sequence[LogName]
    n_logs: int
    keys: Sequence[KeyRow]
    first_key: int
    n_keys: int
    n_all_keys: int
    key: KeyPage | None

    @property
    def last_index(self) -> int:
        """The last row; −1 when there is none."""
        return self.log.n_commits - 1

    @property
    def end_key(self) -> int:
        """How many keys come up to the last that is listed."""
        return self.first_key + len(self.keys)


def state_page(
    recording: Recording,
    log_name: str,
    commit: int | None,
    key: str | None,
    *,
    filter_text: str = "",
    skip: int = 0,
    start: int = 0,
) -> StatePage | None:
    """
    Return the state of *recording* for its page; None when there is no such log.

    Args:
        commit: Clamped to the log; −1 for the base, None for the end.
        key: None for no key in particular.
        filter_text: What the names of the listed keys contain.
        skip: How many of those are not listed.
        start: Where in the value to start, in characters.

    Raises:
        DamagedBlobError: The bytes are damaged.
    """
    run = run_of(recording)
    log = log_of(run, log_name)
    if log is None:
        return None
    last = log.length - 1
    index = last if commit is None else min(commit, last)
    every = list(log.key_names())
    wanted = [name for name in every if filter_text.casefold() in name.casefold()]
    logs = _logs(run)
    return StatePage(
        log=LogName(log_name, log.length),
        basis=log.basis,
        commit_index=index,
        commit=None if index == BASE else _commit(log, index),
        logs=logs[:MAX_LOGS],
        n_logs=len(logs),
        keys=[_key_row(log, name, index) for name in wanted[skip : skip + MAX_KEYS]],
        first_key=skip,
        n_keys=len(wanted),
        n_all_keys=len(every),
        key=None if key is None else key_page(run, log, log_name, index, key, start),
    )


def _logs(run: Run) -> list[LogName]:
    named = ((key, run.mount_log(key)) for key in run.mount_keys if key)
    return [LogName("", run.run_log.length), *(LogName(key, log.length) for key, log in named if log is not None)]


def _commit(log: Log, index: int) -> Commit:
    row = log.rows[index]
    writes = [write_of(index, entry.path.split(SEPARATOR), entry.verb, row.stage) for entry in row.trace[:MAX_WRITES]]
    return Commit(
        index=index,
        stage=words_of(row.stage),
        stage_id=words_of(row.stage_id),
        runtime_stage_id=words_of(row.runtime_stage_id),
        tags=row.tags[:_MAX_WORDS],
        n_tags=len(row.tags),
        untracked_sources=row.untracked_sources[:_MAX_WORDS],
        n_untracked_sources=len(row.untracked_sources),
        writes=writes,
        n_writes=len(row.trace),
        problem=row.problem,
    )


def _key_row(log: Log, name: str, index: int) -> KeyRow:
    touches = log.touches(name)
    count = bisect_right(touches, index, key=row_of)
    last = touches[count - 1] if count else None
    return KeyRow(
        name=name,
        row=BASE if last is None else last.row,
        stage=None if last is None else words_of(log.rows[last.row].stage),
        verb=None if last is None else words_of(last.verb),
        n_writes=len(touches),
        is_in_base=bool(first_byte(log.base_text(name))),
    )
