#!/usr/bin/env python3
"""A FastMCP server with the OAuth provider that it brings, which keeps all in memory; on a free port of 127.0.0.1.

Prints {"resource": URL} when it serves, and ends with its standard input. Whoever opens the page is signed in. A
refresh token is good for one use. POST /restart: it begins anew, with nothing in its memory.
"""

from __future__ import annotations

import json
import os
import socket
import sys
import threading

import uvicorn
from fastmcp import FastMCP
from fastmcp.server.auth.auth import ClientRegistrationOptions, RevocationOptions
from fastmcp.server.auth.providers.in_memory import InMemoryOAuthProvider
from starlette.responses import JSONResponse

listener = socket.create_server(("127.0.0.1", 0))
origin = f"http://127.0.0.1:{listener.getsockname()[1]}"
provider = InMemoryOAuthProvider(
    base_url=origin, required_scopes=["notes"], revocation_options=RevocationOptions(enabled=True),
    client_registration_options=ClientRegistrationOptions(
        enabled=True, valid_scopes=["notes"], default_scopes=["notes"]))
server = FastMCP("notes", auth=provider)


@server.tool
def latest() -> str:
    """The latest note."""
    return "a note of alice's"


@server.custom_route("/restart", methods=["POST"])
async def restart(request):
    for memory in (provider.clients, provider.auth_codes, provider.access_tokens, provider.refresh_tokens):
        memory.clear()
    return JSONResponse({})


def end_with_input():
    while sys.stdin.buffer.read(4096):
        pass
    os._exit(0)


threading.Thread(target=end_with_input, daemon=True).start()
application = server.http_app(path="/mcp", json_response=True, stateless_http=True)
# The socket takes connections already.
print(json.dumps({"resource": f"{origin}/mcp"}), flush=True)
uvicorn.Server(uvicorn.Config(application, log_level="error", access_log=False)).run(sockets=[listener])
