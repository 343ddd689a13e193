#!/bin/sh
# curl as the account that acts here: the header lines go by stdin, where ps can't see them.
# usage: curl.sh METHOD URL [curl's options...]
set -eu
method=$1 url=$2
shift 2
# Before curl starts, so that what is wrong with the account is not asked of the server.
lines=$(acct header "$method" "$url")
status=0
# The answer's head comes by a descriptor of its own: a file for it could be another user's to replace.
{ heads=$(printf '%s\n' "$lines" | curl -sS -X "$method" -H @- -D /dev/fd/3 "$@" "$url" 3>&1 >&4) || status=$?; } 4>&1
# What it says of nonces and limits is worth knowing for the next one.
printf '%s\n' "$heads" | acct observe --quiet "$url" || true
exit "$status"
