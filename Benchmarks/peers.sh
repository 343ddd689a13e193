#!/bin/bash
# Measures acct beside programs that do the same job, in one run, and prints the ratios.
# usage: Benchmarks/peers.sh ACCT [RUNS]
#
# Everything lives in a throwaway folder: a session bus, a GNOME Keyring, a GnuPG home, a password
# store, two ACCT_HOMEs. What is started here is ended here, by its id.
set -euo pipefail
binary=$(realpath "$1")
runs=${2:-300}
examples=$(realpath "$(dirname "$0")/../Examples")

folder=$(mktemp -d)
started=()
cleanup() {
  for id in "${started[@]}"; do kill "$id" 2>/dev/null || true; done
  # The agent that gpg started for this home; no other is reached by it.
  GNUPGHOME=$folder/gnupg gpgconf --kill gpg-agent 2>/dev/null || true
  rm -rf "$folder"
}
trap cleanup EXIT
trap 'exit 1' INT TERM HUP

mkdir -m 700 "$folder"/{bin,data,run,cache,gnupg,home}
install -m 755 --strip "$binary" "$folder/bin/acct"
export PATH="$folder/bin:$PATH" HOME="$folder/home"
export XDG_DATA_HOME="$folder/data" XDG_RUNTIME_DIR="$folder/run" XDG_CACHE_HOME="$folder/cache"
unset ACCT_ACCOUNT DISPLAY WAYLAND_DISPLAY

# A Secret Service. It is asked for before it is used: a call that came too early would make the bus
# start a second one.
export DBUS_SESSION_BUS_ADDRESS="unix:path=$folder/run/bus"
dbus-daemon --session --nofork --address="$DBUS_SESSION_BUS_ADDRESS" 2>"$folder/bus.log" &
started+=($!)
until [ -S "$folder/run/bus" ]; do kill -0 "${started[0]}" && sleep 0.01; done
printf 'bench' | gnome-keyring-daemon --foreground --unlock --components=secrets \
  >"$folder/keyring.log" 2>&1 &
started+=($!)
served() {
  dbus-send --session --dest=org.freedesktop.DBus --print-reply=literal / \
    org.freedesktop.DBus.NameHasOwner string:org.freedesktop.secrets | grep -q true
}
until served; do kill -0 "${started[1]}" && sleep 0.01; done
printf 'made up' | secret-tool store --label=bench bench secret

# A password store with a key without a passphrase, so that only the work is measured.
export GNUPGHOME="$folder/gnupg" PASSWORD_STORE_DIR="$folder/store"
gpg --batch --quiet --passphrase '' --quick-gen-key bench@example.test default default never \
  2>"$folder/gpg.log"
pass init bench@example.test >"$folder/pass.log" 2>&1
echo 'made up' | pass insert --echo secret >>"$folder/pass.log"

(umask 077 && echo 'bench' >"$folder/passphrase")
export ACCT_VAULT_PASSPHRASE_FILE="$folder/passphrase"

# Peak resident memory in KiB, the median of nine. Of a shell script like pass it is the largest of
# its processes.
peak() {
  for _ in 1 2 3 4 5 6 7 8 9; do
    # shellcheck disable=SC2086 # a command line
    /usr/bin/time --format %M --output "$folder/peak" $1 >"$folder/out"
    cat "$folder/peak"
  done | sort -n | sed -n 5p
}

# Measures a command of acct's and a peer's, in a new home that uses the keyring named.
compare() {
  local keyring=$1 ours=$2 theirs=$3
  export ACCT_HOME="$folder/$keyring" ACCT_KEYRING=$keyring
  acct add --quiet --import "$examples/alice.json"
  hyperfine --shell=none --warmup 20 --runs "$runs" --style none \
    --export-json "$folder/times.json" "$ours" "$theirs" >"$folder/hyperfine.log" 2>&1 ||
    { cat "$folder/hyperfine.log" >&2; exit 1; }
  jq --raw-output --argjson peaks "[$(peak "$ours"), $(peak "$theirs")]" '
    def places2: . * 100 | round / 100;
    [.results[] | .median * 1000] as $wall
    | (.results | to_entries[] | "\(.value.command)
  \($wall[.key] | places2) ms median, \($peaks[.key] / 1024 | places2) MiB peak"),
      "ratio: wall \($wall[0] / $wall[1] | places2), memory \($peaks[0] / $peaks[1] | places2)\n"
  ' "$folder/times.json"
}

compare secret-service \
  'acct header https://pds.example/xrpc/app.bsky.feed.getTimeline' 'secret-tool lookup bench secret'
compare vault 'acct token' 'pass show secret'
echo "stripped binary: $(stat --format %s "$folder/bin/acct") bytes"
