#!/bin/sh
# Prints the ID token of a GitHub Actions job for an audience; the job needs the permission `id-token: write`.
#
#   acct add --issuer URL --grant token-exchange --subject-token-command 'Examples/github_token.sh AUDIENCE'
set -eu
: "${ACTIONS_ID_TOKEN_REQUEST_URL:?is set in a job with the permission id-token: write}"
: "${ACTIONS_ID_TOKEN_REQUEST_TOKEN:?is set in a job with the permission id-token: write}"
# By a configuration on standard input: other users can read a command line.
answer=$(printf 'header = "Authorization: bearer %s"\n' "$ACTIONS_ID_TOKEN_REQUEST_TOKEN" |
  curl --silent --show-error --fail --max-time 20 --config - --get --data-urlencode "audience=$1" \
    "$ACTIONS_ID_TOKEN_REQUEST_URL")
# printf is the shell's own, and no command line that other users can read.
printf '%s\n' "$answer" | sed -n 's/.*"value" *: *"\([A-Za-z0-9._-]*\)".*/\1/p'
