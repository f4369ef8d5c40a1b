"""How much of anything a recording may hold."""

from __future__ import annotations

import msgspec


class Limits(msgspec.Struct, frozen=True):
    """The limits of the scan. Each is exact: as many are let in, one more is not."""

    #: Of the JSON, transport compression removed.
    max_bytes: int = 268_435_456
    #: Objects and lists in each other, counted from the first bracket, the snapshot's ``executionTree`` left out.
    max_depth: int = 512
    #: Rows in all logs of the file together.
    max_commits: int = 1_000_000
    #: Those of them that are not so short that they are shared.
    max_long_commits: int = 1_000_000
    #: Objects in the whole file, execution trees left out; an object takes many times the bytes that it is written in.
    max_objects: int = 268_435_456
    #: Between the quotes, as written.
    max_string_bytes: int = 67_108_864
    max_key_bytes: int = 1_048_576
    max_keys_per_object: int = 1_000_000
    max_id_chars: int = 1_000
    #: How many problems a refusal lists.
    max_problems: int = 50
    #: In lists of rows that differ, together: each path is looked for in everything that is shown.
    max_redacted_paths: int = 100_000
    #: How many redacted paths a scan lists.
    max_listed_paths: int = 10_000
