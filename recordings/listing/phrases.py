"""Recordings in which a phrase stands."""

from __future__ import annotations

import json
from typing import Any

from django.db import models

from recordings.models.recording import RecordingQuerySet
from recordings.models.words import ByteIndex, searchable


class OneOf(models.Lookup[Any]):
    """
    ``pk__one_of=keys``: like ``in``, for keys by the thousand.

    They travel as one parameter: a statement with one for each takes longer to make than to run.
    """

    lookup_name = "one_of"

    def get_prep_lookup(self) -> Any:
        """Return the keys, which need no preparation."""
        return self.rhs

    def as_sqlite(self, compiler: Any, connection: Any) -> tuple[str, list[Any]]:
        """Return it for SQLite, which reads JSON."""
        column, params = self.process_lhs(compiler, connection)
        keys = "(SELECT value FROM json_each(%s))"
        return f"{column} IN {keys}", [*params, json.dumps(self.rhs)]

    def as_postgresql(self, compiler: Any, connection: Any) -> tuple[str, list[Any]]:
        """Return it for PostgreSQL, which has arrays."""
        column, params = self.process_lhs(compiler, connection)
        return f"{column} = ANY(%s)", [*params, self.rhs]


models.BigAutoField.register_lookup(OneOf)


def with_phrase(rows: RecordingQuerySet, phrase: str) -> RecordingQuerySet:
    """
    Return *rows* in which *phrase* stands: literally, letter case aside, in an answer, the question, the name or an id.

    They are looked through here, once; whatever is asked of the rows that are returned knows their keys.
    """
    saying = rows.alias(phrase_at=ByteIndex("words__data", searchable(phrase))).filter(phrase_at__gt=0)
    keys = list(saying.order_by().values_list("pk", flat=True))
    return rows.filter(pk__one_of=keys)
