#!/usr/bin/env bash
# Runs python.py under Google's client for Python, in an environment of its own in the folder BIGTABLE_MODEL_VENV, against
# the server that BIGTABLE_EMULATOR_HOST names. Ends with 77 where Python or its packages are not at hand.
set -euo pipefail

: "${BIGTABLE_EMULATOR_HOST:?set it to the host:port of a server}"
venv="${BIGTABLE_MODEL_VENV:-${TMPDIR:-/tmp}}/bigtable-python"

skip() {
  echo "$1"
  exit 77
}

command -v python3 >/dev/null || skip "Python is not installed"
if ! [ -e "$venv/complete" ]; then
  python3 -m venv --clear "$venv" >&2 || skip "Python's venv is not installed"
  "$venv/bin/pip" install --quiet google-cloud-bigtable >&2 ||
    skip "pip cannot install google-cloud-bigtable"
  touch "$venv/complete"
fi
# A test that hangs is worse than one that fails.
timeout 120 "$venv/bin/python" "$(dirname "$0")/python.py"
