"""The control API: how a test sets the server up, holds it, and reads what it saw."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import asdict

from cryptography.hazmat.primitives.asymmetric import ec

from .. import device, exchange, jose
from ..realm import Realm
from ..store import Session
from ..tokens import adopt_refresh_token, handoff
from ..wire import Request, Response, json_response
from .faults import Fault
from .trace import HOME


def control(realm: Realm, request: Request) -> Response:
    """Answers 200 with JSON; a mistake of the test's is 400 with words."""
    name = request.path.removeprefix("/control/")
    command = _COMMANDS.get(name) or realm.commands.get(name)
    if command is None:
        return json_response(404, {"error": f"no such command: {name}"})
    try:
        value = json.loads(request.body) if request.body else None
        return json_response(200, command(realm, request, value))
    except (ValueError, TypeError, KeyError, jose.JOSEError) as error:
        return json_response(400, {"error": f"{type(error).__name__}: {error}"})


def _settings(realm: Realm, request: Request, value: dict | None) -> object:
    realm.settings.merge(value or {})
    return asdict(realm.settings)


def _faults(realm: Realm, request: Request, value: object) -> object:
    if request.method == "DELETE":
        realm.faults.clear()
    for each in value if isinstance(value, list) else [value] if value else []:
        realm.faults.add(Fault.parse(each))
    return realm.faults.listed()


def _release(realm: Realm, request: Request, value: object) -> object:
    return {"released": realm.faults.release()}


def _wait(realm: Realm, request: Request, value: dict) -> object:
    """Blocks until so many requests are held, so many have reached an endpoint, or no other client is connected."""
    timeout = float(value.get("timeout", 10))  # seconds
    if value.get("idle"):
        return {"reached": realm.presence.wait_for(1, timeout)}
    if "held" in value:
        return {"reached": realm.faults.wait_for_held(int(value["held"]), timeout)}
    return {"reached": realm.trace.wait(value["endpoint"], int(value.get("count", 1)), timeout)}


def _issue(realm: Realm, request: Request, value: dict | None) -> object:
    """A session without a sign-in, as a file to import."""
    asked = dict(value or {})
    jwk, made = asked.pop("jwk", None), None
    if asked.pop("dpop", False):
        made = jose.private_jwk(ec.generate_private_key(ec.SECP256R1()))
        jwk = {name: made[name] for name in ("kty", "crv", "x", "y")}
    if jwk is not None:
        if realm.settings.dpop == "off":
            raise ValueError("a bound session where DPoP is off")
        jose.public_key(jwk)
    said = asked.pop("expires_in", realm.settings.lifetime)
    lifetime = asked.pop("lifetime", said if isinstance(said, (int, float)) else realm.settings.lifetime)
    form = asked.pop("format", None)
    refresh_token = asked.pop("refresh_token", None)
    client_id = asked.pop("client_id", next(iter(realm.settings.clients)))
    session = Session(asked.pop("sub", realm.settings.subject), client_id, asked.pop("scope", None),
                      None if jwk is None else jose.thumbprint(jwk))
    also = {name: asked.pop(name) for name in ("handle", "did", "pds") if name in asked}
    if asked:
        raise ValueError(f"unknown members: {sorted(asked)}")
    with realm.store.lock:
        realm.store.open_session(session)
        answer = handoff(realm, session, lifetime, said, form)
        if refresh_token is not None:
            adopt_refresh_token(realm, session, refresh_token)
            answer["refresh_token"] = refresh_token
    return {**answer, **also, **({"dpopKey": made} if made else {})}


def _end(realm: Realm, request: Request, value: dict | None) -> object:
    """Ends the sessions of a subject, or all of them, as an administrator would."""
    sub = (value or {}).get("sub")
    with realm.store.lock:
        chosen = [s for s in realm.store.sessions if sub in (None, s.sub) and s.ended is None]
        for session in chosen:
            realm.store.end_session(session, (value or {}).get("reason", "ended by a test"))
    return {"ended": len(chosen)}


def _revoke_access(realm: Realm, request: Request, value: dict | None) -> object:
    """Makes the access tokens of a subject, or all of them, worthless; the sessions live on."""
    sub = (value or {}).get("sub")
    with realm.store.lock:
        chosen = [t for t in realm.store.access.values() if sub in (None, t.session.sub) and not t.revoked]
        for token in chosen:
            token.revoked = True
    return {"revoked": len(chosen)}


def _device(realm: Realm, request: Request, value: dict | None) -> object:
    states = {"approve": "approved", "deny": "denied", "expire": "expired"}
    asked = value or {}
    return {"done": device.decide(realm, asked.get("user_code"), states[asked.get("action", "approve")])}


def _log(realm: Realm, request: Request, value: dict | None) -> object:
    query = dict(request.query)
    records = realm.trace.records(int(query.get("since", "0")))
    part = query.get("part")
    if part in ("violations", "misplaced"):
        return {part: [r for r in records if r[part.removesuffix("s")]]}
    return {
        **_counts(realm, request, None),
        "requests": records,
        "violations": [r for r in records if r["violation"]],
        "misplaced": [r for r in records if r["misplaced"]],
    }


def _counts(realm: Realm, request: Request, value: object) -> object:
    with realm.store.lock:
        names = ("refreshes", "replays", "sessions_ended", "code_replays", "codes_redeemed", "jti_replays",
                 "nonce_challenges", "slow_downs", "refresh_revocations", "access_revocations", "resources",
                 "client_credentials", "jwt_bearer", "token_exchange")
        return {"counts": {name: realm.store.counts[name] for name in names},
                "sessions": [asdict(session) for session in realm.store.sessions]}


def _secrets(realm: Realm, request: Request, value: object) -> object:
    """Every secret so far, by kind, so that a test can look for them elsewhere."""
    with realm.store.lock:
        return {kind: [secret for secret, its in realm.store.secrets.items() if its == kind] for kind in HOME}


def _rotate_nonces(realm: Realm, request: Request, value: object) -> object:
    for book in realm.nonces.values():
        book.forget()
    return {}


def _reset(realm: Realm, request: Request, value: object) -> object:
    realm.reset()
    return {}


_COMMANDS: dict[str, Callable[[Realm, Request, object], object]] = {
    "settings": _settings, "faults": _faults, "release": _release, "wait": _wait,
    "issue": _issue, "end": _end, "revoke-access": _revoke_access, "device": _device,
    "platform-token": exchange.platform_token,
    "log": _log, "counts": _counts, "secrets": _secrets, "rotate-nonces": _rotate_nonces, "reset": _reset,
}
