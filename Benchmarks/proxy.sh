#!/bin/bash
# Sends requests from many clients at once through `acct proxy`, for an account with a DPoP key, to a
# server that verifies every proof, and prints the results, the rate, and the proxy's memory.
# usage: Benchmarks/proxy.sh ACCT [REQUESTS] [CLIENTS]
#
# ACCT_KEYRING=secret-service takes the keyring of the session (see .ci/with-keyring), else it is a
# throwaway vault. Fails if a request is lost, or a proof is refused or used twice.
set -euo pipefail
binary=$(realpath "$1")
requests=${2:-10000}
clients=${3:-50}
root=$(realpath "$(dirname "$0")/..")
python=$root/.build/venv/bin/python

# shellcheck source=Benchmarks/throwaway.sh
. "$(dirname "${BASH_SOURCE[0]}")/throwaway.sh"

export ACCT_HOME="$folder/home" ACCT_KEYRING=${ACCT_KEYRING:-vault} PYTHONDONTWRITEBYTECODE=1

mkfifo "$folder/input"
sleep infinity >"$folder/input" &
started+=($!)
# Limits with every answer, as servers have them that limit.
settings='{"resource_headers": {"RateLimit-Limit": "3000", "RateLimit-Remaining": "2999", "RateLimit-Reset": "300"}}'
"$python" "$root/Tests/StrictServer/strict_server.py" --settings "$settings" <"$folder/input" >"$folder/server" &
started+=($!)
until [ -s "$folder/server" ]; do kill -0 "${started[1]}" || exit 1; sleep 0.01; done
member() { "$python" -c 'import json, sys; print(json.load(sys.stdin)'"$1"')'; }
control=$(member '["control"]' <"$folder/server")
host=$(member '["resource"]' <"$folder/server" | sed 's|^http://||')

curl --silent --noproxy '*' -d '{"dpop": true}' "$control/issue" | "$binary" --quiet add --import - >/dev/null
"$binary" proxy --socket "$folder/proxy" >"$folder/line" 2>"$folder/errors" &
proxy=$!
started+=("$proxy")
until [ -s "$folder/line" ]; do kill -0 "$proxy" || exit 1; sleep 0.01; done

memory() { awk '/^VmRSS/ { printf "%.1f", $2 / 1024 }' "/proc/$proxy/status"; }
count() { curl --silent --noproxy '*' "$control/counts" | member "[\"counts\"].get(\"$1\", 0)"; }
run() { "$python" "$root/Tests/StrictServer/clients.py" "$folder/proxy" "$host" "$1" "$clients"; }

echo "$requests requests from $clients clients at once, keyring: $ACCT_KEYRING"
first=$((requests / 5))
run "$first" >"$folder/first"
early=$(memory)
run "$((requests - first))" >"$folder/rest"
late=$(memory)
cat "$folder/first" "$folder/rest"
"$python" - "$folder/first" "$folder/rest" "$requests" <<'EOF'
import json, sys
parts = [json.load(open(path)) for path in sys.argv[1:3]]
right = sum(part["answers"].get("200", 0) for part in parts)
seconds = sum(part["seconds"] for part in parts)
print(f"answered 200: {right} of {sys.argv[3]}, {right / seconds:.0f} a second")
sys.exit(right != int(sys.argv[3]))
EOF
echo "memory after $first: $early MiB, after $requests: $late MiB," \
  "threads: $(awk '/^Threads/ { print $2 }' "/proc/$proxy/status"), descriptors: $(find "/proc/$proxy/fd" -type l | wc -l)"
echo "user and system time: $(awk '{ printf "%.1f s, %.1f s", $14 / 100, $15 / 100 }' "/proc/$proxy/stat")"
replays=$(count jti_replays)
violations=$(curl --silent --noproxy '*' "$control/log" | member '["violations"].__len__()')
echo "proofs taken: $(count resources), used twice: $replays, refused for a nonce: $(count nonce_challenges)," \
  "wrong requests: $violations"
[ ! -s "$folder/errors" ] || { echo "the proxy said:" && head -5 "$folder/errors"; }
[ "$replays" = 0 ] && [ "$violations" = 0 ]
