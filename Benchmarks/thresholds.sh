#!/bin/bash
# Holds what can be counted, and does not depend on the machine's mood, to its limits; CI runs it.
# usage: Benchmarks/thresholds.sh ACCT
#
# The limits are a little above what was counted when they were set (see results.md). A change that reaches less
# lowers them; a change that needs more records why in Documentation/design/startup.md.
set -euo pipefail
binary=$(realpath "$1")
# shellcheck source=Benchmarks/keyring.sh
. "$(dirname "$0")/keyring.sh"
home secret-service

missed=0
limit() { # what, counted, limit
  local verdict=ok
  if [ "$2" -gt "$3" ]; then verdict='TOO MUCH' missed=1; fi
  printf '%-44s %12d of %12d  %s\n' "$1" "$2" "$3" "$verdict"
}

# Valgrind cannot read this compiler's debugging information; the symbols are enough.
instructions() {
  valgrind --tool=callgrind --callgrind-out-file=/dev/null acct "$@" 2>&1 >"$folder/out" |
    sed -n 's/.*Collected : //p'
}
calls() {
  strace --follow-forks --output="$folder/strace" acct "$@" >"$folder/out"
  # How often it has to wait, and in how many pieces answers come, is the other side's business.
  grep -cvE '^[0-9]+ +(poll|recvfrom)\(' "$folder/strace"
}
limit 'instructions: header' "$(instructions header "$url")" 16500000
limit 'instructions: status --json' "$(instructions status --json)" 14500000
limit 'instructions: list --json' "$(instructions list --json)" 12000000
limit 'system calls: header' "$(calls header "$url")" 173
limit 'threads started: header' "$(grep -c 'clone' "$folder/strace" || true)" 0
limit 'times it waits for the bus: header' \
  "$(awk '/sendto\(/ { sent = 1 } /recvfrom\(/ && sent { waits++; sent = 0 } END { print waits + 0 }' \
    "$folder/strace")" 3

limit 'bytes: stripped binary' "$(stat --format %s "$folder/bin/acct")" 31700000
dynamic=$(readelf --dynamic --wide "$folder/bin/acct")
limit 'libraries needed' "$(grep -c '(NEEDED)' <<<"$dynamic")" 3
limit 'bytes of relocations' \
  "$(awk '/\((RELASZ|RELRSZ|PLTRELSZ)\)/ { sum += $3 } END { print sum }' <<<"$dynamic")" 30500
exit $missed
