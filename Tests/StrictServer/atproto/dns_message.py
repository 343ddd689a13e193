"""DNS messages (RFC 1035 §4): queries read strictly, and the parts that answers are made of."""

from __future__ import annotations

import struct
from dataclasses import dataclass

TXT, CNAME, OPT, IN = 16, 5, 41, 1
NOERROR, FORMERR, SERVFAIL, NXDOMAIN, REFUSED = 0, 1, 2, 3, 5
QUESTION_AT = 12  # where the question's name stands, behind the header
PLAIN_LIMIT, EDNS_LIMIT = 512, 1232  # bytes of a UDP answer


class BadQuery(Exception):
    """What a stub resolver should not have sent."""


@dataclass
class Query:
    id: int
    name: str  # as sent, without the last dot
    type: int
    question: bytes  # with type and class
    edns_size: int | None

    @property
    def limit(self) -> int:
        """The bytes that a UDP answer may have (RFC 6891 §6.2.3)."""
        return PLAIN_LIMIT if self.edns_size is None else min(max(self.edns_size, PLAIN_LIMIT), EDNS_LIMIT)


def parse_query(data: bytes) -> Query:
    """A standard query for one name, with recursion desired, and at most one OPT record behind it."""
    if len(data) < QUESTION_AT:
        raise BadQuery("shorter than a header")
    identifier, flags, questions, answers, authorities, additional = struct.unpack("!6H", data[:QUESTION_AT])
    if flags & 0xF800:
        raise BadQuery("not a standard query")
    if not flags & 0x0100:
        raise BadQuery("a stub resolver asks for recursion")
    if (questions, answers, authorities) != (1, 0, 0) or additional > 1:
        raise BadQuery("not one question alone")
    labels, at = [], QUESTION_AT
    while True:
        length = data[at] if at < len(data) else 0xFF
        if length > 63 or at + 1 + length > len(data):
            raise BadQuery("a name that is cut off, or compressed")
        at += 1 + length
        if not length:
            break
        labels.append(data[at - length:at].decode("latin-1"))
    if len(data) < at + 4 or at - QUESTION_AT > 255:
        raise BadQuery("a question that is cut off, or a name that is too long")
    kind, dns_class = struct.unpack("!2H", data[at:at + 4])
    if dns_class != IN:
        raise BadQuery("not class IN")
    return Query(identifier, ".".join(labels), kind, data[QUESTION_AT:at + 4], _edns_size(data[at + 4:], additional))


def _edns_size(rest: bytes, additional: int) -> int | None:
    if not additional:
        if rest:
            raise BadQuery("bytes behind the question")
        return None
    if len(rest) < 11 or rest[0] != 0:
        raise BadQuery("an additional record that is not OPT")
    kind, size, _, length = struct.unpack("!2HIH", rest[1:11])
    if kind != OPT or len(rest) != 11 + length:
        raise BadQuery("an additional record that is not OPT")
    return size


def encoded_name(name: str) -> bytes:
    return b"".join(bytes([len(label)]) + label.encode("latin-1") for label in name.split(".")) + b"\0"


def pointer(offset: int) -> bytes:
    """A compressed name: what stands at `offset` of the message (§4.1.4)."""
    return struct.pack("!H", 0xC000 | offset)


def text_data(strings: list[str]) -> bytes:
    """The data of one TXT record: strings of up to 255 bytes, which a reader joins (§3.3.14)."""
    return b"".join(bytes([len(each.encode())]) + each.encode() for each in strings)


def record(owner: bytes, kind: int, data: bytes, length: int | None = None) -> bytes:
    """A resource record; `length` is what its RDLENGTH says if not the truth."""
    return owner + struct.pack("!2HIH", kind, IN, 60, len(data) if length is None else length) + data


def message(query: Query, records: list[bytes], rcode: int = NOERROR, truncated: bool = False,
            identifier: int | None = None, question: bytes | None = None) -> bytes:
    flags = 0x8180 | rcode | (0x0200 if truncated else 0)
    opt = b"" if query.edns_size is None else b"\0" + struct.pack("!2HIH", OPT, EDNS_LIMIT, 0, 0)
    header = struct.pack("!6H", query.id if identifier is None else identifier, flags, 1, len(records), 0, bool(opt))
    return header + (query.question if question is None else question) + b"".join(records) + opt


def refusal(data: bytes) -> bytes:
    """FORMERR for a query of which perhaps not even the question can be read."""
    return data[:2].ljust(2, b"\0") + struct.pack("!5H", 0x8180 | FORMERR, 0, 0, 0, 0)
