"""The data server's XRPC: the strict resource server, for accounts that live here."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from strict import resource
from strict.errors import OAuthError
from strict.wire import Request, Response, json_response

if TYPE_CHECKING:
    from .house import House

GET_SESSION = "/xrpc/com.atproto.server.getSession"


def xrpc(house: House, request: Request) -> Response:
    """200 with the session, or with an echo of the request; 401 with a challenge (RFC 9449 §7.1)."""
    did = json.loads(resource.resource_endpoint(house.realm, request).body)["sub"]
    account = house.network.accounts.find(did)
    if account is None or account.home != house.name:
        raise OAuthError("invalid_token", "the account does not live here", status=401, violation=False)
    headers = list(house.network.settings.resource_headers.items())
    if request.path == GET_SESSION:
        if request.method != "GET":
            return json_response(405, {"error": "InvalidRequest", "message": "a query is asked with GET"})
        value = {"did": did, "handle": account.handle, "active": True,
                 "didDoc": house.network.accounts.document(account)}
        return json_response(200, value, headers)
    echo = {"did": did, "method": request.method, "nsid": request.path.removeprefix("/xrpc/"),
            "query": dict(request.query), "body": request.body.decode("utf-8", "replace")}
    return json_response(200, echo, headers)
