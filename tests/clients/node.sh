#!/usr/bin/env bash
# Runs node.js under Google's client for Node.js, installed in the folder BIGTABLE_MODEL_VENV, against the server
# that BIGTABLE_EMULATOR_HOST names. Ends with 77 where Node.js or its packages are not at hand.
set -euo pipefail

: "${BIGTABLE_EMULATOR_HOST:?set it to the host:port of a server}"
folder="${BIGTABLE_MODEL_VENV:-${TMPDIR:-/tmp}}/bigtable-node"

skip() {
  echo "$1"
  exit 77
}

command -v node >/dev/null || skip "Node.js is not installed"
command -v npm >/dev/null || skip "npm is not installed"
if ! [ -e "$folder/complete" ]; then
  rm -rf "$folder"
  mkdir -p "$folder"
  echo '{"private": true}' >"$folder/package.json"
  # Their scripts would build a faster checksum, which is not needed.
  npm install --prefix "$folder" --ignore-scripts --no-audit --no-fund --silent @google-cloud/bigtable >&2 ||
    skip "npm cannot install @google-cloud/bigtable"
  touch "$folder/complete"
fi
cp "$(dirname "$0")/node.js" "$folder/client.js"
# It needs no credentials, and is not to look for any. A test that hangs is worse than one that fails.
METADATA_SERVER_DETECTION=none timeout 120 node "$folder/client.js"
