"""What each address of the backend answers; a request that only a wrong client makes raises `Violation`."""

from __future__ import annotations

import json
import re
import secrets
import time
from datetime import datetime, timezone
from typing import TYPE_CHECKING
from urllib.parse import urlencode

from strict.wire import Request, Response, json_response

from .settings import overridden
from .store import Session

if TYPE_CHECKING:
    from .service import Service

HANDLE = re.compile(r"[a-z0-9-]+(\.[a-z0-9-]+)+")
CHALLENGE = re.compile(r"[A-Za-z0-9_-]{43}")


class Violation(Exception):
    """Against the contract, in words."""


def seal_of(request: Request) -> str | None:
    """The one credential of a request: a cookie that is nothing but `sid`, or a bearer token."""
    cookies, authorizations = request.values("Cookie"), request.values("Authorization")
    if len(cookies) + len(authorizations) > 1:
        raise Violation("more than one credential")
    if cookies:
        name, _, value = cookies[0].partition("=")
        if name != "sid" or ";" in value:
            raise Violation("a cookie that is not sid alone")
        return value
    if authorizations:
        scheme, _, value = authorizations[0].partition(" ")
        if scheme != "Bearer":
            raise Violation("an Authorization that is not Bearer")
        return value
    return None


def mobile_auth(service: Service, request: Request) -> Response:
    _no_credential(request)
    return Response(200, [("Content-Type", "text/html")], b"<!doctype html><title>Who are you?</title>")


def mobile_start(service: Service, request: Request) -> Response:
    _no_credential(request)
    settings = service.settings
    if request.value("Content-Type") != "application/json":
        raise Violation("the body of a start is JSON")
    asked = json.loads(request.body)
    if settings.start_error is not None:
        alone = {"error": settings.start_error}
        return json_response(400, alone if settings.start_error_alone else {"success": False, **alone})
    if not HANDLE.fullmatch(asked.get("handle") or ""):
        return json_response(400, {"success": False, "error": "Invalid handle"})
    if not asked.get("code_challenge"):
        return json_response(400, {"success": False, "error": "Missing code_challenge"})
    if set(asked) != {"handle", "code_challenge"} or not CHALLENGE.fullmatch(asked["code_challenge"]):
        raise Violation("a start with other members, or a challenge that is no S256")
    with service.store.lock:
        if asked["code_challenge"] in service.store.challenges:
            raise Violation("a challenge twice")
        service.store.challenges.add(asked["code_challenge"])
        state = secrets.token_urlsafe(16)
        service.store.starts[state] = asked
    answer = {"success": True, "authUrl": f"{service.bases['backend']}/authorize?state={state}"}
    return json_response(200, overridden(answer, settings.start_override))


def authorize(service: Service, request: Request) -> Response:
    """The user's own server and the backend's OAuth callback in one: the user approves at once."""
    _no_credential(request)
    settings, store = service.settings, service.store
    with store.lock:
        if store.starts.pop(dict(request.query).get("state", ""), None) is None:
            return Response(400, [("Content-Type", "text/plain")], b"Login failed: Invalid authorization code")
        session = Session(settings.did, settings.handle, time.time() + settings.lifetime)
        store.sessions.append(session)
        seal = store.seal(session)
    parameters = overridden({"session_token": seal, "did": session.did, "handle": session.handle,
                             "access_token": "informational", "refresh_token": "informational"},
                            settings.callback_override)
    return Response(302, [("Location", f"{settings.callback}?{urlencode(parameters, doseq=True)}")])


def session(service: Service, request: Request) -> Response:
    settings, store = service.settings, service.store
    with store.lock:
        store.counts["validations"] += 1
        found = store.find(seal_of(request), settings.keep_old_seals)
        if settings.reason is not None:
            return _refusal(settings.reason)
        if found is None or found.ended is not None:
            return _refusal("session_invalid" if found is None else found.ended)
        if settings.extends:
            found.expires_at = time.time() + settings.lifetime
        answer = {"valid": True, "did": found.did, "handle": found.handle, "userHandle": found.handle,
                  "displayName": settings.display_name, "accessToken": "informational",
                  "refreshToken": "informational", "expiresAt": _time(found.expires_at, settings.expires_unit)}
        headers = [("Set-Cookie", each) for each in settings.cookies]
        if settings.roll:
            store.counts["rolls"] += 1
            headers.append(("Set-Cookie", f"sid={store.seal(found)}; Max-Age=2592000; HttpOnly; SameSite=Lax; Path=/"))
        return json_response(200, overridden(answer, settings.session_override), headers)


def refresh_token(service: Service, request: Request) -> Response:
    settings, store = service.settings, service.store
    with store.lock:
        seal = seal_of(request)
        if seal is None or settings.refresh == "refuse":
            return json_response(401, {"success": False, "error": "Missing Authorization header"})
        found = store.find(seal, settings.keep_old_seals)
        if found is None or found.ended is not None or settings.refresh == "fail":
            return json_response(500, {"success": False, "error": "Token refresh failed"})
        store.counts["refreshes"] += 1
        found.expires_at = time.time() + settings.lifetime
        payload = overridden({"did": found.did, "sid": store.seal(found)}, settings.refresh_override)
        return json_response(200, {"success": True, "payload": payload})


def logout(service: Service, request: Request) -> Response:
    with service.store.lock:
        found = service.store.find(seal_of(request), True)
        if found is not None:
            found.ended = "session_invalid"
            service.store.counts["logouts"] += 1
        # The cookie is taken back as real backends do it.
        return json_response(200, {"success": True}, [("Set-Cookie", "sid=; Max-Age=0; Path=/")])


def _no_credential(request: Request) -> None:
    if seal_of(request) is not None:
        raise Violation("a credential where nobody is signed in yet")


def _refusal(reason: str) -> Response:
    said = {"oauth_data_missing": "OAuth session data not found"}.get(reason, "Session invalid or expired")
    return json_response(401, overridden({"valid": False, "error": said, "reason": reason or None}, {}))


def _time(seconds: float, unit: str) -> object:
    match unit:
        case "ms":
            return int(seconds * 1000)
        case "s":
            return int(seconds)
        case "iso":
            return datetime.fromtimestamp(seconds, timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
    return None
