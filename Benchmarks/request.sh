#!/bin/bash
# Streams a large body down and up, by acct and by curl in one run, over loopback, and prints the
# times, the ratios and the peak memory. usage: Benchmarks/request.sh ACCT [MIB] [RUNS]
#
# Everything lives in a throwaway folder; the server ends with it.
set -euo pipefail
binary=$(realpath "$1")
mib=${2:-2048}
runs=${3:-5}
server=$(realpath "$(dirname "$0")")/loopback_server.py

# shellcheck source=Benchmarks/throwaway.sh
. "$(dirname "${BASH_SOURCE[0]}")/throwaway.sh"

install -m 755 --strip "$binary" "$folder/acct"
export ACCT_HOME="$folder/home" ACCT_KEYRING=vault

mkfifo "$folder/input"
sleep infinity >"$folder/input" &
started+=($!)
python3 "$server" <"$folder/input" >"$folder/port" &
started+=($!)
until [ -s "$folder/port" ]; do kill -0 "${started[1]}" && sleep 0.01; done
url=http://127.0.0.1:$(cat "$folder/port")

"$folder/acct" --quiet add --import - <<JSON
{"access_token": "made-up", "token_type": "Bearer", "handle": "bench.example", "origins": ["$url"]}
JSON

bytes=$((mib * 1048576))
# On memory's own file system where there is one, so that no disk is measured.
big=$(mktemp -p /dev/shm 2>/dev/null || mktemp -p "$folder")
trap 'rm -f "$big"; cleanup' EXIT
truncate -s "$bytes" "$big"

# Prints the median seconds and the peak memory in KiB of a command line, which runs in a shell.
measure() {
  for _ in $(seq "$runs"); do
    /usr/bin/time --format '%e %M' --output "$folder/time" bash -c "exec $1" >"$folder/out"
    cat "$folder/time"
  done | sort -n | awk '{ time[NR] = $1; if ($2 > peak) peak = $2 }
    END { print time[int((NR + 1) / 2)], peak }'
}

printf '%-24s %9s %9s %7s %12s\n' "$mib MiB, median of $runs" acct curl ratio 'acct peak'
compare() {
  read -r ours peak <<<"$(measure "$2")"
  read -r theirs _ <<<"$(measure "$3")"
  awk -v what="$1" -v ours="$ours" -v theirs="$theirs" -v peak="$peak" 'BEGIN {
    printf "%-24s %7.2f s %7.2f s %7.2f %8.1f MiB\n", what, ours, theirs, ours / theirs, peak / 1024 }'
}
acct="'$folder/acct' --quiet request"
curl="curl --silent --show-error --noproxy '*' -H 'Authorization: Bearer made-up' -H Expect:"
compare 'download to a pipe' "$acct $url/$bytes | cat >/dev/null" "$curl $url/$bytes | cat >/dev/null"
compare 'download to a device' "$acct $url/$bytes -o /dev/null" "$curl $url/$bytes -o /dev/null"
compare 'upload of a file' "$acct PUT $url/up -d @$big" "$curl -T $big $url/up"
compare 'upload from a pipe' "$acct PUT $url/up -d - < <(cat $big)" "$curl -T - $url/up < <(cat $big)"
