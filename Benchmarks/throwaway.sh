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

(umask 077 && echo 'a passphrase for benchmarks' >"$folder/passphrase")
export ACCT_VAULT_PASSPHRASE_FILE="$folder/passphrase"

# Fills a home up with copies of the record of its only account, of other names: the files are what grows.
fill_up() { # the home, and how many accounts it is to have
  local accounts=$1/data/accounts one
  one=$(find "$accounts" -name '*.json')
  awk -v id="$(basename "$one" .json)" -v folder="$accounts" -v count="$2" '{
    for (number = 1; number < count; number++) {
      other = sprintf("00000000-0000-4000-8000-%012d", number)
      line = $0
      gsub(id, other, line)
      sub(/"name":"[^"]*"/, "\"name\":\"account-" number "\"", line)
      file = folder "/" other ".json"
      print line >file
      close(file)
    }
  }' "$one"
  chmod 600 "$accounts"/*
}
