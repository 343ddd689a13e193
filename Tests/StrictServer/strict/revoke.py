"""Revocation (RFC 7009), with a proof where the session is bound to a key."""

from __future__ import annotations

from . import clients, dpop
from .errors import OAuthError
from .forms import read_form, required
from .realm import Realm
from .store import digest
from .wire import Request, Response


def revocation_endpoint(realm: Realm, request: Request) -> Response:
    """200 for any token that is not, or is no longer, one of the client's (§2.2)."""
    match realm.settings.revocation:
        case "off":
            return Response(404)
        case "unauthorized":
            raise OAuthError("invalid_client", "public clients may not revoke", status=401, violation=False)
        case "unavailable":
            return Response(503, [("Retry-After", "7")])
    form = read_form(request)
    client_id = clients.identify(realm, request, form)
    token = digest(required(form, "token"))
    if form.get("token_type_hint") not in (None, "access_token", "refresh_token"):
        raise OAuthError("unsupported_token_type", "token_type_hint")
    store = realm.store
    with store.lock:
        refresh, access = store.refresh.get(token), store.access.get(token)
        session = (refresh or access).session if refresh or access else None
        if session is None or session.jkt is None:
            if request.values("DPoP") and realm.settings.dpop != "off":
                dpop.thumbprint_of_proof(realm, request)
        elif dpop.thumbprint_of_proof(realm, request) != session.jkt:
            raise dpop.bad("the proof's key is not the session's")
        if session is not None and session.client_id != client_id:
            raise OAuthError("invalid_client", "another client's token")
        if refresh is not None:
            store.counts["refresh_revocations"] += 1
            store.end_session(session, "revoked")
        elif access is not None:
            store.counts["access_revocations"] += 1
            access.revoked = True
    return Response(200, [("Cache-Control", "no-store")])
