"""Where an OpenAI-compatible server is, and how patient to be with it. Keys stay out of every text made here."""

from __future__ import annotations

import asyncio
import time
from base64 import b64encode, urlsafe_b64encode
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from urllib.parse import urlsplit

from pydantic import SecretStr

from kg_neo4j._models.books import Books
from kg_neo4j.errors import UsageError
from kg_neo4j.settings import check_address

OPENAI_URL = "https://api.openai.com/v1"
NO_KEY = "none"  # what servers that need no key are sent

_SHORTEST_PART = 8  # characters of a secret that are masked


@dataclass(frozen=True, slots=True, repr=False)
class Endpoint:
    """One server. Hashable, pickles; the key and a password in the address are in neither repr nor messages."""

    base_url: str = OPENAI_URL
    api_key: SecretStr | None = None
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
        key = self.secret
        if not key or not key.isascii() or not key.isprintable() or " " in key:
            raise UsageError("OPENAI_API_KEY has characters that no key has", hint="was a line break copied with it?")

    def __repr__(self) -> str:
        return f"Endpoint({self.address!r}, timeout_s={self.timeout_s:g}, retries={self.retries})"

    @property
    def secret(self) -> str:
        """The key as it is sent."""
        return self.api_key.get_secret_value().strip() if self.api_key else NO_KEY

    @property
    def address(self) -> str:
        """The base URL without user name and password."""
        parts = urlsplit(self.base_url)
        port = f":{parts.port}" if parts.port else ""
        return f"{parts.scheme}://{parts.hostname}{port}{parts.path}"

    def redact(self, text: str) -> str:
        """Return what a server said, in one printable line of at most 300 characters, without our secrets.

        A secret is masked whole, in part (from 8 characters on) and in base64. What cannot be printed becomes U+FFFD.
        """
        line = " ".join(text[:20_000].split())
        for secret in sorted(self._secrets(), key=len, reverse=True):
            line = line.replace(secret, "***") if len(secret) < _SHORTEST_PART else _masked(line, secret)
        return "".join(each if each.isprintable() else "\ufffd" for each in line[:300])

    def _secrets(self) -> set[str]:
        """Return the key, the user name and the password, and the base64 of each at every offset."""
        parts = urlsplit(self.base_url)
        plain = {self.secret if self.api_key else "", parts.username or "", parts.password or ""} - {""}
        packed = {
            encode(b"\0" * offset + secret.encode()).decode()[offset + (offset > 0) : -4]
            for secret in plain
            for offset in range(3)
            for encode in (b64encode, urlsafe_b64encode)
        }
        return plain | {secret for secret in packed if len(secret) >= _SHORTEST_PART}


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
