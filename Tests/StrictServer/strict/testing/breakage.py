"""What each fault does to an answer."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator

from ..dpop import nonce_challenge
from ..errors import authorization_server_answer, resource_server_answer
from ..realm import Realm
from ..wire import Request, Response, json_response
from .faults import Fault

ENDLESS_LIMIT = 1 << 30  # bytes; a client without a cap must not fill the machine
CANNED = json.dumps({"access_token": "canned-but-cut", "token_type": "DPoP", "expires_in": 3600}).encode()


def broken(realm: Realm, fault: Fault, request: Request, record: dict, process: Callable[[], Response]) -> Response:
    """The answer that `fault` gives; `process` is called first, or for a mere delay after, or not at all."""
    real = process() if fault.process else None
    match fault.kind:
        case "delay":
            realm.faults.hold(None if fault.ms is None else fault.ms / 1000)
            return real or process()
        case "date":
            answer = real or process()
            answer.date = time.time() + fault.offset
            return answer
        case "mislabelled":
            answer = real or process()
            answer.headers = [(name, "text/html" if name.lower() == "content-type" else value)
                              for name, value in answer.headers]
            return answer
        case "close_after":
            answer = real or process()
            answer.breakage = "close_after"
            return answer
        case "hang":
            realm.faults.hold()
            return Response(0, breakage="close")
        case "reset" | "close":
            return Response(0, breakage=fault.kind)
        case "status":
            headers = [] if fault.retry_after is None else [("Retry-After", fault.retry_after)]
            headers += [("Content-Type", fault.type)] if fault.type else []
            return Response(fault.status or 500, headers, fault.body.encode())
        case "html":
            page = b"<!doctype html><title>Welcome</title><p>This network wants you to accept its terms.</p>"
            return Response(200, [("Content-Type", "text/html; charset=utf-8")], page)
        case "truncated":
            return _truncated(fault, real)
        case "endless":
            pause = 0 if fault.ms is None else fault.ms / 1000
            return Response(200, [("Content-Type", "application/json")], stream=_endless(record, pause))
        case "redirect":
            location = fault.location or realm.bases["elsewhere"] + request.target
            return Response(fault.status or 307, [("Location", location)])
        case "error":
            return json_response(fault.status or 400, {"error": fault.error, "error_description": "set by a test"})
        case "echo":
            words = f"cannot take {request.body.decode()}"
            return json_response(fault.status or 400, {"error": fault.error, "error_description": words})
        case "nonce_challenge":
            error = nonce_challenge(realm)
            if request.origin == "as":
                return authorization_server_answer(error)
            error.status = 401
            return resource_server_answer(error, "DPoP")
    raise AssertionError(fault.kind)


def _truncated(fault: Fault, real: Response | None) -> Response:
    answer = real or json_response(200, json.loads(CANNED))
    whole = len(answer.body)
    answer.body = answer.body[: whole // 2]
    answer.claimed_length = whole if fault.short else None
    return answer


def _endless(record: dict, pause: float) -> Iterator[bytes]:
    chunk = b'{"access_token":"' + b"a" * 65519
    while record["bytes_streamed"] < ENDLESS_LIMIT:
        yield chunk
        record["bytes_streamed"] += len(chunk)
        chunk = b"a" * 65536
        time.sleep(pause)
