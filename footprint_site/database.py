"""From ``FOOTPRINT_DATABASE_URL`` to what Django needs to talk to SQLite or PostgreSQL safely."""

from pathlib import Path
from typing import Any

import dj_database_url
from django.core.exceptions import ImproperlyConfigured

#: How long a request waits for a database that does not answer, in seconds, before people are told to try again.
AWAY_AFTER_SECONDS = 2
SCHEMES = ("sqlite:///", "postgres://", "postgresql://")

# The write-ahead log lets readers go on while one process writes; FULL makes a commit survive a power cut.
_SQLITE_PRAGMAS = (
    "PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL; PRAGMA temp_store=MEMORY; PRAGMA mmap_size=134217728; "
    "PRAGMA cache_size=-20000; PRAGMA journal_size_limit=67108864;"
)


def database_config(url: str, data_dir: Path) -> dict[str, Any]:
    """
    Return the entry of ``DATABASES`` for *url*, or for SQLite in *data_dir* when it is empty.

    Raises:
        ImproperlyConfigured: *url* starts with none of `SCHEMES`, or cannot be read. The message does not repeat
            the URL, which may hold a password.
    """
    url = url or f"sqlite:///{data_dir / 'footprint.sqlite3'}"
    if not url.startswith(SCHEMES):
        raise ImproperlyConfigured(f"FOOTPRINT_DATABASE_URL has to start with one of {', '.join(SCHEMES)}")
    try:
        config: dict[str, Any] = {**dj_database_url.parse(url)}
    except ValueError as error:
        raise ImproperlyConfigured("FOOTPRINT_DATABASE_URL is not a URL. Percent-encode what is special.") from error
    if config["ENGINE"] == "django.db.backends.sqlite3":
        # BEGIN IMMEDIATE: a transaction that starts with a read and then writes would otherwise fail at once when
        # another one wrote in between, however long the timeout.
        return config | {
            "CONN_MAX_AGE": 600,
            "OPTIONS": {"transaction_mode": "IMMEDIATE", "timeout": 20, "init_command": _SQLITE_PRAGMAS},
        }
    pool = {"min_size": 2, "max_size": 8, "timeout": AWAY_AFTER_SECONDS}
    options = {**config.get("OPTIONS", {}), "pool": pool, "connect_timeout": AWAY_AFTER_SECONDS}
    return config | {"CONN_MAX_AGE": 0, "OPTIONS": options}
