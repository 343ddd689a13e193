#!/usr/bin/env python3
"""Runs the recipes of acct-recipes(7), and the jobs of README.md, with the real programs, as they stand there.

Each recipe has a home of its own with a vault, a key, and servers on loopback. In place of made-up hosts and of
/home/alice stand those, and nothing else is changed but what a recipe's function names.
usage: play.py ACCT [SECTION …] (see `make recipes`)
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "Tests/FirstTenMinutes"))
import terminal  # noqa: E402
from counts import Scene, control  # noqa: E402
from world import World  # noqa: E402

# Nothing is built here, so every answer comes within seconds.
terminal.PATIENCE = 60
KEY, PASSPHRASE = "sk-proj-made-up-0123456789abcdef", "made up for this recipe"
REPORT = '#!/bin/sh\nprintf "%s\\n" "$OPENAI_API_KEY" >"$HOME/seen"\n'


def sections() -> dict[str, list[str]]:
    """The blocks of the page by section, as a reader sees and copies them."""
    found: dict[str, list[str]] = {}
    section, block = "", None
    for line in (ROOT / "man/acct-recipes.7").read_text().splitlines():
        if line.startswith(".Sh "):
            section = line[4:]
        elif line.startswith(".Bd "):
            block = []
        elif line == ".Ed":
            found.setdefault(section, []).append("\n".join(block or []) + "\n")
            block = None
        elif block is not None:
            for escaped, plain in ((r"\-", "-"), (r"\(aq", "'"), (r"\(dq", '"'), (r"\e", "\\"), (r"\&", "")):
                line = line.replace(escaped, plain)
            block.append(line)
    readme = (ROOT / "README.md").read_text()
    jobs = readme[readme.index("## Four jobs"):readme.index("## Ways in")]
    found["README.md"] = re.findall(r"^```sh\n(.*?)^```$", jobs, re.MULTILINE | re.DOTALL)
    return found


class Stage(Scene):
    """A person's home with a vault and the account `openai`."""

    def __init__(self, folder: Path, acct: str, world: World) -> None:
        runtime = folder / "run"
        runtime.mkdir(parents=True, mode=0o700)
        self.variables = {
            "HOME": str(folder), "ACCT_VAULT_PASSPHRASE_FILE": str(folder / ".config/acct/passphrase"),
            "DBUS_SESSION_BUS_ADDRESS": "", "XDG_RUNTIME_DIR": str(runtime),
            "XDG_CONFIG_DIRS": str(folder / "etc"), "GIT_CONFIG_NOSYSTEM": "1", "GIT_TERMINAL_PROMPT": "0",
            "LANG": "C.UTF-8", "PATH": f"{folder}/bin:{folder}/.local/bin:/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin"}
        super().__init__(folder, acct, {**self.variables, **world.environment, "ACCT_HOME": ""})
        for name in ("acct", "git-credential-acct"):
            link = folder / ".local/bin" / name
            link.parent.mkdir(parents=True, exist_ok=True)
            link.symlink_to(acct)
        self.write(".config/acct/passphrase", f"{PASSPHRASE}\n")
        self.write("key", f"{KEY}\n")
        self.write(".env", f"PORT=3000\nOPENAI_API_KEY={KEY}\n")
        self.write("report", REPORT)
        self.write("bin/report", REPORT)
        for name in ("report", "bin/report"):
            (folder / name).chmod(0o700)
        self.paste("acct add openai --token key")

    def paste(self, block: str, status: int = 0, within: list[str] = []) -> str:
        """Runs a block in one bash, as pasted; `within` is what bash is run by. Returns what was printed."""
        done = subprocess.run([*within, "bash", "-eo", "pipefail", "-c", block.replace("/home/alice", str(self.folder))],
                              env=self.variables, cwd=self.folder, capture_output=True, text=True,
                              stdin=subprocess.DEVNULL)
        if done.returncode != status:
            raise AssertionError(f"ended with {done.returncode}:\n{block}{done.stdout}{done.stderr}")
        return done.stdout

    def run(self, line: str, answers: list[tuple[str, str]] = [], shows: str = "", status: int = 0) -> None:
        # A question that stood there before is none.
        if answers:
            self.terminal.type("clear")
            self.terminal.status()
            self.terminal.tmux("clear-history")
        super().run(line, answers, shows, status)

    def expect_report(self) -> None:
        """Fails unless the report has seen the key."""
        seen = self.folder / "seen"
        text = seen.read_text() if seen.exists() else "nothing"
        if text != f"{KEY}\n":
            raise AssertionError(f"the report has seen {text!r}")
        seen.unlink()

    def expect(self, block: str, shows: str) -> None:
        printed = self.paste(block)
        if shows not in printed:
            raise AssertionError(f"does not print {shows!r}:\n{block}{printed}")


def env_file(stage: Stage, world: World, blocks: list[str]) -> None:
    before = (stage.folder / ".env").read_text()
    take, back, several = blocks
    # There is no terminal to ask, so the change is accepted beforehand.
    stage.paste(take.replace("--rewrite", "--rewrite --yes"))
    stage.expect_report()
    assert KEY not in (stage.folder / ".env").read_text(), "the key is still in .env"
    stage.paste(back.replace("--undo", "--undo --yes"))
    assert (stage.folder / ".env").read_text() == before, "the former file is not back"
    stage.write("stripe-key", "sk_test_made_up\n")
    stage.paste("acct add stripe --token stripe-key")
    stage.paste(several)
    stage.expect_report()


def direnv(stage: Stage, world: World, blocks: list[str]) -> None:
    stage.paste(blocks[0])
    stage.expect("direnv exec . printenv OPENAI_API_KEY", KEY)


def make(stage: Stage, world: World, blocks: list[str]) -> None:
    stage.write("Makefile", "deploy:\n\t@printf '%s\\n' \"$$OPENAI_API_KEY\" >\"$$HOME/seen\"\n")
    stage.paste("acct add --from env .env --rewrite --yes")
    stage.paste(blocks[0])
    stage.expect_report()


def cron(stage: Stage, world: World, blocks: list[str]) -> None:
    # cron reads the home from the table of users, and begins a job with the next minute. What it keeps is out of the
    # way of the machine's own: the mounts end with the process.
    block = re.sub(r"(?m)^\*/15 ", "* ", re.sub(r"(?m)^0 7 ", "* * ", blocks[0]))
    block = block.replace("PATH=", f"HOME={stage.folder}\nPATH=", 1)
    stage.paste(f"""mount -t tmpfs -o mode=1730 tmpfs /var/spool/cron/crontabs
mount -t tmpfs tmpfs /run
set +e  # as where it is pasted: the first one has no table
{block}
cron -f & cron=$!
for second in $(seq 90); do test -e seen && break; sleep 1; done
kill $cron
test -e seen
""", within=["unshare", "--mount"])
    stage.expect_report()


def systemd(stage: Stage, world: World, blocks: list[str]) -> None:
    # No manager of the user need run here: the unit is checked, and its command run as that would.
    block = "\n".join(line for line in blocks[0].splitlines() if not line.startswith("systemctl"))
    stage.paste(block.replace("/usr/bin/acct", f"{stage.folder}/bin/acct"))
    unit = stage.folder / ".config/systemd/user/report.service"
    done = subprocess.run(["systemd-analyze", "--user", "verify", str(unit)], env=stage.variables,
                          capture_output=True, text=True)
    assert done.returncode == 0 and not done.stderr, done.stderr
    credentials = stage.folder / "credentials"
    credentials.mkdir(mode=0o700)
    stage.write("credentials/acct.passphrase", f"{PASSPHRASE}\n")
    command = re.search(r"(?ms)^ExecStart=(.*?[^\\])$", unit.read_text())[1].replace("%h", str(stage.folder))
    stage.paste(f"unset ACCT_VAULT_PASSPHRASE_FILE; export CREDENTIALS_DIRECTORY={credentials}; {command}")
    stage.expect_report()


def ci(stage: Stage, world: World, blocks: list[str]) -> None:
    # The job's own curl would have to answer a nonce.
    server = world.start("StrictServer/strict_server.py", {"rs_nonce": False})
    stage.write("token", control(server, "platform-token")["token"])
    block = blocks[0].replace("https://login.example", server["issuer"])
    block = block.replace("https://api.example/v1", f"{server['resource']}/resource")
    block = block.replace("https://api.example", server["resource"])
    stage.expect(block.replace("curl ", "curl -sS --fail "), "{")


def containers(stage: Stage, world: World, blocks: list[str]) -> None:
    # A container is made and looked at, not run: that takes rights that a build machine seldom gives.
    (stage.folder / "rootfs").mkdir()
    for number, block in enumerate(blocks[:2], 1):
        block = block.replace("podman run --rm", "podman create").replace(" report", f" --rootfs {stage.folder}/rootfs x")
        stage.expect(f"""container=$({block})
podman inspect --format '{{{{.Config.Env}}}}' "$container"
podman rm "$container" >/dev/null""", f"OPENAI_API_KEY={KEY}")


def two_accounts(stage: Stage, world: World, blocks: list[str]) -> None:
    for name in ("home/site", "work/site"):
        (stage.folder / name).mkdir(parents=True)
    # Made-up names of hosts are GitHub's own here: nothing is sent.
    lines = blocks[0].replace("\\\n", "").splitlines()
    for line, answers in zip(lines, [[("key (not shown): ", "ghp_home")], [("key (not shown): ", "ghp_work")], [], []],
                             strict=True):
        stage.run(line, answers or ([("make this change? ", "y")] if "setup" in line else []))
    fill = "printf 'url=https://github.com/%s\\n\\n' {} | git -C {} credential fill"
    stage.expect(fill.format("a/b", "home/site"), "password=ghp_home")
    stage.expect(fill.format("a/b", "work/site"), "password=ghp_work")
    stage.paste(blocks[1])
    stage.paste("acct switch gh-home")
    stage.expect(fill.format("work-org/b", "."), "password=ghp_work")
    stage.expect(fill.format("other-org/b", "."), "password=ghp_home")


def lost_passphrase(stage: Stage, world: World, blocks: list[str]) -> None:
    stage.paste("acct vault lock")
    stage.write(".config/acct/passphrase", "another one, since that is lost\n")
    reset, listed, login = blocks[0].splitlines()
    stage.run(reset, [("[y/N]", "y")])
    stage.run(listed, shows="openai")
    stage.run(login, [("New token of openai: ", KEY)])
    stage.expect("acct token -a openai", KEY)


def leak(stage: Stage, world: World, blocks: list[str]) -> None:
    known, unknown, session = blocks
    rotate, log = known.splitlines()
    stage.run(rotate, [("New token of openai: ", f"{KEY}-2")])
    stage.expect("acct token -a openai", f"{KEY}-2")
    stage.run(log, shows="openai")
    stage.run(unknown.splitlines()[0], shows="openai")
    stage.run(unknown.splitlines()[1], [("New token of openai: ", f"{KEY}-3")])
    server = world.start("StrictServer/strict_server.py", {
        "clients": {"my-script": {"redirect_uris": ["http://127.0.0.1/callback"]}}})
    stage.run(f"acct add --issuer {server['issuer']} --client-id my-script --name notes")
    stage.run(session.strip())


def new_laptop(stage: Stage, world: World, blocks: list[str]) -> None:
    old, new, then = blocks
    stage.run(old.strip(), [("Passphrase for the export: ", PASSPHRASE), ("The same passphrase again: ", PASSPHRASE)])
    # The other machine is another folder of acct's files.
    stage.run("export ACCT_HOME=~/new")
    imported, removed = new.splitlines()
    stage.run(imported, [("Passphrase of the export: ", PASSPHRASE)])
    stage.run(removed)
    stage.run("acct token -a openai", shows=KEY)
    stage.run("unset ACCT_HOME")
    stage.run(then.strip(), [("[y/N]", "y")])
    stage.run("acct list --json", shows='"accounts":[]')


def readme(stage: Stage, world: World, blocks: list[str]) -> None:
    token, keys, header, bluesky = blocks
    # GitHub, OpenAI and Bluesky are not asked: what the lines lead to is looked at.
    add, setup, clone = token.splitlines()
    stage.run(add, [("key (not shown): ", "ghp_made_up")])
    stage.run(setup, [("make this change? ", "y")])
    assert clone.startswith("git clone https://github.com/"), clone
    stage.expect("printf 'url=https://github.com/a/b\\n\\n' | git credential fill", "password=ghp_made_up")
    stage.paste("acct remove openai --yes")
    _, stripe, command = keys.splitlines()
    stage.run("acct add openai", [("key (not shown): ", KEY)])
    stage.run(stripe, [("key (not shown): ", "sk_test_made_up")])
    stage.paste(command)
    stage.expect_report()
    url, _ = header.splitlines()
    stage.expect(f'{url}\nacct header "$url"', f"Authorization: Bearer {KEY}")
    assert bluesky.startswith("acct add alice.example.com\n"), bluesky  # make first-ten-minutes signs in


RECIPES: dict[str, Callable[[Stage, World, list[str]], None]] = {
    "A .ENV FILE": env_file, "DIRENV": direnv, "MAKE TARGETS": make, "CRON": cron, "SYSTEMD": systemd, "CI": ci,
    "CONTAINERS": containers, "TWO GITHUB ACCOUNTS": two_accounts, "A LOST PASSPHRASE": lost_passphrase,
    "A LEAK": leak, "A NEW LAPTOP": new_laptop, "README.md": readme}


def main() -> None:
    acct, wanted = str(Path(sys.argv[1]).resolve()), sys.argv[2:]
    blocks = sections()
    failures = [f"{name} is in man/acct-recipes.7 or in this script alone" for name in set(blocks) ^ set(RECIPES)]
    world = World()
    for name, play in RECIPES.items():
        if wanted and name not in wanted:
            continue
        if play is cron and os.geteuid() != 0:
            print(f"not run: {name}, which needs root")
            continue
        folder = Path(tempfile.mkdtemp())
        stage = None
        try:
            stage = Stage(folder, acct, world)
            play(stage, world, blocks.get(name, []))
            print(f"works: {name}")
        except (AssertionError, ValueError, TimeoutError) as failure:
            failures.append(f"{name}: {failure}")
        finally:
            if stage:
                stage.terminal.close()
            shutil.rmtree(folder, ignore_errors=True)
    world.close()
    for failure in failures:
        print(f"recipes: {failure}", file=sys.stderr)
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
