"""Pages of a wiki: several titles, what they link to, and what was changed or deleted since they were loaded."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace

import pytest
from pydantic import SecretStr

import fake_mediawiki
from fake_mediawiki import Page, Wiki
from kg_neo4j import LoadOptions, Settings, load
from kg_neo4j.errors import UsageError
from kg_neo4j.graph import queries
from kg_neo4j.graph.constraints import delete_graph
from kg_neo4j.graph.database import Database
from kg_neo4j.graph.export import lines
from kg_neo4j.pipeline import plan

PLAIN = LoadOptions(analytics=False)
PRUNE = LoadOptions(analytics=False, prune=True)


@pytest.fixture
def wiki() -> Iterator[Wiki]:
    with fake_mediawiki.running() as running:
        yield running


def dump(database: Database, graph: str) -> str:
    return "\n".join(lines(database, graph))


@pytest.fixture
def with_wiki(offline: Settings, wiki: Wiki) -> Settings:
    wiki.pages = {
        "Anna Weber": Page(1, "Anna Weber lived in Vienna.", links=("Vienna", "Karl Braun", "Graz", "Which")),
        "Karl Braun": Page(2, "Karl Braun met Anna Weber in Graz.", links=("Vienna", "Graz", "Anna Weber", "Nobody")),
        "Vienna": Page(3, "Vienna lies on the Danube.", links=("Danube",)),
        "Graz": Page(4, "Graz lies on the Mur."),
        "Which": Page(5, "Which may refer to:", is_disambiguation=True),
    }
    wiki.redirects = {"Wien": "Vienna", "A. Weber": "Anna Weber"}
    return offline.model_copy(update={"wikipedia_url": wiki.url})


def texts_read(wiki: Wiki) -> list[str]:
    return [wiki.shown[int(asked["oldid"])][0] for asked in wiki.requests if asked["action"] == "parse"]


def stored(database: Database, graph: str) -> dict[str, Mapping[str, object]]:
    query = queries.Query(
        *("test", "", "", "read", (), (), "", "", "MATCH (d:Document {graph: $graph}) RETURN properties(d) AS document")
    )
    found = [row["document"] for row in database.read(query, graph=graph)]
    return {document["title"]: document for document in found}


def test_several_titles_and_the_pages_they_link_to_most(database: Database, with_wiki: Settings, wiki: Wiki) -> None:
    options = replace(PLAIN, wikipedia=("A. Weber", "Karl Braun"), links=2)
    report = load(settings=with_wiki, options=options)
    assert report.documents == 4
    assert report.skipped == ()
    found = stored(database, with_wiki.graph)
    assert sorted(found) == ["Anna Weber", "Graz", "Karl Braun", "Vienna"]
    assert found["Anna Weber"]["redirects"] == ["A. Weber"]
    assert found["Anna Weber"]["links"] == ["Graz", "Karl Braun", "Vienna", "Which"]
    assert found["Vienna"]["redirects"] == ["Wien"]
    assert found["Karl Braun"]["revision"] == 1
    everything = dump(database, with_wiki.graph)
    assert '"Danube"' in everything  # by its text, and as a link
    assert not re.search(r'"type": ?"LINK', everything)
    again = load(settings=with_wiki, options=options)
    assert again.changes == 0
    with pytest.raises(UsageError):
        load(settings=with_wiki, options=replace(options, refresh=True))


def test_links_that_cannot_be_followed_are_noted(with_wiki: Settings) -> None:
    report = load(settings=with_wiki, options=replace(PLAIN, wikipedia=("Anna Weber", "Karl Braun"), links=9))
    assert report.documents == 4
    noted = [note for note in report.notes if note.startswith("link to")]
    assert len(noted) == 2
    assert "'Nobody' not followed" in "".join(noted)
    assert "'Which' not followed: a disambiguation page" in "".join(noted)


def test_refresh_reads_changed_revisions_only(database: Database, with_wiki: Settings, wiki: Wiki) -> None:
    load(settings=with_wiki, options=replace(PLAIN, wikipedia=("Anna Weber", "Karl Braun", "Graz")))
    wiki.requests.clear()
    refresh = replace(PLAIN, refresh=True)
    assert plan(settings=with_wiki, options=refresh).documents == 0
    unchanged = load(settings=with_wiki, options=refresh)
    assert (unchanged.documents, unchanged.changes) == (0, 0)
    assert "wiki: 3 of 3 pages unchanged" in unchanged.notes
    assert len(wiki.requests) == 2  # one for the plan, one for the load
    wiki.pages["Graz"] = replace(wiki.pages["Graz"], revision=2, text="Graz lies in Styria. Ewa Lis lived in Graz.")
    wiki.requests.clear()
    changed = load(settings=with_wiki, options=refresh)
    assert changed.documents == 1
    assert texts_read(wiki) == ["Graz"]
    assert stored(database, with_wiki.graph)["Graz"]["revision"] == 2
    refreshed = dump(database, with_wiki.graph)
    delete_graph(database, with_wiki.graph)
    load(settings=with_wiki, options=replace(PLAIN, wikipedia=("Graz", "Anna Weber", "Karl Braun")))
    assert dump(database, with_wiki.graph) == refreshed


def test_refresh_of_named_pages_leaves_the_others_and_loads_new_ones(
    database: Database, with_wiki: Settings, wiki: Wiki
) -> None:
    load(settings=with_wiki, options=replace(PLAIN, wikipedia=("Anna Weber", "Graz")))
    for title in ("Anna Weber", "Graz"):
        wiki.pages[title] = replace(wiki.pages[title], revision=2)
    wiki.requests.clear()
    report = load(settings=with_wiki, options=replace(PLAIN, wikipedia=("A. Weber", "Wien"), refresh=True))
    assert report.documents == 2
    assert texts_read(wiki) == ["Anna Weber", "Vienna"]
    revisions = {title: found["revision"] for title, found in stored(database, with_wiki.graph).items()}
    assert revisions == {"Anna Weber": 2, "Graz": 1, "Vienna": 1}


def test_pages_that_are_gone_from_the_wiki_are_reported_and_pruned(
    database: Database, with_wiki: Settings, wiki: Wiki
) -> None:
    load(settings=with_wiki, options=replace(PLAIN, wikipedia=("Anna Weber", "Karl Braun", "Graz")))
    del wiki.pages["Karl Braun"]
    wiki.pages["Graz (city)"] = replace(wiki.pages.pop("Graz"), revision=2)
    whole = len(stored(database, with_wiki.graph))
    report = load(settings=with_wiki, options=replace(PLAIN, refresh=True))
    assert any("'Karl Braun': it was deleted" in note for note in report.notes)
    assert any("'Graz': it was moved to 'Graz (city)'" in note for note in report.notes)
    assert len(stored(database, with_wiki.graph)) == whole
    load(settings=with_wiki, options=replace(PRUNE, refresh=True))
    assert sorted(stored(database, with_wiki.graph)) == ["Anna Weber", "Graz (city)"]


def test_prune_without_refresh_leaves_pages_alone(database: Database, with_wiki: Settings, wiki: Wiki) -> None:
    load(settings=with_wiki, options=replace(PLAIN, wikipedia=("Graz", "Vienna")))
    del wiki.pages["Graz"]
    load(settings=with_wiki, options=replace(PRUNE, wikipedia=("Vienna",)))
    assert sorted(stored(database, with_wiki.graph)) == ["Graz", "Vienna"]


def test_a_page_that_was_deleted_and_made_again_replaces_its_former_text(
    database: Database, with_wiki: Settings, wiki: Wiki
) -> None:
    load(settings=with_wiki, options=replace(PLAIN, wikipedia=("Anna Weber", "Graz")))
    wiki.pages["Graz"] = Page(40, "Ewa Lis lived in Graz.", revision=40)
    report = load(settings=with_wiki, options=replace(PLAIN, wikipedia=("Graz",)))
    assert "Graz: deleted from the wiki and made again; the former text is removed" in report.notes
    found = stored(database, with_wiki.graph)
    assert {title: page["page_id"] for title, page in found.items()} == {"Anna Weber": 1, "Graz": 40}
    again = dump(database, with_wiki.graph)
    assert '"Mur"' not in again
    assert load(settings=with_wiki, options=replace(PLAIN, wikipedia=("Graz",))).changes == 0
    delete_graph(database, with_wiki.graph)
    load(settings=with_wiki, options=replace(PLAIN, wikipedia=("Graz", "Anna Weber")))
    assert dump(database, with_wiki.graph) == again


def test_a_page_that_was_moved_is_not_removed_by_the_one_that_has_its_title_now(
    database: Database, with_wiki: Settings, wiki: Wiki
) -> None:
    load(settings=with_wiki, options=replace(PLAIN, wikipedia=("Graz",)))
    wiki.pages["Graz (city)"] = wiki.pages["Graz"]
    wiki.pages["Graz"] = Page(40, "Graz may be a city or a person.", revision=40)
    load(settings=with_wiki, options=replace(PLAIN, wikipedia=("Graz",)))
    query = "MATCH (d:Document {graph: $graph}) RETURN d.page_id AS page ORDER BY page"
    rows = database.read(queries.Query(*("t", "", "", "read", (), (), "", "", query)), graph=with_wiki.graph)
    assert [row["page"] for row in rows] == [4, 40]


def test_refresh_of_a_page_that_was_made_again_loads_the_new_one_in_its_place(
    database: Database, with_wiki: Settings, wiki: Wiki
) -> None:
    load(settings=with_wiki, options=replace(PLAIN, wikipedia=("Graz",)))
    wiki.pages["Graz"] = Page(40, "Ewa Lis lived in Graz.", revision=40)
    load(settings=with_wiki, options=replace(PLAIN, wikipedia=("Graz",), refresh=True))
    assert stored(database, with_wiki.graph)["Graz"]["page_id"] == 40


def test_pages_of_a_wiki_that_moved_are_counted_then_refreshed_with_its_former_host(
    database: Database, with_wiki: Settings, wiki: Wiki
) -> None:
    load(settings=with_wiki, options=replace(PLAIN, wikipedia=("Anna Weber", "Graz")))
    former = wiki.url.split("/")[2]
    with fake_mediawiki.running() as moved:
        moved.pages = {**wiki.pages, "Graz": Page(4, "Ewa Lis lived in Graz.", revision=2)}
        there = with_wiki.model_copy(update={"wikipedia_url": moved.url})
        refresh = replace(PLAIN, refresh=True)
        report = load(settings=there, options=refresh)
        assert "wiki: 0 of 0 pages unchanged" in report.notes
        assert any(f"2 pages of {former} not checked" in note for note in report.notes)
        assert any(f"KG_WIKIPEDIA_FORMER_HOST={former}" in note for note in report.notes)
        assert moved.requests == []
        named = there.model_copy(update={"wikipedia_former_host": former})
        report = load(settings=named, options=refresh)
        assert "wiki: 1 of 2 pages unchanged" in report.notes
        assert load(settings=named, options=replace(PLAIN, wikipedia=("Anna Weber",))).nodes == report.nodes
    found = stored(database, with_wiki.graph)
    assert {title: page["revision"] for title, page in found.items()} == {"Anna Weber": 1, "Graz": 2}
    assert found["Graz"]["key"] == f"{former}/en/4"


def test_a_password_reaches_neither_the_graph_nor_the_report(
    database: Database, with_wiki: Settings, wiki: Wiki
) -> None:
    wiki.bot = ("Anna@kg", "canary-7")
    given = {"wikipedia_username": SecretStr("Anna@kg"), "wikipedia_password": SecretStr("canary-7")}
    settings = with_wiki.model_copy(update=given)
    report = load(settings=settings, options=replace(PLAIN, wikipedia=("Anna Weber",), links=1))
    report_again = load(settings=settings, options=replace(PLAIN, refresh=True))
    assert report.documents == 2
    whole = f"{dump(database, with_wiki.graph)}{report}{report_again}{settings}"
    assert "canary" not in whole
    assert "Anna@kg" not in whole


def test_language_of_the_option_wins_for_pages_too(database: Database, with_wiki: Settings, wiki: Wiki) -> None:
    wiki.pages["Graz"] = Page(4, "Грац лежит на реке Мур. Анна Вебер жила в этом городе, и она была там с мужем.")
    load(settings=with_wiki, options=replace(PLAIN, wikipedia=("Graz", "Vienna")))
    found = stored(database, with_wiki.graph)
    assert (found["Graz"]["language"], found["Vienna"]["language"]) == ("ru", "en")
    load(settings=with_wiki, options=replace(PLAIN, wikipedia=("Graz", "Vienna"), language="uk"))
    found = stored(database, with_wiki.graph)
    assert (found["Graz"]["language"], found["Vienna"]["language"]) == ("uk", "uk")
