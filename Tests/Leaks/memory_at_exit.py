"""Keeps what a command has in its memory when it has done everything, and looks for secrets in that.

usage: memory_at_exit.py keep FILE COMMAND…     runs the command, and exits as it did
       memory_at_exit.py search SECRETS FILE…   prints JSON: for each, which secrets are there, and where

A process is stopped in exit_group(2), before the kernel takes its memory away, and what it could
write to is copied; or that is done while it runs, when this one gets SIGUSR1. SECRETS is JSON as
forms.py reads it.
"""

from __future__ import annotations

# Only what keeping needs: this runs for every command, and modules take longer to load than a command runs.
import ctypes
import marshal
import os
import signal
import sys
from collections.abc import Callable, Iterator
from io import FileIO

TRACEME, CONT, SETOPTIONS = 0, 7, 0x4200
TRACECLONE, TRACEEXIT, EXITKILL = 0x08, 0x40, 0x100000
EVENT_EXIT = 6
WALL = 0x40000000
WORD = 8  # bytes
PAGE = 4096
EXIT_GROUP = "231" if os.uname().machine == "x86_64" else "94"
libc = ctypes.CDLL(None, use_errno=True)


def ptrace(request: int, pid: int, data: int = 0) -> None:
    if libc.ptrace(request, pid, None, ctypes.c_void_p(data)) < 0:
        raise OSError(ctypes.get_errno(), f"ptrace {request}")


def started(command: list[str]) -> int:
    pid = os.fork()
    if pid == 0:
        ptrace(TRACEME, 0)
        os.kill(os.getpid(), signal.SIGSTOP)
        os.execvp(command[0], command)
    os.waitpid(pid, WALL)
    ptrace(SETOPTIONS, pid, TRACECLONE | TRACEEXIT | EXITKILL)
    ptrace(CONT, pid)
    return pid


def ends_all(leader: int, thread: int) -> bool:
    with open(f"/proc/{leader}/task/{thread}/syscall", encoding="ascii") as call:
        return call.read().split()[0] == EXIT_GROUP


def run(command: list[str], at_exit: Callable[[int], None]) -> int:
    """Runs a command to its end; `at_exit` is called with its id when it is about to go."""
    leader = started(command)
    signal.signal(signal.SIGUSR1, lambda *_: at_exit(leader))
    signal.signal(signal.SIGTERM, signal.SIG_IGN)  # is meant for the command, which is told itself
    known: set[int] = {leader}
    while True:
        pid, status = os.waitpid(-1, WALL)
        if not os.WIFSTOPPED(status):
            if pid == leader:
                return os.WEXITSTATUS(status) if os.WIFEXITED(status) else 128 + os.WTERMSIG(status)
            continue
        number, event = os.WSTOPSIG(status), status >> 16
        # The thread that calls exit_group(2) stops there for sure; the first thread, if it is another
        # one, is killed by that, and may be past stopping.
        if event == EVENT_EXIT and (pid == leader or ends_all(leader, pid)):
            at_exit(leader)
        # A new thread begins with a stop of its own, and exec with a trap: no signals to pass on. The one that
        # asks for a copy is for this process, though the whole group gets it.
        is_ours = (event or number in (signal.SIGTRAP, signal.SIGUSR1)
                   or (number == signal.SIGSTOP and pid not in known))
        known.add(pid)
        try:
            ptrace(CONT, pid, 0 if is_ours else number)
        except ProcessLookupError:
            pass  # killed while it was stopped: another thread has called exit_group(2)


def touched(pagemap: FileIO, first: int, last: int) -> Iterator[tuple[int, int]]:
    """The parts of a region that have pages of their own. Nothing was ever written to the rest: nearly all of a stack."""
    pagemap.seek(first // PAGE * WORD)
    start = None
    for number, entry in enumerate(memoryview(pagemap.read((last - first) // PAGE * WORD)).cast("Q")):
        is_there = entry >> 62  # in memory, or swapped (proc_pid_pagemap(5))
        if is_there and start is None:
            start = first + number * PAGE
        elif not is_there and start is not None:
            yield start, first + number * PAGE
            start = None
    if start is not None:
        yield start, last


def writable(pid: int) -> list[tuple[str, bytes]]:
    """What can be written to, by what it is: `heap`, `stack`, or a file's name for its variables."""
    regions: list[tuple[str, bytes]] = []
    guard = 0  # where the last region ended that no access is allowed to
    with open(f"/proc/{pid}/maps", encoding="utf-8") as maps, open(f"/proc/{pid}/mem", "rb", 0) as memory, \
            open(f"/proc/{pid}/pagemap", "rb", 0) as pagemap:
        for line in maps:
            addresses, mode, _, _, _, *names = line.split(maxsplit=5)
            first, last = (int(address, 16) for address in addresses.split("-"))
            name = names[0].strip() if names else ""
            if name.startswith("/secretmem"):
                continue  # memfd_secret(2): it can't be read by this way or any other
            if "w" in mode:
                # The C library's arenas begin at multiples of 64 MiB, and a thread's stack behind a guard.
                kind = "stack" if not name and guard == first and first % (64 << 20) else "heap"
                name = name.strip("[]") if name.startswith("[") else name or kind
                for start, end in touched(pagemap, first, last):
                    memory.seek(start)
                    data = memory.read(end - start)
                    if len(data) < end - start:
                        raise OSError(f"only {len(data)} bytes of {line}")
                    regions.append((name, data))
            elif mode.startswith("---"):
                guard = last
    return regions


def settled(pid: int) -> list[tuple[str, bytes]]:
    """Looks again when memory went away while it was read: a thread may have been about to end."""
    for _ in range(9):
        try:
            return writable(pid)
        except OSError:
            pass
    return writable(pid)


def keep(path: str, command: list[str]) -> int:
    def dump(pid: int) -> None:
        if not os.path.exists(path):  # only as it was when SIGUSR1 asked, if it did
            with open(os.open(f"{path}.part", os.O_WRONLY | os.O_CREAT, 0o600), "wb") as file:
                marshal.dump(settled(pid), file)
            os.rename(f"{path}.part", path)
    return run(command, dump)


class Needles:
    """Forms of secrets, and a way to tell quickly which of them memory can hold at all.

    Whatever stands there covers a whole word at a multiple of its size, if it is at least two words long
    less a byte. So the words that begin in a form's first eight bytes are looked for first, all at once:
    there are hundreds of forms, and megabytes of memory, of hundreds of runs.
    """

    def __init__(self, named: list[tuple[str, str, bytes]]) -> None:
        self.named = named
        self.by_word: dict[int, set[int]] = {}
        self.short: set[int] = set()
        for index, (_, _, needle) in enumerate(named):
            if len(needle) < 2 * WORD - 1:
                self.short.add(index)
                continue
            for at in range(WORD):
                word = int.from_bytes(needle[at:at + WORD], sys.byteorder)
                self.by_word.setdefault(word, set()).add(index)
        self.words = frozenset(self.by_word)
        # Most pages are the same in all runs, such as a program's variables that nothing has changed.
        self.in_page: dict[bytes, frozenset[int]] = {}

    def possible(self, data: bytes) -> list[tuple[str, str, bytes]]:
        words: set[int] = set()
        for at in range(0, len(data), PAGE):
            page = data[at:at + PAGE]
            if page not in self.in_page:
                self.in_page[page] = self.words.intersection(memoryview(page).cast("Q"))
            words |= self.in_page[page]
        found = self.short.union(*(self.by_word[word] for word in words))
        return [self.named[index] for index in sorted(found)]


def search(path: str, needles: Needles) -> list[dict]:
    """Each place of a secret; `around` is the text there, for finding its cause."""
    with open(path, "rb") as file:
        regions = marshal.load(file)
    seen: dict[tuple[str, str], dict] = {}
    for where, data in regions:
        for kind, form, needle in needles.possible(data):
            at = data.find(needle)
            if at >= 0:
                around = data[max(0, at - 96):at + 48].decode("latin-1").encode("unicode_escape").decode()
                seen.setdefault((kind, where), {"kind": kind, "form": form, "place": where, "around": around})
    return list(seen.values())


def main() -> None:
    if sys.argv[1] == "keep":
        sys.exit(keep(sys.argv[2], sys.argv[3:]))
    import gc
    import json

    import forms

    gc.disable()  # there are no cycles, and hundreds of thousands of words to look at again and again

    needles = Needles(forms.read(sys.argv[2]))
    print(json.dumps([search(path, needles) for path in sys.argv[3:]]))


if __name__ == "__main__":
    main()
