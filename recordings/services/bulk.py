"""Many rows at once."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import Any, Final, TypeVar

from django.db import connection, models

T = TypeVar("T")
_BATCH: Final = 500


def batched(items: Iterable[T]) -> Iterator[list[T]]:
    """Yield *items* in lists that fit into one query."""
    rest = iter(items)
    while batch := list(islice(rest, _BATCH)):
        yield batch


def objects_insert(*, model: type[models.Model], rows: Iterable[models.Model]) -> None:
    """Insert *rows* of *model*, none of them stored, without telling them their keys."""
    columns = [column for column in model._meta.concrete_fields if not column.primary_key]  # noqa: SLF001  # see below
    values = ([getattr(row, column.attname) for column in columns] for row in rows)
    rows_insert(model=model, fields=[column.name for column in columns], rows=values)


def rows_insert(*, model: type[models.Model], fields: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
    """
    Insert *rows*, the values of *fields* in their order; a relation by the key of its row.

    For rows by the thousand that nobody needs as objects: the ORM spends ten times as long on each as the database.
    They are taken as they come, a batch at a time.
    """
    meta = model._meta  # noqa: SLF001  # Django's documented API, whatever its name
    columns = [meta.get_field(name) for name in fields]
    quote = connection.ops.quote_name
    names = ", ".join(quote(str(column.column)) for column in columns)  # type: ignore[union-attr]  # all have one
    places = ", ".join(["%s"] * len(columns))

    def prepared(row: Sequence[Any]) -> list[Any]:
        return [
            column.get_db_prep_save(value, connection)  # type: ignore[union-attr]
            for column, value in zip(columns, row, strict=True)
        ]

    with connection.cursor() as cursor:
        for batch in batched(rows):
            values = [prepared(row) for row in batch]
            cursor.executemany(f"INSERT INTO {quote(meta.db_table)} ({names}) VALUES ({places})", values)  # noqa: S608
