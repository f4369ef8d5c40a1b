"""One at a time, over all threads and processes of an installation."""

import fcntl
import hashlib
from collections.abc import Iterator
from contextlib import contextmanager

from django.conf import settings
from django.db import connection

# Lock files are never removed, so their number is bounded for each kind of name; two names that share one merely wait
# for each other.
_N_FILES = 64


@contextmanager
def exclusive(name: str) -> Iterator[None]:
    """
    Hold the lock called *name*; wait while another thread or process holds it.

    The first word of *name* is its kind. A second lock may be taken inside only if it is of another kind, and the kinds
    always in the same order.

    Unlike a row lock it needs no transaction, so what is written inside is seen by the next holder at once. On
    PostgreSQL it is an advisory lock, held by every process of every host; on SQLite a file in the data folder. It ends
    with its holder, however that ends.
    """
    with _held(name, is_waiting=True):
        yield


@contextmanager
def exclusive_if_free(name: str) -> Iterator[bool]:
    """Hold the lock called *name*, or yield False at once when somebody else does."""
    with _held(name, is_waiting=False) as is_held:
        yield is_held


@contextmanager
def _held(name: str, *, is_waiting: bool) -> Iterator[bool]:
    number = int.from_bytes(hashlib.sha256(name.encode()).digest()[:8], signed=True)
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute(f"SELECT {'pg_advisory_lock' if is_waiting else 'pg_try_advisory_lock'}(%s)", [number])
            is_held = is_waiting or bool(cursor.fetchone()[0])
            try:
                yield is_held
            finally:
                if is_held:
                    cursor.execute("SELECT pg_advisory_unlock(%s)", [number])
        return
    folder = settings.DATA_DIR / "locks"
    folder.mkdir(parents=True, exist_ok=True)
    # Closing the file gives the lock back.
    with (folder / f"{name.partition(' ')[0]}-{number % _N_FILES}").open("wb") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX if is_waiting else fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            yield False
            return
        yield True
