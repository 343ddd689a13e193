# shellcheck shell=bash disable=SC2154 # what it is given
# What `acct proxy` needs for each request, counted: to be sourced after loopback.sh with $binary, a stripped
# acct, set. Requests come one after the other on one connection, so that counts do not depend on the load.

# Starts the server of Benchmarks/request.sh, which keeps its connections; $upstream is its origin.
counting_server() {
  mkfifo "$folder/counting.input"
  sleep infinity >"$folder/counting.input" &
  started+=($!)
  python3 "$(dirname "${BASH_SOURCE[0]}")/loopback_server.py" <"$folder/counting.input" >"$folder/counting.port" &
  started+=($!)
  until [ -s "$folder/counting.port" ]; do kill -0 "${started[-1]}" || return 1; sleep 0.01; done
  upstream=http://127.0.0.1:$(cat "$folder/counting.port")
}

# Runs a proxy beneath a tool that counts, and sends it requests.
count_below() { # requests, tool...
  local requests=$1 below
  shift
  rm -f "$folder/counted.line"
  "$@" "$binary" proxy --port 0 >"$folder/counted.line" 2>"$folder/counted.errors" &
  below=$!
  started+=("$below")
  until [ -s "$folder/counted.line" ]; do kill -0 "$below" || return 1; sleep 0.05; done
  curl --silent --show-error --fail --noproxy '*' --header "Host: ${upstream#http://}" --output /dev/null \
    "$(cat "$folder/counted.line")[1-$requests]"
  # The proxy itself, which a tool is the parent of, or which runs within it.
  local child
  read -r child _ <"/proc/$below/task/$below/children" || true
  kill "${child:-$below}"
  wait "$below" || true
}

# Prints how many system calls each proxied request takes, those that wait left out: how often a thread has to
# depends on the others' pace.
proxied_calls() { # requests
  local first last
  first=$(count_calls 100)
  last=$(count_calls $((100 + $1)))
  echo $(((last - first) / $1))
}
count_calls() {
  rm -f "$folder/proxied.strace"
  count_below "$1" strace --follow-forks --output="$folder/proxied.strace"
  grep -cvE '^[0-9]+ +((epoll_wait|epoll_pwait2?|poll|futex|restart_syscall)\(|<\.\.\.|[+-])' "$folder/proxied.strace"
}
