"""What every request passes first: Host, the site that asks, token, size; and the headers that every answer gets.

One guard for API, tools and pages: none of them has a check of its own that another lacks.
"""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import ipaddress
import logging
import secrets
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from http.cookies import SimpleCookie
from typing import Any
from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from kg_neo4j.errors import UsageError
from kg_neo4j_serve import limits
from kg_neo4j_serve.addresses import CALLER, RECORD, without_graph, write_after
from kg_neo4j_serve.connection import Caller, Metrics
from kg_neo4j_serve.refusals import Refused

log = logging.getLogger("kg_neo4j.serve")
SESSION, LOGIN, NEXT = "kg_session", "kg_login", "kg_next"  # cookies
ROUTES = ("api", "healthz", "mcp", "metrics", "static")  # first parts of paths; all others are of pages
OPEN = ("/login", "/static/", "/healthz")  # without a token: the page that asks for it, and that the server runs
Refuse = Callable[[Request, Refused], Response]  # returns the answer to a request that is refused
CSP = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; "
    "connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
HEADERS = {
    "content-security-policy": CSP,
    "x-content-type-options": "nosniff",
    "referrer-policy": "same-origin",  # with "no-referrer" browsers send `Origin: null` with our own forms
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), microphone=(), geolocation=()",
}


def is_loopback(host: str) -> bool:
    """Return whether a name or address means this machine alone."""
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return host.lower() == "localhost"


@dataclass(frozen=True, slots=True)
class Access:
    """Who may ask: the names that the server answers to, and the token that callers send."""

    hosts: tuple[str, ...] = ()  # beside those of loopback
    token: str | None = field(default=None, repr=False)
    rights: Any = None  # those of several tokens, which the room `rights` reads
    _key: bytes = field(default_factory=lambda: secrets.token_bytes(32), repr=False)  # of this run; signs cookies

    @classmethod
    def to(cls, host: str, token: str | None, names: Sequence[str] = (), rights: Any = None) -> Access:
        """Return the access to a server on `host`. Raises UsageError for one without a token that is not loopback."""
        if not is_loopback(host) and not token and rights is None:
            raise UsageError(
                f"{host} can be reached from other machines, and no token is set",
                hint="set KG_SERVE_TOKEN or --rights, or leave out --host",
            )
        if token is not None and len(token) < 16:
            raise UsageError(
                "a token has at least 16 characters", hint="python -c 'import secrets; print(secrets.token_urlsafe())'"
            )
        return cls(tuple(each.lower() for each in (host, *names)), token, rights)

    def knows(self, netloc: str) -> bool:
        """Return whether the server answers to a name, with or without a port."""
        try:
            name = urlsplit(f"//{netloc}").hostname or ""
        except ValueError:
            return False
        return is_loopback(name) or name.lower() in self.hosts

    def is_token(self, given: str) -> bool:
        """Compare in constant time."""
        return self.token is None or hmac.compare_digest(given.encode(), self.token.encode())

    def login(self, given: str) -> str | None:
        """Return what proves in a cookie that a token was right; None for a wrong one. Raises Refused."""
        if self.rights is None:
            return self.signed(LOGIN) if self.is_token(given) else None
        caller = self._asked("by_token", given)
        return caller and self._proof(caller)

    def caller(self, headers: Headers) -> Caller:
        """Return who asks; None where the server has one token, or none. Raises Refused for a wrong or missing one."""
        kind, _, given = headers.get("authorization", "").partition(" ")
        proof = cookie(headers, LOGIN)
        if self.rights is None:
            is_right = self.token is None or (kind.lower() == "bearer" and self.is_token(given.strip()))
            if is_right or self.is_signed(proof, LOGIN):
                return None
        elif kind:  # it alone counts: a cookie of somebody else may be there, too
            found = self._asked("by_token", given.strip()) if kind.lower() == "bearer" else None
            if found is not None:
                return found
        else:
            found = self._asked("callers").get(proof.partition(".")[0])
            if found is not None and hmac.compare_digest(proof.encode("utf-8", "replace"), self._proof(found).encode()):
                return found
        raise Refused("the token is missing or wrong", 401, hint="send it as `Authorization: Bearer TOKEN`")

    def record(self, caller: Caller, path: str) -> Any:
        """Return the record of a request for the audit, if one is kept. Raises Refused where none can be written."""
        if caller is None or path == "/metrics":
            return None
        try:
            return self.rights.record(caller, path)
        except OSError as error:
            raise _unwritten(error) from None

    def _proof(self, caller: Caller) -> str:
        """Return the value of a cookie: it proves a token as it is now, so it opens nothing after a change."""
        return f"{caller.name}.{self.signed(LOGIN, f'{caller.name} {caller.key}')}"

    def _asked(self, what: str, *given: str) -> Any:
        """Return what the rights say. Raises Refused where their file is wrong: then no token opens anything."""
        try:
            return getattr(self.rights, what)(*given)
        except UsageError as error:
            log.error("the rights cannot be read, and every request is refused: %s", error)
            raise Refused("the server cannot read who may ask", 503, hint="its log has the reason") from None

    def signed(self, purpose: str, value: str = "") -> str:
        """Return what proves that this server gave `value` for a purpose."""
        message = f"{purpose}\n{value}\n{self.token or ''}"
        return hmac.new(self._key, message.encode("utf-8", "replace"), hashlib.sha256).hexdigest()

    def form_token(self, session: str, action: str) -> str:
        """Return the token of a form that leads to `action`, for the session of a cookie."""
        return self.signed(f"form {action}", session)

    def is_form_token(self, given: str, session: str, action: str) -> bool:
        """Return whether a token is that of a form."""
        return self.is_signed(given, f"form {action}", session)

    def is_signed(self, given: str, purpose: str, value: str = "") -> bool:
        """Return whether this server signed `value` for that purpose."""
        return hmac.compare_digest(given.encode("utf-8", "replace"), self.signed(purpose, value).encode())


class Guard:
    """The outermost application: refuses a request, or lets it in and completes the headers of its answer."""

    def __init__(self, app: ASGIApp, access: Access, refuse: Refuse, metrics: Metrics) -> None:
        self._app, self._metrics = app, metrics
        self._access = access
        self._refuse = refuse

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Refuse a request, or hand it on."""
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        if scope["type"] != "http":
            raise RuntimeError("no websocket is served")

        scope, status, began, is_lost = without_graph(scope), 0, time.monotonic(), False
        record: Any = None
        CALLER.set(None)  # until it is known who asks

        async def complete(message: Message) -> None:
            nonlocal status, record, is_lost
            if is_lost:  # the answer stays here: it has no line
                return
            if message["type"] == "http.response.start":
                status = message["status"]
                try:
                    if record is not None:
                        await asyncio.to_thread(record.write, status)
                except OSError as error:
                    record = None
                    await self._refuse(Request({**scope, "app": self._app}), _unwritten(error))(
                        scope, receive, complete
                    )
                    is_lost = True
                    return
                headers = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    headers.setdefault(name, value)
                headers.setdefault("cache-control", "no-store")
            await send(message)

        try:
            self._check(scope)
            caller = None if scope["path"].startswith(OPEN) else self._access.caller(Headers(scope=scope))
            CALLER.set(caller)
            if scope["path"] == "/metrics" and caller is not None and not caller.counts:
                raise Refused("this token may not see the counters", 403, hint='may = ["metrics"]')
            record = self._access.record(caller, scope["path"])
            RECORD.set(record)
            receive = _bounded(receive, _most(scope["path"]))
            await self._app(scope, receive, complete)
        except Refused as refused:
            await self._refuse(Request({**scope, "app": self._app}), refused)(scope, receive, complete)
        finally:
            first = scope["path"].strip("/").partition("/")[0]
            of = f'{{route="{first if first in ROUTES else "pages"}",status="{status}"}}'
            self._metrics.add({f"requests_total{of}": 1, f"request_seconds_total{of}": time.monotonic() - began})
            if record is not None and (record.written is None or record.written < record.usd):
                write_after(record, status, after=record.written is not None)

    def _check(self, scope: Scope) -> None:
        """Raise Refused for a request from elsewhere."""
        headers = Headers(scope=scope)
        host = headers.get("host", "")
        if not self._access.knows(host):
            raise Refused(f"this server is not called {host[:80]!r}", 421, hint="--name NAME adds a name")
        if _is_foreign(scope, headers, host.lower()):
            raise Refused("a page of another site may not ask this server", 403)
        size = headers.get("content-length", "0")
        if not size.isdecimal() or int(size) > _most(scope["path"]):
            raise Refused(f"a request may have {_most(scope['path']):,} bytes", 413)


def _unwritten(error: OSError) -> Refused:
    log.error("the audit cannot be written, and requests are refused: %s", error.strerror)
    return Refused("the request cannot be written to the audit, so it is refused", 503, hint="the log has the reason")


def _is_foreign(scope: Scope, headers: Headers, host: str) -> bool:
    """Return whether a page of another site asks. No script of a page can set `Sec-Fetch-Site` or `Origin`.

    Browsers leave out `Sec-Fetch-Site` if they are old, or if the address is `http://` and not loopback.
    """
    site, origin = headers.get("sec-fetch-site"), headers.get("origin")
    is_own = origin is None or origin.lower() in (f"http://{host}", f"https://{host}")
    if site is None:
        return not is_own
    if site in ("same-origin", "none"):
        return not is_own and origin != "null"  # "null" is what a browser sends that hides where it comes from
    return origin is not None or not _is_link(scope, headers)


def _is_link(scope: Scope, headers: Headers) -> bool:
    """Return whether a person follows a link from another site to a page; one with a query could ask a question."""
    is_followed = headers.get("sec-fetch-mode") == "navigate" and scope["method"] == "GET"
    return is_followed and not scope["query_string"] and not scope["path"].startswith(("/api/", "/mcp"))


def cookie(headers: Headers, name: str) -> str:
    """Return the value of a cookie; empty where there is none."""
    found = SimpleCookie(headers.get("cookie", "")).get(name)
    return found.value if found else ""


def _most(path: str) -> int:
    return limits.MOST_UPLOAD if path in ("/load", "/api/load") else limits.MOST_BODY


def _bounded(receive: Receive, most: int) -> Receive:
    """Return what receives a body of at most `most` bytes; a longer one, whatever its header says, raises Refused."""
    count = 0

    async def counted() -> Message:
        nonlocal count
        message = await receive()
        count += len(message.get("body", b""))
        if count > most:
            raise Refused(f"a request may have {most:,} bytes", 413)
        return message

    return counted
