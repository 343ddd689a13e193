#!/bin/sh
# Runs observe.sh against a server whose nonces are worth nothing after a second or two.
# usage: Examples/observe_by_the_clock.sh ACCT (a built `acct`; the server needs .build/venv)
set -eu
examples=$(realpath "$(dirname "$0")")
folder=$(mktemp -d)
mkdir "$folder/bin" && ln -s "$(realpath "$1")" "$folder/bin/acct" && mkfifo "$folder/stdin"
# The server ends with its standard input, and that with this script.
exec 9<>"$folder/stdin"
trap 'acct vault lock 2>"$folder/log" || true; rm -rf "$folder"' EXIT
trap 'exit 1' INT TERM HUP

PYTHONDONTWRITEBYTECODE=1 "$examples/../.build/venv/bin/python" \
  "$examples/../Tests/StrictServer/strict_server.py" \
  --settings '{"nonce_seconds": 1, "nonce_keep": 1}' <"$folder/stdin" >"$folder/ready" 9<&- &
until [ -s "$folder/ready" ]; do sleep 0.1; done
value() { sed -n "s/.*\"$1\": \"\([^\"]*\)\".*/\1/p" "$folder/ready"; }

(umask 077 && echo 'a passphrase for the demo only' >"$folder/passphrase")
export PATH="$folder/bin:$PATH" ACCT_HOME="$folder/home" ACCT_KEYRING=vault
export ACCT_VAULT_PASSPHRASE_FILE="$folder/passphrase"
curl -sS -d '{"dpop": true}' "$(value control)/issue" | acct add --import -
"$examples/observe.sh" "$(value resource)/resource"
