"""Pages as sites write them, from a real server on loopback: what must be in the text of each, and what must not."""

from __future__ import annotations

import gzip
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import pytest

import web_site
from kg_neo4j.acquire.interface import SourceText
from kg_neo4j.acquire.language import detect
from kg_neo4j.records import SkippedSource
from kg_neo4j_readers import web
from made_files import pdf
from web_site import HTML, Site, read, reason, text_of

BELL = "The bell of Orlen was cast in 1712 by Jan Novak in the town foundry, and it rang for two hundred years."
WAR = "During the war the bell was hidden in a barn near Molde, where Marta Novak found it again in 1946."
TODAY = "Today the bell hangs in the tower of the museum, and visitors may ring it on the first Sunday of May."
STORY = f"<p>{BELL}</p><p>{WAR}</p><p>{TODAY}</p>"
MENU = "<nav><ul><li><a href=/>Home</a><li><a href=/shop>Shop</a><li><a href=/in>Sign in</a></ul></nav>"
FOOTER = "<footer><a href=/imprint>Imprint</a> Copyright Orlen Press</footer>"
TABLE = "<table><tr><th>Owner</th><th>Year</th></tr><tr><td>Ida Moe</td><td>1901</td></tr></table>"
GERMAN = "Die Glocke von Orlen wurde im Jahr 1712 von Jan Nowak gegossen. Sie läutete über zweihundert Jahre lang. "
POLISH = "Dzwon z Orlenu odlano w 1712 roku w miejskiej ludwisarni. Później zawisł na wieży ratusza w Gdańsku. "


def page(body: str, head: str = "<title>The bell of Orlen</title>", language: str = "en") -> str:
    main = f"<main><article><h1>The bell of Orlen</h1>{body}</article></main>"
    return f"<!doctype html><html lang={language}><head>{head}</head><body>{MENU}{main}{FOOTER}</body></html>"


@dataclass(frozen=True)
class Case:
    """A page, the words that its text has and those that it has not, in order; and what is known of it."""

    body: str | bytes
    has: tuple[str, ...]
    lacks: tuple[str, ...] = ()
    kind: str = HTML
    heads: Mapping[str, str] = field(default_factory=dict)
    known: Mapping[str, str] = field(default_factory=dict)  # of title, author, date, left_out
    language: str | None = None


COOKIES = "<div id=cookie-consent class=cookie-banner role=dialog><p>We use cookies.</p><button>Accept</button></div>"
NESTED = "<table><tr><td>Owners<table><tr><td>Ida Moe</td><td>1901</td></tr></table></td><td>Oslo</td></tr></table>"
CODE = "<h2>Ringing</h2><pre><code>for hour in range(12):\n    ring(bell)</code></pre>"
DATED = (
    "<title>The bell of Orlen</title><meta name=author content='Ann Lee'>"
    "<meta property='article:published_time' content='2024-03-01T08:00:00Z'>"
)
META_2 = "<meta charset=iso-8859-2><title>Dzwon</title>"
CASES = {
    "menus": Case(page(STORY), (BELL, WAR, TODAY), ("Shop", "Sign in", "Imprint", "Copyright")),
    "cookie banner": Case(page(STORY).replace("<main>", f"{COOKIES}<main>"), (BELL, TODAY), ("cookies", "Accept")),
    "table": Case(page(STORY + TABLE), (BELL, "Owner | Year", "Ida Moe | 1901"), ("Shop",)),
    "nested table": Case(page(STORY + NESTED), (BELL, "Ida Moe", "1901"), ("Shop",)),
    "code": Case(page(STORY + CODE), (BELL, "## Ringing", "for hour in range(12):\n    ring(bell)")),
    "wrong charset": Case(page(f"<p>{POLISH * 3}</p>"), ("Gdańsku",), ("Ĺ",), "text/html; charset=iso-8859-2"),
    "charset in meta": Case(
        page(f"<p>{POLISH * 3}</p>", META_2).encode("iso-8859-2"), ("wieży", "Gdańsku"), (), "text/html"
    ),
    "no charset": Case(page(f"<p>{POLISH * 3}</p>", "").encode(), ("wieży", "Gdańsku"), (), "text/html"),
    "no type": Case(page(STORY), (BELL,), ("Shop",), ""),
    "gzip": Case(gzip.compress(page(STORY).encode()), (BELL,), ("Shop",), HTML, {"Content-Encoding": "gzip"}),
    "without scripts": Case(
        "<title>App</title><div id=root></div><noscript>Switch on JavaScript.</noscript>"
        "<script>render('The bell')</script><p>Orlen Press, Molde 12.</p>",
        ("Orlen Press, Molde 12.",),
        ("render", "JavaScript"),
        known={"title": "App"},
    ),
    "article": Case(
        page(STORY, DATED),
        (BELL,),
        known={"title": "The bell of Orlen", "author": "Ann Lee", "date": "2024-03-01", "left_out": ""},
    ),
    "German": Case(page(f"<p>{GERMAN * 3}</p>", language="de"), ("Glocke", "läutete"), ("Shop",), language="de"),
    "Polish": Case(page(f"<p>{POLISH * 3}</p>", language="pl"), ("Dzwon", "ratusza"), ("Shop",), language="pl"),
}


@pytest.fixture
def site() -> Iterator[Site]:
    with web_site.running() as found:
        yield found


@pytest.mark.parametrize("name", CASES)
def test_the_text_of_a_page(site: Site, name: str) -> None:
    case = CASES[name]
    heads: dict[str, Any] = dict(case.heads)
    found = read(site.put("/page", case.body, case.kind, **heads))
    assert isinstance(found, SourceText), found
    places = [found.text.find(each) for each in case.has]
    assert -1 not in places, (case.has[places.index(-1)], found.text)
    assert places == sorted(places)
    assert [each for each in case.lacks if each in found.text] == []
    details = {"title": found.title, **found.details}
    assert {key: details[key] for key in case.known} == case.known
    if case.language:
        assert detect(found.text) == case.language


def test_frames_are_read_with_their_page_each_once(site: Site) -> None:
    site.put("/menu", MENU + "<p>Chapter list of the bell book.</p>")
    site.put("/inner", "<frameset><frame src=/story><frame src=/frames></frameset>")  # which leads back
    site.put("/story", page(STORY))
    site.put("/gone", "", status=404)
    sources = ("/menu", "inner", "/story#end", "/gone", "javascript:x()", "http://localhost:1/other", "http://[bad")
    frames = "".join(f'<frame src="{each}">' for each in sources)
    old = "<noframes><body>Your browser shows no frames.</body></noframes>"
    found = read(site.put("/frames", f"<html><title>Bells</title><frameset cols=20%,*>{frames}{old}</frameset></html>"))
    assert isinstance(found, SourceText), found
    assert found.title == "Bells"
    assert found.text.index("Chapter list") < found.text.index(BELL)
    assert (found.text.count(BELL), "no frames" in found.text) == (1, False)
    assert [site.times(each) for each in ("/menu", "/inner", "/story", "/frames")] == [1, 1, 1, 1]
    told = found.details["left_out"]
    assert "1 frame left out: the server answers 404 Not Found" in told
    assert "1 frame left out: of another host" in told
    assert found.details["version"] == ""


def test_frames_within_a_page_are_read_only_where_it_has_no_main_text(site: Site) -> None:
    frame = "<iframe src=/story></iframe>"
    site.put("/story", page(STORY))
    assert BELL in text_of(site.put("/shell", f"<html><body><h1>Bells</h1>{frame}</body></html>"))
    assert BELL in text_of(site.put("/menus", f"<html><body>{MENU * 9}{frame}{FOOTER}</body></html>"))
    assert site.times("/story") == 2
    own = f"<p>{TODAY * 4}</p>"
    text = text_of(site.put("/own", page(own + frame)))
    assert (TODAY in text, BELL in text, site.times("/story")) == (True, False, 2)


def test_frames_share_the_limits_of_their_page(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    for number in range(14):
        site.put(f"/{number}", f"<p>Bell number {number} hangs in Orlen.</p>")
    many = "".join(f"<frame src=/{number}>" for number in range(14))
    found = read(site.put("/many", f"<html><head></head><frameset>{many}</frameset></html>"))
    assert isinstance(found, SourceText)
    assert (found.text.count("Bell number"), site.times("/10")) == (10, 0)
    assert found.details["left_out"] == "4 frames left out: more than 10"
    site.put("/robots.txt", "User-agent: *\nDisallow: /3", "text/plain")
    site.put("/4", "", status=302, Location="http://localhost:1/")
    site.put("/5", b"<p>" + b"x" * 15_000_000 + b"</p>")
    site.put("/6", b"<p>" + b"x" * 15_000_000 + b"</p>")
    found = read(f"{site.url}/many")
    assert isinstance(found, SourceText)
    for why in ("robots.txt of the site does not allow it", "of another host", "larger than 20,000,000 bytes"):
        assert f"1 frame left out: {why}" in found.details["left_out"]
    site.slow.add("/7")
    monkeypatch.setattr(web, "MAX_SECONDS", 2.0)
    site.put("/late", "<html><frameset><frame src=/7><frame src=/8></frameset></html>")
    assert "2 frames left out: took longer than 2 s" in reason(f"{site.url}/late")


def test_a_page_in_frames_of_frames_ends(site: Site) -> None:
    for number in range(20):
        site.put(f"/{number}", f"<html><frameset><frame src=/{number + 1}></frameset></html>")
    assert "1 frame left out: more than 10" in reason(f"{site.url}/0")


BOMB = gzip.compress(b"<p>" + b"\0" * 200_000_000)
REFUSED = {
    "endless redirects": ("", 302, {"Location": "/page"}, "more than 10 redirects"),
    "to a file": ("", 302, {"Location": "file:///etc/passwd"}, "file:///etc/passwd, which is no web page"),
    "50 MB": (b"<p>" + b"x" * 50_000_000, 200, {}, "larger than 20,000,000 bytes"),
    "gzip bomb": (BOMB, 200, {"Content-Encoding": "gzip"}, "larger than 20,000,000 bytes"),
    "not gzip": (b"<p>plain</p>", 200, {"Content-Encoding": "gzip"}, "Error -3 while decompressing"),
    "404": ("no", 404, {}, "the server answers 404 Not Found"),
    "empty": ("", 200, {}, "no text"),
    "JavaScript only": (
        "<div id=root></div><noscript>Switch it on.</noscript><script>go()</script>",
        200,
        {},
        "no text",
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_a_page_that_is_refused_says_why(site: Site, name: str) -> None:
    body, status, heads, why = REFUSED[name]
    found = read(site.put("/page", body, status=status, **heads))
    assert isinstance(found, SkippedSource), found
    assert why in found.reason
    assert len(found.reason) < 400


def test_robots_a_slow_body_and_a_pdf(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    site.put("/robots.txt", "User-agent: *\nDisallow: /private/", "text/plain")
    assert reason(site.put("/private/page", page(STORY))) == "robots.txt of the site does not allow it"
    assert site.times("/private/page") == 0
    data = pdf(["The bell of Orlen was cast in 1712."])
    assert "cast in 1712" in text_of(site.put("/paper", data, "application/pdf"))
    assert "cast in 1712" in text_of(site.put("/paper.pdf", data, "application/octet-stream"))
    monkeypatch.setattr(web, "MAX_SECONDS", 1.0)
    site.slow.add("/slow")
    assert re.fullmatch("took longer than 1 s", reason(site.put("/slow", page(STORY))))
