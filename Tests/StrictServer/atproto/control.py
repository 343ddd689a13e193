"""The strict server's control API for two houses at once, and what only a network has."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING
from urllib.parse import quote

from strict.testing.control import control as strict_control
from strict.wire import Request, Response, json_response

if TYPE_CHECKING:
    from .network import Network

SCOPE = "atproto transition:generic"
CLIENT_ID = (f"http://localhost?redirect_uri={quote('http://127.0.0.1/callback', safe='')}&scope={quote(SCOPE)}")
SHARED = {"settings", "faults", "release", "wait"}  # one of each for the whole network
SUMMED = {"end", "revoke-access", "counts", "secrets", "rotate-nonces"}  # asked of each house


def control(network: Network, request: Request) -> Response:
    """Answers 200 with JSON; a mistake of the test's is 400 with words."""
    name = request.path.removeprefix("/control/")
    if name in SHARED:
        return strict_control(network.houses[0].realm, request)
    command = _COMMANDS.get(name)
    if command is None and name not in SUMMED:
        return json_response(404, {"error": f"no such command: {name}"})
    try:
        if command is None:
            return json_response(200, _summed(network, request))
        return json_response(200, command(network, request, json.loads(request.body) if request.body else {}))
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        return json_response(400, {"error": f"{type(error).__name__}: {error}"})


def _asked(network: Network, number: int, request: Request) -> dict:
    answer = strict_control(network.houses[number].realm, request)
    value = json.loads(answer.body)
    if answer.status != 200:
        raise ValueError(value["error"])
    return value


def _summed(network: Network, request: Request) -> dict:
    """Both houses' answers in one: numbers added, lists joined."""
    first, second = (_asked(network, number, request) for number in (0, 1))
    return _sum(first, second)


def _sum(first: object, second: object) -> object:
    if isinstance(first, dict):
        return {name: _sum(first[name], second[name]) for name in first}
    return first + second


def _log(network: Network, request: Request, value: dict) -> object:
    counts = _summed(network, replace(request, target="/control/counts"))
    return {**_asked(network, 0, request), **counts}  # the records are the same ones in both houses


def _issue(network: Network, request: Request, value: dict) -> object:
    """A session of an account at its own house; `age` is how many seconds ago the sign-in was."""
    account = network.accounts.find(value.pop("account", "alice.test"))
    if account is None or account.home not in ("pds", "pds2"):
        raise ValueError("no such account here")
    number = [house.name for house in network.houses].index(account.home)
    age = float(value.pop("age", 0))
    asked = {"client_id": CLIENT_ID, "scope": SCOPE, "sub": account.did, "did": account.did,
             "handle": account.handle, "pds": network.base(account.home), **value}
    store = network.houses[number].realm.store
    with store.lock:  # so that the newest session is this one
        answer = _asked(network, number, replace(request, body=json.dumps(asked).encode()))
        store.began[store.sessions[-1].id] -= age
    return answer


def _age(network: Network, request: Request, value: dict) -> object:
    """Makes sessions, and their access tokens, older by `seconds`: of `sub`, or all of them."""
    seconds, sub, aged = float(value["seconds"]), value.get("sub"), 0
    for store in (house.realm.store for house in network.houses):
        with store.lock:
            for session in store.sessions:
                if sub in (None, session.sub):
                    store.began[session.id] -= seconds
                    aged += 1
            for access in store.access.values():
                if sub in (None, access.session.sub):
                    access.expires_at -= seconds
    return {"aged": aged}


def _reset(network: Network, request: Request, value: dict) -> object:
    network.reset()
    return {}


_COMMANDS: dict[str, Callable[[Network, Request, dict], object]] = {
    "log": _log, "issue": _issue, "age": _age, "reset": _reset,
}
