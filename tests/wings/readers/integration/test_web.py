"""Pages of a real server on loopback: main text, tables, redirects, robots.txt, limits, and files behind addresses."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

import web_site
from kg_neo4j.acquire.interface import SourceText
from kg_neo4j.errors import UsageError
from kg_neo4j.graph.database import Database
from kg_neo4j.graph.documents import list_documents
from kg_neo4j.records import SkippedSource
from kg_neo4j_readers import web
from kg_runner import Kg
from made_office import presentation, shape
from web_site import Site, read, reason, text_of

STORY = "The bell of Orlen was cast in 1712 by Jan Novak in the town foundry, and it rang for two hundred years. " * 3
MENU = "<nav><a href=/>Home</a> <a href=/shop>Shop</a> <a href=/login>Sign in</a></nav>"
BANNER = "<div class='cookie-banner' role=dialog>We use cookies. <button>Accept all</button></div>"
ARTICLE = (
    "<html lang=en><head><title>The bell of Orlen</title><meta name=author content='Ann Lee'>"
    "<meta property='article:published_time' content='2024-03-01T08:00:00Z'></head>"
    f"<body>{MENU}{BANNER}<main><article><h1>The bell of Orlen</h1><p>{STORY}</p><h2>Owners</h2>"
    "<table><tr><th>Name</th><th>Year</th></tr><tr><td>Marta Novak</td><td>1901</td></tr></table>"
    "<pre>bell = 1\nring(bell)</pre></article></main>"
    "<footer>Copyright Orlen Press. Imprint. Privacy.</footer></body></html>"
)


@pytest.fixture
def site() -> Iterator[Site]:
    with web_site.running() as found:
        yield found


def test_a_page_is_its_main_text_with_headings_tables_and_code(site: Site) -> None:
    found = read(site.put("/bell", ARTICLE))
    assert isinstance(found, SourceText)
    assert "# The bell of Orlen" in found.text
    assert "## Owners" in found.text
    assert "Marta Novak | 1901" in found.text
    assert "ring(bell)" in found.text
    assert not any(word in found.text for word in ("cookies", "Sign in", "Imprint", "Shop"))
    assert (found.title, found.url) == ("The bell of Orlen", f"{site.url}/bell")
    assert (found.details["author"], found.details["date"]) == ("Ann Lee", "2024-03-01")
    assert site.asked[0] == ("/robots.txt", web.AGENT)


@pytest.mark.parametrize(
    ("kind", "meta", "encoding"),
    [
        ("text/html; charset=iso-8859-2", "", "iso-8859-2"),
        ("text/html", "<meta charset=iso-8859-2>", "iso-8859-2"),
        ("text/html; charset=us-ascii", "", "utf-8"),  # the server is wrong
        ("text/html; charset=no-such-thing", "", "utf-8"),
    ],
)
def test_encodings_are_those_of_the_page(site: Site, kind: str, meta: str, encoding: str) -> None:
    page = f"<html><head>{meta}</head><body><p>{'Zażółć gęślą jaźń w Gdańsku. ' * 9}</p></body></html>"
    assert "Zażółć gęślą jaźń" in text_of(site.put("/pl", page.encode(encoding), kind))


def test_a_short_page_is_read_whole_and_said_to_be(site: Site) -> None:
    found = read(site.put("/short", "<p>Ann Lee was born in Oslo.</p><ul><li>One</li></ul>"))
    assert isinstance(found, SourceText)
    assert "Ann Lee was born in Oslo." in found.text


def test_redirects_are_followed_and_shown(site: Site) -> None:
    site.put("/bell", ARTICLE)
    site.put("/old", "", status=301, Location="/moved")
    site.put("/moved", "", status=302, Location=f"{site.url}/bell")
    found = read(f"{site.url}/old")
    assert isinstance(found, SourceText)
    assert (found.key, found.url) == (f"{site.url}/old".partition(":")[2], f"{site.url}/bell")
    assert found.details["left_out"] == f"the address led to {site.url}/bell"


def test_endless_redirects_other_schemes_and_errors_are_refused(site: Site) -> None:
    site.put("/loop", "", status=302, Location="/loop")
    site.put("/file", "", status=302, Location="file:///etc/passwd")
    assert reason(f"{site.url}/loop").startswith("more than 10 redirects")
    assert "file:///etc/passwd, which is no web page" in reason(f"{site.url}/file")
    assert reason(f"{site.url}/nothing") == "the server answers 404 Not Found"
    site.put("/bad", "", status=302, Location="http://[no-address/")
    assert reason(f"{site.url}/bad")
    assert reason(site.put("/down", "x", status=503)).startswith("the server answers 503")
    assert reason("http://127.0.0.1:1/x")


def test_robots_are_honoured_also_where_a_redirect_leads(site: Site) -> None:
    site.put(
        "/robots.txt", "User-agent: *\nDisallow: /private\n\nUser-agent: kg-neo4j\nDisallow: /not-us\n", "text/plain"
    )
    site.put("/not-us/a", ARTICLE)
    site.put("/to", "", status=302, Location="/not-us/a")
    assert text_of(site.put("/private", ARTICLE))  # its own group counts
    for path in ("/not-us/a", "/to"):
        assert reason(f"{site.url}{path}") == "robots.txt of the site does not allow it"
    assert ("/not-us/a", web.AGENT) not in site.asked


def test_where_robots_cannot_be_had_nothing_is_read(site: Site) -> None:
    site.put("/robots.txt", "down", status=500)
    assert "robots.txt" in reason(site.put("/bell", ARTICLE))


def test_files_behind_addresses_are_read_by_their_readers(site: Site) -> None:
    deck = presentation([shape(["Crew"], "title") + shape(["Ann leads."])])
    kind = "application/vnd.openxmlformats-officedocument.presentationml.presentation"
    assert text_of(site.put("/deck", deck, kind)) == "# Slide 1: Crew\n\nAnn leads."
    assert text_of(site.put("/a.csv", "Name,Town\nAnn,Oslo\n", "application/octet-stream")).endswith("Ann | Oslo | 2")
    assert text_of(site.put("/a", "Plain words.", "text/plain")) == "Plain words."
    assert reason(site.put("/a.png", b"\x89PNG", "image/png")) == "image/png, which no reader reads"


def test_what_is_too_large_or_hostile_is_refused(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    assert reason(site.put("/big", b"<p>" + b"x" * 50_000_000)) == "larger than 20,000,000 bytes"
    deep = "<div>" * 50_000 + "Ann Lee lives here." + "</div>" * 50_000
    found = read(site.put("/deep", deep))
    assert isinstance(found, (SourceText, SkippedSource))
    assert reason(site.put("/binary", b"\0\1\2\3" * 100)).startswith("binary")
    monkeypatch.setattr(web, "MAX_SECONDS", -1.0)
    assert reason(site.put("/late", ARTICLE)).startswith("took longer")


def test_without_the_extra_the_command_that_installs_it_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(web, "find_spec", lambda _: None)
    with pytest.raises(UsageError) as refused:
        web.open_https("//example.org/")
    assert refused.value.hint == "pip install 'kg-neo4j[web]'"


def test_kg_load_takes_an_address_and_skips_what_is_refused(kg: Kg, database: Database, graph: str, site: Site) -> None:
    address = site.put("/bell", ARTICLE)
    code, out, err = kg("load", address, "--no-analytics")
    assert code == 0, out + err
    (stored,) = list_documents(database, graph)
    assert (stored.key, stored.title) == (address, "The bell of Orlen")
    assert kg("load", address, "--no-analytics")[0] == 0
    assert len(list_documents(database, graph)) == 1
    code, out, err = kg("load", f"{site.url}/nothing", "--no-analytics")
    assert (code, f"{site.url}/nothing: the server answers 404" in out + err) == (3, True)
    assert kg("load", "https:page")[0] == 2
    assert kg("unload", address)[0] == 0
