#!/usr/bin/env bash
# A million rows into a table and out of it, beside `cbt import`, on our server: how long each takes, as a ratio, and how much
# memory each needs at most. `ROWS=100000 bash tests/import.sh` takes fewer.
set -euo pipefail
cd "$(dirname "$0")/.."

command -v cbt >/dev/null || { echo "skipped: Google's command-line client cbt is not installed"; exit 0; }
rows=${ROWS:-1000000}
cargo build --quiet --release -p bigtable-model-cli
tool=${CARGO_TARGET_DIR:-target}/release/bigtable-model
work=$(mktemp -d)
"$tool" serve --port 0 > "$work/serve" &
server=$!
trap 'kill $server; rm -rf "$work"' EXIT
until grep -q HOST "$work/serve"; do sleep 0.1; done
BIGTABLE_EMULATOR_HOST=$(grep -o '127[0-9.:]*' "$work/serve" | head -1)
export BIGTABLE_EMULATOR_HOST BIGTABLE_BACKEND=bigtable://p/i

# The same rows in each form: cbt names the families and the columns above the values.
awk -v rows="$rows" 'BEGIN {
  print ",m," ; print ",celsius,humidity"
  for (i = 0; i < rows; i++) printf "sensor%04d#%d,%.1f,%d\n", i % 5000, 1714564800 + int(i / 5000) * 60, i % 400 / 10, i % 100
}' > "$work/cbt.csv"
awk -v rows="$rows" 'BEGIN {
  print "key,family,qualifier,micros,value"
  for (i = 0; i < rows; i++) {
    key = sprintf("sensor%04d#%d", i % 5000, 1714564800 + int(i / 5000) * 60)
    printf "%s,m,celsius,1000,%.1f\n%s,m,humidity,1000,%d\n", key, i % 400 / 10, key, i % 100
  }
}' > "$work/rows.csv"

# Seconds and the most memory of a command.
measured() {
  local begin end pid most=0 now
  begin=$(date +%s.%N)
  "$@" > "$work/out" 2>&1 &
  pid=$!
  while now=$(awk '/VmHWM/ {print $2}' "/proc/$pid/status" 2>/dev/null) && [ -n "$now" ]; do
    most=$now
    sleep 0.1
  done
  wait "$pid" || { cat "$work/out"; exit 1; }
  end=$(date +%s.%N)
  awk -v begin="$begin" -v end="$end" -v most="$most" 'BEGIN {printf "%.2f %d\n", end - begin, most / 1024}'
}

echo "rows: $rows; seconds and MB"
for turn in 1 2; do
  for table in OURS THEIRS; do
    "$tool" drop $table --confirm $table >/dev/null 2>&1 || true
    "$tool" presplit $table --family m --at m >/dev/null
  done
  ours=$(measured "$tool" import OURS "$work/rows.csv")
  theirs=$(measured cbt -project p -instance i import THEIRS "$work/cbt.csv" workers=4)
  out=$(measured "$tool" export OURS -o "$work/out.jsonl")
  back=$(measured "$tool" import THEIRS "$work/out.jsonl")
  echo "turn $turn: import $ours, cbt import $theirs, export $out, import of JSON lines $back"
  echo "${ours% *} ${theirs% *}" | awk '{printf "  import takes %.2f of the time of cbt import\n", $1 / $2}'
done
