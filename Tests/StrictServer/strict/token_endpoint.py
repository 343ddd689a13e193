"""The token endpoint: codes, refresh tokens and device codes become tokens (RFC 6749 §4.1.3, §6; RFC 8628 §3.4)."""

from __future__ import annotations

import hashlib
import re

from . import assertions, clients, device, dpop, exchange, jose
from .errors import NO_STORE, OAuthError
from .forms import read_form, required
from .realm import Realm
from .store import Session, digest
from .tokens import token_response
from .wire import Request, Response, json_response

_VERIFIER = re.compile(r"[A-Za-z0-9._~-]{43,128}\Z")


def token_endpoint(realm: Realm, request: Request) -> Response:
    form = read_form(request)
    is_assertion = form.get("grant_type") == assertions.GRANT
    if form.get("grant_type") == exchange.GRANT and "client_id" not in form and request.value("Authorization") is None:
        client_id = None  # RFC 8693 §2.1 leaves the client's authentication to the server
    elif is_assertion:
        client_id = assertions.granted_client(realm, form)
    else:
        client_id = clients.identify(realm, request, form)
    # The proof comes first: a nonce challenge must spend neither a code nor a refresh token.
    jkt = _proof(realm, request)
    match required(form, "grant_type"):
        case "authorization_code":
            answer = _code(realm, form, client_id, jkt)
        case "refresh_token":
            answer = _refresh(realm, form, client_id, jkt)
        case "client_credentials":
            answer = _client_credentials(realm, form, client_id, jkt, "client_credentials")
        case assertions.GRANT:
            answer = _client_credentials(realm, form, client_id, jkt, "jwt_bearer")
        case exchange.GRANT:
            answer = _exchange(realm, form, client_id, jkt)
        case device.GRANT:
            with realm.store.lock:
                session = device.redeem(realm, form, client_id, jkt)
                answer = token_response(realm, session, realm.settings.give_refresh)
        case _:
            raise OAuthError("unsupported_grant_type", "not offered")
    return json_response(200, answer, NO_STORE)


def _proof(realm: Realm, request: Request) -> str | None:
    if realm.settings.dpop == "off" or (realm.settings.dpop == "optional" and not request.values("DPoP")):
        return None
    return dpop.thumbprint_of_proof(realm, request)


def refused(description: str, violation: bool = True) -> OAuthError:
    return OAuthError("invalid_grant", description, violation=violation)


def _code(realm: Realm, form: dict[str, str], client_id: str, jkt: str | None) -> dict:
    store = realm.store
    verifier, redirect_uri = required(form, "code_verifier"), required(form, "redirect_uri")
    with store.lock:
        store.remember_secret("code_verifier", verifier)
        code = store.codes.get(required(form, "code"))
        if code is None:
            raise refused("unknown code")
        if code.used:  # RFC 6749 §4.1.2: what it gave is taken back
            store.counts["code_replays"] += 1
            if code.session is not None:
                store.end_session(code.session, "code replay")
            raise refused("the code was used before")
        asked = code.request
        # Spent by the first try, also by a wrong one: no second guess is possible.
        code.used = True
        if code.expires_at < realm.now():
            raise refused("the code has expired", violation=False)
        if asked.client_id != client_id:
            raise refused("another client's code")
        if asked.redirect_uri != redirect_uri:
            raise refused("redirect_uri is not the one of the authorization request")
        if asked.jkt is not None and asked.jkt != jkt:
            raise refused("the proof's key is not dpop_jkt")
        challenge = jose.b64u(hashlib.sha256(verifier.encode("utf-8")).digest())
        if not _VERIFIER.match(verifier) or challenge != asked.code_challenge:
            raise refused("code_verifier does not match")
        store.counts["codes_redeemed"] += 1
        code.session = store.open_session(Session(realm.settings.subject, client_id, asked.scope, jkt))
        return token_response(realm, code.session, realm.settings.give_refresh)


def _client_credentials(realm: Realm, form: dict[str, str], client_id: str, jkt: str | None, counted: str) -> dict:
    """RFC 6749 §4.4 and RFC 7523 §2.1: for confidential clients, and without a refresh token."""
    if not clients.is_confidential(realm, client_id):
        raise OAuthError("unauthorized_client", "a public client has no credentials")
    with realm.store.lock:
        realm.store.counts[counted] += 1
        scope = clients.granted_scope(realm, form.get("scope"))
        session = realm.store.open_session(Session(client_id, client_id, scope, jkt))
        return token_response(realm, session, False)


def _exchange(realm: Realm, form: dict[str, str], client_id: str | None, jkt: str | None) -> dict:
    sub = exchange.subject(realm, form)
    with realm.store.lock:
        realm.store.counts["token_exchange"] += 1
        scope = clients.granted_scope(realm, form.get("scope"))
        session = realm.store.open_session(Session(sub, client_id or sub, scope, jkt))
        return {**token_response(realm, session, False), "issued_token_type": exchange.ACCESS}


def _refresh(realm: Realm, form: dict[str, str], client_id: str, jkt: str | None) -> dict:
    store = realm.store
    with store.lock:
        token = store.refresh.get(digest(required(form, "refresh_token")))
        if token is None:
            raise refused("unknown refresh token")
        session = token.session
        if session.client_id != client_id:
            raise refused("another client's refresh token")
        if session.jkt is not None and session.jkt != jkt:
            raise refused("the proof's key is not the session's")
        if token.used:
            store.counts["replays"] += 1
            store.end_session(session, "refresh token replay")
            raise refused("the refresh token was used before; the session has ended")
        if session.ended is not None:
            raise refused(f"the session has ended: {session.ended}", violation=False)
        if "scope" in form and not set(form["scope"].split(" ")) <= set((session.scope or "").split(" ")):
            raise OAuthError("invalid_scope", "more than was granted")
        rotate = realm.settings.rotate_refresh
        token.used = rotate
        session.refreshes += 1
        store.counts["refreshes"] += 1
        return token_response(realm, session, rotate)
