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

# Environment, working directory and what other processes do vary from machine to machine: the command gets a small
# environment, in the folder above all, whose parents it need not search for a file of an account.
alone() { # a command line
  (cd / && exec env -i PATH="$PATH" HOME="$HOME" XDG_DATA_HOME="$XDG_DATA_HOME" XDG_RUNTIME_DIR="$XDG_RUNTIME_DIR" \
    XDG_CACHE_HOME="$XDG_CACHE_HOME" DBUS_SESSION_BUS_ADDRESS="$DBUS_SESSION_BUS_ADDRESS" ACCT_HOME="$ACCT_HOME" \
    ACCT_KEYRING="$ACCT_KEYRING" "$@")
}
# Both run the command twice, and count the second one: the first of an hour notes that its program has used the account.
# Valgrind cannot read this compiler's debugging information; the symbols are enough.
instructions() {
  alone valgrind --tool=none acct "$@" >"$folder/out" 2>&1
  alone valgrind --tool=callgrind --callgrind-out-file=/dev/null acct "$@" 2>&1 >"$folder/out" |
    sed -n 's/.*Collected : //p'
}
calls() {
  alone strace --output=/dev/null acct "$@" >"$folder/out"
  alone strace --follow-forks --decode-fds=path --output="$folder/strace" acct "$@" >"$folder/out"
  # Not counted: how often it waits and in how many pieces answers come, which is the other side's business; pieces of
  # the list of mappings, which has paths in it; and strace's own lines about signals and the end.
  grep -E '^[0-9]+ +[a-z_0-9]+\(' "$folder/strace" |
    grep -cvE '^[0-9]+ +(poll\(|recvfrom\(|read\([0-9]+</proc/[0-9]+/maps>)'
}
limit 'instructions: header' "$(instructions header "$url")" 4890000
limit 'instructions: status --json' "$(instructions status --json)" 3540000
limit 'instructions: list --json' "$(instructions list --json)" 2355000
limit 'system calls: header' "$(calls header "$url")" 170
limit 'threads started: header' "$(grep -c 'clone' "$folder/strace" || true)" 0
limit 'times it waits for the bus: header' \
  "$(awk '/sendto\(/ { sent = 1 } /recvfrom\(/ && sent { waits++; sent = 0 } END { print waits + 0 }' \
    "$folder/strace")" 3

# shellcheck source=Benchmarks/loopback.sh
. "$(dirname "$0")/loopback.sh"
# shellcheck source=Benchmarks/proxied.sh
. "$(dirname "$0")/proxied.sh"
binary=$folder/bin/acct
counting_server
export ACCT_HOME="$folder/proxied"
account dpop "$upstream" | acct --quiet add --import - >/dev/null
# 8 on a quiet machine; on a busy one, where its threads wake each other more often, 11 were seen.
limit 'system calls: a proxied request' "$(proxied_calls 300)" 16

limit 'bytes: stripped binary' "$(stat --format %s "$folder/bin/acct")" 29400000
dynamic=$(readelf --dynamic --wide "$folder/bin/acct")
limit 'libraries needed' "$(grep -c '(NEEDED)' <<<"$dynamic")" 3
limit 'bytes of relocations' \
  "$(awk '/\((RELASZ|RELRSZ|PLTRELSZ)\)/ { sum += $3 } END { print sum }' <<<"$dynamic")" 28720
exit $missed
