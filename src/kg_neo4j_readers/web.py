"""Web pages by their addresses: the main text with headings, tables and frames. robots.txt is honoured; limits hold."""

from __future__ import annotations

import codecs
import re
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from importlib.util import find_spec
from pathlib import PurePosixPath
from typing import TYPE_CHECKING
from urllib.parse import urldefrag, urljoin, urlsplit

from kg_neo4j.acquire.decoding import decode, normalise_text
from kg_neo4j.acquire.html_text import read_html
from kg_neo4j.acquire.interface import Attached, ParsedText, ReadOptions, SourceText
from kg_neo4j.acquire.plain_text import read_markdown
from kg_neo4j.acquire.readers import kind_of, kinds
from kg_neo4j.acquire.sandbox import Sandbox
from kg_neo4j.errors import SourceNotFound, UnreadableSource, UsageError
from kg_neo4j.records import SkippedSource

if TYPE_CHECKING:
    import httpx
    from protego import Protego

AGENT = "kg-neo4j"
MAX_BYTES = 20_000_000  # of a page with its frames
MAX_HOPS = 10
MAX_FRAMES = 10
MAX_SECONDS = 60.0  # for a page, with its redirects and frames
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
    data: bytes = b""
    media_type: str = ""
    charset: str | None = None
    version: str = ""  # ETag and Last-Modified, a line each; empty where the server sends neither


@dataclass(slots=True)
class Visit:
    """What is fetched for one page: its frames share its limits of size and time."""

    client: httpx.Client
    end: float = field(default_factory=lambda: time.monotonic() + MAX_SECONDS)
    left: int = MAX_BYTES
    _robots: dict[str, Protego] = field(default_factory=dict)

    def fetch(self, address: str, known: Fetched | None = None, host: str = "") -> Fetched:
        """Return what an address leads to; `known` where that is still the same. With `host`, only from there.

        Raises UnreadableSource for what is refused, or breaks a limit, and SourceNotFound where `known` is gone.
        """
        seen = [address]
        while True:
            url, parts = seen[-1], urlsplit(seen[-1])
            _check_time(self.end)
            if parts.scheme not in ("http", "https"):
                raise UnreadableSource(f"leads to {url[:200]}, which is no web page")
            if host and parts.netloc != host:
                raise UnreadableSource("of another host")
            if not self._rules(f"{parts.scheme}://{parts.netloc}").can_fetch(url, AGENT):
                raise UnreadableSource("robots.txt of the site does not allow it")
            asked = _conditions(known.version) if known and url == known.url else {}
            with self.client.stream("GET", url, headers=asked) as response:
                if response.has_redirect_location:
                    if len(seen) > MAX_HOPS:
                        raise UnreadableSource(f"more than {MAX_HOPS} redirects, the last to {url[:200]}")
                    seen.append(urljoin(url, response.headers["location"]))
                    continue
                if known and asked and response.status_code == 304:
                    return known
                if response.status_code != 200:
                    failed = SourceNotFound if known and response.status_code in (404, 410) else UnreadableSource
                    raise failed(f"the server answers {response.status_code} {response.reason_phrase}")
                data = _within_limits(response, self.end, self.left)
                self.left -= len(data)
                heads = response.headers
                media_type = heads.get("content-type", "").partition(";")[0].strip().lower()
                version = f"{heads.get('etag', '')}\n{heads.get('last-modified', '')}".rstrip()
                version = version if version.isascii() else ""
                return Fetched(url, data, media_type, response.charset_encoding, version)

    def _rules(self, site: str) -> Protego:
        """Return the rules of a site. Where it has none, all is allowed; where its server fails, nothing is."""
        from protego import Protego

        if site not in self._robots:
            with self.client.stream("GET", f"{site}/robots.txt", follow_redirects=True) as response:
                is_there = response.status_code == 200
                rules = _within_limits(response, self.end).decode("utf-8", "replace") if is_there else ""
            rules = "User-agent: *\nDisallow: /" if response.status_code >= 500 else rules
            self._robots[site] = Protego.parse(rules)
        return self._robots[site]


@dataclass(slots=True)
class WebPage:
    """The source that an address is: a page, or a file that a reader reads."""

    name: str  # "http" or "https"
    rest: str  # of the address, from "//" on
    known: Fetched | None = None  # what it was when it was loaded

    def since(self, url: str | None, version: str) -> WebPage:
        """Return the source that gives nothing where `version` is still what `url` leads to."""
        return replace(self, known=Fetched(url or "", version=version))

    def texts(self) -> Iterator[SourceText | SkippedSource]:
        """Yield the page, or why it was not read. Raises SourceNotFound where one that was loaded is gone."""
        import httpx

        address, stays = f"{self.name}:{self.rest}", "; it stays as it was loaded" if self.known else ""
        try:
            with httpx.Client(headers={"User-Agent": AGENT}, timeout=WAIT_SECONDS) as client, Sandbox() as sandbox:
                visit = Visit(client)
                fetched = visit.fetch(address, self.known)
                if fetched is self.known:
                    return
                parsed = _parsed(sandbox, fetched)
                version = "" if parsed.attached else fetched.version  # which says nothing of frames
                parsed = _with_frames(visit, sandbox, fetched, parsed)
            if not parsed.text.strip():
                raise UnreadableSource("no text", hint=parsed.left_out)
        except UnreadableSource as refused:
            yield SkippedSource(address, f"{refused}{f' ({refused.hint})' if refused.hint else ''}{stays}")
        except (httpx.HTTPError, httpx.InvalidURL, ValueError) as error:  # a redirect may lead to what is no address
            yield SkippedSource(address, f"{' '.join(str(error).split()) or type(error).__name__}{stays}")
        else:
            moved = f"the address led to {fetched.url}" if fetched.url != address else ""
            left_out = "; ".join(filter(None, (moved, parsed.left_out)))
            details = {"author": parsed.author, "date": parsed.date, "left_out": left_out, "version": version}
            yield SourceText(self.rest, parsed.text, parsed.title or address, fetched.url, details=details)


def _parsed(sandbox: Sandbox, fetched: Fetched) -> ParsedText:
    kind = _kind(fetched)
    parsed = sandbox.parse(kind, fetched.data, ReadOptions(_charset(fetched)))
    return parsed if kind == PAGE else replace(parsed, attached=())


def _with_frames(visit: Visit, sandbox: Sandbox, page: Fetched, parsed: ParsedText) -> ParsedText:
    """Return a page with the texts of its frames, each once; what is left out of them is counted by its reason."""
    import httpx

    host, seen, texts = urlsplit(page.url).netloc, {page.url}, [parsed.text]
    waiting = [(page.url, name) for name, _ in parsed.attached]
    left_out: Counter[str] = Counter()
    while waiting:
        base, name = waiting.pop(0)
        try:
            url = urldefrag(urljoin(base, name)).url
            if url in seen or not url.startswith(("http:", "https:")):
                continue
            seen.add(url)
            if len(texts) > MAX_FRAMES:
                raise UnreadableSource(f"more than {MAX_FRAMES}")
            fetched = visit.fetch(url, host=host)
            found = _parsed(sandbox, fetched)
        except (UnreadableSource, httpx.HTTPError, httpx.InvalidURL, ValueError) as refused:
            left_out[" ".join(str(refused).split())[:200]] += 1
            continue
        texts.append(found.text)
        waiting[:0] = [(fetched.url, name) for name, _ in found.attached]
    told = [f"{count} frame{'s'[: count > 1]} left out: {why}" for why, count in left_out.items()]
    text = "\n\n".join(each for each in texts if each.strip())
    return replace(parsed, text=text, left_out="; ".join(filter(None, (parsed.left_out, *told))))


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


def _conditions(version: str) -> dict[str, str]:
    """Return the heads that ask for a page only if it is no longer this version."""
    etag, _, modified = version.partition("\n")
    return {name: said for name, said in (("If-None-Match", etag), ("If-Modified-Since", modified)) if said}


def _within_limits(response: httpx.Response, end: float, most: int = MAX_BYTES) -> bytes:
    parts, size = list[bytes](), 0
    for block in response.iter_bytes():
        parts.append(block)
        size += len(block)
        if size > most:
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

    Frames to be read with it are `attached` by the addresses that it gives them, without contents: those of a frameset,
    whose own text is for browsers without frames, and the inner frames of a page without a main text.
    The encoding of `options` is what the server names; bytes that are not in it are decoded as they are found to be.
    Raises UnreadableSource for what is not text.
    """
    import trafilatura

    named = _CHARSET.search(data[:2_000])
    text = decode(data, declared=options.encoding or (named[1].decode("ascii") if named else None))
    whole = read_html(text.encode("utf-8", "replace"), "utf-8")
    inner = _frames(text, "iframe")
    if outer := _frames(text, "frame"):
        return ParsedText("", whole.title, attached=outer)
    found = trafilatura.extract(
        text,
        output_format="markdown",
        favor_recall=True,  # it keeps 99 of 100 words of main texts, else 95: decision 0071
        include_comments=False,
        include_formatting=True,
        include_tables=True,
        prune_xpath="//noscript",
    )
    found = found or ""
    if len(found) < min(FEWEST, len(whole.text) // 2):
        left_out = "; ".join(filter(None, (whole.left_out, "no main text was found: all is read")))
        return replace(whole, left_out=left_out, attached=inner)
    told = trafilatura.extract_metadata(text)
    known: dict[str, str] = {name: getattr(told, name, None) or "" for name in ("title", "author", "date")}
    parsed = read_markdown(normalise_text(found))
    parsed = replace(parsed, attached=inner if len(parsed.text) < FEWEST else ())
    return replace(parsed, title=known["title"] or whole.title, author=known["author"], date=known["date"])


def _frames(text: str, tag: str) -> Attached:
    """Return the addresses of the frames of a page, as it writes them."""
    from lxml import etree

    if f"<{tag}" not in text.lower():
        return ()
    tree = etree.fromstring(text.encode("utf-8", "replace"), etree.HTMLParser(encoding="utf-8", huge_tree=True))
    base = next((each.get("href") for each in tree.iter("base") if each.get("href")), "")
    return tuple((urljoin(base, each.get("src").strip()), b"") for each in tree.iter(tag) if each.get("src"))
