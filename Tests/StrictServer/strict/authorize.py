"""Pushed authorization requests (RFC 9126) and the authorization endpoint, which answers for the user."""

from __future__ import annotations

import re
import secrets
from urllib.parse import urlencode

from . import clients, dpop
from .errors import NO_STORE, OAuthError
from .forms import invalid, read_form, required
from .realm import Realm
from .store import AuthorizationRequest, Code
from .wire import Request, Response, json_response

REQUEST_URI = "urn:ietf:params:oauth:request_uri:"
_CHALLENGE = re.compile(r"[A-Za-z0-9_-]{43}\Z")
DECISION = "X-Strict-Decision"  # how the stand-in for the browser says no


def par_endpoint(realm: Realm, request: Request) -> Response:
    form = read_form(request)
    client_id = clients.identify(realm, request, form)
    if "request_uri" in form:
        raise invalid("request_uri cannot be pushed")
    jkt = None
    if realm.settings.dpop != "off" and (realm.settings.par_dpop == "required" or request.values("DPoP")):
        jkt = dpop.thumbprint_of_proof(realm, request)
    parsed = _parse(realm, client_id, form, jkt)
    clients.check_redirect_uri(realm, client_id, parsed.redirect_uri)
    parsed.expires_at = realm.now() + 60
    request_uri = REQUEST_URI + secrets.token_urlsafe(24)
    with realm.store.lock:
        realm.store.pushed[request_uri] = parsed
    return json_response(201, {"request_uri": request_uri, "expires_in": 60}, NO_STORE)


def _parse(realm: Realm, client_id: str, form: dict[str, str], jkt: str | None) -> AuthorizationRequest:
    if required(form, "response_type") != "code":
        raise OAuthError("unsupported_response_type", "only code")
    if required(form, "code_challenge_method") != "S256":
        raise invalid("code_challenge_method must be S256")
    if not _CHALLENGE.match(required(form, "code_challenge")):
        raise invalid("code_challenge is not a SHA-256 in base64url")
    if len(required(form, "state")) < 16:
        raise invalid("state is too short to be unguessable")
    stated = form.get("dpop_jkt")
    if jkt is not None and stated not in (None, jkt):
        raise dpop.bad("dpop_jkt is not the proof's key")
    if realm.settings.require_dpop_jkt and (jkt or stated) is None:
        raise invalid("dpop_jkt is missing")
    if stated is not None and not _CHALLENGE.match(stated):
        raise invalid("dpop_jkt is not a SHA-256 in base64url")
    return AuthorizationRequest(client_id, required(form, "redirect_uri"), form["state"], form["code_challenge"],
                                clients.granted_scope(realm, form.get("scope")), jkt or stated)


def authorization_endpoint(realm: Realm, request: Request) -> Response:
    """302 to the client with `iss` on success and on error (RFC 9207); 400 where the client is not sure (§4.1.2.1)."""
    names = [name for name, _ in request.query]
    parameters = {name: value for name, value in request.query if value}
    if request.method != "GET" or len(set(names)) != len(names):
        raise invalid("GET, and each parameter once")
    client_id = required(parameters, "client_id")
    if client_id not in realm.settings.clients:
        raise invalid("unknown client_id")
    if "request_uri" in parameters:
        asked = _pushed(realm, client_id, parameters)
    elif realm.settings.par == "required":
        raise invalid("this server wants pushed authorization requests")
    else:
        clients.check_redirect_uri(realm, client_id, required(parameters, "redirect_uri"))
        try:
            asked = _parse(realm, client_id, parameters, None)
        except OAuthError as error:
            answer = {"error": error.error, "error_description": error.description}
            if "state" in parameters:
                answer["state"] = parameters["state"]
            return _redirect(realm, parameters["redirect_uri"], answer)
    if realm.settings.authorize == "deny" or request.value(DECISION) == "deny":
        return _redirect(realm, asked.redirect_uri, {
            "error": "access_denied", "error_description": "The user said no.", "state": asked.state})
    code = realm.store.remember_secret("code", secrets.token_urlsafe(32))
    with realm.store.lock:
        realm.store.codes[code] = Code(asked, realm.now() + realm.settings.code_lifetime)
    return _redirect(realm, asked.redirect_uri, {"code": code, "state": asked.state})


def _pushed(realm: Realm, client_id: str, parameters: dict[str, str]) -> AuthorizationRequest:
    if set(parameters) != {"client_id", "request_uri"}:
        raise invalid("with request_uri only client_id has a place")
    with realm.store.lock:
        asked = realm.store.pushed.get(parameters["request_uri"])
        if asked is None or asked.client_id != client_id:
            raise invalid("request_uri is not known, or is another client's")
        if asked.used or asked.expires_at < realm.now():
            raise invalid("request_uri was used, or has expired")
        asked.used = True
    return asked


def _redirect(realm: Realm, redirect_uri: str, answer: dict[str, str]) -> Response:
    separator = "&" if "?" in redirect_uri else "?"
    location = redirect_uri + separator + urlencode({**answer, "iss": realm.issuer})
    return Response(302, [("Location", location), ("Cache-Control", "no-store")])
