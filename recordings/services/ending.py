"""What was asked of a run, what it answered, and how it ended."""

from __future__ import annotations

from typing import Any

from recordings.timetravel import Outcome, answers_of, outcome_of, resume_point, user_message_of
from recordings.timetravel import Recording as Run


def ending_of(run: Run) -> dict[str, Any]:
    """Return the columns of a recording that tell of it, by name. They can be read again, like an index."""
    outcome, asked = outcome_of(run), user_message_of(run)
    return {
        "outcome": outcome.kind,
        "is_resumed": resume_point(run) is not None,
        "outcome_reason": _reason_of(outcome),
        "question": asked.text if asked else None,
        "answers": [
            {"lane": answer.lane, "text": answer.text, "is_redacted": answer.is_redacted} for answer in answers_of(run)
        ],
    }


def _reason_of(outcome: Outcome) -> str | None:
    if outcome.failure is not None:
        return outcome.failure.reason
    if outcome.pause is not None:
        return outcome.pause.tool_name
    return outcome.stopped_early.reason if outcome.stopped_early else None
