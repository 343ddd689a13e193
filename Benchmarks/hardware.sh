#!/bin/bash
# Counts the instructions of `header` with a key in a TPM (swtpm) beside one with a software key, of one account at one
# server in one run; the TPM's own are not counted. usage: Benchmarks/hardware.sh ACCT
set -euo pipefail
binary=$(realpath "$1")
root=$(realpath "$(dirname "$0")/..")
server=$root/Tests/StrictServer

# shellcheck source=Benchmarks/throwaway.sh
. "$(dirname "${BASH_SOURCE[0]}")/throwaway.sh"

# Valgrind cannot read this compiler's debugging information; the symbols are enough.
install -m 755 --strip "$binary" "$folder/acct"
mkdir "$folder/tpm"
export ACCT_HOME="$folder/home" ACCT_KEYRING=vault BROWSER="$server/browser.py"

mkfifo "$folder/input"
sleep infinity >"$folder/input" &
started+=($!)
"$root/.build/venv/bin/python" -B "$server/strict_server.py" --settings '{"rs_nonce": false}' \
  <"$folder/input" >"$folder/addresses" &
started+=($!)
swtpm socket --tpm2 --tpmstate "dir=$folder/tpm" --server "type=unixio,path=$folder/socket" \
  --flags not-need-init,startup-clear 2>"$folder/swtpm.log" &
started+=($!)
until [ -s "$folder/addresses" ] && [ -S "$folder/socket" ]; do
  kill -0 "${started[@]}" && sleep 0.01
done
issuer=$(jq -r .issuer "$folder/addresses")
url=$(jq -r .resource "$folder/addresses")/resource

count() { # the options of the sign-in
  "$folder/acct" --quiet add --issuer "$issuer" --client-id acct-test --scope read --name bench \
    --allow-origin "${url%/resource}" "$@" 2>"$folder/add.log"
  "$folder/acct" header "$url" >"$folder/out"
  valgrind --tool=callgrind --callgrind-out-file=/dev/null "$folder/acct" header "$url" 2>&1 >"$folder/out" |
    sed -n 's/.*Collected : //p'
}
software=$(count --key software)
tpm=$(count --key "tpm:$folder/socket")
awk -v tpm="$tpm" -v software="$software" 'BEGIN {
  ratio = tpm / software
  printf "%-48s %d to %d: %.2f, at most %.2f  %s\n", "instructions: header, key in a TPM to software",
    tpm, software, ratio, 1.1, ratio <= 1.1 ? "reached" : "missed"
}'
