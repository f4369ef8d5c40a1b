"""A file that is JSON within the limits, whatever it says."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from recordings.ingest.limits import Limits
from recordings.ingest.refusals import Refused
from recordings.ingest.skeleton import Skeleton, SkeletonReader
from recordings.ingest.structure import Structure
from recordings.ingest.syntax import JsonReader


class Document(msgspec.Struct, frozen=True):
    """Where the parts of a file stand, and what in its text is worth a warning."""

    skeleton: Skeleton
    n_lone_surrogates: int
    #: Escapes of U+0000.
    n_nuls: int


def read_json(data: bytes, span: slice, limits: Limits) -> Document:
    """
    Return the frame of the JSON at *span* of *data*, which is UTF-8.

    Raises:
        Refused: It is no JSON, or goes beyond a limit.
    """
    reader = JsonReader(data, span.stop)
    walk = SkeletonReader(reader, limits)
    try:
        walk.read(span.start)
    except Refused:
        if reader.deep:
            # Of two reasons depth is the one to name: what is too deep has not been checked for the other.
            trees = [tree for _, tree in walk.skeleton.trees]
            _check_structure(reader, walk, slice(span.start, len(reader.text)), trees, limits)
        raise
    whole = slice(span.start, len(reader.text))
    n_nuls = _check_structure(reader, walk, whole, walk.skeleton.execution_trees(), limits)
    reader.check_deep()
    return Document(walk.skeleton, reader.n_lone_surrogates, n_nuls)


def _check_structure(
    reader: JsonReader, walk: SkeletonReader, whole: slice, trees: Sequence[slice], limits: Limits
) -> int:
    """Check how deep, long and large the parts of *whole* are, *trees* at any depth; return how many NULs there are."""
    structure = Structure(reader.text, limits, walk.check_keys, walk.skeleton.counted)
    start = whole.start
    for tree in trees:
        structure.check(start, tree.start, max_depth=limits.max_depth)
        structure.check(tree.start, tree.stop, max_depth=None)
        start = tree.stop
    structure.check(start, whole.stop, max_depth=limits.max_depth)
    return structure.n_nuls
