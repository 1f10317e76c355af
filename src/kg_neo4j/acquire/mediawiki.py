"""The wikipedia-api client, pointed at any MediaWiki and made patient: one request at a time, as slowly as it asks.

A bot password goes in the body of one request, before the first other one, to the address that was given; a redirect to
another address is refused.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from operator import attrgetter
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from kg_neo4j import __version__
from kg_neo4j._models.openai_bodies import ACCEPTED, MAX_BODY, unpacker
from kg_neo4j.acquire.sandbox import Sandbox
from kg_neo4j.errors import SourceNotFound, UsageError, WikiAccessDenied, WikipediaUnavailable
from kg_neo4j.settings import check_address, check_network, network_hint, proxies

if TYPE_CHECKING:
    import httpx
    from pydantic import SecretStr

ATTEMPTS = 4  # in all, where the wiki says that it is busy
BACKOFF_S = 2.0  # before the second attempt, doubled each time, where the wiki does not say how long
MAX_WAIT_S = 60.0  # a wiki that asks for more is reported at once
CONNECT_TIMEOUT_S = 5.0
READ_TIMEOUT_S = 30.0

_BUSY_STATUS = frozenset((429, 502, 503, 504))
_BUSY_CODES = frozenset(("maxlag", "ratelimited", "readonly"))
_DENIED_CODES = frozenset(("readapidenied", "permissiondenied"))
_HINT = "check the network; KG_WIKIPEDIA_URL names another wiki, and files need none"


class _Busy(Exception):
    """The wiki asks to come back later; `retry_after_s` is None where it does not say when."""

    def __init__(self, reason: str, retry_after_s: float | None) -> None:
        super().__init__(reason)
        self.retry_after_s = retry_after_s


class RevisionGone(Exception):
    """The revision that was asked for was deleted in the meantime."""


@dataclass(frozen=True, slots=True)
class Site:
    """A wiki: the Wikipedia in `language`, or the MediaWiki whose api.php is at `url`."""

    language: str = "en"
    url: str | None = None
    former_host: str | None = None  # of the MediaWiki before it moved: the keys of its pages keep naming it
    username: SecretStr | None = None  # of a bot password; sent to `url` alone
    password: SecretStr | None = None

    @property
    def host(self) -> str:
        """The wiki's host, with its port where one is given and without user name and password."""
        if self.url is None:
            return f"{self.language}.wikipedia.org"
        return urlsplit(self.url).netloc.rpartition("@")[2].lower()

    @property
    def key_host(self) -> str:
        """The host that the keys of its pages name."""
        return self.former_host.lower() if self.former_host and self.url is not None else self.host

    def check(self) -> None:
        """Raise UsageError for an address that is none, and for a user name and password that cannot be used."""
        check_network()
        if self.url is not None:
            check_address("KG_WIKIPEDIA_URL", self.url)
        if self.former_host and "/" in self.former_host:
            raise UsageError("KG_WIKIPEDIA_FORMER_HOST is not a host", hint='such as "wiki.example.org"')
        if (self.username is None) != (self.password is None):
            raise UsageError("KG_WIKIPEDIA_USERNAME and KG_WIKIPEDIA_PASSWORD need each other")
        if self.password is not None and self.url is None:
            hint = "set KG_WIKIPEDIA_URL to its api.php: the password is sent nowhere else"
            raise UsageError("KG_WIKIPEDIA_PASSWORD is set, but not the wiki that it is for", hint=hint)


@contextmanager
def open_wiki(site: Site) -> Iterator[Any]:
    """Open a client of `site`. Asks nothing yet.

    It is a `wikipediaapi.Wikipedia` that also keeps its `last_answer`, and the `sandbox` that reads its pages. Its
    methods raise WikipediaUnavailable, WikiAccessDenied, RevisionGone, and SourceNotFound for a title that leads to
    another wiki. Raises UsageError as `Site.check` does.
    """
    import httpx

    site.check()
    try:
        httpx.Client().close()  # which reads the environment
    except httpx.InvalidURL as error:  # IPv6 with a mask or in brackets, where httpx is 0.28
        raise UsageError(f"NO_PROXY cannot be used: {error}", hint="leave IPv6 addresses out of it") from None
    password_hooks = [] if site.password is None else [_refuse_other_origin(site)]
    with Sandbox() as sandbox:
        client = _client_class()(
            user_agent=f"kg-neo4j/{__version__} (text to a knowledge graph in Neo4j; python)",
            language=site.language,
            max_retries=0,  # retries are ours: the package's honour no Retry-After but that of 429, of any length
            timeout=httpx.Timeout(READ_TIMEOUT_S, connect=CONNECT_TIMEOUT_S),
            transport=None,  # httpx's own, which knows about proxies
            follow_redirects=True,
            event_hooks={"response": [_bound_body, *password_hooks, _refuse_busy]},
            site=site,
            sandbox=sandbox,
        )
        client._client.headers["Accept-Encoding"] = ACCEPTED
        try:
            yield client
        finally:
            client._client.close()


@cache
def _client_class() -> Any:
    """Return our subclass of the package's client; made on first use, because importing the package is slow."""
    import wikipediaapi

    class _Wiki(wikipediaapi.Wikipedia):  # type: ignore[misc]
        def __init__(self, *, site: Site, sandbox: Sandbox, **options: Any) -> None:
            super().__init__(**options)
            self.site = site
            self.sandbox = sandbox
            self.last_answer: Mapping[str, Any] = {}
            self._is_logged_in = False

        def _build_url(self, language: str) -> str:
            return self.site.url or super()._build_url(language)

        def _get(self, language: str, params: dict[str, Any]) -> dict[str, Any]:
            """Ask again where the wiki is busy or the session has ended; return only answers that are MediaWiki's."""
            url = self._build_url(language)
            where = urlsplit(url).hostname or ""
            asked = params if self.site.password is None else {**params, "assert": "user"}
            if self.site.password is not None and not self._is_logged_in:
                self._log_in(url, where)
            answer = _asked(lambda: self._do_get(url, asked), where)
            if self._is_logged_in and _within(answer, "error").get("code") == "assertuserfailed":
                self._log_in(url, where)
                answer = _asked(lambda: self._do_get(url, asked), where)
            _refuse_error(answer, where, is_logged_in=self._is_logged_in)
            _check(answer, params, where)
            self.last_answer = answer
            return answer

        def _log_in(self, url: str, where: str) -> None:
            asked = {"action": "query", "meta": "tokens", "type": "login", "format": "json"}
            answer = _asked(lambda: self._do_get(url, asked), where)
            _refuse_error(answer, where)
            token = _within(_within(answer, "query"), "tokens").get("logintoken")
            if not isinstance(token, str):
                raise _foreign(where, " (no login token)")
            form = {"action": "login", "format": "json", "lgtoken": token, **_secrets(self.site)}
            answer = _asked(
                lambda: self._process_response(self._client.post(url, data=form, follow_redirects=False), url), where
            )
            _refuse_error(answer, where)
            _refuse_login(answer, where, _secrets(self.site))
            self._is_logged_in = True

    return _Wiki


def _secrets(site: Site) -> dict[str, str]:
    if site.username is None or site.password is None:
        return {}
    return {"lgname": site.username.get_secret_value(), "lgpassword": site.password.get_secret_value()}


def _within(answer: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    """Return an object of an answer; an empty one where it has none."""
    found = answer.get(name)
    return found if isinstance(found, dict) else {}


def _foreign(where: str, detail: str = "") -> WikipediaUnavailable:
    return WikipediaUnavailable(f"{where} answered, but not as a MediaWiki does{detail}", hint=_HINT)


def _refuse_login(answer: Mapping[str, Any], where: str, secrets: Mapping[str, str]) -> None:
    """Raise WikiAccessDenied unless we are logged in; with the wiki's reason, where that repeats no secret."""
    login = _within(answer, "login")
    if login.get("result") == "Success":
        return
    reason = str(login.get("reason") or login.get("result"))[:200]
    shown = "" if any(secret in reason for secret in secrets.values()) else f" ({reason})"
    hint = "KG_WIKIPEDIA_USERNAME and KG_WIKIPEDIA_PASSWORD must be a bot password, made on Special:BotPasswords"
    raise WikiAccessDenied(f"{where} refused the user name or the password{shown}", hint=hint)


def _asked(ask: Callable[[], Any], where: str) -> dict[str, Any]:
    """Return the answer, asking again at most `ATTEMPTS` times in all.

    Between two attempts is the wait that a busy wiki asks for, else a longer one each time.
    """
    import httpx
    import tenacity
    import wikipediaapi

    def pause(state: tenacity.RetryCallState) -> float:
        said: Any = state.outcome and state.outcome.exception()
        wait_s: float | None = said.retry_after_s
        return BACKOFF_S * 2 ** (state.attempt_number - 1) if wait_s is None else wait_s

    busy, most = tenacity.retry_if_exception_type(_Busy), tenacity.stop_after_attempt(ATTEMPTS)
    try:
        answer = tenacity.Retrying(stop=most, wait=pause, retry=busy, reraise=True)(ask)
    except _Busy as found:
        raise WikipediaUnavailable(f"{where} is busy: {found}", hint="try again later") from found
    except wikipediaapi.WikiInvalidJsonError as error:
        hint = "the address must be that of its api.php"
        raise WikipediaUnavailable(f"{where} answered, but not as a MediaWiki does (no JSON)", hint=hint) from error
    except wikipediaapi.WikiHttpTimeoutError as error:
        raise WikipediaUnavailable(f"{where} did not answer in time", hint=_HINT) from error
    except (wikipediaapi.WikiConnectionError, httpx.HTTPError, httpx.InvalidURL) as error:
        raise WikipediaUnavailable(f"{where} cannot be reached", hint=network_hint(error, _HINT, proxies())) from error
    except wikipediaapi.WikiHttpError as error:
        raise WikipediaUnavailable(f"{where} answered with HTTP {error.status_code}", hint=_HINT) from error
    if not isinstance(answer, dict):
        raise _foreign(where)
    return answer


def _bound_body(response: httpx.Response) -> None:
    """Read the body of an answer under a limit, unpacked; httpx calls this for every answer, redirects too."""
    import httpx

    stream: Any = response.stream
    response.encoding = "utf-8"
    try:
        unpack = unpacker(response.headers.pop("content-encoding", "").lower(), MAX_BODY)
        response.stream = httpx.ByteStream(b"".join(piece for packed in stream for piece in unpack(packed)))
    except (ValueError, zlib.error) as error:
        raise WikipediaUnavailable(f"{response.url.host} gave what cannot be read: {error}", hint=_HINT) from None
    finally:
        stream.close()


def _refuse_busy(response: httpx.Response) -> None:
    """Raise _Busy for an answer that asks to come back later; httpx calls this for every answer."""
    reason = ""
    if response.status_code in _BUSY_STATUS:
        reason = f"HTTP {response.status_code}"
    elif response.headers.get("MediaWiki-API-Error", "") in _BUSY_CODES:
        reason = response.headers["MediaWiki-API-Error"]
    elif response.status_code == 200 and "Retry-After" in response.headers:
        response.read()
        reason = "maxlag" if b'"maxlag"' in response.content[:2_000] else ""
    if reason:
        after = response.headers.get("Retry-After", "")
        retry_after_s = float(after) if after.isdigit() else None
        if retry_after_s is not None and retry_after_s > MAX_WAIT_S:
            name = response.url.host
            hint = "try again later"
            raise WikipediaUnavailable(f"{name} is busy ({reason}) and asks to wait {retry_after_s:,.0f} s", hint=hint)
        raise _Busy(reason, retry_after_s)


def _refuse_other_origin(site: Site) -> Callable[[httpx.Response], None]:
    """Return a hook that refuses redirects to another scheme, host or port: cookies do not know ports."""
    import httpx

    origin = attrgetter("scheme", "host", "port")
    own = origin(httpx.URL(site.url or ""))

    def refuse(response: httpx.Response) -> None:
        if response.has_redirect_location and origin(response.url.join(response.headers["Location"])) != own:
            raise WikipediaUnavailable(
                f"{response.url.host} leads to another address, and a password is set",
                hint="set KG_WIKIPEDIA_URL to the final address of its api.php: the password is sent nowhere else",
            )

    return refuse


def _refuse_error(answer: Mapping[str, Any], where: str, *, is_logged_in: bool = False) -> None:
    if "error" not in answer:
        return
    error = answer["error"]
    code = str(error.get("code")) if isinstance(error, dict) else None
    if code == "nosuchrevid":
        raise RevisionGone
    if code in _DENIED_CODES and is_logged_in:
        hint = "give the bot password more rights"
        raise WikiAccessDenied(f"{where} does not let this user read ({code})", hint=hint)
    if code in _DENIED_CODES:
        hint = "set KG_WIKIPEDIA_USERNAME and KG_WIKIPEDIA_PASSWORD to a bot password, made on Special:BotPasswords"
        raise WikiAccessDenied(f"{where} lets only users read that are logged in ({code})", hint=hint)
    said = f"{code}: {error.get('info')}" if isinstance(error, dict) else str(error)
    raise WikipediaUnavailable(f"{where} refused the request ({said[:200]})", hint=_HINT)


def _check(answer: dict[str, Any], params: Mapping[str, Any], where: str) -> None:
    """Raise where an answer lacks what the package and we take for granted. A circle of redirects has no pages."""
    if params["action"] == "parse":
        if not isinstance(_within(answer, "parse").get("text"), str):
            raise WikipediaUnavailable(
                f"{where} answered, but not as a MediaWiki of version 1.25 or newer does", hint=_HINT
            )
        return
    query = answer.get("query")
    if isinstance(query, dict) and query.get("interwiki"):
        hint = "choose its language with --lang"
        raise SourceNotFound(f"{params.get('titles')!r} leads to another wiki than {where}", hint=hint)
    if isinstance(query, dict) and query.get("redirects"):
        query.setdefault("pages", {})
    if not isinstance(query, dict) or not isinstance(query.get("pages"), dict):
        raise _foreign(where)
