"""Web pages by their addresses: the main text with its headings and tables. robots.txt is honoured; limits hold."""

from __future__ import annotations

import codecs
import re
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from importlib.util import find_spec
from pathlib import PurePosixPath
from typing import TYPE_CHECKING
from urllib.parse import urljoin, urlsplit

from kg_neo4j.acquire.decoding import decode, normalise_text
from kg_neo4j.acquire.html_text import read_html
from kg_neo4j.acquire.interface import ParsedText, ReadOptions, SourceText
from kg_neo4j.acquire.plain_text import read_markdown
from kg_neo4j.acquire.readers import kind_of, kinds
from kg_neo4j.acquire.sandbox import Sandbox
from kg_neo4j.errors import UnreadableSource, UsageError
from kg_neo4j.records import SkippedSource

if TYPE_CHECKING:
    import httpx
    from protego import Protego

AGENT = "kg-neo4j"
MAX_BYTES = 20_000_000
MAX_HOPS = 10
MAX_SECONDS = 60.0  # for a page, with its redirects
WAIT_SECONDS = 20.0  # for the next bytes of a server
FEWEST = 200  # characters of a main text; with less the whole page is read
PAGE = "kg_neo4j_readers.web:read_page"
_CHARSET = re.compile(rb"charset\s*=\s*[\"']?([\w.:-]+)", re.IGNORECASE)
_SUFFIXES = {
    "application/pdf": ".pdf",
    "text/plain": ".txt",
    "text/markdown": ".md",
    "text/csv": ".csv",
    "application/vnd.openxmlformats-officedocument.wordprocessingml.document": ".docx",
    "application/vnd.openxmlformats-officedocument.presentationml.presentation": ".pptx",
    "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet": ".xlsx",
    "application/epub+zip": ".epub",
}


@dataclass(frozen=True, slots=True)
class Fetched:
    """What a server sent, and for which address in the end."""

    url: str
    data: bytes
    media_type: str
    charset: str | None


@dataclass(slots=True)
class WebPage:
    """The source that an address is: a page, or a file that a reader reads."""

    name: str  # "http" or "https"
    rest: str  # of the address, from "//" on
    _robots: dict[str, Protego] = field(default_factory=dict)

    def texts(self) -> Iterator[SourceText | SkippedSource]:
        """Yield the page, or why it was not read."""
        import httpx

        address = f"{self.name}:{self.rest}"
        try:
            with httpx.Client(headers={"User-Agent": AGENT}, timeout=WAIT_SECONDS) as client, Sandbox() as sandbox:
                fetched = self._fetch(client, address)
                parsed = sandbox.parse(_kind(fetched), fetched.data, ReadOptions(_charset(fetched)))
            if not parsed.text.strip():
                raise UnreadableSource("no text", hint=parsed.left_out)
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            yield SkippedSource(address, " ".join(str(error).split()) or type(error).__name__)
        except UnreadableSource as refused:
            yield SkippedSource(address, f"{refused} ({refused.hint})" if refused.hint else str(refused))
        else:
            moved = f"the address led to {fetched.url}" if fetched.url != address else ""
            left_out = "; ".join(filter(None, (moved, parsed.left_out)))
            details = {"author": parsed.author, "date": parsed.date, "left_out": left_out}
            yield SourceText(self.rest, parsed.text, parsed.title or address, fetched.url, details=details)

    def _fetch(self, client: httpx.Client, address: str) -> Fetched:
        """Return what an address leads to. Raises UnreadableSource for what is refused, or breaks a limit."""
        end, seen = time.monotonic() + MAX_SECONDS, [address]
        while True:
            url = seen[-1]
            _check_time(end)
            if urlsplit(url).scheme not in ("http", "https"):
                raise UnreadableSource(f"leads to {url[:200]}, which is no web page")
            if not self._rules(client, url, end).can_fetch(url, AGENT):
                raise UnreadableSource("robots.txt of the site does not allow it")
            with client.stream("GET", url) as response:
                if response.has_redirect_location:
                    if len(seen) > MAX_HOPS:
                        raise UnreadableSource(f"more than {MAX_HOPS} redirects, the last to {url[:200]}")
                    seen.append(urljoin(url, response.headers["location"]))
                    continue
                if response.status_code != 200:
                    raise UnreadableSource(f"the server answers {response.status_code} {response.reason_phrase}")
                data = _within_limits(response, end)
                media_type = response.headers.get("content-type", "").partition(";")[0].strip().lower()
                return Fetched(url, data, media_type, response.charset_encoding)

    def _rules(self, client: httpx.Client, url: str, end: float) -> Protego:
        """Return the rules of a site. Where it has none, all is allowed; where its server fails, nothing is."""
        from protego import Protego

        parts = urlsplit(url)
        site = f"{parts.scheme}://{parts.netloc}"
        if site not in self._robots:
            with client.stream("GET", f"{site}/robots.txt", follow_redirects=True) as response:
                rules = _within_limits(response, end).decode("utf-8", "replace") if response.status_code == 200 else ""
            rules = "User-agent: *\nDisallow: /" if response.status_code >= 500 else rules
            self._robots[site] = Protego.parse(rules)
        return self._robots[site]


def open_https(rest: str) -> WebPage:
    """Return the page of an address that begins with "https:". Raises UsageError without the extra `web`."""
    return _opened("https", rest)


def open_http(rest: str) -> WebPage:
    """Return the page of an address that begins with "http:". Raises UsageError without the extra `web`."""
    return _opened("http", rest)


def _opened(scheme: str, rest: str) -> WebPage:
    for package in ("protego", "trafilatura"):
        if find_spec(package) is None:
            raise UsageError(f"web pages need the package {package}", hint="pip install 'kg-neo4j[web]'")
    if not rest.startswith("//") or not urlsplit(f"{scheme}:{rest}").hostname:
        raise UsageError(f"{scheme}:{rest} is not an address", hint=f"such as {scheme}://example.org/page")
    return WebPage(scheme, rest)


def _within_limits(response: httpx.Response, end: float) -> bytes:
    parts, size = list[bytes](), 0
    for block in response.iter_bytes():
        parts.append(block)
        size += len(block)
        if size > MAX_BYTES:
            raise UnreadableSource(f"larger than {MAX_BYTES:,} bytes")
        _check_time(end)
    return b"".join(parts)


def _check_time(end: float) -> None:
    if time.monotonic() > end:
        raise UnreadableSource(f"took longer than {MAX_SECONDS:g} s")


def _kind(fetched: Fetched) -> str:
    if fetched.media_type in ("text/html", "application/xhtml+xml", ""):
        return PAGE
    named = PurePosixPath(urlsplit(fetched.url).path).suffix.lower()
    suffix = _SUFFIXES.get(fetched.media_type) or (named if named in kinds() else "")
    if not suffix:
        raise UnreadableSource(f"{fetched.media_type[:100]}, which no reader reads")
    return kind_of(suffix, fetched.data)


def _charset(fetched: Fetched) -> str | None:
    """Return the encoding that the server names, where Python knows it."""
    try:
        return codecs.lookup(fetched.charset).name if fetched.charset else None
    except LookupError:
        return None


def read_page(data: bytes, options: ReadOptions) -> ParsedText:
    """Return the main text of a page: menus, banners and footers are left out. Of a page without one, all of it.

    The encoding of `options` is what the server names; bytes that are not in it are decoded as they are found to be.
    Raises UnreadableSource for what is not text.
    """
    import trafilatura

    named = _CHARSET.search(data[:2_000])
    text = decode(data, declared=options.encoding or (named[1].decode("ascii") if named else None))
    found = (
        trafilatura.extract(
            text, output_format="markdown", include_tables=True, include_formatting=True, include_links=False
        )
        or ""
    )
    whole = read_html(text.encode("utf-8", "replace"), "utf-8")
    if len(found) < min(FEWEST, len(whole.text) // 2):
        return replace(whole, left_out="; ".join(filter(None, (whole.left_out, "no main text was found: all is read"))))
    told = trafilatura.extract_metadata(text)
    known: Mapping[str, str] = {name: getattr(told, name, None) or "" for name in ("title", "author", "date")}
    parsed = read_markdown(normalise_text(found))
    return replace(parsed, title=known["title"] or whole.title, author=known["author"], date=known["date"])
