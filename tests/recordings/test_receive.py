"""Receiving: exact limits on both sides of the decompression, and nothing left of what is refused."""

import gzip
import hashlib
import io
import os
import zlib

import pytest

from recordings.ingest.receive import ReceiveLimits, receive
from recordings.ingest.refusals import Refused

SMALL = ReceiveLimits(
    max_wire_bytes=2_000, max_inflated_bytes=10_000, small_wire_bytes=100, max_small_inflated_bytes=5_000, max_ratio=50
)


def received(data: bytes, *, is_gzip: bool = False, limits: ReceiveLimits = SMALL, chunk: int = 7):
    file = io.BytesIO()
    chunks = (data[start : start + chunk] for start in range(0, len(data), chunk))
    result = receive(chunks, file, is_gzip=is_gzip, limits=limits)
    return result, file.getvalue()


def refusal(data: bytes, **options: object) -> Refused:
    with pytest.raises(Refused) as refused:
        received(data, **options)
    return refused.value


def test_what_is_received_is_hashed_and_counted_without_its_compression():
    data = os.urandom(1_500)
    for result, content in (received(data), received(gzip.compress(data), is_gzip=True)):
        assert content == data
        assert (result.sha256, result.n_bytes) == (hashlib.sha256(data).hexdigest(), len(data))


def test_the_wire_limit_is_exact():
    assert received(b"x" * 2_000)[0].n_bytes == 2_000

    over = refusal(b"x" * 2_001)
    assert (over.code, over.status, over.limit) == ("too_large", 413, 2_000)


def test_the_inflated_limit_is_exact():
    data = bytes(range(256)) * 39 + os.urandom(16)
    assert received(gzip.compress(data), is_gzip=True)[0].n_bytes == len(data) == 10_000

    over = refusal(gzip.compress(data + b"x"), is_gzip=True)
    assert (over.code, over.status, over.limit) == ("inflated_too_large", 413, 10_000)


def test_a_small_request_may_not_grow_beyond_what_small_requests_may_cost():
    assert len(gzip.compress(bytes(5_001))) < 100

    assert refusal(gzip.compress(bytes(5_001)), is_gzip=True).limit == 5_000
    assert received(gzip.compress(b"ab" * 2_400), is_gzip=True)[0].n_bytes == 4_800


def test_a_gibibyte_of_nothing_is_given_up_long_before_its_end():
    packer = zlib.compressobj(9, wbits=31)
    bomb = b"".join(packer.compress(bytes(1 << 20)) for _ in range(1024)) + packer.flush()
    assert len(bomb) < 1_100_000
    file = io.BytesIO()

    with pytest.raises(Refused) as refused:
        receive((bomb[n : n + 65536] for n in range(0, len(bomb), 65536)), file, is_gzip=True, limits=ReceiveLimits())

    assert refused.value.code == "inflated_too_large"
    assert len(file.getvalue()) <= 64 * 1024 * 1024


def test_a_thousand_members_are_one_file():
    members = [gzip.compress(b"%d," % number) for number in range(1_000)]
    limits = ReceiveLimits()

    _, content = received(b"".join(members), is_gzip=True, limits=limits, chunk=100)

    assert content == b"".join(b"%d," % number for number in range(1_000))


@pytest.mark.parametrize(
    "data",
    [b"{}", b"\x1f\x8b", gzip.compress(b"x" * 500)[:-4], gzip.compress(b"x" * 500)[:-9], gzip.compress(b"x") + b"junk"],
)
def test_damaged_gzip_is_refused(data):
    assert (refusal(data, is_gzip=True).code, refusal(data, is_gzip=True).status) == ("bad_gzip", 400)


def test_an_empty_body_is_received_as_nothing():
    assert received(b"")[0].n_bytes == 0
    assert received(b"", is_gzip=True)[0].n_bytes == 0
