# shellcheck shell=bash disable=SC2154,SC2034 # what it is given, and what it gives
# Servers and proxies on loopback, to be sourced after throwaway.sh; all that is started ends with the folder.

# Prints ports that are free.
free_ports() { # how many
  python3 - "$1" <<'PYTHON'
import socket, sys
sockets = [socket.create_server(("127.0.0.1", 0)) for _ in range(int(sys.argv[1]))]
print(*(s.getsockname()[1] for s in sockets))
PYTHON
}

# A certificate for 127.0.0.1, which every program here is told to trust.
certificate() {
  openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -noenc -days 2 -subj '/CN=made up' \
    -addext 'subjectAltName=IP:127.0.0.1,DNS:localhost' \
    -keyout "$folder/tls.key" -out "$folder/tls.pem" 2>"$folder/tls.log"
  export SSL_CERT_FILE="$folder/tls.pem"
}

# Starts nginx with a part of a configuration from standard input: one worker, nothing outside of the folder.
start_nginx() { # its name
  mkdir "$folder/nginx.$1"
  {
    cat <<CONF
daemon off;
worker_processes 1;
pid $folder/nginx.$1/pid;
error_log $folder/nginx.$1/errors;
events { worker_connections 1024; }
http {
  access_log off;
  keepalive_requests 100000000;
  keepalive_timeout 600s;
  client_max_body_size 0;
  client_body_temp_path $folder/nginx.$1/body;
  proxy_temp_path $folder/nginx.$1/proxy;
  fastcgi_temp_path $folder/nginx.$1/fastcgi;
  uwsgi_temp_path $folder/nginx.$1/uwsgi;
  scgi_temp_path $folder/nginx.$1/scgi;
CONF
    # As root, nginx would have its worker run as another user, whom the folder is closed to.
    cat
    echo '}'
  } >"$folder/nginx.$1/conf"
  if [ "$(id -u)" = 0 ]; then sed -i '1i user root;' "$folder/nginx.$1/conf"; fi
  nginx -p "$folder/nginx.$1" -c "$folder/nginx.$1/conf" -e "$folder/nginx.$1/errors" &
  started+=($!)
}
listens() { python3 -c 'import socket, sys; socket.create_connection(("127.0.0.1", int(sys.argv[1]))).close()' "$1" 2>/dev/null; }
wait_for() { # port
  until listens "$1"; do kill -0 "${started[-1]}" || return 1; sleep 0.02; done
}

# The server behind all: a small answer, and the nonce that servers of DPoP send.
nginx_server() { # port, port of TLS
  start_nginx server <<CONF
  server {
    listen 127.0.0.1:$1;
    listen 127.0.0.1:$2 ssl http2;
    ssl_certificate $folder/tls.pem;
    ssl_certificate_key $folder/tls.key;
    location / {
      add_header DPoP-Nonce nonce-of-the-server;
      default_type application/json;
      return 200 '{"answer": "made up"}';
    }
  }
CONF
  wait_for "$1"
}

# nginx as a proxy that keeps connections to the server.
nginx_front() { # port, the server's
  start_nginx front <<CONF
  upstream server { server 127.0.0.1:$2; keepalive 64; keepalive_requests 100000000; }
  server {
    listen 127.0.0.1:$1;
    location / {
      proxy_pass http://server;
      proxy_http_version 1.1;
      proxy_set_header Connection '';
      proxy_set_header Authorization 'Bearer made-up';
      proxy_buffering on;
    }
  }
CONF
  wait_for "$1"
}

# Prints an account to import: a token that lasts, for these origins, with a key or without.
account() { # dpop or bearer, origins...
  python3 - "$(dirname "${BASH_SOURCE[0]}")/../Examples/alice.json" "$@" <<'PYTHON'
import json, sys
example = json.load(open(sys.argv[1]))
kind, origins = sys.argv[2], sys.argv[3:]
if kind == "bearer":
    out = {"access_token": "made-up", "token_type": "Bearer", "handle": "bench.example", "origins": origins}
else:
    out = {"access_token": "made-up", "token_type": "DPoP", "handle": "bench.example", "origins": origins,
           "dpop_key": example["dpopKey"]}
print(json.dumps(out))
PYTHON
}

# Starts `acct proxy` on a port for the account of $ACCT_HOME; $address is what its paths begin with.
proxy() { # the program, a name for its output
  "$1" proxy --port 0 >"$folder/$2.line" 2>"$folder/$2.errors" &
  started+=($!)
  until [ -s "$folder/$2.line" ]; do kill -0 "${started[-1]}" || return 1; sleep 0.01; done
  address=$(cat "$folder/$2.line")
  address=${address%/}
}
