#!/bin/sh -eu
# 100 requests with plain curl to a server that changes its nonces. usage: observe.sh URL
# What one answer teaches, the next header has: only the first may have to be asked for again.
again=0
ask() {
  head=$(acct header "$1" | curl -sS -H @- -D - -o /dev/null "$1")
  printf '%s\n' "$head" | acct observe "$1" && printf '%s\n' "$head" | head -n1 | grep -q ' 200'
}
for _ in $(seq 100); do ask "$1" || { again=$((again + 1)) && ask "$1"; } || exit 1; done
echo "100 requests, $again of them asked twice"
