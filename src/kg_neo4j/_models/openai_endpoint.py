"""Where an OpenAI-compatible server is, and how patient to be with it. Keys stay out of every text made here.

A gateway may want headers, a proxy, certificates of its own, and a key that a command prints. The query of the base URL
goes with every request: Azure's "api-version" is one.
"""

from __future__ import annotations

import asyncio
import re
import shlex
import ssl
import subprocess
import threading
import time
from base64 import b64encode, urlsafe_b64encode
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import parse_qsl, urlsplit

from pydantic import SecretStr

from kg_neo4j._models.books import Books
from kg_neo4j.errors import UsageError
from kg_neo4j.settings import check_address

OPENAI_URL = "https://api.openai.com/v1"
NO_KEY = "none"  # what servers that need no key are sent

KEY_S = 60.0  # for a command that prints a key: some ask for a password

_SHORTEST_PART = 8  # characters of a secret that are masked
_ROUTE = re.compile(r"/(?:chat/completions|embeddings)/*$")  # of an address that was copied from a portal
_commanded: dict[str, str] = {}  # keys, by the command that printed them
key_lock = threading.Lock()  # one run of a command at a time


@dataclass(frozen=True, slots=True, repr=False)
class Endpoint:
    """One server. Hashable, pickles; the key and a password in the address are in neither repr nor messages."""

    base_url: str = OPENAI_URL
    api_key: SecretStr | None = None
    key_command: SecretStr | None = None  # prints the key, in place of `api_key`
    headers: tuple[tuple[str, SecretStr], ...] = ()  # sent with every request
    proxy: SecretStr | None = None  # None: that of the environment
    ca_bundle: Path | None = None  # None: that of the environment, else the usual certificates
    timeout_s: float = 120.0  # one HTTP call in all, body included
    retries: int = 4  # further calls, for what can pass
    concurrency: int = 16  # calls in flight at most, of all callers together
    rpm: int | None = None  # HTTP calls a minute at most, of all callers together
    tpm: int | None = None  # tokens of prompts and answers a minute, likewise
    ledger: Books | None = None  # shared with the callers in other processes, too; None: this process
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep  # between the calls
    now: Callable[[], float] = time.monotonic  # the clock that `sleep` follows

    def __post_init__(self) -> None:
        """Refuse an address or a key that no HTTP client can use."""
        check_address("OPENAI_BASE_URL", self.base_url)
        if not self.key_command:
            _check_key("OPENAI_API_KEY", self.secret)
        if bad := [name for name, value in self.headers if not _fits_header(name, value.get_secret_value())]:
            raise UsageError(f"KG_MODEL_HEADERS: {bad[0][:40]!r} is no header", hint="names and values are ASCII")

    def __repr__(self) -> str:
        return f"Endpoint({self.address!r}, timeout_s={self.timeout_s:g}, retries={self.retries})"

    @property
    def secret(self) -> str:
        """The key as it is sent. Raises UsageError for a command that prints none."""
        if self.key_command:
            return printed_key(self.key_command)
        return self.api_key.get_secret_value().strip() if self.api_key else NO_KEY

    @property
    def address(self) -> str:
        """The base URL without user name, password and query."""
        parts = urlsplit(self.base_url)
        port = f":{parts.port}" if parts.port else ""
        return f"{parts.scheme}://{parts.hostname}{port}{_ROUTE.sub('', parts.path)}"

    @property
    def root(self) -> str:
        """The address that paths are added to, with user name and password."""
        parts = urlsplit(self.base_url)
        return parts._replace(path=_ROUTE.sub("", parts.path), query="", fragment="").geturl()

    @property
    def query(self) -> dict[str, str]:
        """What stands in the query of every request."""
        return dict(parse_qsl(urlsplit(self.base_url).query))

    def all_headers(self) -> Mapping[str, str]:
        """Return the headers of every request. Azure, where an api-version is sent, has the key in one of its own."""
        azure = {"api-key": self.secret} if "api-version" in self.query else {}
        return {**azure, **{name: value.get_secret_value() for name, value in self.headers}}

    def certificates(self) -> ssl.SSLContext:
        """Return a context that trusts the certificates of `ca_bundle`. Raises UsageError for a file without any."""
        try:
            return ssl.create_default_context(cafile=self.ca_bundle)
        except OSError as error:
            why = f"KG_CA_BUNDLE cannot be used: {error.strerror}"
            raise UsageError(why, hint="name a file of certificates (PEM)") from None

    def redact(self, text: str) -> str:
        """Return what a server said, in one printable line of at most 300 characters, without our secrets.

        A secret is masked whole, in part (from 8 characters on) and in base64. What cannot be printed becomes U+FFFD.
        """
        line = " ".join(text[:20_000].split())
        for secret in sorted(self._secrets(), key=len, reverse=True):
            line = line.replace(secret, "***") if len(secret) < _SHORTEST_PART else _masked(line, secret)
        return "".join(each if each.isprintable() else "\ufffd" for each in line[:300])

    def _secrets(self) -> set[str]:
        """Return the keys, user names and passwords, values of headers and of the query, and their base64."""
        parts = [urlsplit(each) for each in (self.base_url, self.proxy.get_secret_value() if self.proxy else "")]
        named = [self.query[name] for name in self.query if name != "api-version"]
        known = _commanded.get(self.key_command.get_secret_value(), "") if self.key_command else ""
        plain = {self.api_key.get_secret_value().strip() if self.api_key else "", known, *named}
        plain |= {value.get_secret_value() for _, value in self.headers}
        plain = (plain | {each.username or "" for each in parts} | {each.password or "" for each in parts}) - {""}
        packed = {
            encode(b"\0" * offset + secret.encode()).decode()[offset + (offset > 0) : -4]
            for secret in plain
            for offset in range(3)
            for encode in (b64encode, urlsafe_b64encode)
        }
        return plain | {secret for secret in packed if len(secret) >= _SHORTEST_PART}


def printed_key(command: SecretStr, refused: str = "") -> str:
    """Return the key that a command prints. It is run once in a process, and again after its key was `refused`.

    Raises UsageError where the command fails, takes more than 60 seconds, or prints no key; its output is not shown.
    """
    line = command.get_secret_value()
    with key_lock:
        if _commanded.get(line, refused) == refused:
            try:
                ran = subprocess.run(  # noqa: S603 (the user's own command; a folder cannot set it)
                    shlex.split(line), capture_output=True, text=True, timeout=KEY_S, check=True
                )
            except (OSError, ValueError, subprocess.SubprocessError) as error:
                code = f"it ended with {error.returncode}" if isinstance(error, subprocess.CalledProcessError) else ""
                why = f"KG_API_KEY_COMMAND gave no key: {code or type(error).__name__}"
                raise UsageError(why, hint="run it by hand: it prints the key, and nothing else") from None
            _check_key("the output of KG_API_KEY_COMMAND", ran.stdout.strip())
            _commanded[line] = ran.stdout.strip()
        return _commanded[line]


def _check_key(name: str, key: str) -> None:
    if not key or " " in key or not _fits_header("key", key):
        raise UsageError(f"{name} has characters that no key has", hint="was a line break copied with it?")


def _fits_header(name: str, value: str) -> bool:
    return re.fullmatch(r"[\w.-]+", name, re.ASCII) is not None and value.isascii() and value.isprintable()


def _masked(line: str, secret: str) -> str:
    """Return `line` with *** for each run of characters that are a part of `secret`, if it has 8 or more."""
    parts = {secret[start : start + _SHORTEST_PART] for start in range(len(secret) - _SHORTEST_PART + 1)}
    hidden: set[int] = set()
    for start in range(len(line) - _SHORTEST_PART + 1):
        if line[start : start + _SHORTEST_PART] in parts:
            hidden.update(range(start, start + _SHORTEST_PART))
    return "".join(
        "" if place in hidden and place - 1 in hidden else "***" if place in hidden else each
        for place, each in enumerate(line)
    )
