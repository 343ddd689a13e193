#!/bin/sh
# The header lines for one request, from the machine that has the accounts, where the tokens stay: what comes
# here is good for this server alone, and for a DPoP account for this one request.
# usage: remote-header.sh HOST [METHOD] URL [acct header's options...] (as in `acct header`)
#
#   remote-header.sh home.example "$url" | curl -H @- "$url"
#
# HOST needs acct on the PATH of a command over ssh, and a keyring that opens without a person: a vault with
# ACCT_VAULT_PASSPHRASE_FILE, or a desktop that is unlocked.
set -eu
host=$1
shift
# ssh makes one line of its words, and the shell there words of that: each goes in quotes.
line='acct header --no-input'
for word; do
  line="$line '$(printf '%s' "$word" | sed "s/'/'\\\\''/g")'"
done
# shellcheck disable=SC2029 # it is quoted above
exec ssh -o BatchMode=yes "$host" "$line"
