"""What can be wrong with a recording."""

from __future__ import annotations

from typing import ClassVar


class TimeTravelError(Exception):
    """
    Anything that this library refuses.

    Attributes:
        code: A word for programs.
        at: The byte offset in the input, None where there is no one place.
    """

    code: ClassVar[str] = "time_travel"

    def __init__(self, message: str, *, at: int | None = None) -> None:
        super().__init__(message)
        self.at = at
