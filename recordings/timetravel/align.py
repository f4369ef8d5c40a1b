"""Putting two lists side by side: what stayed, in its order, and what did not."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Hashable, Sequence


def align(old: Sequence[Hashable], new: Sequence[Hashable]) -> list[int | None]:
    """
    Return for each element of *new* the index of the element of *old* that it is, None for one that came in.

    The answers that are not None grow from left to right and are as many as can be: a longest common subsequence. For
    lists whose elements are mostly different it takes n log n steps.
    """
    head = 0
    while head < len(old) and head < len(new) and old[head] == new[head]:
        head += 1
    tail = 0
    while tail < len(old) - head and tail < len(new) - head and old[-1 - tail] == new[-1 - tail]:
        tail += 1
    middle = _align(old[head : len(old) - tail], new[head : len(new) - tail])
    return [
        *range(head),
        *(None if index is None else index + head for index in middle),
        *range(len(old) - tail, len(old)),
    ]


def _align(old: Sequence[Hashable], new: Sequence[Hashable]) -> list[int | None]:
    places: dict[Hashable, list[int]] = {}
    for index, element in enumerate(old):
        places.setdefault(element, []).append(index)
    # Pairs of equal elements in the order of *new*, those of one element from right to left: then a growing run of them
    # never takes one element twice. Source: the algorithm of Hunt and Szymanski (1977).
    pairs = [(place, index) for index, element in enumerate(new) for place in reversed(places.get(element, ()))]
    found: list[int | None] = [None] * len(new)
    for position in longest_increasing([place for place, _ in pairs]):
        place, index = pairs[position]
        found[index] = place
    return found


def longest_increasing(numbers: Sequence[int]) -> list[int]:
    """Return the indices of a longest strictly increasing subsequence of *numbers*."""
    ends: list[int] = []  # by length of a run: the smallest number that such a run ends with
    at: list[int] = []  # and its index
    before: list[int] = []
    for index, number in enumerate(numbers):
        length = bisect_left(ends, number)
        before.append(at[length - 1] if length else -1)
        if length == len(ends):
            ends.append(number)
            at.append(index)
        else:
            ends[length], at[length] = number, index
    run: list[int] = []
    index = at[-1] if at else -1
    while index >= 0:
        run.append(index)
        index = before[index]
    return run[::-1]
