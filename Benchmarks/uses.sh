#!/bin/bash
# What it costs to note who uses an account, and how large the notes get.
# usage: Benchmarks/uses.sh ACCT [HEADERS]
#
# Prints the time of a header whose use of this hour is noted, as all but the first are; of one that notes it; and the
# size of the notes after all HEADERS (100000) by 50 programs. An hour that ends meanwhile adds a line for each program.
set -euo pipefail
binary=$(realpath "$1")
count=${2:-100000}
# shellcheck source=Benchmarks/keyring.sh
. "$(dirname "$0")/keyring.sh"
home secret-service
uses=$ACCT_HOME/state/uses

# Each copy of the shell is a program with a name of its own.
for number in $(seq 50); do cp "$(command -v bash)" "$folder/bin/program-$number"; done
# shellcheck disable=SC2016 # for the shell that is started
headers() { # the program, how many, what to do before each
  "$1" -c 'for ((i = 0; i < $1; i++)); do eval "$3"; acct header "$2" >/dev/null; done' "$1" "$2" "$url" "$3"
}
time_of() { # how many, what to do before each: microseconds for each
  local from to
  from=$(date +%s%N)
  headers program-1 "$1" "$2"
  to=$(date +%s%N)
  echo $(((to - from) / 1000 / $1))
}

# shellcheck disable=SC2016
nothing='rm -f "$ACCT_HOME"/none/{a,b}' marks='rm -f "$ACCT_HOME"/state/uses/*' # for that shell, too
headers program-1 20 :
printf 'a header, its use noted before: %6d us\n' "$(time_of 1000 :)"
printf 'the same, and a shell that removes two files: %6d us\n' "$(time_of 1000 "$nothing")"
printf 'a header that notes its use, and that shell: %6d us\n' "$(time_of 1000 "$marks")"
for number in $(seq 50); do headers "program-$number" $((count / 50)) :; done
printf 'after %d headers by 50 programs: %d lines, %d bytes, %d files\n' \
  "$count" "$(cat "$uses"/????????-????-????-????-???????????? | wc -l)" \
  "$(du --apparent-size --block-size=1 --summarize "$uses" | cut -f1)" "$(find "$uses" -type f | wc -l)"
