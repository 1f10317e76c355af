"""Links, redirects and revisions, asked of a real loopback MediaWiki, fifty pages at a time and part by part."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest

import fake_mediawiki
from fake_mediawiki import BUSY, Page, Wiki
from kg_neo4j.acquire import mediawiki, page_refresh, wiki_pages, wikipedia
from kg_neo4j.acquire.mediawiki import Site
from kg_neo4j.acquire.page_refresh import CheckedPage, KnownPage
from kg_neo4j.errors import SourceNotFound
from kg_neo4j.records import Document, SkippedSource


@pytest.fixture
def wiki() -> Iterator[Wiki]:
    with fake_mediawiki.running() as running:
        yield running


@pytest.fixture
def client(wiki: Wiki) -> Iterator[Any]:
    with mediawiki.open_wiki(Site(url=wiki.url)) as opened:
        yield opened


def fetched(wiki: Wiki, title: str) -> Document:
    return wikipedia.fetch([title], graph="g", site=Site(url=wiki.url))[0]


def asked_for(wiki: Wiki, prop: str) -> list[dict[str, str]]:
    return [asked for asked in wiki.requests if asked.get("prop") == prop]


def test_links_are_sorted_articles_only_the_first_ones_where_there_are_many(
    wiki: Wiki, monkeypatch: pytest.MonkeyPatch
) -> None:
    links = [f"Page {number:03}" for number in range(25)]
    wiki.pages["Hub"] = Page(1, "Text.", links=(*reversed(links), "Talk:Hub", "Hub"))
    assert fetched(wiki, "Hub").links == tuple(links)
    monkeypatch.setattr(wiki_pages, "MAX_LINKS", 10)
    assert fetched(wiki, "Hub").links == tuple(links[:10])


def test_redirects_of_many_answers_are_put_together(wiki: Wiki, client: Any) -> None:
    wiki.redirects = {f"Old {number:02}": "Mercury" for number in range(23)} | {"Elsewhere": "Juno"}
    wiki.most_entries = 5
    assert wiki_pages.redirects_to(client, "Mercury") == tuple(f"Old {number:02}" for number in range(23))
    assert len(asked_for(wiki, "redirects")) == 5


def test_more_redirects_than_are_kept_are_not_asked_for(
    wiki: Wiki, client: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    wiki.redirects = {f"Old {number:02}": "Mercury" for number in range(23)}
    wiki.most_entries = 5
    monkeypatch.setattr(wiki_pages, "MAX_REDIRECTS", 10)
    assert wiki_pages.redirects_to(client, "Mercury") == tuple(f"Old {number:02}" for number in range(10))
    assert len(wiki.requests) == 2


def test_titles_that_lead_to_a_page_do_not_depend_on_the_title_that_was_asked(wiki: Wiki) -> None:
    wiki.redirects |= {"I. Newton": "Newton (physicist)", "Newton (physicist)": "Isaac Newton", "Deep": "I. Newton"}
    wiki.pages["Isaac Newton"] = Page(50, "A physicist.")
    found = {fetched(wiki, title).redirects for title in ("Isaac Newton", "I. Newton", "Newton (physicist)", "Deep")}
    assert found == {("I. Newton", "Newton (physicist)")}


def test_a_wiki_that_repeats_itself_is_not_asked_for_ever(wiki: Wiki, client: Any) -> None:
    stuck = '{"continue": {"grdcontinue": "7"}, "query": {"pages": {"1": {"title": "X"}}}}'
    wiki.misbehaviours.extend([fake_mediawiki.Misbehaviour(200, stuck)] * 9)
    assert wiki_pages.redirects_to(client, "Hub") == ("X",)
    assert len(wiki.requests) == 2


def test_states_of_fifty_pages_take_one_request(wiki: Wiki, client: Any) -> None:
    wiki.pages |= {f"P{number}": Page(1_000 + number, "x", revision=number) for number in range(120)}
    states = wiki_pages.states_by_id(client, range(1_000, 1_121))
    assert len(wiki.requests) == 3
    assert states[1_007] == wiki_pages.PageState("P7", 1_007, 7, 0, is_redirect=False, is_disambiguation=False)
    assert states[1_120].page_id is None
    wiki.requests.clear()
    by_title = wiki_pages.states_by_title(client, [*(f"P{number}" for number in range(49)), "Rozewie", "Nowhere"])
    assert len(wiki.requests) == 2
    assert (by_title["Rozewie"].title, by_title["Rozewie"].page_id) == ("Rozewie Lighthouse", 101)
    assert by_title["Nowhere"].page_id is None


def test_long_titles_are_asked_in_addresses_that_servers_take(wiki: Wiki, client: Any) -> None:
    titles = [f"{number:02}" + "ż" * 120 for number in range(40)]
    assert set(wiki_pages.states_by_title(client, titles)) == set(titles)
    assert len(wiki.requests) > 1


def test_a_circle_of_redirects_ends(wiki: Wiki, client: Any) -> None:
    wiki.redirects |= {"A": "B", "B": "A"}
    assert wiki_pages.states_by_title(client, ["A", "Mercury"]).keys() == {"Mercury"}
    assert wiki_pages.states_by_title(client, ["A"]) == {}


@pytest.mark.parametrize(
    ("redirects", "said"),
    [
        ({"A": "B", "B": "A"}, "only leads in a circle"),
        ({"A": "A"}, "only leads in a circle"),
        ({"A": "Nowhere"}, "'A' leads to 'Nowhere', and"),
    ],
)
def test_a_redirect_that_leads_nowhere_is_not_found(wiki: Wiki, redirects: dict[str, str], said: str) -> None:
    wiki.redirects = redirects
    with pytest.raises(SourceNotFound, match=said):
        fetched(wiki, "A")


# ------------------------------------------------------------------------------------------------ following links


def page(title: str, text: str, links: tuple[str, ...], redirects: tuple[str, ...] = ()) -> Document:
    return Document(title, "g", "wikipedia", title, title, title, text, "", links=links, redirects=redirects)


def test_pages_that_more_pages_link_to_come_first_then_what_the_text_names_more_often() -> None:
    one = page("One", "The Baltic and the baltic coast. Mercury rose. Polands.", ("Baltic", "Poland", "Two", "Zebra"))
    two = page("Two", "Mercury set, mercury!", ("Poland", "Mercury (planet)", "Aachen", "Uno", "Zebra"), ("Uno",))
    assert wikipedia.rank([one, two]) == ("Poland", "Zebra", "Mercury (planet)", "Baltic", "Aachen")
    assert wikipedia.rank([two, one]) == wikipedia.rank([one, two])


@pytest.fixture
def linked(wiki: Wiki) -> Wiki:
    wiki.pages["Start"] = Page(
        1,
        "Of cats and dogs. Cats!",
        links=("Cats", "Dogs", "Nowhere", "Juno", "Blank", "Merkury", "Rozewie", "Kittens"),
    )
    wiki.pages["Other"] = Page(2, "Nowhere, Juno.", links=("Nowhere", "Juno", "Blank", "Merkury", "Cats"))
    wiki.pages["Cats"] = Page(3, "Cats purr.", links=("Lions",))
    wiki.pages["Dogs"] = Page(4, "Dogs bark.")
    wiki.redirects["Kittens"] = "Cats"
    return wiki


def follow(wiki: Wiki, number: int) -> list[Document | SkippedSource]:
    start = [fetched(wiki, "Start"), fetched(wiki, "Other")]
    wiki.requests.clear()
    return list(wikipedia.follow(start, number, graph="g", site=Site(url=wiki.url)))


def test_what_cannot_be_followed_is_said_and_the_next_page_takes_its_place(linked: Wiki) -> None:
    found = follow(linked, 2)
    assert [each.title for each in found if isinstance(each, Document)] == ["Cats", "Dogs"]
    assert {each.source: each.reason for each in found if isinstance(each, SkippedSource)} == {
        "Juno": "a disambiguation page",
        "Merkury": "a disambiguation page",  # known by its category only
        "Nowhere": f"{linked.url.split('/')[2]} has no such page",
        "Blank": f"{linked.url.split('/')[2]}: the page 'Blank' has no text",
    }


def test_a_page_is_followed_once_and_its_own_links_are_not(linked: Wiki) -> None:
    titles = [each.title for each in follow(linked, 99) if isinstance(each, Document)]
    assert titles == ["Cats", "Dogs", "Rozewie Lighthouse"]  # Kittens leads to Cats
    assert len(asked_for(linked, "text|links")) == 4  # and Blank


def test_no_more_pages_are_read_than_were_asked_for(linked: Wiki) -> None:
    assert follow(linked, 0) == []
    assert linked.requests == []
    assert [each.title for each in follow(linked, 1) if isinstance(each, Document)] == ["Cats"]
    assert len(asked_for(linked, "text|links")) == 1


# ------------------------------------------------------------------------------------------------ refreshing


def known(document: Document, *, is_whole: bool = True) -> KnownPage:
    return KnownPage(document.id, document.key, document.title, document.source, document.revision, is_whole)


def check(wiki: Wiki, *pages: KnownPage) -> dict[str, CheckedPage]:
    wiki.requests.clear()
    return {found.page.title: found for found in page_refresh.check(pages, graph="g", site=Site(url=wiki.url))}


def test_the_text_of_an_unchanged_page_is_not_asked_for(wiki: Wiki) -> None:
    wiki.pages |= {f"P{number}": Page(1_000 + number, f"Text {number}.") for number in range(3)}
    documents = [fetched(wiki, f"P{number}") for number in range(3)]
    wiki.pages["P1"] = replace(wiki.pages["P1"], revision=2, text="Another text.")
    found = check(wiki, *map(known, documents))
    assert {title for title, each in found.items() if each.document} == {"P1"}
    assert found["P1"].document == replace(fetched(wiki, "P1"), source="P1")
    assert not any(each.remark or each.is_gone for each in found.values())
    wiki.pages["P1"] = replace(wiki.pages["P1"], revision=1)
    check(wiki, *map(known, documents))
    assert len(wiki.requests) == 1


def test_a_page_that_was_not_finished_is_read_again(wiki: Wiki) -> None:
    document = fetched(wiki, "Rozewie Lighthouse")
    assert check(wiki, known(document, is_whole=False))["Rozewie Lighthouse"].document == document


def test_deleted_moved_and_merged_pages_are_told_apart(wiki: Wiki) -> None:
    wiki.pages |= {f"P{number}": Page(1_000 + number, "Text.") for number in range(4)}
    pages = [known(fetched(wiki, f"P{number}")) for number in range(4)]
    del wiki.pages["P0"]
    wiki.pages["New"] = replace(wiki.pages.pop("P1"), revision=9)
    wiki.pages["P2"] = replace(wiki.pages["P2"], is_redirect=True, revision=9)
    wiki.pages["P3"] = replace(wiki.pages["P3"], is_disambiguation=True, revision=9)
    found = check(wiki, *pages)
    assert {title for title, each in found.items() if each.is_gone} == {"P0", "P2"}
    assert "deleted" in found["P0"].remark
    assert "another page" in found["P2"].remark
    assert "moved to 'New'" in found["P1"].remark
    moved = found["P1"].document
    assert moved is not None
    assert (moved.title, moved.source, moved.id) == ("New", "P1", pages[1].document_id)
    assert "stays as it was" in found["P3"].remark
    assert found["P3"].document is None


def test_pages_of_another_wiki_are_left_alone(wiki: Wiki) -> None:
    foreign = KnownPage("1" * 32, "wiki.example.org/en/5", "X", "X", 1, is_whole=True)
    found = check(wiki, foreign)["X"]
    assert (found.document, found.is_gone) == (None, False)
    assert found.is_elsewhere
    assert wiki.requests == []


def test_pages_of_a_wiki_that_moved_are_looked_at_and_keep_their_keys(wiki: Wiki) -> None:
    before = Site(url=wiki.url, former_host="Wiki.example.org:8080")
    (document,) = wikipedia.fetch(["Rozewie Lighthouse"], graph="g", site=before)
    assert document.key == "wiki.example.org:8080/en/101"
    wiki.pages["Rozewie Lighthouse"] = replace(wiki.pages["Rozewie Lighthouse"], revision=7002)
    (found,) = page_refresh.check([known(document)], graph="g", site=before)
    assert found.document is not None
    assert (found.document.key, found.document.revision) == (document.key, 7002)
    (elsewhere,) = page_refresh.check([known(document)], graph="g", site=Site(url=wiki.url))
    assert elsewhere.is_elsewhere


def test_pages_that_the_wiki_no_longer_has_are_told_from_those_it_has(wiki: Wiki) -> None:
    wiki.pages |= {f"P{number}": Page(1_000 + number, "Text.") for number in range(2)}
    pages = [known(fetched(wiki, title)) for title in ("P0", "P1")]
    foreign = KnownPage("1" * 32, "wiki.example.org/en/5", "X", "X", 1, is_whole=True)
    del wiki.pages["P0"]
    assert list(page_refresh.deleted([*pages, foreign], Site(url=wiki.url))) == [pages[0]]


def test_a_busy_wiki_is_waited_for(wiki: Wiki) -> None:
    document = fetched(wiki, "Rozewie Lighthouse")
    wiki.misbehaviours.append(BUSY)
    assert check(wiki, known(document))["Rozewie Lighthouse"].document is None
    assert len(wiki.requests) == 2
