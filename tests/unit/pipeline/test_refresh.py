"""Pages of a wiki: which are read again, which are gone, which replace others, and what a report says of them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest
from pydantic import SecretStr

import fake_mediawiki
from document_record import DocumentRecord
from fake_mediawiki import LINKED_PAGES, LINKED_REDIRECTS, Page, Wiki
from kg_neo4j import LoadOptions, Settings
from kg_neo4j.errors import UsageError

PLAIN = LoadOptions()
PRUNE = LoadOptions(prune=True)
REFRESH = LoadOptions(refresh=True)


@pytest.fixture
def wiki() -> Iterator[Wiki]:
    with fake_mediawiki.running() as running:
        running.pages, running.redirects = {**LINKED_PAGES}, {**LINKED_REDIRECTS}
        yield running


@pytest.fixture
def record(wiki: Wiki) -> DocumentRecord:
    return DocumentRecord(Settings(wikipedia_url=wiki.url))


def titles(*names: str) -> LoadOptions:
    return replace(PLAIN, wikipedia=names)


def texts_read(wiki: Wiki) -> list[str]:
    return [wiki.shown[int(asked["oldid"])][0] for asked in wiki.requests if asked["action"] == "parse"]


def revisions(record: DocumentRecord) -> dict[str, int | None]:
    return {each.title: each.revision for each in record.listed()}


def test_links_that_cannot_be_followed_are_noted(record: DocumentRecord) -> None:
    tally = record.load(options=replace(titles("Anna Weber", "Karl Braun"), links=9))
    assert sorted(record.titled) == ["Anna Weber", "Graz", "Karl Braun", "Vienna"]
    assert len(tally.notes) == 2
    assert any(note.startswith("link to 'Nobody' not followed: ") for note in tally.notes)
    assert "link to 'Which' not followed: a disambiguation page" in tally.notes


def test_links_are_not_followed_from_refreshed_pages(record: DocumentRecord) -> None:
    with pytest.raises(UsageError, match="links are followed"):
        record.load(options=replace(REFRESH, wikipedia=("Graz",), links=1))


def test_refresh_reads_changed_revisions_only_and_counts_the_others(record: DocumentRecord, wiki: Wiki) -> None:
    record.load(options=titles("Anna Weber", "Karl Braun", "Graz"))
    wiki.requests.clear()
    unchanged = record.load(options=REFRESH)
    assert (unchanged.documents, unchanged.changes) == (0, 0)
    assert unchanged.notes == ["wiki: 3 of 3 pages unchanged"]
    assert len(wiki.requests) == 1
    wiki.pages["Graz"] = replace(wiki.pages["Graz"], revision=2, text="Graz lies in Styria.")
    changed = record.load(options=REFRESH)
    assert (changed.documents, changed.changes) == (1, 1)
    assert changed.notes == ["wiki: 2 of 3 pages unchanged"]
    assert texts_read(wiki) == ["Graz"]
    assert revisions(record)["Graz"] == 2


def test_refresh_of_named_pages_leaves_the_others_and_loads_new_ones(record: DocumentRecord, wiki: Wiki) -> None:
    record.load(options=titles("Anna Weber", "Graz"))
    for title in ("Anna Weber", "Graz"):
        wiki.pages[title] = replace(wiki.pages[title], revision=2)
    wiki.requests.clear()
    tally = record.load(options=replace(REFRESH, wikipedia=("A. Weber", "Wien")))
    assert tally.documents == 2
    assert texts_read(wiki) == ["Anna Weber", "Vienna"]
    assert revisions(record) == {"Anna Weber": 2, "Graz": 1, "Vienna": 1}


def test_pages_that_are_gone_from_the_wiki_are_reported_and_pruned(record: DocumentRecord, wiki: Wiki) -> None:
    record.load(options=titles("Anna Weber", "Karl Braun", "Graz"))
    del wiki.pages["Karl Braun"]
    wiki.pages["Graz (city)"] = replace(wiki.pages.pop("Graz"), revision=2)
    tally = record.load(options=REFRESH)
    assert any("'Karl Braun': it was deleted" in note for note in tally.notes)
    assert any("'Graz': it was moved to 'Graz (city)'" in note for note in tally.notes)
    assert "Karl Braun: no longer where they came from: they stay until --prune removes them" in tally.notes
    assert sorted(record.titled) == ["Anna Weber", "Graz (city)", "Karl Braun"]
    pruned = record.load(options=replace(PRUNE, refresh=True))
    assert "Karl Braun: removed: no longer where they came from" in pruned.notes
    assert sorted(record.titled) == ["Anna Weber", "Graz (city)"]


def test_prune_without_refresh_leaves_pages_alone(record: DocumentRecord, wiki: Wiki) -> None:
    record.load(options=titles("Graz", "Vienna"))
    del wiki.pages["Graz"]
    record.load(options=replace(PRUNE, wikipedia=("Vienna",)))
    assert sorted(record.titled) == ["Graz", "Vienna"]


@pytest.mark.parametrize("refresh", [False, True])
def test_a_page_that_was_deleted_and_made_again_replaces_the_former_one(
    record: DocumentRecord, wiki: Wiki, refresh: bool
) -> None:
    record.load(options=titles("Anna Weber", "Graz"))
    wiki.pages["Graz"] = Page(40, "Ewa Lis lived in Graz.", revision=40)
    tally = record.load(options=replace(titles("Graz"), refresh=refresh))
    assert "Graz: deleted from the wiki and made again; the former text is removed" in tally.notes
    assert {title: page.page_id for title, page in record.titled.items()} == {"Anna Weber": 1, "Graz": 40}
    assert len(record.listed()) == 2


def test_a_page_that_was_moved_is_not_removed_by_the_one_that_has_its_title_now(
    record: DocumentRecord, wiki: Wiki
) -> None:
    record.load(options=titles("Graz"))
    wiki.pages["Graz (city)"] = wiki.pages["Graz"]
    wiki.pages["Graz"] = Page(40, "Graz may be a city or a person.", revision=40)
    record.load(options=titles("Graz"))
    assert sorted(record.texts[each].page_id or 0 for each in record.stored) == [4, 40]


def test_pages_of_a_wiki_that_moved_are_counted_then_refreshed_with_its_former_host(
    record: DocumentRecord, wiki: Wiki
) -> None:
    record.load(options=titles("Anna Weber", "Graz"))
    former = wiki.url.split("/")[2]
    with fake_mediawiki.running() as moved:
        moved.pages = {**wiki.pages, "Graz": Page(4, "Ewa Lis lived in Graz.", revision=2)}
        record.settings = Settings(wikipedia_url=moved.url)
        tally = record.load(options=REFRESH)
        assert "wiki: 0 of 0 pages unchanged" in tally.notes
        assert any(f"2 pages of {former} not checked" in note for note in tally.notes)
        assert any(f"KG_WIKIPEDIA_FORMER_HOST={former}" in note for note in tally.notes)
        assert moved.requests == []
        record.settings = Settings(wikipedia_url=moved.url, wikipedia_former_host=former)
        assert "wiki: 1 of 2 pages unchanged" in record.load(options=REFRESH).notes
        assert record.load(options=titles("Anna Weber")).documents == 1
    assert revisions(record) == {"Anna Weber": 1, "Graz": 2}
    assert record.keys == [f"{former}/en/1", f"{former}/en/4"]


def test_a_password_reaches_neither_the_documents_nor_the_report(record: DocumentRecord, wiki: Wiki) -> None:
    wiki.bot = ("Anna@kg", "canary-7")
    record.settings = Settings(
        wikipedia_url=wiki.url, wikipedia_username=SecretStr("Anna@kg"), wikipedia_password=SecretStr("canary-7")
    )
    first = record.load(options=replace(titles("Anna Weber"), links=1))
    again = record.load(options=REFRESH)
    assert (first.documents, again.notes) == (2, ["wiki: 2 of 2 pages unchanged"])
    whole = f"{record.texts}{record.stored}{first}{again}{record.settings}"
    assert "canary" not in whole
    assert "Anna@kg" not in whole


def test_language_of_the_option_wins_for_pages_too(record: DocumentRecord, wiki: Wiki) -> None:
    wiki.pages["Graz"] = Page(4, "Грац лежит на реке Мур. Анна Вебер жила в этом городе, и она была там с мужем.")
    record.load(options=titles("Graz", "Vienna"))
    assert {each.title: each.language for each in record.listed()} == {"Graz": "ru", "Vienna": "en"}
    record.load(options=replace(titles("Graz", "Vienna"), language="uk"))
    assert {each.title: each.language for each in record.listed()} == {"Graz": "uk", "Vienna": "uk"}
