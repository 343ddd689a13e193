#!/bin/sh
# The main job from end to end, on a vault in a throwaway folder; nothing else is touched.
# usage: Examples/demo.sh ACCT (a built `acct`; `make demo` builds it, and what verifies its proofs)
set -eu
acct=$(realpath "$1")
examples=$(realpath "$(dirname "$0")")
python=$(realpath "$examples/../.build/venv")/bin/python

folder=$(mktemp -d)
# Locking takes the vault's key out of the kernel, too.
trap 'acct vault lock >"$folder/log" 2>&1 || true; rm -rf "$folder"' EXIT
trap 'exit 1' INT TERM HUP

# What is typed below is what runs: both programs on PATH, the two files in the working folder.
mkdir "$folder/bin"
ln -s "$acct" "$folder/bin/acct"
printf '#!/bin/sh\nexec "%s" "%s/verify_proof.py" "$@"\n' "$python" "$examples" \
  >"$folder/bin/verify_proof"
chmod +x "$folder/bin/verify_proof"
cp "$examples/alice.json" "$examples/bob.json" "$folder"
cd "$folder"
(umask 077 && echo 'a passphrase for the demo only' >passphrase)

export PATH="$folder/bin:$PATH"
export ACCT_HOME="$folder/home" ACCT_KEYRING=vault ACCT_VAULT_PASSPHRASE_FILE="$folder/passphrase"
unset ACCT_ACCOUNT

say() { printf '\n# %s\n' "$*"; }
# Prints a command, runs it, and expects its exit status.
run() {
  expected=$1 status=0
  shift
  # One step of the demo may set a variable for those after it: `eval`, not another shell.
  printf '$ %s\n' "$*"
  eval "$*" 2>&1 || status=$?
  [ "$status" = 0 ] || echo "(exit status $status)"
  [ "$status" = "$expected" ] || { echo "demo: expected exit status $expected" >&2; exit 1; }
}

# shellcheck disable=SC2016 # the commands are expanded when they run
{
  say 'Two accounts from credentials that others issued: one bound to a DPoP key, one not'
  run 0 'acct add --import alice.json --name alice'
  run 0 'acct add --import bob.json --name bob'
  run 0 'acct list'

  say 'The one added last is active; back to alice'
  run 0 'acct switch alice'
  run 0 'acct status'

  say 'The header lines for one request, as curl -H @- reads them'
  run 0 'url="https://pds.example/xrpc/app.bsky.feed.getTimeline?limit=20"'
  run 0 'acct header "$url"'

  say 'Would a server accept them? pydpop, which shares no code with acct, plays the server'
  run 0 'acct header "$url" > lines; verify_proof GET "$url" < lines'
  say 'Not for another method, and not twice'
  run 1 'acct header "$url" | verify_proof POST "$url"'
  run 1 'cat lines lines | verify_proof GET "$url"'

  say 'And none are made for a place that is not the account'"'"'s own'
  run 8 'acct header https://pds.example.evil.test/'
}
