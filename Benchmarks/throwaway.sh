# shellcheck shell=bash disable=SC2034 # what it gives
# A throwaway folder, with a vault's passphrase in it; to be sourced. What is started is ended, by its
# id in $started.
folder=$(mktemp -d)
started=()
# What else has to end; for who sources this to define anew.
at_end() { :; }
cleanup() {
  for id in "${started[@]}"; do kill "$id" 2>/dev/null || true; done
  at_end
  rm -rf "$folder"
}
trap cleanup EXIT
trap 'exit 1' INT TERM HUP

(umask 077 && echo 'bench' >"$folder/passphrase")
export ACCT_VAULT_PASSPHRASE_FILE="$folder/passphrase"
