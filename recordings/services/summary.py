"""What lists and heads of pages say about a recording, gathered while its index is built."""

from __future__ import annotations

from collections import Counter
from typing import Any, Final

from recordings.models import Epoch
from recordings.sources import LETTERS, known_sources
from recordings.timetravel import Context
from recordings.timetravel import Recording as Run
from recordings.timetravel.values import is_object

#: So many bars show a whole run. Longer runs are shown by the fullest epoch of each group.
MAX_BARS: Final = 240
#: Gaps without which a served context is wholly on record.
_GAPS_OF_CONTEXT: Final = frozenset({"no-fold-base", "no-conversation-on-record", "no-run-log"})
_MAX_PATHS: Final = 100


class Summary:
    """Adds up the epochs of one recording, in the order of the run."""

    def __init__(self, n_epochs: int) -> None:
        self._per_bar = max(1, -(-n_epochs // MAX_BARS))
        self._by_source: Counter[str] = Counter()
        self._bars: list[dict[str, Any]] = []
        self._tokens: dict[str, float | None] = {"input_tokens": None, "output_tokens": None}
        self._n_counted = 0
        self._has_gaps = self._has_errors = self._is_redacted = False

    def add(self, epoch: Epoch) -> Epoch:
        """Count *epoch* in; returns it."""
        self._by_source.update(epoch.by_source)
        for name in self._tokens:
            n_tokens = getattr(epoch, name)
            if n_tokens is not None:
                self._tokens[name] = (self._tokens[name] or 0) + n_tokens
        self._n_counted += epoch.input_tokens is not None
        self._has_gaps |= any(gap["gap"] in _GAPS_OF_CONTEXT for gap in epoch.gaps)
        self._has_errors |= "error" in epoch.marks
        self._is_redacted |= "redacted" in (epoch.system_state, epoch.messages_state, epoch.tools_state)
        self._add_bar(epoch)
        return epoch

    def _add_bar(self, epoch: Epoch) -> None:
        if (epoch.position - 1) % self._per_bar == 0:
            self._bars.append({"first": epoch.position, "last": epoch.position, "by_source": {}, "marks": []})
        bar = self._bars[-1]
        bar["last"] = epoch.position
        if sum(epoch.by_source.values()) > sum(bar["by_source"].values()):
            bar["by_source"] = epoch.by_source
        bar["marks"] += [mark for mark in epoch.marks if mark not in bar["marks"]]

    def fields(self, run: Run, context: Context) -> dict[str, Any]:
        """Return the columns of a recording that it fills, by name."""
        paths, untracked = run.redacted_paths, _untracked_sources(run)
        known = known_sources(self._by_source)
        span = run.clock_span
        is_redacted = self._is_redacted or bool(paths) or any(piece.state == "redacted" for piece in context.pieces)
        return {
            **self._tokens,
            "sources": "".join(letter for source, letter in LETTERS.items() if known.get(source)),
            "by_source": dict(self._by_source),
            "strip": self._bars,
            "n_counted_epochs": self._n_counted,
            "duration_ms": None if span is None else span[1] - span[0],
            "has_gaps": self._has_gaps,
            "has_errors": self._has_errors,
            "is_redacted": is_redacted,
            "redacted_paths": sorted(paths)[:_MAX_PATHS],
            "untracked_sources": sorted(untracked)[:_MAX_PATHS],
            "boundary_detail": (run.boundary_detail or "")[:40],
            "privacy_mode": _privacy_mode(run)[:40],
        }


def _untracked_sources(run: Run) -> set[str]:
    """Return the sources that were read without being tracked."""
    logs = [run.run_log, *(log for log in map(run.mount_log, run.mount_keys) if log is not None)]
    untracked: set[str] = set()
    for log in logs:
        for row in log.rows:
            if len(untracked) < _MAX_PATHS:
                untracked.update(row.untracked_sources)
    return untracked


def _privacy_mode(run: Run) -> str:
    privacy = run.envelope.get("privacy")
    mode = privacy.get("mode") if is_object(privacy) else None
    return mode if isinstance(mode, str) else ""
