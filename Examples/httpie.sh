#!/bin/bash
# HTTPie as the account that acts here. usage: httpie.sh METHOD URL [HTTPie's items and options...]
set -euo pipefail
method=$1 url=$2
shift 2
lines=$(acct header "$method" "$url")
items=()
# HTTPie reads a header's value from a file where the item says `:@`. Each gets an open pipe in
# place of a file: nothing on disk, nothing in the arguments.
while IFS= read -r line; do
  exec {pipe}< <(printf '%s' "${line#*: }")
  items+=("${line%%: *}:@/dev/fd/$pipe")
done <<<"$lines"
exec http --ignore-stdin "$method" "$url" "${items[@]}" "$@"
