"""Receiving a file: to the disk, hashed and counted on the way, never whole in memory."""

from __future__ import annotations

import hashlib
import zlib
from collections.abc import Iterable, Iterator
from http import HTTPStatus
from typing import BinaryIO, Final, Protocol

import msgspec

from recordings.ingest.refusals import Refused

_CHUNK_BYTES: Final = 1 << 20
_GZIP_WINDOW: Final = 31
_GZIP_MAGIC: Final = b"\x1f\x8b"


class ReceiveLimits(msgspec.Struct, frozen=True):
    """How much is received, in bytes. Each limit is exact: as many are let in, one more is not."""

    max_wire_bytes: int = 256 * 1024 * 1024
    max_inflated_bytes: int = 256 * 1024 * 1024
    #: A body of less than so many bytes may not grow beyond the second: small requests stay cheap.
    small_wire_bytes: int = 1024 * 1024
    max_small_inflated_bytes: int = 48 * 1024 * 1024
    #: Nor hold more rows than this that say anything: of real runs, a byte on the wire brings less than a tenth.
    max_small_commits: int = 100_000
    #: Nor more objects: of real runs, four bytes on the wire bring one.
    max_small_objects: int = 350_000
    #: No recording compresses like this; what does is a bomb, and is not unpacked to its end.
    max_ratio: int = 200


class ReadableFile(Protocol):
    """What is asked of a file that somebody brings."""

    def read(self, n_bytes: int, /) -> bytes:
        """Return the next bytes, at most so many."""

    def seek(self, offset: int, /) -> object:
        """Go to a place."""


class Received(msgspec.Struct, frozen=True):
    """What arrived: of the content, transport compression removed."""

    sha256: str
    n_bytes: int
    n_wire_bytes: int


def receive(chunks: Iterable[bytes], file: BinaryIO, *, is_gzip: bool, limits: ReceiveLimits) -> Received:
    """
    Write what *chunks* carry to *file*.

    Raises:
        Refused: ``too_large`` or ``inflated_too_large`` (413) at the first byte over a limit, ``bad_gzip`` (400).
    """
    counter = _Counter(limits)
    content = _inflated(counter.counted(chunks)) if is_gzip else counter.counted(chunks)
    digest = hashlib.sha256()
    for piece in content:
        counter.add_content(len(piece), is_gzip=is_gzip)
        digest.update(piece)
        file.write(piece)
    if is_gzip:
        counter.check_small()
    file.flush()
    return Received(digest.hexdigest(), counter.n_content, counter.n_wire)


def is_gzip_file(file: ReadableFile) -> bool:
    """Whether *file*, which stands at its start and does so again afterwards, is compressed."""
    start = file.read(len(_GZIP_MAGIC))
    file.seek(0)
    return start == _GZIP_MAGIC


class _Counter:
    """Counts the bytes on both sides of the decompression, and refuses the first one too many."""

    def __init__(self, limits: ReceiveLimits) -> None:
        self._limits = limits
        self.n_wire = 0
        self.n_content = 0

    def counted(self, chunks: Iterable[bytes]) -> Iterator[bytes]:
        for chunk in chunks:
            self.n_wire += len(chunk)
            if self.n_wire > self._limits.max_wire_bytes:
                raise too_large(self._limits.max_wire_bytes)
            yield chunk

    def add_content(self, n_bytes: int, *, is_gzip: bool) -> None:
        self.n_content += n_bytes
        if self.n_content > self._limits.max_inflated_bytes:
            raise _inflated_too_large(self._limits.max_inflated_bytes)
        is_bomb = self.n_content > self._limits.max_ratio * max(self.n_wire, 1)
        if is_gzip and is_bomb and self.n_content > self._limits.max_small_inflated_bytes:
            raise _inflated_too_large(self._limits.max_small_inflated_bytes)

    def check_small(self) -> None:
        limit = self._limits.max_small_inflated_bytes
        if self.n_wire < self._limits.small_wire_bytes and self.n_content > limit:
            raise _inflated_too_large(limit)


def _inflated(chunks: Iterable[bytes]) -> Iterator[bytes]:
    """Yield what the gzip members in *chunks*, one or more, hold; never more than a chunk at once."""
    inflater = zlib.decompressobj(_GZIP_WINDOW)
    has_any = False
    try:
        for chunk in chunks:
            rest = chunk
            while rest:
                if inflater.eof:
                    inflater = zlib.decompressobj(_GZIP_WINDOW)
                has_any = True
                piece = inflater.decompress(rest, _CHUNK_BYTES)
                if piece:
                    yield piece
                rest = inflater.unconsumed_tail or inflater.unused_data
    except zlib.error as error:
        raise _bad_gzip("It cannot be decompressed.") from error
    if has_any and not inflater.eof:
        raise _bad_gzip("It ends too early.")


def too_large(limit: int) -> Refused:
    """Return the refusal of a body of more than *limit* bytes."""
    message = f"The request is larger than {limit} bytes. Send the recording compressed, or a shorter one."
    return Refused("too_large", message, status=HTTPStatus.REQUEST_ENTITY_TOO_LARGE, limit=limit)


def _inflated_too_large(limit: int) -> Refused:
    message = f"Decompressed, the recording is larger than {limit} bytes, more than a request of its size may hold."
    return Refused("inflated_too_large", message, status=HTTPStatus.REQUEST_ENTITY_TOO_LARGE, limit=limit)


def _bad_gzip(what: str) -> Refused:
    message = f"The gzip data is damaged. {what} Compress the file again, or send it as plain JSON."
    return Refused("bad_gzip", message, status=HTTPStatus.BAD_REQUEST)
