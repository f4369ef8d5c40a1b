"""
Blobs: the bytes of recordings, kept as they came.

A blob appears whole or not at all: it is written beside its place, flushed to the disk, and renamed. It is never
written again, and every read checks its hash.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO, Final

import zstandard
from django.core.files.storage import FileSystemStorage, storages

_LEVEL: Final = 3
_CHUNK_BYTES: Final = 1 << 20
#: A window that decompressing never has to exceed, whatever a damaged frame asks for.
_MAX_WINDOW_BYTES: Final = 1 << 27
_INCOMING: Final = "incoming"
#: A file is surely locked so long after it was made.
_LOCKED_WITHIN_SECONDS: Final = 10


class DamagedBlobError(Exception):
    """The stored bytes are not those that were received, or not there."""

    def __init__(self, name: str, what: str) -> None:
        super().__init__(f"The stored recording {name} {what}.")


class BlobFolder(FileSystemStorage):
    """Blobs in a folder."""

    def __init__(self, location: str | Path | None = None, **options: Any) -> None:
        super().__init__(location=str(location) if location is not None else None, **options)

    @property
    def incoming(self) -> Path:
        """Where files are while they arrive; whatever is left there belongs to nobody."""
        folder = Path(self.path(_INCOMING))
        folder.mkdir(parents=True, exist_ok=True)
        return folder

    @contextmanager
    def temporary(self) -> Iterator[tuple[BinaryIO, Path]]:
        """
        Yield an open file that is gone afterwards, unless it was published.

        It is locked as long as it is open: one that is not belongs to a process that was killed.
        """
        handle, name = tempfile.mkstemp(dir=self.incoming)
        path = Path(name)
        try:
            with os.fdopen(handle, "w+b") as file:
                fcntl.flock(file, fcntl.LOCK_EX)
                yield file, path
        finally:
            path.unlink(missing_ok=True)

    def publish(self, source: Path, name: str) -> int:
        """
        Store the file *source*, compressed, under *name*. Returns how many bytes it takes.

        Durable when it returns: the content, the name, and the folders that are new.
        """
        target = Path(self.path(name))
        target.parent.mkdir(parents=True, exist_ok=True)
        with self.temporary() as (packed, path):
            with source.open("rb") as plain:
                zstandard.ZstdCompressor(_LEVEL).copy_stream(plain, packed, read_size=_CHUNK_BYTES)
            packed.flush()
            os.fsync(packed.fileno())
            n_bytes = packed.tell()
            path.replace(target)
        for folder in (target.parent, target.parent.parent, Path(self.location)):
            _sync_folder(folder)
        return n_bytes

    def sweep(self) -> int:
        """Remove what was left behind by uploads that broke off. Returns how many files."""
        n_files = 0
        for path in self.incoming.iterdir():
            try:
                with path.open("rb") as file:
                    fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                    if os.fstat(file.fileno()).st_mtime < time.time() - _LOCKED_WITHIN_SECONDS:
                        path.unlink()
                        n_files += 1
            except (FileNotFoundError, BlockingIOError):
                continue
        return n_files

    def blobs(self) -> Iterator[tuple[int, str]]:
        """Yield the key of the workspace and the hash of every blob."""
        for path in Path(self.location).glob("[0-9]*/??/*.zst"):
            yield int(path.parts[-3]), path.stem


def blob_folder() -> BlobFolder:
    """Return the storage of blobs."""
    folder = storages["blobs"]
    assert isinstance(folder, BlobFolder)
    return folder


def blob_name(workspace_id: int, sha256: str) -> str:
    """Return where the blob with *sha256* of a workspace is: each workspace keeps its own."""
    return f"{workspace_id}/{sha256[:2]}/{sha256}.zst"


def blob_lock_name(workspace_id: int, sha256: str) -> str:
    """Return the lock to hold from a blob to its row, and back: so that neither is ever there alone for others."""
    return f"blob {workspace_id} {sha256}"


def blob_read(name: str, sha256: str, n_bytes: int) -> bytes:
    """
    Return the bytes of a blob.

    Raises:
        DamagedBlobError: It is missing, cannot be decompressed, or has another hash or length.
    """
    try:
        with blob_folder().open(name) as file:
            reader = zstandard.ZstdDecompressor(max_window_size=_MAX_WINDOW_BYTES).stream_reader(file)
            data = reader.read(n_bytes + 1)
    except FileNotFoundError as error:
        raise DamagedBlobError(name, "is missing") from error
    except zstandard.ZstdError as error:
        raise DamagedBlobError(name, "cannot be decompressed") from error
    if len(data) != n_bytes or hashlib.sha256(data).hexdigest() != sha256:
        raise DamagedBlobError(name, "is not what was received")
    return data


def _sync_folder(folder: Path) -> None:
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
