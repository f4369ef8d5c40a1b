# Sourced by the other commands: goes to the root and makes sure that Python packages and Debian packages are there.
# shellcheck shell=bash
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

# The first interpreter that is new enough and can make an environment.
pick_python() {
  local candidate
  for candidate in "${PYTHON:-}" python3.13 python3.12 python3.11 python3 "${HOME:-}"/.pyenv/versions/3.1[123]*/bin/python3 /usr/bin/python3; do
    if [ -n "$candidate" ] && "$candidate" -c 'import sys, venv, ensurepip, sqlite3; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then
      echo "$candidate"
      return
    fi
  done
  echo "Footprint needs Python 3.11 or newer with venv and sqlite3. Install it, or name it in PYTHON." >&2
  return 1
}

# ensure_venv FILE: .venv exists and holds what FILE locks. Costs nothing when it already does.
ensure_venv() {
  local python want
  want=$(sha256sum "$1" | cut -c1-64)
  # The development lock holds everything of the other one, so it satisfies both.
  if [ -x .venv/bin/python ] && grep -qsx "$want" .venv/.locked; then return; fi
  if ! [ -x .venv/bin/python ]; then
    python=$(pick_python)
    echo "Making .venv with $("$python" --version) ..." >&2
    "$python" -m venv .venv
  fi
  echo "Installing $1 ..." >&2
  # uv only makes it faster: pip, which came with the environment, reads the same files.
  .venv/bin/python -m uv --version >/dev/null 2>&1 ||
    .venv/bin/python -m pip install -q --disable-pip-version-check "uv>=0.13,<0.14" 2>/dev/null || true
  if .venv/bin/python -m uv --version >/dev/null 2>&1; then
    .venv/bin/python -m uv pip install -q --compile-bytecode --python .venv/bin/python --require-hashes -r "$1"
  else
    .venv/bin/python -m pip install -q --disable-pip-version-check --require-hashes -r "$1"
  fi
  if [ "$1" = requirements-dev.txt ]; then
    sha256sum requirements.txt requirements-dev.txt | cut -c1-64 > .venv/.locked
  else
    echo "$want" > .venv/.locked
  fi
}

# ensure_apt WHAT PACKAGE: install one of Debian's packages, or say which one is missing.
ensure_apt() {
  if [ "$(id -u)" != 0 ] || ! command -v apt-get >/dev/null; then
    echo "The tests need $1: install Debian's package $2 (or your system's equivalent)." >&2
    return 1
  fi
  echo "Installing Debian's package $2 for $1 ..." >&2
  export DEBIAN_FRONTEND=noninteractive
  apt-get install -y -qq --no-install-recommends "$2" >/dev/null 2>&1 ||
    { apt-get update -qq && apt-get install -y -qq --no-install-recommends "$2" >/dev/null; }
}
