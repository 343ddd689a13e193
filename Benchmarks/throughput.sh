#!/bin/bash
# Measures `acct proxy` beside the proxy that one would write instead (peer/proxy.go), and beside nginx as one that
# adds a fixed field, with the same server behind all, and `acct request` beside curl over TLS, all in one run on two
# cores; prints rates, latencies, processor time and ratios with their limits. Missing one is no error: the machine may
# be busy. Benchmarks/thresholds.sh holds what can be counted, and Benchmarks/request.sh compares large bodies.
# usage: Benchmarks/throughput.sh ACCT [SECONDS] [ROUNDS]
#
# SECONDS is how long wrk sends requests at a time. ACCT_KEYRING=secret-service takes the keyring of the session
# (see .ci/with-keyring), else it is a throwaway vault.
set -euo pipefail
binary=$(realpath "$1")
seconds=${2:-2}
rounds=${3:-5}
here=$(realpath "$(dirname "$0")")
# shellcheck source=Benchmarks/throwaway.sh
. "$here/throwaway.sh"
# shellcheck source=Benchmarks/loopback.sh
. "$here/loopback.sh"
taskset --all-tasks --cpu-list --pid 0,1 $$ >/dev/null 2>&1 || true

export ACCT_KEYRING=${ACCT_KEYRING:-vault}
install -m 755 --strip "$binary" "$folder/acct"
read -r server front tls < <(free_ports 3)
certificate
nginx_server "$server" "$tls"
nginx_front "$front" "$server"

import() { # the account's kind
  export ACCT_HOME="$folder/$1"
  account "$1" "http://127.0.0.1:$server" "https://127.0.0.1:$tls" |
    "$folder/acct" --quiet add --import - >/dev/null
}
declare -A base=([nginx]="http://127.0.0.1:$front") id=([nginx]=${started[-1]})
for kind in dpop bearer; do
  import "$kind"
  proxy "$folder/acct" "$kind"
  base[$kind]=$address id[$kind]=${started[-1]}
done
go build -o "$folder/peer" "$here/peer/proxy.go"
for kind in dpop bearer; do
  "$folder/peer" "$kind" "http://127.0.0.1:$server" >"$folder/peer.$kind.line" 2>"$folder/peer.$kind.errors" &
  started+=($!)
  until [ -s "$folder/peer.$kind.line" ]; do kill -0 "${started[-1]}" || exit 1; sleep 0.01; done
  base[peer.$kind]=$(cat "$folder/peer.$kind.line") id[peer.$kind]=${started[-1]}
done

# What wrk measures in one run, and the processor time of each request in microseconds; of nginx it is that of its
# worker.
measure() { # what, connections
  local before after line
  before=$(ticks "${id[$1]}")
  line=$(wrk --threads 1 --connections "$2" --duration "${seconds}s" --script "$here/throughput.lua" \
    --header "Host: 127.0.0.1:$server" "${base[$1]}/answer" | sed -n 's/^measured //p')
  after=$(ticks "${id[$1]}")
  echo "$line $before $after $(getconf CLK_TCK)" |
    awk '{ print $1, $2, $3, $4, $5, ($7 - $6) / $8 * 1e6 / ($4 ? $4 : 1) }'
}
ticks() {
  local children stats=("/proc/$1/stat") child
  read -ra children <"/proc/$1/task/$1/children" || true
  for child in "${children[@]}"; do stats+=("/proc/$child/stat"); done
  awk '{ sum += $14 + $15 } END { print sum }' "${stats[@]}"
}
memory() { awk '/^VmRSS/ { printf "%.1f", $2 / 1024 }' "/proc/$1/status"; }

what=(nginx peer.dpop dpop peer.bearer bearer)
for kind in "${what[@]}"; do measure "$kind" 50 >/dev/null; done
early=$(memory "${id[dpop]}")
for _ in $(seq "$rounds"); do
  for connections in 1 50; do
    for kind in "${what[@]}"; do
      measure "$kind" "$connections" >>"$folder/$kind.$connections"
    done
  done
done
median() { # file, column
  awk -v column="$2" '{ print $column }' "$1" | sort -g | awk '{ all[NR] = $1 } END { print all[int((NR + 1) / 2)] }'
}
sum() { awk -v column="$2" '{ sum += $column } END { print sum + 0 }' "$1"; }

echo "keyring: $ACCT_KEYRING; medians of $rounds runs of $seconds s"
printf '%-28s %10s %12s %12s %12s\n' '' 'a second' 'average, µs' '99 %, µs' 'CPU, µs'
missed=0
for connections in 1 50; do
  for kind in "${what[@]}"; do
    file=$folder/$kind.$connections
    printf '%-28s %10.0f %12.0f %12.0f %12.0f\n' "$kind, $connections connections" \
      "$(median "$file" 1)" "$(median "$file" 2)" "$(median "$file" 3)" "$(median "$file" 6)"
    lost=$(sum "$file" 5)
    if [ "$lost" != 0 ]; then echo "$kind: $lost requests failed" && missed=1; fi
  done
done
ratio() { # what, ours, theirs, sense, limit
  awk -v what="$1" -v ours="$2" -v theirs="$3" -v sense="$4" -v limit="$5" 'BEGIN {
    ratio = ours / theirs
    printf "%-52s %6.2f, at %s %5.2f  %s\n", what, ratio, sense, limit,
      (sense == "most" ? ratio <= limit : ratio >= limit) ? "reached" : "missed" }'
}
of() { median "$folder/$1.$2" "$3"; }
for kind in dpop bearer; do
  ratio "$kind, 50 connections: rate to Go" "$(of $kind 50 1)" "$(of peer.$kind 50 1)" least 0.9
  ratio "$kind, 1 connection: latency to Go" "$(of $kind 1 2)" "$(of peer.$kind 1 2)" most 1.3
done
ratio 'DPoP, 50 connections: rate to nginx' "$(of dpop 50 1)" "$(of nginx 50 1)" least 0.35
ratio 'DPoP, 50 connections: 99 % to nginx' "$(of dpop 50 3)" "$(of nginx 50 3)" most 5
ratio 'DPoP, 1 connection: latency to nginx' "$(of dpop 1 2)" "$(of nginx 1 2)" most 2
ratio 'bearer, 50 connections: rate to nginx' "$(of bearer 50 1)" "$(of nginx 50 1)" least 0.5
ratio 'bearer, 1 connection: latency to nginx' "$(of bearer 1 2)" "$(of nginx 1 2)" most 2
total=$(($(sum "$folder/dpop.1" 4) + $(sum "$folder/dpop.50" 4)))
echo "memory of the DPoP proxy: $early MiB, after $total requests more: $(memory "${id[dpop]}") MiB (limit 40)," \
  "threads: $(awk '/^Threads/ { print $2 }' "/proc/${id[dpop]}/status")"
for kind in dpop bearer; do
  [ ! -s "$folder/$kind.errors" ] || { echo "the $kind proxy said:" && head -5 "$folder/$kind.errors"; }
done

# A small answer over TLS, start included.
export ACCT_HOME="$folder/bearer"
url=https://127.0.0.1:$tls/answer
mapfile -t times < <("$here/alternate.py" $((rounds * 8)) "$folder/acct --quiet request $url" \
  "curl --silent --show-error --noproxy * --http1.1 --cacert $SSL_CERT_FILE -H 'Authorization: Bearer made-up' $url")
ratio "a small answer over TLS: ${times[0]} ms to curl's ${times[1]}" "${times[0]}" "${times[1]}" most 1.3
exit $missed
