"""Looks for secrets in the memory of a running process, as its root may: running_memory.py PID

Reads "KIND SECRET" from standard input, one a line (forms.py has the kinds), and prints for each "NUMBER of
/proc/PID/mem, NUMBER of process_vm_readv"; then how many regions neither could read. The process goes on meanwhile.
"""

from __future__ import annotations

import ctypes
import sys

from forms import forms

CHUNK = 1 << 20  # bytes
AS_THEY_ARE = {"plain", "the scalar plain", "the scalar reversed"}
pid = int(sys.argv[1])
libc = ctypes.CDLL(None, use_errno=True)


class Vector(ctypes.Structure):
    _fields_ = [("base", ctypes.c_void_p), ("length", ctypes.c_size_t)]


def from_file(start: int, size: int) -> bytes | None:
    with open(f"/proc/{pid}/mem", "rb", 0) as memory:
        try:
            memory.seek(start)
            return memory.read(size)
        except (OSError, OverflowError):
            return None


def from_call(start: int, size: int) -> bytes | None:
    buffer = ctypes.create_string_buffer(size)
    here, there = Vector(ctypes.addressof(buffer), size), Vector(start, size)
    count = libc.process_vm_readv(pid, ctypes.byref(here), 1, ctypes.byref(there), 1, 0)
    return buffer.raw[:count] if count > 0 else None


secrets = [[form for name, form in forms(*line.split()) if name in AS_THEY_ARE] for line in sys.stdin]
counts = [{from_file: 0, from_call: 0} for _ in secrets]
closed = 0
with open(f"/proc/{pid}/maps", encoding="utf-8") as maps:
    regions = [line.split(maxsplit=5) for line in maps]
for addresses, mode, *_, name in ([*region, ""] if len(region) < 6 else region for region in regions):
    if "r" not in mode or name.strip() in ("[vvar]", "[vvar_vclock]", "[vsyscall]"):
        continue
    first, last = (int(address, 16) for address in addresses.split("-"))
    for reader in (from_file, from_call):
        tail = b""  # what stands across the end of a piece
        for start in range(first, last, CHUNK):
            piece = reader(start, min(CHUNK, last - start))
            closed += piece is None
            for secret, count in zip(secrets, counts):
                count[reader] += sum((tail + (piece or b"")).count(form) for form in secret)
            tail = (piece or b"")[-256:]
for count in counts:
    print(f"{count[from_file]} {count[from_call]}")
print(closed)
