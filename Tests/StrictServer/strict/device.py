"""The device flow (RFC 8628): codes for a device, and polling that respects the interval."""

from __future__ import annotations

import secrets
import time
from urllib.parse import quote

from . import clients
from .errors import NO_STORE, OAuthError
from .forms import read_form, required
from .realm import Realm
from .store import DeviceGrant, Session
from .wire import Request, Response, json_response

GRANT = "urn:ietf:params:oauth:grant-type:device_code"
LETTERS = "BCDFGHJKLMNPQRSTVWXZ"  # RFC 8628 §6.1: no vowels, so no words
TOLERANCE = 0.05  # seconds; a poll on time may be measured a little early


def device_authorization_endpoint(realm: Realm, request: Request) -> Response:
    form = read_form(request)
    client_id = clients.identify(realm, request, form)
    settings = realm.settings
    scope = clients.granted_scope(realm, form.get("scope"))
    letters = [secrets.choice(LETTERS) for _ in range(8)]
    user_code = "".join(letters[:4]) + "-" + "".join(letters[4:])
    device_code = realm.store.remember_secret("device_code", "dc-" + secrets.token_urlsafe(32))
    interval = 5 if settings.device_interval is None else settings.device_interval
    with realm.store.lock:
        realm.store.devices[device_code] = DeviceGrant(
            client_id, scope, user_code, realm.now() + settings.device_expires_in, interval)
    page = f"{realm.bases['as']}/device"
    answer = {"device_code": device_code, "user_code": user_code, "verification_uri": page,
              "verification_uri_complete": f"{page}?user_code={quote(user_code)}",
              "expires_in": settings.device_expires_in}
    if settings.device_interval is not None:
        answer["interval"] = settings.device_interval
    return json_response(200, answer, NO_STORE)


def redeem(realm: Realm, form: dict[str, str], client_id: str, jkt: str | None) -> Session:
    """The session of an approved device code. The caller holds the store's lock."""
    grant = realm.store.devices.get(required(form, "device_code"))
    if grant is None or grant.client_id != client_id or grant.state == "used":
        raise OAuthError("invalid_grant", "unknown device_code, or another client's, or used")
    _pace(realm, grant)
    if grant.state == "expired" or grant.expires_at < realm.now():
        raise OAuthError("expired_token", "the device code has expired", violation=False)
    approve_after = realm.settings.device_approve_after
    if grant.state == "pending" and approve_after is not None and grant.polls > approve_after:
        grant.state = "approved"
    if grant.state == "pending":
        raise OAuthError("authorization_pending", "not yet", violation=False)
    if grant.state == "denied":
        raise OAuthError("access_denied", "the user said no", violation=False)
    grant.state = "used"
    return realm.store.open_session(Session(realm.settings.subject, client_id, grant.scope, jkt))


def _pace(realm: Realm, grant: DeviceGrant) -> None:
    now, last = time.monotonic(), grant.last_poll
    grant.last_poll = now
    grant.polls += 1
    if last is not None and now - last < grant.interval - TOLERANCE:
        grant.interval += 5  # RFC 8628 §3.5
        realm.store.counts["slow_downs"] += 1
        raise OAuthError("slow_down", "polled before the interval was over")


def decide(realm: Realm, user_code: str | None, state: str) -> bool:
    """What the user does at the verification page; without a code, to the newest request."""
    with realm.store.lock:
        grants = [g for g in realm.store.devices.values() if g.state == "pending" and user_code in (None, g.user_code)]
        if not grants:
            return False
        grants[-1].state = state
        return True
