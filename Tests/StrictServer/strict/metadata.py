"""The authorization server's metadata (RFC 8414), at the paths that the settings offer."""

from __future__ import annotations

from .realm import Realm
from .wire import Request, Response, json_response


def paths(realm: Realm) -> set[str]:
    """RFC 8414 §3.1 puts the well-known part before the issuer's path, OpenID Connect after it."""
    path = realm.issuer_path
    known = {"oauth-authorization-server": f"/.well-known/oauth-authorization-server{path}",
             "openid-configuration": f"{path}/.well-known/openid-configuration"}
    return {known[name] for name in realm.settings.metadata_at}


def document(realm: Realm) -> dict:
    settings, base = realm.settings, realm.bases["as"]
    value = {
        "issuer": realm.issuer,
        "authorization_endpoint": f"{base}/authorize",
        "token_endpoint": f"{base}/token",
        "device_authorization_endpoint": f"{base}/device_authorization",
        "response_types_supported": ["code"],
        "response_modes_supported": ["query"],
        "grant_types_supported": ["authorization_code", "refresh_token",
                                  "urn:ietf:params:oauth:grant-type:device_code"],
        "token_endpoint_auth_methods_supported": ["none"],
        "code_challenge_methods_supported": ["S256"],
        "authorization_response_iss_parameter_supported": True,
    }
    if settings.scopes is not None:
        value["scopes_supported"] = settings.scopes
    if settings.dpop != "off":
        value["dpop_signing_alg_values_supported"] = ["ES256"]
    if settings.par != "off":
        value["pushed_authorization_request_endpoint"] = f"{base}/par"
        value["require_pushed_authorization_requests"] = settings.par == "required"
    if settings.revocation != "off":
        value["revocation_endpoint"] = f"{base}/revoke"
        value["revocation_endpoint_auth_methods_supported"] = ["none"]
    value.update(settings.metadata_override)
    return {name: member for name, member in value.items() if member is not None}


def metadata_endpoint(realm: Realm, request: Request) -> Response:
    if request.method not in ("GET", "HEAD"):
        return Response(405, [("Allow", "GET, HEAD")])
    return json_response(200, document(realm))
