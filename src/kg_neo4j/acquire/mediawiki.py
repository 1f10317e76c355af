"""The wikipedia-api client, pointed at any MediaWiki and made patient: one request at a time, as slowly as it asks."""

from __future__ import annotations

import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from kg_neo4j._models.openai_bodies import ACCEPTED, MAX_BODY, unpacker
from kg_neo4j.errors import SourceNotFound, UsageError, WikipediaUnavailable

if TYPE_CHECKING:
    import httpx
    from tenacity import RetryCallState

ATTEMPTS = 4  # in all, where the wiki says that it is busy
BACKOFF_S = 2.0  # before the second attempt, doubled each time, where the wiki does not say how long
MAX_WAIT_S = 60.0  # a wiki that asks for more is reported at once
CONNECT_TIMEOUT_S = 5.0
READ_TIMEOUT_S = 30.0

_BUSY_STATUS = frozenset((429, 502, 503, 504))
_BUSY_CODES = frozenset(("maxlag", "ratelimited", "readonly"))
_HINT = "check the network; KG_WIKIPEDIA_URL names another wiki, and files need none"


class _Busy(Exception):
    """The wiki asks to come back later; `retry_after_s` is None where it does not say when."""

    def __init__(self, reason: str, retry_after_s: float | None) -> None:
        super().__init__(reason)
        self.retry_after_s = retry_after_s


@contextmanager
def open_wiki(language: str, url: str | None) -> Iterator[Any]:
    """Open a client of the Wikipedia in `language`, or of the MediaWiki whose api.php is at `url`. Asks nothing yet.

    It is a `wikipediaapi.Wikipedia` that also keeps its `last_answer`. Its methods raise WikipediaUnavailable, and
    SourceNotFound for a title that leads to another wiki. Raises UsageError for an address that is none.
    """
    import httpx

    if url is not None and (urlsplit(url).scheme not in ("http", "https") or not urlsplit(url).hostname):
        raise UsageError("KG_WIKIPEDIA_URL is not the http or https address of a MediaWiki's api.php")
    client = _client_class()(
        user_agent=user_agent(),
        language=language,
        max_retries=0,  # retries are ours: the package's honour no Retry-After but that of 429, of any length
        timeout=httpx.Timeout(READ_TIMEOUT_S, connect=CONNECT_TIMEOUT_S),
        transport=None,  # httpx's own, which knows about proxies
        follow_redirects=True,
        event_hooks={"response": [_bound_body, _refuse_busy]},
        address=url,
    )
    client._client.headers["Accept-Encoding"] = ACCEPTED
    try:
        yield client
    finally:
        client._client.close()


def user_agent() -> str:
    """Return how we name ourselves; the package adds its own name."""
    from importlib import metadata

    try:
        version = metadata.version("kg-neo4j")
    except metadata.PackageNotFoundError:  # a checkout that is not installed
        version = "dev"
    return f"kg-neo4j/{version} (text to a knowledge graph in Neo4j; python)"


def host(language: str, url: str | None) -> str:
    """Return the wiki's host, with its port where one is given and without user name and password."""
    return f"{language}.wikipedia.org" if url is None else urlsplit(url).netloc.rpartition("@")[2].lower()


@cache
def _client_class() -> Any:
    """Return our subclass of the package's client; made on first use, because importing the package is slow."""
    import wikipediaapi

    class _Wiki(wikipediaapi.Wikipedia):  # type: ignore[misc]
        """The client of the package, with another address and another patience."""

        def __init__(self, *, address: str | None, **options: Any) -> None:
            super().__init__(**options)
            self._address = address
            self.last_answer: Mapping[str, Any] = {}

        def _build_url(self, language: str) -> str:
            return self._address or super()._build_url(language)

        def _get(self, language: str, params: dict[str, Any]) -> dict[str, Any]:
            """Ask once more where the wiki is busy; return only answers that are MediaWiki's."""
            where = urlsplit(self._build_url(language)).hostname or ""
            answer = _asked(lambda: self._do_get(self._build_url(language), params), where)
            _check(answer, params, where)
            self.last_answer = answer
            return answer

    return _Wiki


def _asked(ask: Any, where: str) -> dict[str, Any]:
    """Return the answer, asking again at most `ATTEMPTS` times in all."""
    import httpx
    import wikipediaapi
    from tenacity import Retrying, retry_if_exception_type, stop_after_attempt

    patient = Retrying(
        retry=retry_if_exception_type(_Busy), stop=stop_after_attempt(ATTEMPTS), wait=_wait_s, reraise=True
    )
    try:
        answer = patient(ask)
    except _Busy as busy:
        raise WikipediaUnavailable(f"{where} is busy: {busy}", hint="try again later") from busy
    except wikipediaapi.WikiInvalidJsonError as error:
        raise WikipediaUnavailable(
            f"{where} answered, but not as a MediaWiki does (no JSON)", hint="the address must be that of its api.php"
        ) from error
    except wikipediaapi.WikiHttpTimeoutError as error:
        raise WikipediaUnavailable(f"{where} did not answer in time", hint=_HINT) from error
    except (wikipediaapi.WikiConnectionError, httpx.HTTPError, httpx.InvalidURL) as error:
        raise WikipediaUnavailable(f"{where} cannot be reached", hint=_HINT) from error
    except wikipediaapi.WikiHttpError as error:
        raise WikipediaUnavailable(f"{where} answered with HTTP {error.status_code}", hint=_HINT) from error
    if not isinstance(answer, dict):
        raise WikipediaUnavailable(f"{where} answered, but not as a MediaWiki does", hint=_HINT)
    return answer


def _wait_s(state: RetryCallState) -> float:
    """Return how long to wait: what the wiki asks for, else longer each time."""
    busy = state.outcome.exception() if state.outcome is not None else None
    if isinstance(busy, _Busy) and busy.retry_after_s is not None:
        return busy.retry_after_s
    return float(BACKOFF_S * 2 ** (state.attempt_number - 1))


def _bound_body(response: httpx.Response) -> None:
    """Have the body of an answer read under a limit, unpacked; httpx calls this for every answer, redirects too."""
    encoding = response.headers.pop("content-encoding", "").lower()
    response.encoding = "utf-8"
    response.stream = _stream_class()(response.stream, encoding, response.url.host)


@cache
def _stream_class() -> Any:
    """Return the class of bounded streams; made on first use, because importing httpx is slow."""
    import httpx

    class _BoundedStream(httpx.SyncByteStream):
        """The stream of one answer, unpacked and counted."""

        def __init__(self, stream: Any, encoding: str, where: str) -> None:
            self._stream = stream
            self._encoding = encoding
            self._where = where

        def __iter__(self) -> Iterator[bytes]:
            left = MAX_BODY
            try:
                unpack = unpacker(self._encoding)
                for packed in self._stream:
                    for piece in unpack(packed):
                        left -= len(piece)
                        if left < 0:
                            raise ValueError(f"an answer of more than {MAX_BODY} bytes")
                        yield piece
            except (ValueError, zlib.error) as error:
                raise WikipediaUnavailable(f"{self._where} gave what cannot be read: {error}", hint=_HINT) from None

        def close(self) -> None:
            self._stream.close()

    return _BoundedStream


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
            raise WikipediaUnavailable(
                f"{name} is busy ({reason}) and asks to wait {retry_after_s:,.0f} s", hint="try again later"
            )
        raise _Busy(reason, retry_after_s)


def _check(answer: Mapping[str, Any], params: Mapping[str, Any], where: str) -> None:
    """Raise where an answer is an error, or lacks what the package takes for granted."""
    if "error" in answer:
        error = answer["error"]
        said = f"{error.get('code')}: {error.get('info')}" if isinstance(error, dict) else str(error)
        raise WikipediaUnavailable(f"{where} refused the request ({said[:200]})", hint=_HINT)
    query = answer.get("query")
    if isinstance(query, dict) and query.get("interwiki"):
        raise SourceNotFound(
            f"{params.get('titles')!r} leads to another wiki than {where}", hint="choose its language with --lang"
        )
    if not isinstance(query, dict) or not isinstance(query.get("pages"), dict):
        raise WikipediaUnavailable(f"{where} answered, but not as a MediaWiki does", hint=_HINT)
    if params.get("prop") == "extracts":
        for page_id, page in query["pages"].items():
            if page_id != "-1" and "extract" not in page:
                raise WikipediaUnavailable(
                    f"{where} gives no plain text of its pages", hint="it lacks the extension TextExtracts"
                )
