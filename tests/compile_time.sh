#!/bin/sh
# What deriving 100 models of 10 fields costs the compiler, against serde's Serialize and Deserialize on the same
# structs: the time of `cargo check` and `cargo build` (debug), dependencies not counted.
#
#   sh tests/compile_time.sh [RUNS]      5 runs of each unless told otherwise
#
# Needs Rust and a POSIX shell. The two crates are written to a temporary directory; dependencies are built there
# too, once for both, unless CARGO_TARGET_DIR names another place, where nothing else may build meanwhile.
set -eu

runs=${1:-5}
models=100
root=$(cd "$(dirname "$0")/.." && pwd)
temp=$(mktemp -d)
trap 'rm -rf "$temp"' EXIT
trap 'exit 1' HUP INT TERM
export CARGO_TARGET_DIR="${CARGO_TARGET_DIR:-$temp/target}"
# A touched file that is otherwise the same would be answered from the incremental cache.
export CARGO_INCREMENTAL=0
export CARGO_TERM_COLOR=never

# The same fields in both; models have their attributes besides.
write_structs() { # crate
  number=0
  while [ "$number" -lt "$models" ]; do
    if [ "$1" = models ]; then
      cat <<END
#[derive(bigtable_model::Model)]
#[bigtable(table = "TABLE$number", family = "F")]
pub struct Model$number {
    #[bigtable(key, width = 6)]
    pub exchange: String,
    #[bigtable(key, width = 5)]
    pub symbol: String,
    #[bigtable(time, unit = "ms")]
    pub at: bigtable_model::Timestamp,
    #[bigtable(column = "BID", text)]
    pub bid: f64,
    #[bigtable(column = "ASK", text)]
    pub ask: f64,
    #[bigtable(column = "BIDSIZE")]
    pub bid_size: Option<u32>,
    #[bigtable(column = "ASKSIZE")]
    pub ask_size: Option<u32>,
    #[bigtable(column = "CONDITION")]
    pub condition: Option<String>,
    #[bigtable(column = "SEQUENCE")]
    pub sequence: i64,
    #[bigtable(column = "OPEN")]
    pub open: bool,
}

END
    else
      cat <<END
#[derive(serde::Serialize, serde::Deserialize)]
pub struct Model$number {
    pub exchange: String,
    pub symbol: String,
    pub at: bigtable_model::Timestamp,
    pub bid: f64,
    pub ask: f64,
    pub bid_size: Option<u32>,
    pub ask_size: Option<u32>,
    pub condition: Option<String>,
    pub sequence: i64,
    pub open: bool,
}

END
    fi
    number=$((number + 1))
  done
}

write_crate() { # crate
  mkdir -p "$temp/$1/src"
  cat >"$temp/$1/Cargo.toml" <<END
[package]
name = "compile-time-$1"
version = "0.0.0"
edition = "2024"

[dependencies]
bigtable-model = { path = '$root/bigtable-model', default-features = false }
serde = { version = "1", features = ["derive"] }
END
  write_structs "$1" >"$temp/$1/src/lib.rs"
}

# The seconds that cargo reports: `... in 1.23s` or `... in 1m 02s`.
seconds() { # command, crate
  touch "$temp/$2/src/lib.rs"
  if ! cargo "$1" --manifest-path "$temp/Cargo.toml" -p "compile-time-$2" >"$temp/log" 2>&1; then
    cat "$temp/log" >&2
    exit 1
  fi
  sed -n 's/^ *Finished .* in \(.*\)s$/\1/p' "$temp/log" |
    awk '{ print NF == 2 ? $1 * 60 + $2 : $1 + 0 }'
}

median() { sort -n | awk '{ x[NR] = $1 } END { print (x[int((NR + 1) / 2)] + x[int(NR / 2) + 1]) / 2 }'; }

measure() { # command
  # The first build of each brings the dependencies. Then in turns, so that a slow moment of the machine meets both.
  seconds "$1" models >/dev/null
  seconds "$1" serde >/dev/null
  : >"$temp/models.times"
  : >"$temp/serde.times"
  run=0
  while [ "$run" -lt "$runs" ]; do
    seconds "$1" models >>"$temp/models.times"
    seconds "$1" serde >>"$temp/serde.times"
    run=$((run + 1))
  done
  ours=$(median <"$temp/models.times")
  theirs=$(median <"$temp/serde.times")
  echo "$1 $ours $theirs" |
    awk '{ printf "cargo %-6s %10.2f s %10.2f s %8.2f\n", $1, $2, $3, $2 / $3 }'
}

write_crate models
write_crate serde
printf '[workspace]\nresolver = "3"\nmembers = ["models", "serde"]\n' >"$temp/Cargo.toml"
# The versions of the checkout, not the newest.
cp "$root/Cargo.lock" "$temp/Cargo.lock"

echo "$models structs of 10 fields, medians of $runs runs"
printf '%-12s %12s %12s %8s\n' '' bigtable serde ratio
measure check
measure build
