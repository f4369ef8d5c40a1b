"""A database for a server of its own."""

import os
import urllib.parse
import uuid
from collections.abc import Iterator
from contextlib import contextmanager

import psycopg
from psycopg import sql


@contextmanager
def empty_database() -> Iterator[dict[str, str]]:
    """
    Yield what names an empty database in the environment of a server.

    On SQLite that is nothing, because its file is in the folder of the data; on PostgreSQL a database in the same
    cluster, which is dropped afterwards.
    """
    url = os.environ.get("FOOTPRINT_DATABASE_URL", "")
    if not url.startswith("postgres"):
        yield {}
        return
    name = f"framework_{uuid.uuid4().hex}"
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute(sql.SQL("CREATE DATABASE {}").format(sql.Identifier(name)))
        try:
            yield {"FOOTPRINT_DATABASE_URL": urllib.parse.urlsplit(url)._replace(path=f"/{name}").geturl()}
        finally:
            connection.execute(sql.SQL("DROP DATABASE {} WITH (FORCE)").format(sql.Identifier(name)))
