"""Form bodies, read to the letter (RFC 6749 §3.2 and appendix B)."""

from __future__ import annotations

import re
from urllib.parse import unquote_to_bytes

from .errors import OAuthError
from .wire import Request

# What the form serializer leaves as it is, and escapes; anything else was not encoded.
_ENCODED = re.compile(r"(?:[A-Za-z0-9*._~+-]|%[0-9A-Fa-f]{2})*\Z")


def invalid(description: str) -> OAuthError:
    return OAuthError("invalid_request", description)


def read_form(request: Request) -> dict[str, str]:
    """The parameters of a POST with a form body, each there once; one without a value counts as left out."""
    if request.method != "POST":
        raise OAuthError("invalid_request", "only POST", status=405, headers=[("Allow", "POST")])
    if "?" in request.target:
        raise invalid("parameters belong in the body, not in the query")
    media_type, _, parameter = (request.value("Content-Type") or "").lower().partition(";")
    if media_type.strip() != "application/x-www-form-urlencoded" or parameter.strip() not in ("", "charset=utf-8"):
        raise invalid("the body must be application/x-www-form-urlencoded")
    form: dict[str, str] = {}
    for pair in request.body.decode("latin-1").split("&"):
        name, equals, value = pair.partition("=")
        if not equals or not _ENCODED.match(name) or not _ENCODED.match(value):
            raise invalid("the form is not percent-encoded")
        name, value = _decoded(name), _decoded(value)
        if name in form:
            raise invalid(f"{name} is there twice")
        form[name] = value
    return {name: value for name, value in form.items() if value}


def _decoded(text: str) -> str:
    try:
        return unquote_to_bytes(text.replace("+", " ")).decode("utf-8")
    except UnicodeDecodeError:
        raise invalid("not UTF-8") from None


def required(form: dict[str, str], name: str) -> str:
    if name not in form:
        raise invalid(f"{name} is missing")
    return form[name]
