#!/bin/sh
# A shell on another machine whose requests are made as an account of this one, where the tokens stay: ssh
# takes the socket of `acct proxy` along. usage: remote-proxy.sh HOST SOCKET [ssh's options and words...]
#
# SOCKET is the socket's path there, such as /home/alice/.acct-proxy. There, programs ask it:
#   curl --unix-socket /home/alice/.acct-proxy http://pds.example/xrpc/app.bsky.feed.getTimeline
#
# The user there, and root, can make requests as the account while the connection lasts.
set -eu
host=$1 there=$2
shift 2
here=${XDG_RUNTIME_DIR:?}/acct/proxy
if [ ! -S "$here" ]; then
  echo 'remote-proxy: no proxy is running; start one with "acct proxy &"' >&2
  exit 1
fi
# sshd accepts only whole paths, and the shell there splits what it gets into words.
case $there in
  *[!A-Za-z0-9/._-]* | [!/]*)
    echo 'remote-proxy: the path of the socket begins with / and has no special characters' >&2
    exit 64
    ;;
esac
# sshd leaves the socket of an earlier connection in place, and does not listen there again.
# shellcheck disable=SC2029 # it is checked above
ssh "$host" "rm -f -- $there"
exec ssh -o ExitOnForwardFailure=yes -R "$there:$here" "$host" "$@"
