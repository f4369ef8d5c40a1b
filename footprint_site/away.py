"""Telling a database that is away from a fault of ours."""

from django.db import InterfaceError, OperationalError

#: SQLite calls a missing table or column an operational error too.
_OUR_FAULTS = ("no such table", "no such column", "has no column")


def is_database_away(error: BaseException | None) -> bool:
    """Whether *error* means that trying again later may help: no connection, locked for too long, disk full."""
    if not isinstance(error, OperationalError | InterfaceError):
        return False
    return not any(fault in str(error) for fault in _OUR_FAULTS)
