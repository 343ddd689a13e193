"""Finds secrets in what a program asked of the kernel: every argument of every system call.

usage: sightings.py SECRETS PROGRAM FOLDER…

SECRETS is JSON as forms.py reads it. A FOLDER holds the traces of one run by strace, one file for each
thread (`-ff -v -s … -yy`), without calls that only read. Prints JSON: for each run, where secrets were seen.
"""

from __future__ import annotations

import functools
import json
import os
import re
import sys
from typing import NamedTuple

import forms

WRITING = {"write", "writev", "pwrite64", "pwritev", "pwritev2", "send", "sendto", "sendmsg", "sendmmsg"}
CALL = re.compile(r"([a-z0-9_]+)\((.*)")
TEXT = re.compile(r'"((?:[^"\\]|\\.)*)"')
DESCRIPTOR = re.compile(r"(\d+)<((?:->|[^<>\"]|\"(?:[^\"\\]|\\.)*\")*)>")
FOLDER = re.compile(r"/proc/self/fd/(\d+)")
ESCAPE = re.compile(rb"\\([0-7]{1,3}|x[0-9a-f]{2}|.)")
LETTERS = {b"n": b"\n", b"t": b"\t", b"r": b"\r", b"v": b"\v", b"f": b"\f"}


def unescaped(text: str) -> bytes:
    def value(match: re.Match[bytes]) -> bytes:
        code = match[1]
        if code[:1].isdigit():
            return bytes([int(code, 8)])
        if code[:1] == b"x" and len(code) == 3:
            return bytes([int(code[1:], 16)])
        return LETTERS.get(code, code)
    return ESCAPE.sub(value, text.encode("latin-1"))


class Call(NamedTuple):
    name: str
    rest: str  # what stands behind the name
    result: str
    data: bytes  # all of its strings
    folders: tuple[tuple[str, str], ...]  # descriptors, and the paths that are open there


@functools.lru_cache(maxsize=1 << 16)  # most lines come in every run: what is opened at a program's start
def parsed(line: str) -> Call | None:
    call = CALL.match(line)
    if call is None:
        return None
    name, rest = call[1], call[2]
    return Call(name, rest, line.rstrip().rpartition(" = ")[2].split("<")[0],
                b"".join(map(unescaped, TEXT.findall(rest))),
                tuple(pair for pair in DESCRIPTOR.findall(rest) if pair[1].startswith("/")))


class Tracks:
    """What was written to where, and said in other calls, by the program and not by those it started."""

    def __init__(self, paths: list[str], program: str) -> None:
        self.program = program
        self.files = {int(path.rpartition(".")[2]): path for path in paths}
        self.written: dict[str, bytearray] = {}
        self.sockets: dict[str, str] = {}  # inode → the path that it was connected to
        self.folders: dict[str, str] = {}  # descriptor → the path that is open there
        roots = [pid for pid, path in self.files.items() if self._is_root(path)]
        if len(roots) != 1:
            sys.exit(f"the program was started {len(roots)} times")
        waiting = roots
        while waiting:
            waiting += self._follow(waiting.pop(0))

    def _is_root(self, path: str) -> bool:
        with open(path, encoding="latin-1") as file:
            return file.readline().startswith(f'execve("{self.program}"')

    def _follow(self, pid: int) -> list[int]:
        """Reads one thread's calls; returns the threads and processes that it made."""
        made: list[int] = []
        with open(self.files[pid], encoding="latin-1") as file:
            for number, line in enumerate(file):
                call = parsed(line)
                if call is None:
                    continue
                self._take(call)
                if call.name in ("clone", "clone3", "fork", "vfork") and call.result.isdigit():
                    made.append(int(call.result))
                if call.name in ("execve", "execveat") and call.result == "0" and number > 0:
                    return made  # another program from here on
        return made

    def _take(self, call: Call) -> None:
        if call.name == "connect" and 'sun_path="' in call.rest and (at := re.search(r"\[(\d+)", call.rest)):
            self.sockets[at[1]] = FOLDER.sub(lambda folder: self.folders.get(folder[1], folder[0]),
                                             call.data.decode("latin-1"))
        self.folders.update(call.folders)
        self.written.setdefault(self._place(call.name, call.rest), bytearray()).extend(
            call.data if call.name in WRITING else call.data + b"\n")

    def _place(self, name: str, rest: str) -> str:
        if name not in WRITING:
            return f"call {name}"
        at = DESCRIPTOR.match(rest)
        if at is None:
            return f"call {name}"
        if at[1] in ("1", "2"):
            return {"1": "stdout", "2": "stderr"}[at[1]]
        if network := re.match(r"(?:TCP|UDP)(?:v6)?:\[.*->(.*)\]", at[2]):
            return f"tcp {network[1]}"
        if unix := re.match(r"UNIX(?:-STREAM)?:\[(\d+)", at[2]):
            return f"unix {self.sockets.get(unix[1], 'unnamed')}"
        return f"file {at[2]}"


def seen(folder: str, program: str, needles: list[tuple[str, str, bytes]]) -> list[dict]:
    tracks = Tracks([entry.path for entry in os.scandir(folder)], program)
    found: dict[tuple[str, str], dict] = {}
    for kind, form, needle in needles:
        for place, data in tracks.written.items():
            if needle in data:
                found.setdefault((kind, place), {"kind": kind, "place": place, "form": form})
    return list(found.values())


def main() -> None:
    secrets, program, *folders = sys.argv[1:]
    needles = forms.read(secrets)
    print(json.dumps([seen(folder, program, needles) for folder in folders]))


if __name__ == "__main__":
    main()
