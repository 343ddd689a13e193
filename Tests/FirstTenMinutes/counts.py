#!/usr/bin/env python3
"""Counts the commands from nothing to the first header, by playing them in a real terminal.

Each scene is a person with a home of their own, at servers on loopback that are strict. Beside the counts of acct stand
those of programs that do a part of it, by the steps that their own documentation gives. Fails if a scene takes more
commands than is said here, if a peer takes fewer, or if Documentation/peers.md has another table.
usage: counts.py ACCT (see `make first-ten-minutes`)
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
import urllib.request
from collections.abc import Callable
from pathlib import Path

from known_servers import GITHUB_CLIENT
from terminal import Terminal
from world import ROOT, World

CLIENT = "work-client"

# The steps of other programs, as their documentation has them. What is done already, as by acct's person, is not counted.
PEERS = {
    "GitHub, with gh": {"gh": []},
    "GitHub": {"gh": ["gh auth login"]},
    "OpenID Connect at work": {
        # https://github.com/indigo-dc/oidc-agent/blob/master/docs/docs/quickstart.md
        "oidc-agent": ["eval `oidc-agent-service use`", "oidc-gen --iss URL --scope SCOPE NAME"],
        # https://github.com/int128/kubelogin/blob/master/docs/setup.md
        "kubelogin": ["kubectl oidc-login setup --oidc-issuer-url=URL --oidc-client-id=ID",
                      "kubectl config set-credentials oidc --exec-api-version=… --exec-command=kubectl --exec-arg=…"],
    },
    "the same, a month later": {
        "oidc-agent": ["oidc-gen --reauthenticate NAME"],
        # Its next use opens the browser.
        "kubelogin": [],
    },
    # https://github.com/99designs/aws-vault/blob/master/USAGE.md
    "an API key": {"gh": ["gh auth login --with-token"], "aws-vault": ["aws-vault add NAME"]},
    "a container without a person": {"gh": ["export GH_TOKEN=…"]},
}
# What acct takes, and the only places where a peer may take less: what it does not type, it has kept or does by itself.
EXPECTED = {"GitHub, with gh": 1, "GitHub": 1, "OpenID Connect at work": 1, "the same, a month later": 1, "an API key": 1,
            "a container without a person": 1}
MAY_TAKE_LESS = {("GitHub, with gh", "gh"), ("the same, a month later", "kubelogin")}


class Scene:
    """A person's terminal, which counts what is typed."""

    def __init__(self, folder: Path, acct: str, environment: dict[str, str]) -> None:
        (folder / "bin").mkdir(parents=True)
        (folder / "bin/acct").symlink_to(acct)
        inherited = {name: value for name, value in os.environ.items()
                     if not name.startswith(("ACCT_", "TMUX", "MAKE", "GH_", "GITHUB_")) and name != "NO_COLOR"}
        self.folder = folder
        self.terminal = Terminal(folder, {
            **inherited, "HOME": str(folder), "ACCT_HOME": str(folder / "acct"), "LANG": "C.UTF-8",
            "XDG_CONFIG_HOME": str(folder / ".config"), "XDG_CONFIG_DIRS": str(folder / "etc"),
            "PATH": f"{folder}/bin:{os.environ['PATH']}", "BROWSER": str(ROOT / "Tests/StrictServer/desktop-browser"),
            **environment}, (100, 40))
        self.count = 0

    def write(self, name: str, text: str) -> None:
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        path.write_text(text)
        path.chmod(0o600)

    def run(self, line: str, answers: list[tuple[str, str]] = [], shows: str = "", status: int = 0) -> None:
        """Types a line, and each answer once its question stands on the screen."""
        self.terminal.type(line)
        for question, answer in answers:
            self.terminal.wait(question)
            self.terminal.type(answer)
        ended = self.terminal.status()
        screen = self.terminal.screen()
        if ended != status or shows not in screen:
            raise AssertionError(f"`{line}` ended with {ended}, or does not show {shows!r}:\n{screen}")

    def step(self, line: str, answers: list[tuple[str, str]] = [], shows: str = "") -> None:
        """One command of the count."""
        self.run(line, answers, shows)
        self.count += 1


def control(server: dict, name: str) -> dict:
    with urllib.request.urlopen(urllib.request.Request(f"{server['control']}/{name}", b"{}", method="POST")) as answer:
        return json.loads(answer.read() or b"{}")


def with_gh(scene: Scene, world: World, server: dict) -> None:
    scene.write(".config/gh/hosts.yml", "github.com:\n    user: octocat\n    oauth_token: gho_of_gh\n")
    scene.step("acct add --from gh", shows="added octocat@github.com")
    scene.run("acct header https://api.github.com/user", shows="Authorization: Bearer gho_of_gh")


def github(scene: Scene, world: World, server: dict) -> None:
    world.describe(scene.folder / ".config/acct/providers")
    scene.step("acct add github", [("client id: ", GITHUB_CLIENT)], "its fields are filled in")
    scene.run(f"acct header {world.known}/user", shows="Authorization: Bearer gho_")


def at_work(scene: Scene, world: World, server: dict) -> None:
    scene.write("etc/acct/providers/work.json", json.dumps({
        "title": "work", "issuer": server["issuer"], "clientID": CLIENT, "scope": "notes:read",
        "origins": [server["resource"]]}))
    scene.step("acct add work", shows="acct: added ")
    scene.run(f"acct header {server['resource']}/resource", shows="Authorization: DPoP ")


def a_month_later(scene: Scene, world: World, server: dict) -> None:
    at_work(scene, world, server)
    control(server, "end")
    # Any command says so once the token is due.
    scene.run("acct refresh --force", shows="sign in again with `acct login ", status=4)
    scene.count = 0
    scene.step("acct login", shows=" again")
    scene.run(f"acct header {server['resource']}/resource", shows="Authorization: DPoP ")


def api_key(scene: Scene, world: World, server: dict) -> None:
    scene.step("acct add", [
        ("what do you want to add?", "key"), ("the address of the API", "api.example"), ("the header that", ""),
        ("the word before it", ""), ("the key (not shown)", "made-up-key")], "without questions: `acct add --token FILE")
    scene.run("acct header https://api.example/v1", shows="Authorization: Bearer made-up-key")


def container(scene: Scene, world: World, server: dict) -> None:
    # As the runner mounts them: its own token, and what to do with it. There is no keyring, and none is made.
    scene.write("token", control(server, "platform-token")["token"])
    scene.write("job.json", json.dumps({
        "issuer": server["issuer"], "grant": "token-exchange", "subjectTokenFile": "token", "origins": [server["resource"]]}))
    scene.step("export ACCT_CREDENTIALS=~/job.json")
    scene.run(f"acct header {server['resource']}/resource", shows="Authorization: DPoP ")


SCENES: dict[str, Callable[[Scene, World, dict], None]] = dict(zip(
    EXPECTED, [with_gh, github, at_work, a_month_later, api_key, container]))


def table(counts: dict[str, int]) -> list[str]:
    """The rows of the table, as Documentation/peers.md has them."""
    programs = ["gh", "oidc-agent", "aws-vault", "kubelogin"]
    rows = [["from nothing to a header", "acct", *programs], ["---"] * (len(programs) + 2)]
    for name, count in counts.items():
        steps = PEERS[name]
        rows.append([name, str(count), *(str(len(steps[program])) if program in steps else "–" for program in programs)])
    return ["| " + " | ".join(row) + " |" for row in rows]


def main() -> None:
    acct = str(Path(sys.argv[1]).resolve())
    world = World()
    server = world.start("StrictServer/strict_server.py", {"clients": {
        CLIENT: {"redirect_uris": ["http://127.0.0.1/callback"]}}})
    counts, failures = {}, []
    with tempfile.TemporaryDirectory() as folder:
        for number, (name, play) in enumerate(SCENES.items()):
            home = Path(folder) / str(number)
            home.mkdir(mode=0o700)
            # A container has no session bus, and a runtime folder with nothing in it.
            (home / "run").mkdir(mode=0o700)
            bare = {"DBUS_SESSION_BUS_ADDRESS": "", "XDG_RUNTIME_DIR": str(home / "run")} if play is container else {}
            scene = Scene(home, acct, {**world.environment, **bare})
            try:
                play(scene, world, server)
            except (AssertionError, TimeoutError) as failure:
                failures.append(f"{name}: {failure}")
            finally:
                scene.terminal.close()
            counts[name] = scene.count
    world.close()
    print("\n".join(rows := table(counts)))
    for name, count in counts.items():
        if count != EXPECTED[name]:
            failures.append(f"{name}: {count} commands instead of {EXPECTED[name]}")
        failures += [f"{name}: {program} takes {len(steps)} commands, and acct {count}"
                     for program, steps in PEERS[name].items()
                     if len(steps) < count and (name, program) not in MAY_TAKE_LESS]
    if "\n".join(rows) not in (ROOT / "Documentation/peers.md").read_text():
        failures.append("Documentation/peers.md has another table")
    for failure in failures:
        print(f"first-ten-minutes: {failure}", file=sys.stderr)
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
