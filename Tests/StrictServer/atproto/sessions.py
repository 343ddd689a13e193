"""The token and revocation endpoints, with the ways in which an AT Protocol session ends."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from strict import revoke as strict_revoke
from strict import token_endpoint as strict_token
from strict.errors import NO_STORE, OAuthError
from strict.forms import read_form, required
from strict.store import Session, digest
from strict.wire import Request, Response, json_response

from .settings import overridden

if TYPE_CHECKING:
    from .house import House


def token(house: House, request: Request) -> Response:
    form = read_form(request)
    client = house.client(required(form, "client_id"))
    store, settings = house.realm.store, house.network.settings
    grant = required(form, "grant_type")
    if grant not in ("authorization_code", "refresh_token"):
        raise OAuthError("unsupported_grant_type", "not offered")
    session = _session_of(house, form.get("refresh_token"))
    if session is not None:
        _end_if_over(house, session)
    realm = house.realm_for(client, subject=store.subjects.get(form.get("code", ""), ""),
                            give_refresh=settings.give_refresh and client.refreshes)
    try:
        answer = json.loads(strict_token.token_endpoint(realm, request).body)
    except OAuthError as error:
        # Only behind a good proof: a nonce challenge must end nothing.
        if error.error == "invalid_grant" and session is not None and session.client_id != client.id:
            store.end_session(session, "renewed with another client_id")
        raise
    if session is not None and settings.self_hosted:
        _kill_older(house, session, answer["access_token"])
    return json_response(200, overridden(answer, settings.token_override), NO_STORE)


def _session_of(house: House, refresh_token: str | None) -> Session | None:
    found = house.realm.store.refresh.get(digest(refresh_token)) if refresh_token else None
    return None if found is None else found.session


def _end_if_over(house: House, session: Session) -> None:
    """Ends a session that is too old, whatever was renewed meanwhile, or whose account lives elsewhere now."""
    store = house.realm.store
    if house.realm.now() > store.began[session.id] + house.network.settings.session_lifetime:
        store.end_session(session, "the session's time since sign-in is over")
    elif house.network.has_moved(session.sub, store):
        store.end_session(session, "the account has moved")


def _kill_older(house: House, session: Session, access_token: str) -> None:
    store, newest = house.realm.store, digest(access_token)
    with store.lock:
        for name, access in store.access.items():
            if access.session is session and name != newest:
                access.revoked = True


def revoke(house: House, request: Request) -> Response:
    """200, and nothing else, where the proof is missing; with it the whole session ends, whichever token was named."""
    store = house.realm.store
    if house.network.settings.revocation != "on":
        return strict_revoke.revocation_endpoint(house.realm, request)
    form = read_form(request)
    client = house.client(required(form, "client_id"))
    named = digest(required(form, "token"))
    if request.values("DPoP"):
        strict_revoke.revocation_endpoint(house.realm_for(client), request)
        access = store.access.get(named)
        if access is not None:
            store.end_session(access.session, "revoked")
    return json_response(200, {}, NO_STORE)
