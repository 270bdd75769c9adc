#!/usr/bin/env bash
# Drives Google's command-line client against the server that BIGTABLE_EMULATOR_HOST names, and checks what it prints.
# Ends with 77 where cbt is not installed.
set -euo pipefail

: "${BIGTABLE_EMULATOR_HOST:?set it to the host:port of a server}"
if ! command -v cbt >/dev/null; then
  echo "Google's command-line client cbt is not installed: install google-cloud-cli-cbt"
  exit 77
fi

instance="cbt-$$-${RANDOM}"

# What it prints, without the time of cells that were written at the server's. It talks on stderr about credentials it
# does not need; that is shown only when it fails.
errors=$(mktemp)
trap 'rm -f "$errors"' EXIT
run() {
  if ! cbt -project p -instance "$instance" "$@" 2>"$errors"; then
    echo "cbt $* failed:" >&2
    cat "$errors" >&2
    return 1
  fi
}

# expect WANTED COMMAND...: fails unless the command prints exactly that.
expect() {
  local wanted=$1 got
  shift
  got=$(run "$@" | sed -e 's/[[:space:]]*$//' -e 's/[[:space:]][[:space:]]*/ /g' | sed '/^$/d')
  if [ "$got" != "$wanted" ]; then
    printf 'cbt %s\nexpected:\n%s\ngot:\n%s\n' "$*" "$wanted" "$got" >&2
    exit 1
  fi
}

# refused WORDS COMMAND...: fails unless the command fails with these words.
refused() {
  local words=$1
  shift
  if cbt -project p -instance "$instance" "$@" >/dev/null 2>"$errors"; then
    printf 'cbt %s: expected a failure with "%s"\n' "$*" "$words" >&2
    exit 1
  fi
  if ! grep -qF "$words" "$errors"; then
    printf 'cbt %s: expected "%s", got:\n' "$*" "$words" >&2
    cat "$errors" >&2
    exit 1
  fi
}

expect '' ls
expect '' createtable quotes
expect '' createtable sums families=total:never:intsum splits=g,m
refused AlreadyExists createtable quotes
expect '' createfamily quotes md
expect '' setgcpolicy quotes md 'maxage=10d or maxversions=3'
refused NotFound setgcpolicy quotes absent maxversions=1
expect 'quotes
sums' ls
expect 'Family Name GC Policy Value Type
----------- --------- ----------
md (age() > 10d || versions() > 3) {}' ls quotes

expect '' set quotes NASDAQ#ZXZZT#1 md:BID=600.55@1000 md:BID=600.60@2000 md:SIZE=500@1000
expect '' set quotes NASDAQ#ZXZZT#2 md:BID=601@3000
refused 'Requested column family not found.' set quotes r absent:q=v
expect '----------------------------------------
NASDAQ#ZXZZT#1
 md:BID @ 1970/01/01-00:00:00.002000
 "600.60"
 md:BID @ 1970/01/01-00:00:00.001000
 "600.55"
 md:SIZE @ 1970/01/01-00:00:00.001000
 "500"
----------------------------------------
NASDAQ#ZXZZT#2
 md:BID @ 1970/01/01-00:00:00.003000
 "601"' read quotes
expect '----------------------------------------
NASDAQ#ZXZZT#2
 md:BID @ 1970/01/01-00:00:00.003000
 "601"
----------------------------------------
NASDAQ#ZXZZT#1
 md:BID @ 1970/01/01-00:00:00.002000
 "600.60"' read quotes prefix=NASDAQ# columns=md:BID cells-per-column=1 reversed=true
expect '----------------------------------------
NASDAQ#ZXZZT#1
 md:BID @ 1970/01/01-00:00:00.002000
 "600.60"' lookup quotes NASDAQ#ZXZZT#1 columns=md:BID cells-per-column=1
expect '2' count quotes
expect '1' count quotes prefix=NASDAQ#ZXZZT#2

expect '' addtocell sums counter total:n=40@1000
expect '' addtocell sums counter total:n=2@1000
expect '----------------------------------------
counter
 total:n @ 1970/01/01-00:00:00.001000
 "\x00\x00\x00\x00\x00\x00\x00*"' lookup sums counter

expect '' deleterow quotes NASDAQ#ZXZZT#1
expect '1' count quotes
expect '' deleteallrows quotes
expect '0' count quotes
echo "cbt: every command did what it should"
