"""
One commit applied to a state.

Source: ``applySmartMerge`` of footprintjs, together with its ``nativeGet``, ``nativeSet`` and ``deepSmartMerge``.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from recordings.timetravel.errors import TimeTravelError
from recordings.timetravel.values import UNDEFINED, Value, clone, is_object

#: Between the segments of a path. A key may hold dots and slashes.
SEPARATOR: Final = "\x1f"
#: Segments that are never written and read as absent, wherever they stand in a path.
REFUSED_SEGMENTS: Final = frozenset({"__proto__", "constructor", "prototype"})
#: More digits than an index of any list has.
_INDEX_DIGITS: Final = 15


class NotMergeableError(TimeTravelError):
    """The base is nothing that a commit can be applied to, or a trace row is no trace row."""

    code = "not_mergeable"


def apply_smart_merge(
    base: Value,
    updates: Mapping[str, Value] | None,
    overwrite: Mapping[str, Value] | None,
    trace: Iterable[Mapping[str, Value]],
) -> Value:
    """
    Return *base* with one commit applied.

    Args:
        base: The state before: an object, or a list, which is written by index.
        updates: The values of ``merge`` rows, as a tree that the segments of a path lead through.
        overwrite: The values of ``set`` and ``append`` rows, in the same way.
        trace: Rows ``{"path", "verb"}``, applied in order.

    Returns:
        A new state that shares nothing with the arguments. A key whose ``set`` has no value holds `UNDEFINED`.

    Raises:
        NotMergeableError: *base* is no object or list, or a path is no string; the reference throws a TypeError.
    """
    if not isinstance(base, dict | list):
        raise NotMergeableError(f"a commit applies to an object or a list, not to {type(base).__name__}")
    state = clone(base)
    for row in trace:
        path = row.get("path")
        if not isinstance(path, str):
            raise NotMergeableError(f"the path of a trace row is a string, not {path!r}")
        apply_write(state, path.split(SEPARATOR), row.get("verb"), updates, overwrite)
    return state


def apply_write(
    state: Value,
    segments: Sequence[str],
    verb: Value,
    updates: Mapping[str, Value] | None,
    overwrite: Mapping[str, Value] | None,
) -> None:
    """
    Apply one row of a trace to *state*, in place.

    *state* has to be private to the caller. What is taken from the patches is copied, so they stay as they are.
    A verb that is not known merges.
    """
    if verb == "set":
        _put(state, segments, clone(_get(overwrite, segments)))
    elif verb == "append":
        _append(state, segments, _get(overwrite, segments))
    elif verb == "delete":
        _delete(state, segments)
    else:
        current = _get(state, segments)
        merged = _deep_merge({} if current is None or current is UNDEFINED else current, _get(updates, segments))
        _put(state, segments, merged)


def _get(root: Value, segments: Sequence[str]) -> Value:
    value = root
    for segment in segments:
        value = _child(value, segment)
        if value is UNDEFINED:
            return UNDEFINED
    return value


def _child(container: Value, segment: str) -> Value:
    if segment in REFUSED_SEGMENTS:
        return UNDEFINED
    if is_object(container):
        return container.get(segment, UNDEFINED)
    if isinstance(container, list):
        index = _index(segment)
        return container[index] if index is not None and index < len(container) else UNDEFINED
    return UNDEFINED


def _index(segment: str) -> int | None:
    """Return the index that *segment* spells the way JavaScript does, None when it spells none."""
    is_index = segment.isascii() and segment.isdigit() and (segment == "0" or segment[0] != "0")
    if is_index and len(segment) <= _INDEX_DIGITS:
        return int(segment)
    return None


def _append(state: Value, segments: Sequence[str], tail: Value) -> None:
    current = _get(state, segments)
    if isinstance(current, list) and isinstance(tail, list):
        # In place: a conversation of n messages costs n steps, not n squared.
        current.extend(clone(tail))
    else:
        _put(state, segments, clone(tail))


def _put(state: Value, segments: Sequence[str], value: Value) -> None:
    if not REFUSED_SEGMENTS.isdisjoint(segments):
        return
    parent = state
    for segment in segments[:-1]:
        child = _child(parent, segment)
        if not isinstance(child, dict | list):
            # A missing, null or scalar parent becomes an object; never a list, because segments are text.
            child = {}
            _set_child(parent, segment, child)
        parent = child
    _set_child(parent, segments[-1], value)


def _set_child(container: Value, segment: str, value: Value) -> None:
    if isinstance(container, dict):
        container[segment] = value
        return
    index = _index(segment)
    # A property of a list that is no index disappears in JSON.
    if index is not None:
        if index >= len(container):
            container.extend([None] * (index + 1 - len(container)))
        container[index] = value


def _delete(state: Value, segments: Sequence[str]) -> None:
    if not REFUSED_SEGMENTS.isdisjoint(segments):
        return
    parent = _get(state, segments[:-1])
    if isinstance(parent, dict):
        parent.pop(segments[-1], None)
    elif isinstance(parent, list):
        index = _index(segments[-1])
        # A hole, which is null in JSON; the length stays.
        if index is not None and index < len(parent):
            parent[index] = None


def _deep_merge(current: Value, update: Value) -> Value:
    if isinstance(update, list):
        return _merge_list(current, update)
    if not is_object(update):
        return update
    merged = _spread(current)
    # Each entry: an object that is being filled, and the update that is still to be merged into it.
    pending: list[tuple[dict[str, Value], Mapping[str, Value]]] = [(merged, update)]
    while pending:
        target, source = pending.pop()
        for key, child in source.items():
            if is_object(child):
                fresh = _spread(target.get(key))
                target[key] = fresh
                pending.append((fresh, child))
            else:
                target[key] = _merge_list(target.get(key), child) if isinstance(child, list) else child
    return merged


def _spread(value: Value) -> dict[str, Value]:
    """Return the object that ``{...value}`` makes; of a scalar or a text it would be dropped."""
    if is_object(value):
        return dict(value)
    if isinstance(value, list):
        return {str(index): child for index, child in enumerate(value)}
    return {}


def _merge_list(current: Value, update: list[Value]) -> list[Value]:
    if not update or not isinstance(current, list):
        return list(clone(update))
    union: list[Value] = []
    seen: set[tuple[str, Value]] = set()
    for value in [*current, *clone(update)]:
        if isinstance(value, dict | list):
            union.append(value)
            continue
        key = _identity(value)
        if key not in seen:
            seen.add(key)
            union.append(value)
    return union


def _identity(value: Value) -> tuple[str, Value]:
    """Return a key that is equal for two scalars exactly when JavaScript's ``Set`` holds them once."""
    if isinstance(value, bool):
        return "boolean", value
    return ("number", value) if isinstance(value, int | float) else (type(value).__name__, value)
