"""Opens a vault as its own documentation says, and prints the keys that acct never shows.

usage: vault_keys.py HEADER PASSPHRASE   prints JSON: kind → [base64url of the key's bytes]
"""

from __future__ import annotations

import base64
import hashlib
import json
import sys

from cryptography.hazmat.primitives.ciphers.aead import AESGCM


def main() -> None:
    with open(sys.argv[1], encoding="utf-8") as file:
        header = json.load(file)
    salt, nonce, wrapped = (bytes.fromhex(header[name]) for name in ("salt", "nonce", "wrappedKey"))
    cost = {name: header[name] for name in ("n", "r", "p")}
    wrapping = hashlib.scrypt(sys.argv[2].encode(), salt=salt, **cost, maxmem=1 << 27, dklen=32)
    bound = f"acct vault header 1 scrypt {header['n']} {header['r']} {header['p']} {header['salt']}"
    vault = AESGCM(wrapping).decrypt(nonce, wrapped, bound.encode())
    print(json.dumps({kind: [base64.urlsafe_b64encode(key).rstrip(b"=").decode()]
                      for kind, key in (("wrapping_key", wrapping), ("vault_key", vault))}))


if __name__ == "__main__":
    main()
