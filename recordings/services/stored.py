"""What is stored of a recording, read back and checked."""

from __future__ import annotations

from typing import Final

from recordings.blobs import DamagedBlobError, blob_name, blob_read
from recordings.models import Recording
from recordings.timetravel import Recording as Run
from recordings.timetravel import TimeTravelError, decode_recording

_BYTE_ORDER_MARK: Final = b"\xef\xbb\xbf"


def bytes_of(recording: Recording) -> bytes:
    """Return the bytes of *recording*, as they were sent. Raises `DamagedBlobError`."""
    return blob_read(blob_name(recording.workspace_id, recording.sha256), recording.sha256, recording.n_bytes)


def run_of(recording: Recording) -> Run:
    """
    Return *recording*, decoded, without what its policies took out.

    Raises:
        DamagedBlobError: Its bytes are damaged.
        TimeTravelError: They cannot be decoded, which cannot happen to what was taken in.
    """
    return decode_recording(bytes_of(recording).removeprefix(_BYTE_ORDER_MARK), is_masked=True)


def run_of_if_whole(recording: Recording) -> Run | None:
    """Return *recording*, decoded; None when it is damaged."""
    try:
        return run_of(recording)
    except (DamagedBlobError, TimeTravelError):
        return None
