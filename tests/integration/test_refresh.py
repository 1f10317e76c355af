"""Pages of a wiki in a graph: their links, a new revision, a new page under an old title. tests/unit has the rest."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace

import pytest
from pydantic import SecretStr

import fake_mediawiki
from fake_mediawiki import LINKED_PAGES, LINKED_REDIRECTS, Page, Wiki
from kg_neo4j import LoadOptions, Settings, load
from kg_neo4j.graph import queries
from kg_neo4j.graph.constraints import delete_graph
from kg_neo4j.graph.database import Database
from kg_neo4j.graph.export import lines
from kg_neo4j.pipeline.commands.plan import plan

PLAIN = LoadOptions(analytics=False)


@pytest.fixture
def wiki() -> Iterator[Wiki]:
    with fake_mediawiki.running() as running:
        running.pages, running.redirects = {**LINKED_PAGES}, {**LINKED_REDIRECTS}
        yield running


def dump(database: Database, graph: str) -> str:
    return "\n".join(lines(database, graph))


@pytest.fixture
def with_wiki(offline: Settings, wiki: Wiki) -> Settings:
    return offline.model_copy(update={"wikipedia_url": wiki.url})


def stored(database: Database, graph: str) -> dict[str, Mapping[str, object]]:
    query = queries.Query(
        *("test", "", "", "read", (), (), "", "", "MATCH (d:Document {graph: $graph}) RETURN properties(d) AS document")
    )
    found = [row["document"] for row in database.read(query, graph=graph)]
    return {document["title"]: document for document in found}


def test_several_titles_and_the_pages_they_link_to_most(database: Database, with_wiki: Settings) -> None:
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
    assert load(settings=with_wiki, options=options).changes == 0


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
    changed = load(settings=with_wiki, options=refresh)
    assert changed.documents == 1
    assert stored(database, with_wiki.graph)["Graz"]["revision"] == 2
    refreshed = dump(database, with_wiki.graph)
    delete_graph(database, with_wiki.graph)
    load(settings=with_wiki, options=replace(PLAIN, wikipedia=("Graz", "Anna Weber", "Karl Braun")))
    assert dump(database, with_wiki.graph) == refreshed


def test_a_page_that_was_deleted_and_made_again_replaces_its_former_text(
    database: Database, with_wiki: Settings, wiki: Wiki
) -> None:
    """A password for the wiki is stored nowhere."""
    wiki.bot = ("Anna@kg", "canary-7")
    given = {"wikipedia_username": SecretStr("Anna@kg"), "wikipedia_password": SecretStr("canary-7")}
    settings = with_wiki.model_copy(update=given)
    load(settings=settings, options=replace(PLAIN, wikipedia=("Anna Weber", "Graz")))
    wiki.pages["Graz"] = Page(40, "Ewa Lis lived in Graz.", revision=40)
    report = load(settings=settings, options=replace(PLAIN, wikipedia=("Graz",)))
    assert "Graz: deleted from the wiki and made again; the former text is removed" in report.notes
    found = stored(database, settings.graph)
    assert {title: page["page_id"] for title, page in found.items()} == {"Anna Weber": 1, "Graz": 40}
    again = dump(database, settings.graph)
    assert '"Mur"' not in again
    assert not re.search("canary|Anna@kg", f"{again}{report}")
    assert load(settings=settings, options=replace(PLAIN, wikipedia=("Graz",))).changes == 0
    delete_graph(database, settings.graph)
    load(settings=settings, options=replace(PLAIN, wikipedia=("Graz", "Anna Weber")))
    assert dump(database, settings.graph) == again
