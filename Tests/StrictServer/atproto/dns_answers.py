"""What a TXT query for a handle is answered: rightly, wrongly, or so that no reader should trust it."""

from __future__ import annotations

import struct
from collections.abc import Callable

from .dns_message import (CNAME, NXDOMAIN, QUESTION_AT, REFUSED, SERVFAIL, TXT, Query, encoded_name, message, pointer,
                          record, text_data)

OWNER = pointer(QUESTION_AT)
NOISE = ["v=spf1 -all", "google-site-verification=made-up", "didn't=did:plc:nobody"]
BIG = [f"{number:03d} " + "x" * 200 for number in range(8)]  # more than any UDP answer holds


def _texts(*texts: list[str] | str, owner: bytes = OWNER) -> list[bytes]:
    return [record(owner, TXT, text_data([text] if isinstance(text, str) else text)) for text in texts]


def _other_id(query: Query, did: str) -> bytes:
    return message(query, _texts(f"did={did}"), identifier=query.id ^ 0x5555)


def _cname(query: Query, did: str) -> bytes:
    target = encoded_name("handles.example")
    return message(query, [record(OWNER, CNAME, target), *_texts(f"did={did}", owner=target)])


def _pointers(query: Query, did: str) -> bytes:
    """An alias below the handle itself, so that one pointer leads into the question, and one to a pointer."""
    behind_first_label = pointer(QUESTION_AT + 1 + len(query.name.split(".")[0]))
    alias_at = QUESTION_AT + len(query.question) + len(OWNER) + 10
    return message(query, [record(OWNER, CNAME, b"\5alias" + behind_first_label),
                           *_texts(f"did={did}", owner=pointer(alias_at))])


def _loop(query: Query, did: str) -> bytes:
    return message(query, _texts(f"did={did}", owner=pointer(QUESTION_AT + len(query.question))))


def _overlong(query: Query, did: str) -> bytes:
    data = text_data([f"did={did}"])
    return message(query, [record(OWNER, TXT, bytes([data[0] + 9]) + data[1:])])


def _wrong_question(query: Query, did: str) -> bytes:
    question = encoded_name("_atproto.elsewhere.test") + query.question[-4:]
    return message(query, _texts(f"did={did}"), question=question)


# Each takes the query, the right DID and another's, and gives the datagrams to send; of TCP the last one alone.
ANSWERS: dict[str, Callable[[Query, str, str], list[bytes]]] = {
    "right": lambda q, did, other: [message(q, _texts(f"did={did}"))],
    "twice": lambda q, did, other: [message(q, _texts(f"did={did}", f"did={did}"))],
    "split": lambda q, did, other: [message(q, _texts([f"did={did[:9]}", did[9:]]))],
    "noise": lambda q, did, other: [message(q, _texts(*NOISE, f"did={did}"))],
    "big": lambda q, did, other: [message(q, _texts(*BIG, f"did={did}"))],
    "cname": lambda q, did, other: [_cname(q, did)],
    "pointers": lambda q, did, other: [_pointers(q, did)],
    "uncompressed": lambda q, did, other: [message(q, _texts(f"did={did}", owner=encoded_name(q.name)))],
    "truncated": lambda q, did, other: [message(q, _texts(f"did={did}"))],  # the server cuts it on UDP
    "spoof_first": lambda q, did, other: [_other_id(q, other), message(q, _texts(f"did={did}"))],
    "another": lambda q, did, other: [message(q, _texts(f"did={other}"))],
    "two": lambda q, did, other: [message(q, _texts(f"did={did}", f"did={other}"))],
    "not_did": lambda q, did, other: [message(q, _texts("did=alice"))],
    "none": lambda q, did, other: [message(q, [], NXDOMAIN)],
    "empty": lambda q, did, other: [message(q, [])],
    "servfail": lambda q, did, other: [message(q, [], SERVFAIL)],
    "refused": lambda q, did, other: [message(q, [], REFUSED)],
    "silence": lambda q, did, other: [],
    "wrong_id": lambda q, did, other: [_other_id(q, other)],
    "wrong_question": lambda q, did, other: [_wrong_question(q, other)],
    "other_owner": lambda q, did, other: [message(q, _texts(f"did={other}", owner=encoded_name("elsewhere.test")))],
    "malformed": lambda q, did, other: [message(q, [record(OWNER, TXT, b"\3did", length=999)])],
    "overlong": lambda q, did, other: [_overlong(q, did)],
    "loop": lambda q, did, other: [_loop(q, did)],
    "short": lambda q, did, other: [struct.pack("!H", q.id) + b"\x81\x80\0"],
}


def check_answer(answer: object) -> None:
    """Raises ValueError unless `answer` is a kind, a list of records, or `{"answer": …, "drop": queries}`."""
    if isinstance(answer, dict) and set(answer) == {"answer", "drop"} and type(answer["drop"]) is int:
        answer = answer["answer"]
    if isinstance(answer, list):
        text_lists = (each if isinstance(each, list) else [each] for each in answer)
        if all(isinstance(text, str) and len(text.encode()) <= 255 for texts in text_lists for text in texts):
            return
    elif isinstance(answer, str) and answer in ANSWERS:
        return
    raise ValueError(f"no such DNS answer: {answer!r}")


def datagrams(query: Query, answer: str | list, did: str, other: str) -> list[bytes]:
    if isinstance(answer, list):
        return [message(query, _texts(*answer))]
    return ANSWERS[answer](query, did, other)
