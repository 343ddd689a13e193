"""Pushed requests and the authorization endpoint, with AT Protocol's clients, scopes and login hints."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING
from urllib.parse import parse_qsl, urlencode

from strict import authorize as strict_authorize
from strict.errors import NO_STORE, OAuthError
from strict.forms import invalid, read_form, required
from strict.wire import Request, Response, json_response

from .settings import overridden

if TYPE_CHECKING:
    from .house import House


def pushed_request(house: House, request: Request) -> Response:
    """201 with a request_uri of five minutes, for a request with a proof and a nonce (RFC 9126, RFC 9449 §10.1)."""
    form = read_form(request)
    client = house.client(required(form, "client_id"), anew=True)
    if "atproto" not in required(form, "scope").split(" "):
        raise OAuthError("invalid_scope", "scope must hold atproto")
    answer = json.loads(strict_authorize.par_endpoint(house.realm_for(client), request).body)
    store, lifetime = house.realm.store, house.network.settings.par_lifetime
    with store.lock:
        store.pushed[answer["request_uri"]].expires_at = house.realm.now() + lifetime
        store.hints[answer["request_uri"]] = form.get("login_hint")
    return json_response(201, {**answer, "expires_in": lifetime}, NO_STORE)


def authorize(house: House, request: Request) -> Response:
    """302 to the client, as the account of the login hint, or else the one that the test names."""
    parameters = dict(request.query)
    if "request_uri" not in parameters:
        raise invalid("this server wants pushed authorization requests")
    client = house.client(required(parameters, "client_id"))
    response = strict_authorize.authorization_endpoint(house.realm_for(client), request)
    store = house.realm.store
    location, _, query = dict(response.headers)["Location"].partition("?")
    answer = dict(parse_qsl(query))
    if "code" in answer:
        store.subjects[answer["code"]] = _who(house, store.hints.get(parameters["request_uri"]))
    answer = overridden(answer, house.network.settings.callback_override)
    return Response(302, [("Location", f"{location}?{urlencode(answer)}"), ("Cache-Control", "no-store")])


def _who(house: House, hint: str | None) -> str:
    """The DID of who signs in: only an account of this house can."""
    accounts = house.network.accounts.all()
    here = [account for account in accounts if account.home == house.name]
    preferred = house.network.settings.signs_in
    named = [account for account in here if hint in (account.did, account.handle)]
    chosen = [account for account in here if account.key == preferred]
    if not here:
        raise invalid("nobody lives here")
    return (named or chosen or here)[0].did
