"""The secret key of an installation: made once, kept in the data folder, readable by its owner alone."""

import os
import secrets
import tempfile
from pathlib import Path

from django.core.exceptions import ImproperlyConfigured

KEY_FILE = "secret_key"


def read_or_make_secret_key(data_dir: Path) -> str:
    """
    Return the key in *data_dir*, making the folder and the key at the first start.

    Processes that start together agree on one key: whoever links its file first wins.

    Raises:
        ImproperlyConfigured: The key can be neither read nor written; the message says what to do.
    """
    path = data_dir / KEY_FILE
    try:
        if not path.exists():
            _publish(path, secrets.token_urlsafe(64))
        key = path.read_text(encoding="ascii").strip()
    except (OSError, UnicodeDecodeError) as error:
        raise ImproperlyConfigured(
            f"The secret key {path} can be neither read nor made ({error}). Make the folder writable, point "
            "FOOTPRINT_DATA_DIR at another one, or set FOOTPRINT_SECRET_KEY."
        ) from error
    if not key:
        raise ImproperlyConfigured(f"The secret key {path} is empty. Delete the file so that a new one is made.")
    return key


def _publish(path: Path, key: str) -> None:
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    # mkstemp gives mode 0600; the link makes a whole file appear at once or not at all.
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{KEY_FILE}-")
    try:
        with os.fdopen(handle, "w", encoding="ascii") as file:
            file.write(key)
            file.flush()
            os.fsync(file.fileno())
        os.link(temporary, path)
    except FileExistsError:
        pass
    finally:
        Path(temporary).unlink()
