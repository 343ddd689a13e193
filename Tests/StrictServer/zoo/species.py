"""A file of the zoo: where a server has its endpoints, what it publishes, and how it spells its answers."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass, field

ENDPOINTS = {"par", "authorize", "token", "device_authorization", "device", "revoke", "introspect", "userinfo",
             "register", "resource"}
GRANTS = {"code": "authorization_code", "refresh": "refresh_token", "credentials": "client_credentials",
          "device": "urn:ietf:params:oauth:grant-type:device_code",
          "exchange": "urn:ietf:params:oauth:grant-type:token-exchange",
          "jwt": "urn:ietf:params:oauth:grant-type:jwt-bearer"}


@dataclass
class Rule:
    """How an answer is spelled. README.md says what each member means."""

    grant: str | None = None
    of: str = "grant"  # grant | refusal: which answers of the strict server it spells
    refuses: bool = False  # in place of a grant; nothing is spent
    accept: str | None = None  # only for requests that ask for this media type
    skip: int = 0
    count: int | None = None
    status: int | None = None
    type: str | None = None
    headers: dict = field(default_factory=dict)
    json: object = None
    set: dict = field(default_factory=dict)
    without: list = field(default_factory=list)
    form: dict | None = None
    text: str | None = None
    callback: dict | None = None

    def __post_init__(self) -> None:
        if self.of not in ("grant", "refusal") or self.grant is not None and self.grant not in GRANTS:
            raise ValueError(f"no such answer or grant: {self.of}, {self.grant}")
        if sum(each is not None for each in (self.json, self.form, self.text)) > 1:
            raise ValueError("a rule has one of json, form and text")

    def fits(self, grant_type: str | None, accept: str) -> bool:
        return self.grant in (None, *(name for name, type in GRANTS.items() if type == grant_type)) \
            and (self.accept is None or self.accept in accept)


@dataclass
class Document:
    """What is at a place that anyone may read."""

    status: int = 200
    type: str = "application/json"
    headers: dict = field(default_factory=dict)
    json: object = None
    text: str | None = None


@dataclass
class Tokens:
    """How tokens look: texts around `${token}`; and claims of ID tokens, which are given only if there are some."""

    access_token: str = "${token}"
    refresh_token: str = "${token}"
    id_token: dict | None = None


@dataclass
class Species:
    server: str
    known: list
    play: list  # of acct; the test's
    provider: dict | None = None  # the test's as well
    issuer: str = ""
    settings: dict = field(default_factory=dict)
    tokens: Tokens = field(default_factory=Tokens)
    at: dict = field(default_factory=dict)
    documents: dict = field(default_factory=dict)
    answers: dict = field(default_factory=dict)

    @classmethod
    def parse(cls, value: dict) -> Species:
        """Reads a file; a member that is not known is a ValueError, never one that does nothing."""
        species = read(cls, value)
        species.tokens = read(Tokens, value.get("tokens", {}))
        species.documents = {place: read(Document, each) for place, each in species.documents.items()}
        species.answers = {name: [read(Rule, each) for each in rules] for name, rules in species.answers.items()}
        if unknown := (set(species.at) | set(species.answers)) - ENDPOINTS:
            raise ValueError(f"no such endpoints: {sorted(unknown)}")
        return species

    def rule(self, endpoint: str, request_accept: str, grant_type: str | None, of: str, refuses: bool) -> Rule | None:
        """The first rule for such an answer, counted down."""
        for rule in self.answers.get(endpoint, []):
            if (rule.of, rule.refuses) != (of, refuses) or not rule.fits(grant_type, request_accept) or rule.count == 0:
                continue
            if rule.skip > 0:
                rule.skip -= 1
                continue
            if rule.count is not None:
                rule.count -= 1
            return rule
        return None


def read(cls: type, value: dict):
    known = {each.name for each in dataclasses.fields(cls)}
    if unknown := set(value) - known:
        raise ValueError(f"unknown members of {cls.__name__}: {sorted(unknown)}")
    try:
        return cls(**value)
    except TypeError as error:
        raise ValueError(str(error)) from None
