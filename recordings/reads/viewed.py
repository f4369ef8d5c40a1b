"""What templates read a thousand times a page."""

from __future__ import annotations

from typing import Any

import msgspec


class Viewed(msgspec.Struct, frozen=True):
    """
    A value made to be shown.

    Templates ask for an item first and for an attribute when that fails; the failures of a page of pieces would take
    longer than all the rest of it.
    """

    def __getitem__(self, name: str) -> Any:
        try:
            return getattr(self, name)
        except (AttributeError, TypeError) as error:
            raise KeyError(name) from error
