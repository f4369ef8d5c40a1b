"""Errors in the execution tree: where a run keeps the reason of a failed stage, for a tree of any depth."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Final
from weakref import WeakKeyDictionary

from recordings.timetravel.jsonspans import value_end
from recordings.timetravel.jsontext import read_value
from recordings.timetravel.lanes import execution_index
from recordings.timetravel.recording import Recording
from recordings.timetravel.values import is_object

#: A node without errors says so too, and most trees hold none: then nothing of the tree is read.
_ANY_ERROR: Final = re.compile(rb'"errors"\s*+:\s*+\{\s*+"')
_STEP: Final = re.compile(
    rb'[\s,]*+(?:(?P<key>"(?:[^"\\]++|\\.)*+")\s*+:\s*+|(?P<opening>[{\[])|(?P<closing>[}\]]))', re.DOTALL
)
_LEADS_DEEPER: Final = frozenset({b'"next"', b'"children"'})
_NOTHING_IN_IT: Final = re.compile(rb"\{\s*+\}|\[\s*+\]")

_errors: WeakKeyDictionary[Recording, Mapping[str, str]] = WeakKeyDictionary()


def tree_errors(recording: Recording) -> Mapping[str, str]:
    """Return the error of each execution that has one in the tree, by its runtime stage id, in execution order."""
    if recording not in _errors:
        tree = recording.execution_tree
        found = list(_errors_in(tree)) if _ANY_ERROR.search(tree) else []
        _errors[recording] = dict(sorted(found, key=lambda error: execution_index(error[0])))
    return _errors[recording]


def _errors_in(tree: bytes) -> Iterator[tuple[str, str]]:
    for node in _nodes(tree):
        errors = read_value(node.get(b'"errors"', b"{}"))
        stage = read_value(node.get(b'"runtimeStageId"', b"null"))
        texts = [text for text in errors.values() if isinstance(text, str)] if is_object(errors) else []
        if texts and isinstance(stage, str):
            yield stage, "\n".join(texts)


def _nodes(tree: bytes) -> Iterator[dict[bytes, bytes]]:
    """Yield the members of each node but the nodes below it. Not recursive: a real tree has thousands of levels."""
    opened: list[dict[bytes, bytes]] = []
    position = 0
    while match := _STEP.match(tree, position):
        position = match.end()
        if match["opening"]:
            opened.append({})
        elif match["closing"]:
            if not opened:
                return
            yield opened.pop()
        elif match["key"] not in _LEADS_DEEPER or tree[position : position + 1] not in (b"{", b"["):
            empty = _NOTHING_IN_IT.match(tree, position)
            end = empty.end() if empty else value_end(tree, position)
            if opened:
                opened[-1][match["key"]] = tree[position:end]
            position = end
