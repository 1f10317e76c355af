"""Where an OpenAI-compatible server is, and how patient to be with it. Keys stay out of every text made here."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from urllib.parse import urlsplit

from pydantic import SecretStr

from kg_neo4j.errors import UsageError

OPENAI_URL = "https://api.openai.com/v1"
NO_KEY = "none"  # what servers that need no key are sent


@dataclass(frozen=True, slots=True, repr=False)
class Endpoint:
    """One server. Hashable, pickles; the key is in neither repr nor messages."""

    base_url: str = OPENAI_URL
    api_key: SecretStr | None = None
    timeout_s: float = 120.0  # one HTTP call in all, body included
    retries: int = 4  # further calls, for what can pass
    concurrency: int = 16  # calls in flight at most, of all callers together
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep  # between the calls
    now: Callable[[], float] = time.monotonic  # the clock that `sleep` follows

    def __post_init__(self) -> None:
        """Refuse an address or a key that no HTTP client can use."""
        try:
            parts = urlsplit(self.base_url)
            usable = parts.scheme in ("http", "https") and parts.hostname and parts.port != 0
        except ValueError:
            usable = False
        if not usable:
            raise UsageError(
                "OPENAI_BASE_URL is not an http or https address", hint="for example http://127.0.0.1:11434/v1"
            )
        key = self.secret
        if not key or not key.isascii() or not key.isprintable() or " " in key:
            raise UsageError("OPENAI_API_KEY has characters that no key has", hint="was a line break copied with it?")

    def __repr__(self) -> str:
        """Show neither the key nor a password in the address."""
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
        """Return what a server said, in one line of at most 300 characters, without our secrets."""
        parts = urlsplit(self.base_url)
        secrets = {self.secret if self.api_key else "", parts.password or "", parts.username or ""}
        line = " ".join(text[:20_000].split())
        for secret in sorted(secrets, key=len, reverse=True):
            if secret:
                line = line.replace(secret, "***")
        return line[:300]
