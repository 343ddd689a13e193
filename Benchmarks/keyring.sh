# shellcheck shell=bash disable=SC2154,SC2034 # what it is given, and what it gives
# A throwaway folder with a session bus, a GNOME Keyring and homes for acct in it; to be sourced with
# $binary set.
examples=$(realpath "$(dirname "${BASH_SOURCE[0]}")/../Examples")
# shellcheck source=Benchmarks/throwaway.sh
. "$(dirname "${BASH_SOURCE[0]}")/throwaway.sh"
# The agent that gpg started for this home; no other is reached by it.
at_end() { GNUPGHOME=$folder/gnupg gpgconf --kill gpg-agent 2>/dev/null || true; }

mkdir -m 700 "$folder"/{bin,data,run,cache,gnupg,home}
install -m 755 --strip "$binary" "$folder/bin/acct"
export PATH="$folder/bin:$PATH" HOME="$folder/home"
export XDG_DATA_HOME="$folder/data" XDG_RUNTIME_DIR="$folder/run" XDG_CACHE_HOME="$folder/cache"
unset ACCT_ACCOUNT DISPLAY WAYLAND_DISPLAY

# The Secret Service is asked for before it is used: a call that came too early would make the bus
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

# Makes a new home with one account in the keyring named, and goes there.
home() {
  export ACCT_HOME="$folder/$1" ACCT_KEYRING=$1
  acct add --quiet --import "$examples/alice.json"
}
url='https://pds.example/xrpc/app.bsky.feed.getTimeline'
