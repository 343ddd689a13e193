#!/usr/bin/env python3
"""Starts the servers of a test process: forks one for each line of standard input.

A line is JSON: {"script": PATH, "arguments": [...], "input": PATH, "output": PATH}. The script runs as a program
of its own, with its own standard input and output; but the interpreter and the modules are loaded once, which
takes longer than most tests. Ends with standard input, and each server with its own.
"""

from __future__ import annotations

import ast
import contextlib
import importlib
import json
import os
import signal
import sys
import traceback
import types
from pathlib import Path

programs: dict[str, types.CodeType] = {}


def program(path: str) -> types.CodeType:
    """The script's code. What it imports is loaded before the fork, and shared with every copy of it."""
    if path not in programs:
        tree = ast.parse(Path(path).read_bytes(), path)
        sys.path.insert(0, str(Path(path).parent))
        for statement in tree.body:
            names = [name.name for name in statement.names] if isinstance(statement, ast.Import) else []
            if isinstance(statement, ast.ImportFrom) and statement.module:
                names = [statement.module]
            for name in names:
                # A script that looks for modules elsewhere says so itself, when it runs.
                with contextlib.suppress(ImportError):
                    importlib.import_module(name)
        programs[path] = compile(tree, path, "exec", dont_inherit=True)
    return programs[path]


def serve(code: types.CodeType, request: dict) -> None:
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    for descriptor, name, mode in ((0, "input", os.O_RDONLY), (1, "output", os.O_WRONLY | os.O_APPEND)):
        opened = os.open(request[name], mode)
        os.dup2(opened, descriptor)
        os.close(opened)
    sys.stdin = open(0, encoding="utf-8", closefd=False)
    sys.argv = [request["script"], *request["arguments"]]
    main = types.ModuleType("__main__")
    main.__file__ = request["script"]
    sys.modules["__main__"] = main
    exec(code, main.__dict__)


def main() -> None:
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # the kernel takes servers away that have ended
    for line in sys.stdin:
        request = json.loads(line)
        code = program(request["script"])
        if os.fork() == 0:
            try:
                serve(code, request)
            except BaseException:
                traceback.print_exc(file=sys.stdout)  # in place of the first line, which the test waits for
            finally:
                sys.stdout.flush()
                os._exit(0)


if __name__ == "__main__":
    main()
