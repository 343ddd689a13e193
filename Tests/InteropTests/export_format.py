"""Reads and writes exports by Documentation/export-format.md alone, sharing no code with acct.

export_format.py document FILE             opens the example in the document, prints its contents
export_format.py open FILE PASSPHRASE      opens an export, prints its contents
export_format.py seal PASSPHRASE           seals the contents on standard input, prints an export
"""

import base64
import hashlib
import json
import os
import sys

from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.kdf.scrypt import Scrypt


def decoded(text):
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


def encoded(data):
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def compact(header):
    return json.dumps(header, separators=(",", ":")).encode()


def key(header, passphrase):
    cost = {name: header[name] for name in ("n", "r", "p")}
    return Scrypt(salt=decoded(header["salt"]), length=32, **cost).derive(passphrase)


def opened(text, passphrase):
    file = json.loads(text)
    header, sealed = file["header"], decoded("".join(file["sealed"]))
    assert list(file) == ["header", "sealed", "checksum"]
    assert (header["format"], header["version"]) == ("acct-export", 1)
    assert (header["kdf"], header["cipher"]) == ("scrypt", "AES-256-GCM")
    assert file["checksum"] == encoded(hashlib.sha256(compact(header) + sealed).digest())
    nonce = decoded(header["nonce"])
    return AESGCM(key(header, passphrase)).decrypt(nonce, sealed, compact(header))


def sealed(contents, passphrase):
    header = {
        "format": "acct-export", "version": 1, "kdf": "scrypt", "n": 1024, "r": 8, "p": 1,
        "salt": encoded(os.urandom(16)), "cipher": "AES-256-GCM", "nonce": encoded(os.urandom(12)),
    }
    nonce = decoded(header["nonce"])
    data = AESGCM(key(header, passphrase)).encrypt(nonce, contents, compact(header))
    text = encoded(data)
    lines = [text[start:start + 76] for start in range(0, len(text), 76)]
    checksum = encoded(hashlib.sha256(compact(header) + data).digest())
    body = ",\n".join(f'"{line}"' for line in lines)
    return f'{{"header":{compact(header).decode()},\n"sealed":[\n{body}\n],\n"checksum":"{checksum}"}}\n'


def blocks(document):
    """The fenced blocks of a Markdown document."""
    return [part.split("\n", 1)[1] for part in document.split("```")[1::2]]


def main(command, *arguments):
    if command == "document":
        with open(arguments[0], encoding="utf-8") as file:
            contents, export = [b for b in blocks(file.read()) if b.startswith("{")][-2:]
        found = opened(export, b"correct horse battery staple")
        assert found == contents.strip().encode(), "the example's contents are not what is said"
        print(found.decode())
    elif command == "open":
        with open(arguments[0], encoding="utf-8") as file:
            print(opened(file.read(), arguments[1].encode()).decode())
    elif command == "seal":
        print(sealed(sys.stdin.buffer.read(), arguments[0].encode()), end="")
    else:
        raise SystemExit(__doc__)


main(*sys.argv[1:])
