"""The servers that the README's made-up hosts stand for, on loopback."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
LIMITS = {"RateLimit-Limit": "3000", "RateLimit-Remaining": "2999", "RateLimit-Reset": "300",
          "RateLimit-Policy": "3000;w=300"}


class World:
    """Every server ends when its standard input is closed, which is with this process at the latest."""

    def __init__(self) -> None:
        self.processes: list[subprocess.Popen] = []
        handle = "alice.example.com"
        network = self.start("StrictServer/atproto_server.py", {
            "accounts": {"alice.test": {"handle": handle}}, "dns": {handle: "right"},
            "resource_headers": LIMITS})
        strict = self.start("StrictServer/strict_server.py", {
            "clients": {"my-script": {"redirect_uris": ["http://127.0.0.1/callback"]}}})
        guests = self.start("Backends/guest_backend.py", None)
        self.known = self.start("FirstTenMinutes/known_servers.py", None)["address"]
        self.environment = {"ACCT_PLC_URL": network["plc"], "ACCT_DNS_SERVER": network["dns"]}
        # These hosts have no owner, so the lines of the README name them, and what is typed does not.
        self.hosts = {"https://login.example": strict["issuer"],
                      "https://guests.example": guests["backend"]}

    def describe(self, folder: Path) -> None:
        """Has the names `github` and `google` stand for test servers: a user's own descriptions come first."""
        for name, addresses in {
            "github": {"https://github.com/login/oauth": f"{self.known}/login/oauth",
                       "https://github.com": self.known, "https://api.github.com": self.known,
                       "https://uploads.github.com": self.known},
            "google": {"https://accounts.google.com": self.known},
        }.items():
            text = (ROOT / f"Sources/AcctProtocol/Providers/Shipped/{name}.json").read_text()
            for address, test in addresses.items():
                text = text.replace(address, test)
            provider = json.loads(text)
            provider["origins"] = [self.known]
            folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            (folder / f"{name}.json").write_text(json.dumps(provider))
            (folder / f"{name}.json").chmod(0o600)

    def start(self, program: str, settings: dict | None) -> dict:
        arguments = [sys.executable, str(ROOT / "Tests" / program)]
        if settings is not None:
            arguments += ["--settings", json.dumps(settings)]
        process = subprocess.Popen(arguments, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                   env={"PATH": "/usr/bin:/bin", "PYTHONDONTWRITEBYTECODE": "1"})
        self.processes.append(process)
        return json.loads(process.stdout.readline())

    def typed(self, line: str) -> str:
        for host, address in self.hosts.items():
            line = line.replace(host, address)
        return line

    def close(self) -> None:
        for process in self.processes:
            process.stdin.close()
            process.wait()
