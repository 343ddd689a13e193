#!/bin/bash
# Measures acct beside programs that do the same job, in one run, and prints the ratios with their
# limits. Times are medians of alternating runs; limits are what acct wants to reach, and missing one
# is no error: the machine may be busy. Benchmarks/thresholds.sh holds what can be counted.
# usage: Benchmarks/peers.sh ACCT [ROUNDS]
set -euo pipefail
binary=$(realpath "$1")
rounds=${2:-150}
here=$(realpath "$(dirname "$0")")
# shellcheck source=Benchmarks/keyring.sh
. "$here/keyring.sh"
printf 'made up' | secret-tool store --label=bench bench secret

# A password store with a key without a passphrase, so that only the work is measured.
export GNUPGHOME="$folder/gnupg" PASSWORD_STORE_DIR="$folder/store"
gpg --batch --quiet --passphrase '' --quick-gen-key bench@example.test default default never \
  2>"$folder/gpg.log"
pass init bench@example.test >"$folder/pass.log" 2>&1
echo 'made up' | pass insert --echo secret >>"$folder/pass.log"

report() { # what, ours, theirs, limit of the ratio, unit
  awk -v what="$1" -v ours="$2" -v theirs="$3" -v limit="$4" -v unit="$5" 'BEGIN {
    ratio = ours / theirs
    printf "%-44s %9.2f %s to %9.2f: %5.2f, at most %5.2f  %s\n", what, ours, unit, theirs, ratio,
      limit, ratio <= limit ? "reached" : "missed"
  }'
}
compare() { # what, ours, theirs, limit
  local times
  mapfile -t times < <("$here/alternate.py" "$rounds" "$2" "$3")
  report "$1" "${times[0]}" "${times[1]}" "$4" ms
}
# Peak resident memory in KiB, the median of nine.
peak() {
  for _ in 1 2 3 4 5 6 7 8 9; do
    # shellcheck disable=SC2086 # a command line
    /usr/bin/time --format %M --output "$folder/peak" $1 >"$folder/out"
    cat "$folder/peak"
  done | sort -n | sed -n 5p
}
# Seconds for 1280 runs, 64 at a time.
crowd() {
  # shellcheck disable=SC2016 # the dollars are the inner shell's
  /usr/bin/time --format %e --output "$folder/elapsed" \
    sh -c 'seq 1280 | xargs -P 64 -I N sh -c "$1 >/dev/null"' sh "$1"
  cat "$folder/elapsed"
}

lookup='secret-tool lookup bench secret'
home secret-service
compare 'header, three secrets and a proof' "acct header $url" "$lookup" 0.7
compare 'status --json' 'acct status --json' "$lookup" 0.7
# No limit was set for these two; gh reads a file here, as it does where it finds no keyring.
printf 'made up' | secret-tool store --label=bench service bench username user
export GH_CONFIG_DIR="$folder/gh"
mkdir -m 700 "$GH_CONFIG_DIR"
(umask 077 && printf 'github.com:\n    user: bench\n    oauth_token: made-up\n' \
  >"$GH_CONFIG_DIR/hosts.yml")
compare 'header, to keyring get' "acct header $url" 'keyring get bench user' 1
compare 'header, to gh auth token' "acct header $url" 'gh auth token' 1
# What git asks for a password, of each of two helpers that keep it in the same keyring: acct, and the one of
# git's own sources, which Debian has as a source only.
cp -R /usr/share/doc/git/contrib/credential/libsecret "$folder/libsecret"
make --quiet --directory "$folder/libsecret" CC=cc >"$folder/make.log" 2>&1
mv "$folder/libsecret/git-credential-libsecret" "$folder/bin"
ln -s acct "$folder/bin/git-credential-acct"
acct add --quiet --import "$examples/bob.json"
acct switch --quiet -
export GIT_CONFIG_NOSYSTEM=1 GIT_TERMINAL_PROMPT=0
printf 'protocol=https\nhost=notes.example\n' >"$folder/question"
(cat "$folder/question" && printf 'username=oauth2\npassword=made-up\n') |
  git-credential-libsecret store >"$folder/stored"
filled() { printf "sh -c 'git -c credential.helper=%s credential fill <%s'" "$1" "$folder/question"; }
compare 'git credential fill, to git-credential-libsecret' "$(filled acct)" "$(filled libsecret)" 1
report 'header, peak memory' "$(peak "acct header $url")" "$(peak "$lookup")" 1.6 KiB
report 'header, 1280 runs 64 at once' "$(crowd "acct header $url")" "$(crowd "$lookup")" 1 s
home vault
compare 'token from the vault, to pass show' 'acct token' 'pass show secret' 0.3

# Ten thousand accounts: the files are what grows; what is read of the keyring does not.
cp -r "$ACCT_HOME" "$folder/many"
fill_up "$folder/many" 10000
many() { printf 'env ACCT_HOME=%s acct %s' "$folder/many" "$1"; }
few() { printf 'env ACCT_HOME=%s acct %s' "$ACCT_HOME" "$1"; }
compare 'header with 10,000 accounts, to one' "$(many "header $url")" "$(few "header $url")" 1.2
rounds=20
compare 'list --json of 10,000 accounts, to one' "$(many 'list --json')" "$(few 'list --json')" 25
# A name is looked for in the files; --account with one that is there costs half of them on average.
# `limits` needs no secrets, which only one of these accounts has.
compare 'limits --account NAME of 10,000, to one' "$(many 'limits --account account-5000 --json')" \
  "$(few 'limits --json')" 10

report 'stripped binary, to 30 MB' "$(($(stat --format %s "$folder/bin/acct") / 1000))" 30000 1 kB
