"""Looks for secrets in files, in any form: in_files.py SECRETS PATH...

SECRETS is as forms.py reads it. Prints a line for each secret that is found, with its kind, its form and the file;
nothing, if there is none.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator

import forms


def files(path: str) -> Iterator[str]:
    if not os.path.isdir(path):
        yield path
    for folder, _, names in os.walk(path):
        for name in names:
            file = os.path.join(folder, name)
            if os.path.isfile(file) and not os.path.islink(file):
                yield file


secrets = forms.read(sys.argv[1])
for path in sys.argv[2:]:
    for file in files(path):
        with open(file, "rb") as opened:
            # etcd makes a file 64 MiB long before it writes to it. What ends in a zero still does.
            contents = opened.read().rstrip(b"\0") + bytes(64)
        for kind, name, form in secrets:
            if form in contents:
                print(f"{kind} ({name}) in {file}")
