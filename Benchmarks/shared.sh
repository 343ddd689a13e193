#!/bin/bash
# Measures a shared keyring on three etcd members with mutual TLS, beside the vault and etcdctl, in one run, and prints
# the ratios with their limits. Times are medians of alternating runs; missing a limit is no error: the machine may be
# busy.
# usage: Benchmarks/shared.sh ACCT [ROUNDS]
set -euo pipefail
binary=$(realpath "$1")
rounds=${2:-100}
here=$(realpath "$(dirname "$0")")
examples=$(realpath "$here/../Examples")
# shellcheck source=Benchmarks/throwaway.sh
. "$here/throwaway.sh"
mkdir -m 700 "$folder"/{bin,home}
install -m 755 --strip "$binary" "$folder/bin/acct"
export PATH="$folder/bin:$PATH" HOME="$folder/home"
unset ACCT_ACCOUNT DISPLAY WAYLAND_DISPLAY DBUS_SESSION_BUS_ADDRESS
url='https://pds.example/xrpc/app.bsky.feed.getTimeline'

# A made-up authority, and one certificate for members and clients alike.
cd "$folder"
curve='-newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes'
printf 'subjectAltName=IP:127.0.0.1\n' >extensions
# shellcheck disable=SC2086 # several words
{
  openssl req -x509 $curve -days 1 -subj /CN=authority -keyout ca.key -out ca.crt
  openssl req $curve -subj /CN=bench -keyout bench.key -out bench.csr
  openssl x509 -req -in bench.csr -days 1 -CA ca.crt -CAkey ca.key -CAcreateserial \
    -extfile extensions -out bench.crt
} 2>openssl.log
chmod 600 ./*.key

# Ports below those of outgoing connections, unlikely to be taken.
first=$((20000 + RANDOM % 8000))
client() { echo "https://127.0.0.1:$((first + $1))"; }
peer() { echo "https://127.0.0.1:$((first + 10 + $1))"; }
start() {
  etcd --name "m$1" --data-dir "$folder/m$1" --logger zap --log-level error \
    --listen-client-urls "$(client "$1")" --advertise-client-urls "$(client "$1")" \
    --listen-peer-urls "$(peer "$1")" --initial-advertise-peer-urls "$(peer "$1")" \
    --initial-cluster "m1=$(peer 1),m2=$(peer 2),m3=$(peer 3)" \
    --cert-file bench.crt --key-file bench.key --trusted-ca-file ca.crt --client-cert-auth \
    --peer-cert-file bench.crt --peer-key-file bench.key --peer-trusted-ca-file ca.crt \
    --peer-client-cert-auth >>"$folder/m$1.log" 2>&1 &
  started+=($!)
}
endpoints="$(client 1),$(client 2),$(client 3)"
export ETCDCTL_API=3 ETCDCTL_ENDPOINTS="$endpoints" ETCDCTL_CACERT="$folder/ca.crt"
export ETCDCTL_CERT="$folder/bench.crt" ETCDCTL_KEY="$folder/bench.key"
for member in 1 2 3; do start $member; done
until etcdctl endpoint health >health.log 2>&1; do kill -0 "${started[0]}"; done

report() { # what, ours, theirs, limit of the ratio
  awk -v what="$1" -v ours="$2" -v theirs="$3" -v limit="$4" 'BEGIN {
    ratio = ours / theirs
    printf "%-52s %9.2f ms to %9.2f: %5.2f, at most %5.2f  %s\n", what, ours, theirs, ratio, limit,
      ratio <= limit ? "reached" : "missed"
  }'
}
compare() { # what, ours, theirs, limit
  local times
  mapfile -t times < <("$here/alternate.py" "$rounds" "$2" "$3")
  report "$1" "${times[0]}" "${times[1]}" "$4"
}

# Both keyrings are opened by a passphrase, whose key the kernel keeps meanwhile.
vault="env ACCT_HOME=$folder/vault ACCT_KEYRING=vault acct"
shared="env ACCT_HOME=$folder/shared ACCT_KEYRING=etcd acct"
$vault add --quiet --import "$examples/alice.json"
$shared keyring create etcd "$endpoints" --name bench --cert "$folder/bench.crt" \
  --key "$folder/bench.key" --ca "$folder/ca.crt" --quiet
$shared add --quiet --import "$examples/alice.json"

# The copy of this machine is taken away each time, so that etcd has to be asked; the same is done beside etcdctl.
id=$($shared list --json | sed -n 's/.*"id":"\([^"]*\)".*/\1/p' | head -n 1)
without="rm -f $folder/shared/data/shared/$id"
key=/acct/bench/a/$id
etcdctl get "$key" | grep -q . || { echo "no such key: $key" >&2; exit 1; }
ACCT_HOME=$folder/shared ACCT_KEYRING=etcd \
  compare 'header, first read through etcd, to etcdctl get' \
  "sh -c '$without; exec acct header $url'" "sh -c '$without; exec etcdctl get $key'" 1
# What can be reached with libcurl: its own program with the same one request, and nothing decrypted or signed.
length=${#key}
# shellcheck disable=SC2059 # a frame of gRPC, and in it the lengths of a RangeRequest and of its key
printf "\\0\\0\\0\\0\\$(printf %o $((length + 2)))\\n\\$(printf %o "$length")%s" "$key" >range
compare "curl's request for the same, to etcdctl get" \
  "curl --silent --fail --http2 --cert bench.crt --key bench.key --cacert ca.crt --output answer \
    --header content-type:application/grpc --header te:trailers --data-binary @range \
    $(client 1)/etcdserverpb.KV/Range" "etcdctl get $key" 1
grep -q "$id" answer

# 2,000 accounts on both: copies of the one record, moved to etcd by acct.
fill_up "$folder/vault" 2000
cp -r "$folder/vault" "$folder/moved"
moved="env ACCT_HOME=$folder/moved acct"
ACCT_KEYRING=vault $moved keyring create etcd "$endpoints" --name many \
  --cert "$folder/bench.crt" --key "$folder/bench.key" --ca "$folder/ca.crt" --quiet
$moved keyring move etcd --quiet
many="env ACCT_HOME=$folder/moved ACCT_KEYRING=etcd acct"
[ "$($many list --json | grep -o '"id"' | wc -l)" -ge 2000 ]
rounds=20
compare 'list of 2,000 accounts, to the vault' "$many list" "$vault list" 3
rounds=${2:-100}

# A machine that joins by a code and is removed again: 2,000 accounts are encrypted anew, while another machine reads.
options=(etcd "$endpoints" --name many --cert "$folder/bench.crt" --key "$folder/bench.key" --ca "$folder/ca.crt")
reader="env ACCT_HOME=$folder/reader ACCT_KEYRING=etcd acct"
$reader keyring join "${options[@]}" --quiet
# It has no passphrase but that of its own vault.
(umask 077 && echo 'a passphrase of its own' >own)
ACCT_HOME=$folder/lost ACCT_VAULT_PASSPHRASE_FILE=$folder/own \
  acct keyring join "${options[@]}" --code --no-input 2>joining &
joining=$!
reading=()
until code=$(grep -oE '([a-z2-7]{4}-){3}[a-z2-7]{4}' joining); do kill -0 $joining; done
$many keyring approve "$code" --quiet
wait $joining
machine=$($many keyring machines --json | sed -n 's/.*"name":"\([^"]*\)"[^}]*"recipient":"machine".*/\1/p')
read_on() {
  while [ ! -e removed ]; do
    $1 header "$url" >/dev/null 2>>failures || true
    echo read >>reads
  done
}
for home in "$reader" "$many"; do
  read_on "$home -a alice.example.com" &
  reading+=($!)
done
began=$(date +%s%N)
$many keyring remove "$machine" --quiet
ended=$(date +%s%N)
touch removed
wait "${reading[@]}"
awk -v ms=$(((ended - began) / 1000000)) -v reads="$(wc -l <reads)" -v failures="$(wc -l <failures)" 'BEGIN {
  printf "%-52s %9.2f s, at most 10; %d reads of others meanwhile, %d failures  %s\n",
    "removal of a machine from 2,000 accounts", ms / 1000, reads, failures, ms <= 10000 && !failures ? "reached" : "missed"
}'

# Without any member, and the token good.
for id in "${started[@]}"; do kill -KILL "$id"; done
wait 2>/dev/null || true
compare 'header without etcd, to the vault' "$shared header $url" "$vault header $url" 1.2
