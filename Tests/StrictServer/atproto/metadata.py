"""The metadata of both kinds of servers (RFC 8414, RFC 9728), as AT Protocol asks for it, and true copies elsewhere."""

from __future__ import annotations

from typing import TYPE_CHECKING

from strict.wire import Request, Response, json_response

from .settings import overridden

if TYPE_CHECKING:
    from .house import House


def _server_document(house: House) -> dict:
    issuer = house.issuer
    return overridden({
        "issuer": issuer,
        "scopes_supported": ["atproto", "transition:email", "transition:generic", "transition:chat.bsky"],
        "subject_types_supported": ["public"],
        "response_types_supported": ["code"],
        "response_modes_supported": ["query"],
        "grant_types_supported": ["authorization_code", "refresh_token"],
        "code_challenge_methods_supported": ["S256"],
        "authorization_response_iss_parameter_supported": True,
        "authorization_endpoint": f"{issuer}/oauth/authorize",
        "token_endpoint": f"{issuer}/oauth/token",
        "token_endpoint_auth_methods_supported": ["none", "private_key_jwt"],
        "token_endpoint_auth_signing_alg_values_supported": ["ES256", "RS256"],
        "revocation_endpoint": f"{issuer}/oauth/revoke",
        "pushed_authorization_request_endpoint": f"{issuer}/oauth/par",
        "require_pushed_authorization_requests": True,
        "dpop_signing_alg_values_supported": ["RS256", "ES256", "ES256K"],
        "client_id_metadata_document_supported": True,
    }, house.network.settings.metadata_override)


def _resource_document(house: House) -> dict:
    return overridden({
        "resource": house.data_server,
        "authorization_servers": [house.issuer],
        "scopes_supported": [],
        "bearer_methods_supported": ["header"],
        "resource_documentation": "https://atproto.com",
    }, house.network.settings.resource_override)


def authorization_server(house: House, request: Request) -> Response:
    if request.method not in ("GET", "HEAD"):
        return Response(405, [("Allow", "GET, HEAD")])
    return json_response(200, _server_document(house))


def protected_resource(house: House, request: Request) -> Response:
    if request.method not in ("GET", "HEAD"):
        return Response(405, [("Allow", "GET, HEAD")])
    return json_response(200, _resource_document(house))


def true_copy(house: House, request: Request) -> Response | None:
    """What a redirect here leads to: the very document, so that only who refuses to follow is right."""
    match request.path:
        case "/.well-known/oauth-authorization-server":
            return authorization_server(house, request)
        case "/.well-known/oauth-protected-resource":
            return protected_resource(house, request)
    return house.network.identities.document(request)
