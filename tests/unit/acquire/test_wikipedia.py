"""Pages of a real loopback MediaWiki become documents; everything that can go wrong with one has its own error."""

from __future__ import annotations

import inspect
import json
import socket
from collections.abc import Iterator
from typing import Any

import pytest
import wikipediaapi
from pydantic import SecretStr

import fake_mediawiki
from fake_mediawiki import BUSY, HTML, MAXLAG, RATE_LIMITED, Misbehaviour, Page, Wiki
from kg_neo4j.acquire import mediawiki, wikipedia
from kg_neo4j.acquire.mediawiki import Site
from kg_neo4j.acquire.wiki_pages import FoundPage
from kg_neo4j.errors import (
    AmbiguousTitle,
    SourceNotFound,
    UnreadableSource,
    UsageError,
    WikiAccessDenied,
    WikipediaUnavailable,
)
from kg_neo4j.records import Document


@pytest.fixture
def wiki() -> Iterator[Wiki]:
    with fake_mediawiki.running() as running:
        yield running


def fetch(title: str, *, graph: str, url: str | None = None, language: str = "en", **options: Any) -> Document:
    site_options = {name: options.pop(name) for name in ("former_host", "username", "password") if name in options}
    (document,) = wikipedia.fetch([title], graph=graph, site=Site(language, url, **site_options), **options)
    return document


def test_page_keeps_revision_url_and_identity(wiki):
    document = fetch("Rozewie Lighthouse", graph="g", url=wiki.url)
    host = wiki.url.split("/")[2]
    assert (document.kind, document.key) == ("wikipedia", f"{host}/en/101")
    assert (document.page_id, document.revision, document.language) == (101, 7001, "en")
    assert document.url.endswith("title=Rozewie_Lighthouse")
    assert document.title == document.source == "Rozewie Lighthouse"
    assert document.redirects == ("Cape Rozewie light", "Rozewie")
    assert document.links == ("Baltic Sea",)


def test_sections_are_a_tree_with_offsets_into_the_text(wiki):
    document = fetch("Rozewie Lighthouse", graph="g", url=wiki.url)
    assert [(s.title, s.level) for s in document.sections] == [
        ("History", 1),
        ("The lantern", 2),
        ("Access", 1),
        ("By bus", 2),
    ]
    for section in document.sections:
        assert document.text[section.start :].startswith(section.title)
    history, lantern, access, _ = document.sections
    assert history.start < lantern.start < lantern.end == history.end == access.start
    assert access.end == len(document.text)


def test_sections_without_text_are_left_out(wiki):
    document = fetch("Rozewie Lighthouse", graph="g", url=wiki.url)
    assert "See also" not in document.text
    assert document.text.endswith("Buses run from Władysławowo.")


def test_page_that_opens_with_a_heading_keeps_its_text_once(wiki):
    wiki.pages["Odd"] = Page(300, "== First ==\nOne.\n\n\n== Second ==\nTwo.")
    document = fetch("Odd", graph="g", url=wiki.url)
    assert document.text == "First\n\nOne.\n\nSecond\n\nTwo."
    assert [s.title for s in document.sections] == ["First", "Second"]


def test_redirects_are_followed_and_recorded(wiki):
    document = fetch("Rozewie", graph="g", url=wiki.url)
    assert document.title == "Rozewie Lighthouse"
    assert document.source == "Rozewie"
    assert document.redirects == ("Cape Rozewie light", "Rozewie")
    assert document.id == fetch("Rozewie Lighthouse", graph="g", url=wiki.url).id


def test_ids_differ_between_graphs(wiki):
    one = fetch("Rozewie Lighthouse", graph="one", url=wiki.url)
    two = fetch("Rozewie Lighthouse", graph="two", url=wiki.url)
    assert one.id != two.id
    assert len(one.id) == 32


def test_text_and_revision_belong_together_where_a_page_is_edited_while_it_is_read(wiki):
    wiki.edits_after_info = 1
    document = fetch("Rozewie Lighthouse", graph="g", url=wiki.url)
    assert document.revision == 7001
    assert "Edited." not in document.text
    assert "Edited." in fetch("Rozewie Lighthouse", graph="g", url=wiki.url).text


def test_page_whose_revision_is_deleted_while_it_is_read_is_read_again(wiki):
    wiki.vanishing = 1
    assert fetch("Rozewie Lighthouse", graph="g", url=wiki.url).revision == 7001
    wiki.vanishing = 99
    wiki.requests.clear()
    with pytest.raises(WikipediaUnavailable, match="changed each time"):
        fetch("Rozewie Lighthouse", graph="g", url=wiki.url)
    assert sum(asked["action"] == "parse" for asked in wiki.requests) == wikipedia.READINGS


def test_page_takes_two_requests_and_a_third_where_titles_redirect_to_it(wiki):
    wiki.pages["Plain"] = Page(300, "Text.", links=("A", "B"), categories=("Category:C",))
    fetch("Plain", graph="g", url=wiki.url)
    assert [asked["action"] for asked in wiki.requests] == ["query", "parse"]
    wiki.requests.clear()
    fetch("Rozewie Lighthouse", graph="g", url=wiki.url)
    assert [asked["action"] for asked in wiki.requests] == ["query", "parse", "query"]


@pytest.mark.parametrize("title", ["No Such Page", "rozewie lighthouse"])
def test_missing_page_is_not_found_and_nothing_is_guessed(wiki, title):
    with pytest.raises(SourceNotFound, match="has no page"):
        fetch(title, graph="g", url=wiki.url)
    assert all("search" not in asked.get("list", "") for asked in wiki.requests)


@pytest.mark.parametrize(
    ("title", "choices"),
    [
        ("Mercury", ("Mercury (element)", "Mercury (planet)")),  # by property and category
        ("Merkury", ("Merkury (planeta)",)),  # by its category alone
        ("Juno", ("Juno (mythology)",)),  # by its property alone
    ],
)
def test_disambiguation_page_lists_its_choices(wiki, title, choices):
    with pytest.raises(AmbiguousTitle) as caught:
        fetch(title, graph="g", url=wiki.url)
    assert caught.value.choices == choices
    assert all(choice in str(caught.value) for choice in choices)
    assert caught.value.hint == "load one of them by its exact title"


def test_page_without_text_is_unreadable(wiki):
    with pytest.raises(UnreadableSource, match="no text"):
        fetch("Blank", graph="g", url=wiki.url)


def test_title_of_another_wiki_is_not_found(wiki):
    with pytest.raises(SourceNotFound, match="another wiki"):
        fetch("de:Leuchtturm", graph="g", url=wiki.url)


@pytest.mark.parametrize("title", ["", "  ", "A|B", "A#B", "a\nb", "x" * 300, "[[X]]"])
def test_what_can_be_no_title_is_refused_before_asking(wiki, title):
    with pytest.raises(UsageError, match="cannot be the title"):
        fetch(title, graph="g", url=wiki.url)
    assert wiki.requests == []


@pytest.mark.parametrize("language", ["", "EN", "en.example.org/", "../x", "e"])
def test_language_that_is_no_code_never_reaches_an_address(language):
    with pytest.raises(UsageError, match="code of a language"):
        fetch("X", graph="g", language=language)


@pytest.mark.parametrize("busy", [BUSY, RATE_LIMITED, MAXLAG])
def test_busy_wiki_is_asked_again(wiki, busy):
    wiki.misbehaviours.extend([busy, busy])
    document = fetch("Rozewie Lighthouse", graph="g", url=wiki.url)
    assert document.page_id == 101
    assert wiki.requests[0] == wiki.requests[1] == wiki.requests[2]


def test_wiki_that_stays_busy_is_given_up(wiki):
    wiki.misbehaviours.extend([BUSY] * 50)
    with pytest.raises(WikipediaUnavailable, match="busy"):
        fetch("Rozewie Lighthouse", graph="g", url=wiki.url)
    assert len(wiki.requests) == mediawiki.ATTEMPTS


def test_wiki_that_asks_for_a_long_wait_is_reported_at_once(wiki):
    wiki.misbehaviours.append(Misbehaviour(429, "", (("Retry-After", "3600"),)))
    with pytest.raises(WikipediaUnavailable, match="3,600 s"):
        fetch("Rozewie Lighthouse", graph="g", url=wiki.url)
    assert len(wiki.requests) == 1


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        (HTML, "not as a MediaWiki does"),
        (Misbehaviour(200, "[]"), "not as a MediaWiki does"),
        (Misbehaviour(200, "{}"), "not as a MediaWiki does"),
        (Misbehaviour(200, '{"error": {"code": "internal_api_error", "info": "boom"}}'), "boom"),
        (Misbehaviour(404, "nothing here"), "HTTP 404"),
        (Misbehaviour(500, "oops"), "HTTP 500"),
    ],
)
def test_answer_that_is_not_mediawikis_is_unavailable(wiki, wrong, said):
    wiki.misbehaviours.append(wrong)
    with pytest.raises(WikipediaUnavailable, match=said) as caught:
        fetch("Rozewie Lighthouse", graph="g", url=wiki.url)
    assert caught.value.hint


def test_nobody_listening_is_unavailable_with_a_hint():
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    with pytest.raises(WikipediaUnavailable, match="cannot be reached") as caught:
        fetch("X", graph="g", url=f"http://user:secret@127.0.0.1:{port}/w/api.php")
    assert "secret" not in str(caught.value)
    assert "KG_WIKIPEDIA_URL" in (caught.value.hint or "")


def test_user_and_password_of_the_address_do_not_reach_the_document(wiki):
    address = wiki.url.replace("http://", "http://user:secret@")
    document = fetch("Rozewie Lighthouse", graph="g", url=address)
    assert "secret" not in document.key


@pytest.mark.parametrize("url", ["api.php", "ftp://example.org/api.php", "http:///api.php"])
def test_address_that_is_none_is_refused(url):
    with pytest.raises(UsageError, match="KG_WIKIPEDIA_URL"):
        fetch("X", graph="g", url=url)


def test_we_name_ourselves(wiki):
    fetch("Rozewie Lighthouse", graph="g", url=wiki.url)
    assert all(agent.startswith("kg-neo4j/") for agent in wiki.user_agents)
    assert all("python" in agent for agent in wiki.user_agents)


def test_licence_is_known_for_wikipedia_only(wiki):
    assert fetch("Rozewie Lighthouse", graph="g", url=wiki.url).licence is None


def test_recorded_answers_of_wikipedia_give_the_whole_article(wiki, shared_data):
    wiki.replay(shared_data / "mediawiki_api" / "cassettes")
    document = fetch("Python_(programming_language)", graph="g", url=wiki.url)
    assert document.title == "Python (programming language)"
    assert document.page_id == 23862
    assert document.licence == "CC BY-SA 4.0"
    assert document.text.startswith("Python is a high-level, general-purpose programming language.")
    assert {"History", "Syntax and semantics", "Indentation"} <= {s.title for s in document.sections}
    assert len(document.links) > 600  # of two answers
    assert {"ABC (programming language)", "Python Software Foundation"} <= set(document.links)
    assert document.links == tuple(sorted(document.links))
    assert not [link for link in document.links if link.startswith(("Portal:", "Wikipedia:", "Help:"))]
    assert document.title not in document.links
    assert "==" not in [line[:2] for line in document.text.splitlines()]
    with pytest.raises(SourceNotFound):
        fetch("NonExistentPage_WikiAPI_Test_12345", graph="g", url=wiki.url)


RUSSIAN = "Мария Кюри родилась в Варшаве в 1867 году. Она была первой женщиной, которая получила Нобелевскую премию."
POLISH = (
    "Zakład w Hamburgu został otwarty w roku 1912. Jego dyrektorem był Karl Braun, który mieszkał w Grazu i pracował "
    "tam od roku 1905. To był duży zakład, ale nie miał wielu pracowników."
)


@pytest.mark.parametrize(
    ("text", "stated", "language"),
    [
        (RUSSIAN, "en", "ru"),
        (POLISH, "en", "pl"),
        ("Karl Braun met Anna Weber in Graz.", "en", "en"),  # too short to say
        (POLISH, "sr-el", "sr-el"),  # the wiki says it of this page
    ],
)
def test_language_is_found_where_the_wiki_only_states_its_own(wiki, text, stated, language):
    wiki.pages["Page"] = Page(300, text, language=stated)
    assert fetch("Page", graph="g", url=wiki.url).language == language
    assert fetch("Page", graph="g", url=wiki.url, text_language="cs").language == "cs"


def test_variant_that_the_wiki_states_is_kept_where_the_text_agrees(wiki):
    wiki.language = "pl-x"
    wiki.pages["Page"] = Page(300, POLISH, language="pl-x")
    assert fetch("Page", graph="g", url=wiki.url).language == "pl-x"


def test_a_wikipedia_has_one_language():
    page = FoundPage("P", 1, 1, None, "en", "en", (), has_disambiguation=False, has_redirects=False)
    assert wikipedia._language(POLISH, page, Site("en")) == "en"
    assert wikipedia._language(POLISH, page, Site("en", "https://wiki.example.org/api.php")) == "pl"


# ------------------------------------------------------------------------------------------------ logging in

PASSWORD = "canary-7+&=ż"
BOT = {"username": SecretStr("Anna@kg"), "password": SecretStr(PASSWORD)}


@pytest.fixture
def private(wiki: Wiki) -> Wiki:
    wiki.bot = ("Anna@kg", PASSWORD)
    return wiki


def test_restricted_wiki_is_read_with_a_bot_password(private):
    document = fetch("Rozewie Lighthouse", graph="g", url=private.url, **BOT)
    assert document.page_id == 101
    assert [asked["action"] for asked in private.requests] == ["query", "login", "query", "parse", "query"]
    assert all(asked["assert"] == "user" for asked in private.requests[2:])
    assert [PASSWORD in str(asked) for asked in private.requests] == [False, True, False, False, False]
    assert PASSWORD not in str(document)


def test_one_login_serves_several_pages_and_an_ended_session_is_begun_again(private):
    site = Site(url=private.url, **BOT)
    with mediawiki.open_wiki(site) as client:
        wikipedia.read_page(client, "Rozewie Lighthouse", graph="g")
        private.sessions.clear()
        wikipedia.read_page(client, "Rozewie Lighthouse", graph="g")
        wikipedia.read_page(client, "Rozewie Lighthouse", graph="g")
    assert [asked["action"] for asked in private.requests].count("login") == 2


def test_restricted_wiki_without_a_password_names_the_two_settings(private):
    with pytest.raises(WikiAccessDenied, match="readapidenied") as caught:
        fetch("Rozewie Lighthouse", graph="g", url=private.url)
    assert "KG_WIKIPEDIA_USERNAME and KG_WIKIPEDIA_PASSWORD" in (caught.value.hint or "")


def test_wrong_password_is_refused_once_and_never_shown(private, caplog):
    caplog.set_level("DEBUG")
    private.bot = ("Anna@kg", "another")
    with pytest.raises(WikiAccessDenied, match="refused the user name or the password") as caught:
        fetch("Rozewie Lighthouse", graph="g", url=private.url, **BOT)
    assert len(private.requests) == 2
    assert "Incorrect username or password" in str(caught.value)
    assert "canary" not in f"{caught.value!r}{caught.value.hint}{caplog.text}"  # nor encoded


def test_reason_that_repeats_the_password_is_not_shown(private):
    said = json.dumps({"login": {"result": "Failed", "reason": f"{PASSWORD} is wrong"}})
    token = json.dumps({"query": {"tokens": {"logintoken": "t"}}})
    private.misbehaviours.extend([Misbehaviour(200, token), Misbehaviour(200, said)])
    with pytest.raises(WikiAccessDenied) as caught:
        fetch("Rozewie Lighthouse", graph="g", url=private.url, **BOT)
    assert PASSWORD not in str(caught.value)


@pytest.mark.parametrize("place", [0, 1, 2])
@pytest.mark.parametrize("status", [302, 307])
def test_password_and_session_are_never_sent_to_another_address(private, place, status):
    """The other server is another port of the same host: cookies alone would be sent there."""
    with fake_mediawiki.running() as other:
        other.bot = private.bot
        elsewhere = Misbehaviour(status, "", (("Location", other.url),))
        token = json.dumps({"query": {"tokens": {"logintoken": "t"}}})
        success = json.dumps({"login": {"result": "Success"}})
        right = [Misbehaviour(200, token), Misbehaviour(200, success)]
        private.misbehaviours.extend([*right[:place], elsewhere])
        with pytest.raises(WikipediaUnavailable, match="leads to another address") as caught:
            fetch("Rozewie Lighthouse", graph="g", url=private.url, **BOT)
        assert other.requests == []
        assert "KG_WIKIPEDIA_URL" in (caught.value.hint or "")


@pytest.mark.parametrize(
    ("site", "said"),
    [
        (Site(url="http://127.0.0.1:1/api.php", username=SecretStr("Anna@kg")), "need each other"),
        (Site(url="http://127.0.0.1:1/api.php", password=SecretStr(PASSWORD)), "need each other"),
        (Site(**BOT), "not the wiki that it is for"),
        (Site(url="http://127.0.0.1:1/api.php", former_host="http://old/api.php"), "FORMER_HOST is not a host"),
    ],
)
def test_settings_that_cannot_be_used_are_refused_before_asking(site, said):
    with pytest.raises(UsageError, match=said), mediawiki.open_wiki(site):
        pass
    assert PASSWORD not in repr(site)


def test_package_builds_its_address_in_the_one_method_that_we_override():
    with mediawiki.open_wiki(Site("pl")) as client:
        assert client._build_url("pl") == "https://pl.wikipedia.org/w/api.php"
    with mediawiki.open_wiki(Site("pl", "http://127.0.0.1:1/api.php")) as client:
        assert client._build_url("pl") == "http://127.0.0.1:1/api.php"
    source = inspect.getsource(wikipediaapi._http_client.sync_http_client)
    assert "self._build_url(language)" in source
    assert "wikipedia.org" not in source


def test_package_has_the_methods_that_we_call():
    assert list(inspect.signature(wikipediaapi.Wikipedia._get).parameters) == ["self", "language", "params"]
    assert list(inspect.signature(wikipediaapi.Wikipedia._do_get).parameters) == ["self", "url", "params"]
    assert "kwargs" in inspect.signature(wikipediaapi.Wikipedia.categories).parameters
