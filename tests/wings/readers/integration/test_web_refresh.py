"""Web pages of a graph are asked for again with what their servers marked them by; and lists of sources in files."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

import fake_mediawiki
import web_site
from document_record import DocumentRecord
from fake_llm import FakeLlm
from fake_mediawiki import LINKED_PAGES
from kg_neo4j import LoadOptions, Settings
from kg_neo4j.acquire.interface import SourceText
from kg_neo4j.errors import UsageError
from kg_neo4j.graph.constraints import delete_graph
from kg_neo4j.graph.database import Database
from kg_neo4j.graph.documents import list_documents
from kg_neo4j.pipeline.commands.load import load
from kg_neo4j.pipeline.commands.plan import plan
from kg_neo4j_readers import web
from kg_runner import Kg, RunKg, environment_of
from web_site import Site, read

PLAIN = LoadOptions(analytics=False)
REFRESH = replace(PLAIN, refresh=True)
MARKS = {"ETag": '"one"', "Last_Modified": "Mon, 04 Mar 2024 08:00:00 GMT"}
SENT = {"if-none-match": '"one"', "if-modified-since": "Mon, 04 Mar 2024 08:00:00 GMT"}


def page(words: str) -> str:
    told = f"{words} The bell of Orlen was cast in 1712 by Jan Novak in the town foundry, and it rang for years. " * 3
    return f"<html><title>The bell</title><body><main><h1>The bell</h1><p>{told}</p></main></body></html>"


@pytest.fixture
def site() -> Iterator[Site]:
    with web_site.running() as found:
        yield found


@pytest.fixture
def record() -> DocumentRecord:
    return DocumentRecord(Settings())


def test_an_unchanged_page_is_asked_for_by_its_marks_and_not_read(record: DocumentRecord, site: Site) -> None:
    addresses = [site.put("/a", page("A."), **MARKS), site.put("/b", page("B."), ETag='W/"b"')]
    record.load(*addresses, options=PLAIN)
    site.conditions.clear()
    tally = record.load(options=REFRESH)
    assert (tally.documents, tally.changes, tally.skipped) == (0, 0, [])
    assert "web: 2 of 2 pages unchanged" in tally.notes
    assert [each for each in site.conditions if each[0] != "/robots.txt"] == [
        ("/a", SENT),
        ("/b", {"if-none-match": 'W/"b"'}),
    ]


def test_a_changed_page_is_read_and_its_new_marks_are_kept(record: DocumentRecord, site: Site) -> None:
    address = site.put("/a", page("A."), **MARKS)
    record.load(address, site.put("/b", page("B.")), options=PLAIN)  # b has no marks
    site.put("/a", page("Ann bought it."), **{**MARKS, "ETag": '"two"'})
    tally = record.load(options=REFRESH)
    assert (tally.documents, tally.changes) == (2, 1)
    assert "web: 0 of 2 pages unchanged" in tally.notes
    assert any("Ann bought it." in each.text for each in record.texts.values())
    assert {each.key: each.version.split("\n")[0] for each in record.listed()} == {
        address: '"two"',
        f"{site.url}/b": "",
    }


@pytest.mark.parametrize("status", [404, 410])
def test_a_page_that_is_gone_stays_until_it_is_pruned(record: DocumentRecord, site: Site, status: int) -> None:
    address = site.put("/a", page("A."), **MARKS)
    other = site.put("/b", page("B."), **MARKS)
    record.load(address, other, options=PLAIN)
    site.put("/a", "gone", status=status)
    tally = record.load(options=REFRESH)
    assert f"{address}: no longer where they came from: they stay until --prune removes them" in tally.notes
    assert (record.keys, tally.skipped) == ([address, other], [])
    tally = record.load(options=replace(REFRESH, prune=True))
    assert f"{address}: removed: no longer where they came from" in tally.notes
    assert record.keys == [other]
    assert [each.reason for each in record.load(address, options=REFRESH).skipped] == [
        f"the server answers {status} {'Gone' if status == 410 else 'Not Found'}"
    ]


def test_a_page_that_cannot_be_had_now_stays_and_is_named(record: DocumentRecord, site: Site) -> None:
    addresses = [site.put(f"/{name}", page(name), **MARKS) for name in ("down", "forbidden", "empty", "led")]
    record.load(*addresses, options=PLAIN)
    site.put("/down", "", status=503)
    site.put("/robots.txt", "User-agent: *\nDisallow: /forbidden", "text/plain")
    site.put("/empty", "<html></html>")
    site.put("/led", "", status=302, Location="/down")
    tally = record.load(options=replace(REFRESH, prune=True))
    assert {each.source.removeprefix(site.url): each.reason for each in tally.skipped} == {
        "/down": "the server answers 503 Service Unavailable; it stays as it was loaded",
        "/forbidden": "robots.txt of the site does not allow it; it stays as it was loaded",
        "/empty": "no text; it stays as it was loaded",
        "/led": "the server answers 503 Service Unavailable; it stays as it was loaded",
    }
    assert sorted(addresses) == record.keys


def test_marks_are_not_sent_to_another_address_nor_for_frames(record: DocumentRecord, site: Site) -> None:
    site.put("/new", page("New."), **MARKS)
    site.put("/old", "", status=301, Location="/new")
    site.put("/frames", "<frameset><frame src=/new></frameset>", **MARKS)
    record.load(f"{site.url}/old", f"{site.url}/frames", options=PLAIN)
    site.conditions.clear()
    assert "web: 1 of 2 pages unchanged" in record.load(options=REFRESH).notes
    asked = {path: conditions for path, conditions in site.conditions if path != "/new"}
    assert asked == {"/robots.txt": {}, "/old": {}, "/frames": {}}
    assert [conditions for path, conditions in site.conditions if path == "/new"] == [{}, SENT]
    site.put("/old", page("Moved back."), ETag='"one"')  # the mark of another address means nothing here
    assert record.load(options=REFRESH).documents == 2


def test_names_limit_what_is_asked_again_and_new_ones_are_loaded(site: Site) -> None:
    with fake_mediawiki.running() as wiki:
        wiki.pages = {**LINKED_PAGES}
        record = DocumentRecord(Settings(wikipedia_url=wiki.url))
        one, two = site.put("/a", page("A."), **MARKS), site.put("/b", page("B."), **MARKS)
        record.load(one, two, options=replace(PLAIN, wikipedia=("Graz",)))
        site.asked.clear()
        wiki.requests.clear()
        tally = record.load(one, site.put("/new", page("New.")), options=REFRESH)
        assert (site.times("/a"), site.times("/b"), site.times("/new"), wiki.requests) == (1, 0, 1, [])
        assert tally.notes == ["web: 1 of 2 pages unchanged"]
        assert f"{site.url}/new" in record.keys
        site.asked.clear()
        tally = record.load(options=replace(REFRESH, wikipedia=("Graz",)))
        assert (site.asked, tally.notes) == ([], ["wiki: 1 of 1 pages unchanged"])
        record.load(options=REFRESH)
        assert (site.times("/a"), site.times("/b"), site.times("/new")) == (1, 1, 1)


def test_a_page_that_is_not_whole_is_read_without_conditions(record: DocumentRecord, site: Site) -> None:
    record.load(site.put("/a", page("A."), **MARKS), options=PLAIN)
    record.stored = {key: replace(each, done=0) for key, each in record.stored.items()}
    site.conditions.clear()
    assert record.load(options=REFRESH).documents == 1
    assert site.conditions[-1] == ("/a", {})


def test_the_extra_is_needed_only_where_there_are_web_pages(
    record: DocumentRecord, site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as without:
        without.setattr(web, "find_spec", lambda _: None)
        assert record.load(options=REFRESH).notes == ["wiki: 0 of 0 pages unchanged"]
    record.load(site.put("/a", page("A.")), options=PLAIN)
    monkeypatch.setattr(web, "find_spec", lambda _: None)
    with pytest.raises(UsageError, match="web pages need the package") as refused:
        record.load(options=REFRESH)
    assert refused.value.hint == "pip install 'kg-neo4j[web]'"


def test_marks_that_no_head_can_have_are_not_kept(site: Site) -> None:
    found = read(site.put("/a", page("A."), ETag='"\xe9"'))
    assert isinstance(found, SourceText)
    assert found.details["version"] == ""


def test_a_graph_keeps_the_marks_and_no_model_is_asked(
    database: Database, online: Settings, llm: FakeLlm, site: Site, run_kg: RunKg, tmp_path: Path
) -> None:
    def marks(graph: str) -> list[str]:
        return [each.version for each in list_documents(database, graph)]

    address, kept = site.put("/a", page("A."), **MARKS), [f'"one"\n{MARKS["Last_Modified"]}']
    load([address], settings=online, options=PLAIN)
    assert (marks(online.graph), asked := llm.calls) == (kept, llm.calls)
    assert asked > 0
    report = load(settings=online, options=REFRESH)
    assert (report.changes, llm.calls) == (0, asked)
    assert plan(settings=online, options=REFRESH).documents == 0
    site.put("/a", page("A."), ETag='"two"')  # the same text
    report = load(settings=online, options=REFRESH)
    assert (report.documents, report.changes, llm.calls, marks(online.graph)) == (1, 1, asked, ['"two"'])
    environment, archive, copy = environment_of(online), str(tmp_path / "kept.jsonl"), f"{online.graph}-copy"
    assert run_kg(["graphs", "copy", online.graph, copy], environment)[0] == 0
    assert marks(copy) == ['"two"']
    delete_graph(database, copy)
    assert run_kg(["export", "--archive", archive], environment)[0] == 0
    delete_graph(database, online.graph)
    assert run_kg(["import", archive], environment)[0] == 0
    assert marks(online.graph) == ['"two"']
    site.put("/a", page("Ann bought it."), ETag='"three"')
    assert load(settings=online, options=REFRESH).documents == 1
    assert llm.calls > asked


def test_kg_load_takes_a_list_of_sources(kg: Kg, site: Site, tmp_path: Path) -> None:
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "ann.txt").write_text("Ann Lee met Bo Berg in Oslo.")
    listed = tmp_path / "list.txt"
    listed.write_text(f"# what we read\n\n  {site.put('/a', page('A.'))}\n{tmp_path / 'notes'}\n", "utf-16")
    code, out, err = kg("load", "--from", str(listed), "--no-analytics", "--json")
    assert (code, '"documents": 2' in out) == (0, True), err
    (tmp_path / "bo.txt").write_text("Bo Berg lives in Molde.")
    code, out, err = kg("load", str(tmp_path / "bo.txt"), "--from", str(listed), "--no-analytics", "--json")
    assert (code, '"documents": 3' in out) == (0, True), err


def test_a_list_is_read_from_standard_input(run_kg: RunKg, offline: Settings, site: Site) -> None:
    typed = f"{site.put('/a', page('A.'))}\n{site.put('/b', page('B.'))}\n"
    code, out, err = run_kg(["load", "--from", "-", "--no-analytics", "--json"], environment_of(offline), typed)
    assert (code, '"documents": 2' in out) == (0, True), err


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (None, "No such file"),
        (b"# nothing\n\n", "it names no source"),
        (b"\0\1\2\3" * 99, "binary"),
        (b"", "no source"),
    ],
)
def test_a_list_that_names_nothing_is_refused(kg: Kg, tmp_path: Path, content: bytes | None, why: str) -> None:
    listed = tmp_path / "list.txt"
    if content is not None:
        listed.write_bytes(content)
    code, out, err = kg("load", "--from", str(listed))
    assert code == 2
    assert why in err
    assert "name a text file that has one file, folder or address a line" in err
    assert (kg("load", "--from", str(tmp_path))[0], out) == (2, "")
