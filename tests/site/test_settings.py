"""Settings: what the environment says, what is safe when it says nothing, and what is refused."""

import os
import re
import stat
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from django.core.exceptions import ImproperlyConfigured

from footprint_site.database import database_config
from footprint_site.secret import read_or_make_secret_key

ROOT = Path(__file__).resolve().parent.parent.parent
CORPUS_VARIABLE = "FOOTPRINT_CORPUS"


def documented() -> dict[str, str]:
    lines = (ROOT / ".env.example").read_text().splitlines()
    return dict(line.split("=", 1) for line in lines if line and not line.startswith("#"))


def test_every_variable_is_in_the_example_and_nothing_else():
    source = (ROOT / "footprint_site" / "settings.py").read_text()
    read = {f"FOOTPRINT_{name}" for name in re.findall(r'env\.\w+\(\s*"(\w+)"', source)}

    assert set(documented()) == read | {CORPUS_VARIABLE}


def settings_in(tmp_path: Path, expression: str, **environment: str) -> str:
    """Return what *expression* is in a process whose environment is *environment* alone."""
    clean = {name: value for name, value in os.environ.items() if not name.startswith("FOOTPRINT_")}
    code = f"import footprint_site.settings as s; print({expression})"
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=ROOT,
        env=clean | {"FOOTPRINT_DATA_DIR": str(tmp_path)} | environment,
        capture_output=True,
        text=True,
        check=False,
    )
    return done.stdout.strip() or done.stderr.strip().splitlines()[-1]


def test_the_example_states_the_defaults(tmp_path):
    """Nothing changes for who copies the example as it is."""
    names = "DEBUG HOST PORT HTTPS ALLOWED_HOSTS AXES_FAILURE_LIMIT AXES_COOLOFF_TIME DATABASES"
    expression = f"[getattr(s, n) for n in '{names}'.split()]"
    example = documented() | {"FOOTPRINT_DATA_DIR": str(tmp_path)}

    assert settings_in(tmp_path, expression, **example) == settings_in(tmp_path, expression)


def test_over_tls_cookies_cannot_be_planted_or_read_on_the_way(tmp_path):
    names = "SESSION_COOKIE_NAME CSRF_COOKIE_NAME SESSION_COOKIE_SECURE CSRF_COOKIE_SECURE SECURE_SSL_REDIRECT"

    shown = settings_in(tmp_path, f"[getattr(s, n) for n in '{names}'.split()]", FOOTPRINT_HTTPS="true")

    assert shown == "['__Host-footprint_session', '__Host-footprint_csrf', True, True, True]"


def test_the_data_folder_moves_everything(tmp_path):
    shown = settings_in(tmp_path, "s.DATABASES['default']['NAME'], s.STATIC_ROOT, s.DATA_DIR")

    assert shown.count(str(tmp_path)) == 3
    assert (tmp_path / "secret_key").exists()


def test_a_given_key_is_used_and_none_is_made(tmp_path):
    assert settings_in(tmp_path, "s.SECRET_KEY", FOOTPRINT_SECRET_KEY="given") == "given"
    assert not (tmp_path / "secret_key").exists()


def test_the_key_is_made_once_and_is_its_owners_alone(tmp_path):
    folder = tmp_path / "new" / "folder"

    first = read_or_make_secret_key(folder)

    assert read_or_make_secret_key(folder) == first
    assert len(first) >= 80
    assert stat.S_IMODE((folder / "secret_key").stat().st_mode) == 0o600
    assert [path.name for path in folder.iterdir()] == ["secret_key"]


def test_processes_that_start_together_agree_on_the_key(tmp_path):
    keys: list[str] = []
    gate = threading.Barrier(8)

    def read() -> None:
        gate.wait()
        keys.append(read_or_make_secret_key(tmp_path))

    threads = [threading.Thread(target=read) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert len(keys) == 8
    assert len(set(keys)) == 1


@pytest.mark.parametrize(
    "spoil", [lambda folder: (folder / "secret_key").mkdir(), lambda folder: (folder / "secret_key").write_bytes(b"")]
)
def test_a_key_that_cannot_be_read_stops_the_start_and_says_what_to_do(spoil, tmp_path):
    spoil(tmp_path)

    with pytest.raises(ImproperlyConfigured, match=r"FOOTPRINT_SECRET_KEY|Delete the file"):
        read_or_make_secret_key(tmp_path)


def test_without_a_url_the_database_is_sqlite_in_the_data_folder(tmp_path):
    config = database_config("", tmp_path)

    assert (config["ENGINE"], config["NAME"]) == ("django.db.backends.sqlite3", str(tmp_path / "footprint.sqlite3"))
    assert config["OPTIONS"]["transaction_mode"] == "IMMEDIATE"
    assert "synchronous=FULL" in config["OPTIONS"]["init_command"]


@pytest.mark.parametrize("scheme", ["postgres", "postgresql"])
def test_both_spellings_of_postgresql_are_read(scheme, tmp_path):
    config = database_config(f"{scheme}://ann:s%2Fe@db.example:5433/footprint", tmp_path)

    assert config["ENGINE"] == "django.db.backends.postgresql"
    assert (config["HOST"], config["PORT"], config["NAME"]) == ("db.example", 5433, "footprint")
    assert (config["USER"], config["PASSWORD"]) == ("ann", "s/e")
    assert config["OPTIONS"]["connect_timeout"] == 2


def test_a_socket_is_read(tmp_path):
    config = database_config("postgresql://postgres@%2Ftmp%2Fsocket:5432/postgres", tmp_path)

    assert config["HOST"] == "/tmp/socket"  # noqa: S108  # a name in a URL, no file


def test_an_absolute_path_of_sqlite_is_read(tmp_path):
    assert database_config(f"sqlite:///{tmp_path}/x.sqlite3", Path("elsewhere"))["NAME"] == f"{tmp_path}/x.sqlite3"


@pytest.mark.parametrize(
    "url", ["mysql://ann:secret@db/x", "secret", "postgresql://ann:secret@db:port/x", "http://secret"]
)
def test_any_other_url_is_refused_without_repeating_its_password(url, tmp_path):
    with pytest.raises(ImproperlyConfigured) as refusal:
        database_config(url, tmp_path)

    assert "FOOTPRINT_DATABASE_URL" in str(refusal.value)
    assert "secret" not in str(refusal.value)


def test_the_real_connection_has_what_durability_needs(db):
    from django.db import connection

    if connection.vendor != "sqlite":
        with connection.cursor() as cursor:
            cursor.execute("SHOW server_encoding")
            assert cursor.fetchone() == ("UTF8",)
        return
    with connection.cursor() as cursor:
        pragmas = {
            name: cursor.execute(f"PRAGMA {name}").fetchone()[0]
            for name in ["journal_mode", "synchronous", "foreign_keys", "busy_timeout"]
        }
    assert pragmas == {"journal_mode": "wal", "synchronous": 2, "foreign_keys": 1, "busy_timeout": 20_000}
