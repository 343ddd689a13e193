"""The record of every request on every origin, without any secret in it, and of secrets that strayed."""

from __future__ import annotations

import threading
import time
from urllib.parse import parse_qsl, unquote_to_bytes

from .. import jose
from ..store import Store, digest
from ..wire import Request

# Where each kind of secret may be seen. Everything else is a leak.
HOME = {
    "access_token": {("rs", "resource"), ("rs", "unknown"), ("rs", "userinfo"), ("as", "userinfo"), ("as", "revoke"),
                     ("as", "introspect")},
    "refresh_token": {("as", "token"), ("as", "revoke"), ("as", "introspect")},
    "code": {("as", "token")},
    "code_verifier": {("as", "token")},
    "device_code": {("as", "token")},
    "platform_token": {("as", "token"), ("as", "device_authorization"), ("as", "revoke")},
    "client_secret": {("as", "token"), ("as", "par"), ("as", "device_authorization"), ("as", "revoke"),
                      ("as", "introspect")},
}


class Trace:
    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._records: list[dict] = []
        self._sequence = 0

    def begin(self, store: Store, request: Request, endpoint: str) -> dict:
        pairs = parse_qsl(request.body.decode("latin-1"))
        form = dict(pairs)
        authorization = request.value("Authorization")
        record = {
            "origin": request.origin, "base": request.base, "endpoint": endpoint,
            "method": request.method, "path": request.path,
            "query_names": [name for name, _ in request.query],
            "header_names": [name for name, _ in request.headers],
            "form_names": sorted(form), "grant_type": form.get("grant_type"), "client_id": form.get("client_id"),
            "refresh_token": digest(form["refresh_token"]) if "refresh_token" in form else None,
            "resource": [value for name, value in [*pairs, *request.query] if name == "resource"],
            "prompt": form.get("prompt"),
            "authorization": authorization.split(" ")[0] if authorization is not None else None,
            "dpop": bool(request.values("DPoP")), "proof": _proof(request),
            "misplaced": misplaced(store, request, endpoint),
            "fault": None, "status": None, "error": None, "description": None, "violation": False,
            "at": time.time(), "answered_at": None, "bytes_streamed": 0,
        }
        with self._changed:
            self._sequence += 1
            record["seq"] = self._sequence
            self._records.append(record)
            self._changed.notify_all()
        return record

    def records(self, since: int = 0) -> list[dict]:
        with self._changed:
            return [dict(record) for record in self._records if record["seq"] > since]

    def wait(self, endpoint: str, count: int, timeout: float) -> bool:
        """Waits until `endpoint` has seen `count` requests (timeout in seconds)."""
        with self._changed:
            return self._changed.wait_for(
                lambda: sum(record["endpoint"] == endpoint for record in self._records) >= count, timeout)

    def clear(self) -> None:
        with self._changed:
            self._records = []


def _proof(request: Request) -> dict | None:
    """What the first proof says of itself, unverified."""
    proof = request.value("DPoP")
    if proof is None:
        return None
    try:
        header, claims, _, _ = jose.split(proof)
        jwk = header.get("jwk")
        claims["jkt"] = jose.thumbprint(jwk) if isinstance(jwk, dict) else None
    except (jose.JOSEError, KeyError):
        return {"unreadable": True}
    return {name: claims.get(name) for name in ("jti", "htm", "htu", "iat", "nonce", "ath", "jkt")}


def misplaced(store: Store, request: Request, endpoint: str) -> list[str]:
    """The kinds of secrets in this request that have no business here, wherever in it they stand."""
    head = "\n".join([request.target, *(value for _, value in request.headers)]).encode("latin-1")
    raw = head + b"\n" + request.body
    seen = raw + unquote_to_bytes(raw)
    with store.lock:
        secrets = list(store.secrets.items())
    here = (request.origin, endpoint)
    found = {kind for value, kind in secrets if value.encode() in seen and here not in HOME[kind]}
    proof = _proof(request)
    if proof is not None and not str(proof.get("htu")).startswith(request.base + "/"):
        found.add("proof")
    return sorted(found)
