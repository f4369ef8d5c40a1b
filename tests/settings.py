"""The product's settings, on data of their own and with a password hasher that does not take its time."""

import os
import tempfile

_data = tempfile.TemporaryDirectory(prefix="footprint-tests-")
os.environ |= {
    "FOOTPRINT_DATA_DIR": _data.name,
    "FOOTPRINT_DEBUG": "false",
    "FOOTPRINT_HTTPS": "false",
    "FOOTPRINT_ALLOWED_HOSTS": "localhost,127.0.0.1,[::1]",
    "FOOTPRINT_SIGN_IN_ATTEMPTS": "5",
    "FOOTPRINT_SIGN_IN_COOLOFF_MINUTES": "15",
}
# Set, so that a developer's .env cannot point the tests at real data.
os.environ.setdefault("FOOTPRINT_DATABASE_URL", "")

from footprint_site.settings import *  # noqa: E402, F403  # the environment comes first
from footprint_site.settings import DATABASES, STATIC_ROOT, STORAGES  # noqa: E402

STATIC_ROOT.mkdir()
if DATABASES["default"]["ENGINE"] == "django.db.backends.sqlite3":
    # A file, as in production: threads of a test and the live server meet its real locks.
    DATABASES["default"]["TEST"] = {"NAME": f"{_data.name}/test.sqlite3"}
PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
STORAGES["staticfiles"] = {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"}
