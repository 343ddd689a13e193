#!/usr/bin/env python3
"""A server of the Model Context Protocol and its authorization server, both of its own Python SDK (`mcp`).

Prints {"authorization": ORIGIN, "resource": URL, "admin": URL} when it serves, and ends with its standard input.

What a client meets is the SDK's: metadata (RFC 8414, RFC 9728), registration (RFC 7591), PKCE, resource indicators
(RFC 8707), the challenges of its resource server. The SDK leaves to its user who signs in and what is kept; that is
here. alice signs in with the password `alicepassword`. A refresh token is good for one use, and its next use ends the
session. The resource takes only tokens that were asked for with its very address; `admin` also wants the scope `admin`.

GET /counts of the authorization server: {"clients", "codes", "refreshes", "replays", "revocations"}
POST /restart of it: it begins anew, with nothing in its memory but those counts
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import secrets
import socket
import sys
import threading
import time

import uvicorn
from mcp.server.auth.provider import (
    AccessToken,
    AuthorizationCode,
    RefreshToken,
    TokenError,
    TokenVerifier,
    construct_redirect_uri,
)
from mcp.server.auth.routes import create_auth_routes
from mcp.server.auth.settings import AuthSettings, ClientRegistrationOptions, RevocationOptions
from mcp.server.mcpserver import MCPServer
from mcp.shared.auth import OAuthToken
from pydantic import AnyHttpUrl
from starlette.applications import Starlette
from starlette.responses import HTMLResponse, JSONResponse, RedirectResponse
from starlette.routing import Route

LIFETIME = 3600  # seconds, of an access token


class Provider(TokenVerifier):
    """Who signed in, and with what tokens: in memory."""

    def __init__(self, origin):
        self.origin = origin
        self.counts = dict.fromkeys(("clients", "codes", "refreshes", "replays", "revocations"), 0)
        self.restart()

    def restart(self):
        self.clients, self.asked, self.codes, self.access, self.refresh, self.spent = {}, {}, {}, {}, {}, {}

    async def get_client(self, client_id):
        return self.clients.get(client_id)

    async def register_client(self, client_info):
        self.clients[client_info.client_id] = client_info
        self.counts["clients"] += 1

    async def authorize(self, client, params):
        request = secrets.token_urlsafe(16)
        self.asked[request] = (client, params)
        return f"{self.origin}/sign-in?request={request}"

    def signed_in(self, request):
        """Ends the request that alice answered. Returns where her browser goes."""
        client, params = self.asked.pop(request)
        code = AuthorizationCode(
            code=secrets.token_urlsafe(24), scopes=params.scopes or ["notes"], expires_at=time.time() + 60,
            client_id=client.client_id, code_challenge=params.code_challenge, redirect_uri=params.redirect_uri,
            redirect_uri_provided_explicitly=params.redirect_uri_provided_explicitly, resource=params.resource,
            subject="alice")
        self.codes[code.code] = code
        return construct_redirect_uri(str(params.redirect_uri), code=code.code, state=params.state)

    async def load_authorization_code(self, client, authorization_code):
        return self.codes.get(authorization_code)

    async def exchange_authorization_code(self, client, authorization_code):
        del self.codes[authorization_code.code]
        self.counts["codes"] += 1
        return self.issued(authorization_code, authorization_code.scopes)

    async def load_refresh_token(self, client, refresh_token):
        if session := self.spent.get(refresh_token):
            self.counts["replays"] += 1
            for tokens in (self.access, self.refresh):
                for token in [name for name, value in tokens.items() if value.client_id == session.client_id]:
                    del tokens[token]
        return self.refresh.get(refresh_token)

    async def exchange_refresh_token(self, client, refresh_token, scopes):
        if self.refresh.pop(refresh_token.token, None) is None:
            raise TokenError("invalid_grant", "the refresh token has been used")
        self.spent[refresh_token.token] = refresh_token
        self.counts["refreshes"] += 1
        return self.issued(refresh_token, scopes)

    def issued(self, grant, scopes):
        rest = {"client_id": grant.client_id, "scopes": scopes, "resource": grant.resource, "subject": grant.subject}
        access = AccessToken(token=secrets.token_urlsafe(24), expires_at=int(time.time()) + LIFETIME, **rest)
        refresh = RefreshToken(token=secrets.token_urlsafe(24), **rest)
        self.access[access.token], self.refresh[refresh.token] = access, refresh
        return OAuthToken(access_token=access.token, refresh_token=refresh.token, expires_in=LIFETIME,
                          scope=" ".join(scopes))

    async def load_access_token(self, token):
        return self.access.get(token)

    async def verify_token(self, token):
        # The SDK asks this for the resource, and compares the end, the scopes and the resource itself.
        return self.access.get(token)

    async def revoke_token(self, token):
        self.counts["revocations"] += 1
        self.access.pop(token.token, None)
        self.refresh.pop(token.token, None)


def authorization_server(provider):
    async def sign_in(request):
        if request.method == "GET":
            return HTMLResponse("<form method=post><input name=password type=password></form>")
        if (await request.form()).get("password") != "alicepassword":
            return HTMLResponse("no", 403)
        return RedirectResponse(provider.signed_in(request.query_params["request"]), 302)

    async def counts(request):
        return JSONResponse(provider.counts)

    async def restart(request):
        provider.restart()
        return JSONResponse({})

    scopes = ClientRegistrationOptions(enabled=True, valid_scopes=["notes", "admin"], default_scopes=["notes", "admin"])
    routes = create_auth_routes(provider, AnyHttpUrl(provider.origin), client_registration_options=scopes,
                                revocation_options=RevocationOptions(enabled=True))
    return Starlette(routes=[*routes, Route("/sign-in", sign_in, methods=["GET", "POST"]),
                             Route("/counts", counts), Route("/restart", restart, methods=["POST"])])


def resource_server(provider, origin, path, scopes):
    """One with a tool that says who calls it."""
    auth = AuthSettings(issuer_url=provider.origin, resource_server_url=f"{origin}/mcp", required_scopes=scopes,
                        validate_token_resource=True)
    server = MCPServer("notes", auth=auth, token_verifier=provider)

    @server.tool()
    def latest() -> str:
        """The latest note."""
        return "a note of alice's"

    return server.streamable_http_app(streamable_http_path=path, json_response=True, stateless_http=True)


def joined(first, second, prefix):
    """Two applications at one address: the second has the paths below a prefix."""
    async def application(scope, receive, send):
        is_second = scope.get("path", "").startswith(prefix)
        await (second if is_second else first)(scope, receive, send)

    return application


async def serve(application, listener):
    settings = uvicorn.Config(application, lifespan="off", log_level="error", access_log=False)
    await uvicorn.Server(settings).serve([listener])


def listening():
    listener = socket.create_server(("127.0.0.1", 0))
    return listener, f"http://127.0.0.1:{listener.getsockname()[1]}"


async def main():
    (authorization_listener, authorization), (resource_listener, resource) = listening(), listening()
    provider = Provider(authorization)
    notes = resource_server(provider, resource, "/mcp", ["notes"])
    admin = resource_server(provider, resource, "/admin", ["notes", "admin"])
    async with contextlib.AsyncExitStack() as stack:
        for application in (notes, admin):
            await stack.enter_async_context(application.router.lifespan_context(application))
        # Both sockets take connections already.
        print(json.dumps({"authorization": authorization, "resource": f"{resource}/mcp",
                          "admin": f"{resource}/admin"}), flush=True)
        await asyncio.gather(serve(authorization_server(provider), authorization_listener),
                             serve(joined(notes, admin, "/admin"), resource_listener))


def end_with_input():
    while sys.stdin.buffer.read(4096):
        pass
    os._exit(0)


threading.Thread(target=end_with_input, daemon=True).start()
asyncio.run(main())
