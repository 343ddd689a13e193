"""The one error that every endpoint raises, and the form that each origin gives it."""

from __future__ import annotations

from .wire import Response, json_response


class OAuthError(Exception):
    """An OAuth error answer (RFC 6749 §5.2, RFC 6750 §3, RFC 9449 §5 and §7.1).

    `violation` is true where only a client that breaks a rule gets here: a test can ask for none at all.
    """

    def __init__(self, error: str, description: str, status: int = 400, violation: bool = True,
                 headers: list[tuple[str, str]] | None = None):
        super().__init__(f"{error}: {description}")
        self.error, self.description, self.status = error, description, status
        self.violation, self.headers = violation, headers or []


NO_STORE = [("Cache-Control", "no-store"), ("Pragma", "no-cache")]


def authorization_server_answer(error: OAuthError) -> Response:
    body = {"error": error.error, "error_description": error.description}
    return json_response(error.status, body, [*NO_STORE, *error.headers])


def resource_server_answer(error: OAuthError, scheme: str, metadata: str | None = None) -> Response:
    """401 with a challenge; without an `error` where no credential was sent (RFC 6750 §3.1).

    `metadata` is where the resource is described (RFC 9728 §5.1).
    """
    parameters = ['algs="ES256"'] if scheme == "DPoP" else ['realm="strict"']
    if error.error:
        parameters = [f'error="{error.error}"', f'error_description="{error.description}"', *parameters]
    if metadata:
        parameters = [*parameters, f'resource_metadata="{metadata}"', 'scope="files"']
    challenge = f"{scheme} {', '.join(parameters)}"
    return json_response(error.status, {"error": error.error or "unauthorized"}, [("WWW-Authenticate", challenge)])
