"""What the ingest says when it refuses a file."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec


class Problem(msgspec.Struct, frozen=True):
    """One thing that is wrong with a file."""

    code: str
    #: A sentence.
    message: str
    #: The byte offset in the file, None where there is no one place.
    at: int | None = None
    #: Where in the document, as ``run.complete``.
    path: str | None = None


class Refused(Exception):  # noqa: N818  # what it says of the file, not of the program
    """
    A file that must not come in.

    Attributes:
        code: A word for programs.
        message: What was found, where, and what to do; a sentence for people.
        status: The HTTP status that says the same.
        at: The byte offset in the file, None where there is no one place.
        limit: What was exceeded, None where nothing was.
        problems: All that was found, where it is more than one thing.
    """

    def __init__(
        self,
        code: str,
        message: str,
        *,
        status: int,
        at: int | None = None,
        limit: int | None = None,
        problems: Sequence[Problem] = (),
    ) -> None:
        super().__init__(message)
        self.code, self.message, self.status = code, message, int(status)
        self.at, self.limit, self.problems = at, limit, list(problems)
