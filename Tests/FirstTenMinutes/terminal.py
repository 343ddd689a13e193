"""A real terminal: bash in tmux, in which lines are typed and keys are pressed."""

from __future__ import annotations

import os
import select
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

PATIENCE = 600  # seconds, far above what any step takes; `make install` may have to build


class Terminal:
    """One window of a tmux server of its own. Every prompt tells the status of the command before it."""

    def __init__(self, folder: Path, environment: dict[str, str], size: tuple[int, int]) -> None:
        self.socket = str(folder / "tmux")
        self.statuses = folder / "statuses"
        os.mkfifo(self.statuses)
        # Open for both, so that neither side waits for the other to open it.
        self.fifo = os.open(self.statuses, os.O_RDWR | os.O_NONBLOCK)
        startup = folder / "bashrc"
        startup.write_text(f"PS1='$ '\nPROMPT_COMMAND='echo $? >{self.statuses}'\nHISTFILE=\n")
        columns, rows = size
        self.tmux("new-session", "-d", "-x", str(columns), "-y", str(rows),
                  "bash", "--noprofile", "--rcfile", str(startup), environment=environment)
        self.status()

    def tmux(self, *arguments: str, environment: dict[str, str] | None = None) -> str:
        # The server takes over the environment of its first client, and no configuration.
        command = ["tmux", "-S", self.socket, "-f", "/dev/null", "-u", *arguments]
        return subprocess.run(command, env=environment, check=True, capture_output=True, text=True).stdout

    def type(self, line: str) -> None:
        self.tmux("send-keys", "-l", line)
        self.tmux("send-keys", "Enter")

    def press(self, key: str) -> None:
        self.tmux("send-keys", key)

    def status(self) -> int:
        """Waits for the next prompt, and returns the status of what ran before it."""
        ready, _, _ = select.select([self.fifo], [], [], PATIENCE)
        if not ready:
            raise TimeoutError(f"no prompt after {PATIENCE} s; the screen:\n{self.screen()}")
        # One line comes in one piece: it is shorter than a pipe's atomic write.
        return int(os.read(self.fifo, 16).split()[0])

    def wait_for_prompt(self) -> None:
        """Waits until the prompt is drawn, which is after its status is told.

        What is typed between the two is echoed twice: by the terminal, and by bash behind the prompt.
        """
        self.wait_until(lambda screen: screen.rstrip().endswith("$"), "the prompt")

    def wait(self, words: str) -> None:
        """Waits until words stand on the screen."""
        self.wait_until(lambda screen: words in screen, words)

    def wait_until(self, is_shown: Callable[[str], bool], what: str) -> None:
        deadline = time.monotonic() + PATIENCE
        while not is_shown(self.screen()):
            if time.monotonic() > deadline:
                raise TimeoutError(f"never shown: {what}; the screen:\n{self.screen()}")
            time.sleep(0.02)  # between two looks only

    def screen(self) -> str:
        """What stands on the screen and above it, long lines joined."""
        return self.tmux("capture-pane", "-p", "-J", "-S", "-")

    def colours(self) -> str:
        """What stands on the screen, with escape sequences for its colours."""
        return self.tmux("capture-pane", "-p", "-e")

    def close(self) -> None:
        self.tmux("kill-server")
        os.close(self.fifo)
