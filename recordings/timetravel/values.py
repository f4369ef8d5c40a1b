"""
JSON values as the recorder's language sees them.

A recording was written by JavaScript, whose values differ from Python's in ways that decide answers: a missing value is
not null, a boolean is not a number, ``1`` equals ``1.0``, and text is measured in UTF-16 units.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Mapping
from typing import Any, Final, TypeAlias, TypeGuard, final

#: What a JSON document holds, `UNDEFINED` included where a value is missing.
Value: TypeAlias = Any


@final
class UndefinedType:
    """The type of `UNDEFINED`."""

    __slots__ = ()
    _only: UndefinedType | None = None

    def __new__(cls) -> UndefinedType:
        if cls._only is None:
            cls._only = super().__new__(cls)
        return cls._only

    def __repr__(self) -> str:
        return "UNDEFINED"

    def __bool__(self) -> bool:
        return False

    def __copy__(self) -> UndefinedType:
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> UndefinedType:
        return self

    def __reduce__(self) -> str:
        return "UNDEFINED"


_LARGEST_DOUBLE: Final = int(sys.float_info.max)

#: What a recorder writes in the place of what a policy takes out.
REDACTED: Final = "REDACTED"
#: The one absent value. None is JSON's null, which is a value.
UNDEFINED: Final = UndefinedType()


def is_number(value: Value) -> TypeGuard[int | float]:
    """Whether *value* is a number that a double holds; a boolean is none."""
    if isinstance(value, int):
        return not isinstance(value, bool) and abs(value) <= _LARGEST_DOUBLE
    return isinstance(value, float) and math.isfinite(value)


def is_object(value: Value) -> TypeGuard[Mapping[str, Value]]:
    """Whether *value* is a JSON object; a list is none."""
    return isinstance(value, Mapping)


def clone(value: Value) -> Value:
    """
    Return a copy of *value* that shares no object or list with it.

    Not recursive: recorded values may be nested deeper than Python's stack.
    """
    if not isinstance(value, dict | list):
        return value
    root: Value = value.copy()
    pending = [root]
    while pending:
        container = pending.pop()
        items = container.items() if isinstance(container, dict) else enumerate(container)
        # The keys stay the same while values are replaced, so the iteration is safe.
        for key, child in items:
            if isinstance(child, dict | list):
                copied = child.copy()
                container[key] = copied
                pending.append(copied)
    return root


def utf16_length(text: str) -> int:
    """Return how long *text* is to the recorder: characters outside the basic plane count twice."""
    return len(text) + sum(character > "\uffff" for character in text) if not text.isascii() else len(text)
