"""Pages of a PDF: every citation names the page on which its quote begins; other documents have none."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from kg_neo4j import LoadOptions, Settings, ask, export_archive, import_graph, load
from kg_neo4j.graph.constraints import delete_graph
from kg_neo4j.graph.database import Database
from kg_neo4j.graph.export import lines
from kg_neo4j_scale.extract import extract
from kg_runner import Kg
from made_files import pdf

OPTIONS = LoadOptions(analytics=False)
PAGES = (
    "Ada Lind was born in Oslo in 1901.\nHer father was a baker.",
    "",
    "Ada Lind directed the film Rain Road in 1931.\nIt was shown in Bergen.",
    "Karl Braun worked for Ada Lind.\nKarl Braun died in Hamburg in 1950.",
)
QUESTIONS = {"When was Ada Lind born?": 1, "Who directed Rain Road?": 3, "Where did Karl Braun die?": 4}


@pytest.fixture
def paper(tmp_path: Path) -> str:
    path = tmp_path / "paper.pdf"
    path.write_bytes(pdf(PAGES))
    return str(path)


def dump(database: Database, graph: str) -> str:
    return "\n".join(lines(database, graph))


def test_a_citation_of_a_pdf_has_the_page_of_its_quote(offline: Settings, paper: str, kg: Kg) -> None:
    assert load([paper], settings=offline, options=OPTIONS).chunks == 2  # the first one spans three pages
    for question, page in QUESTIONS.items():
        for mode in ("local", "naive"):
            answer = ask(question, settings=offline, mode=mode)
            assert answer.found, question
            assert {citation.page for citation in answer.citations} == {page}, (question, mode)
    code, out, _ = kg("ask", "Who directed Rain Road?")
    assert (code, "[1] paper, page 3" in out) == (0, True), out
    assert "[1] paper, page 3, chunk " in kg("ask", "Who directed Rain Road?", "--show")[1]
    code, out, _ = kg("ask", "Who worked for Ada Lind?", "--mode", "cypher", "--json")
    assert {citation["page"] for citation in json.loads(out)["citations"]} == {4}
    answer = ask("Why did Karl Braun hate Oslo?", settings=offline)
    assert not answer.found
    assert {passage.citation.page for passage in answer.passages} == {1, 4}


def test_a_document_without_pages_has_no_new_property(
    database: Database, offline: Settings, tmp_path: Path, kg: Kg
) -> None:
    (tmp_path / "note.txt").write_text("Ada Lind directed the film Rain Road in 1931.", "utf-8")
    load([str(tmp_path / "note.txt")], settings=offline, options=OPTIONS)
    assert '"pages"' not in dump(database, offline.graph)
    (citation,) = ask("Who directed Rain Road?", settings=offline).citations
    assert citation.page is None
    assert "page" not in kg("ask", "Who directed Rain Road?")[1]


def test_pages_pass_through_files_of_extractions_and_archives(
    database: Database, offline: Settings, paper: str, tmp_path: Path
) -> None:
    load([paper], settings=offline, options=OPTIONS)
    whole = dump(database, offline.graph)
    export_archive(tmp_path / "graph.jsonl.gz", settings=offline)
    delete_graph(database, offline.graph)
    extract([paper], to=str(tmp_path / "extracted"), settings=offline, options=OPTIONS)
    load([str(tmp_path / "extracted")], settings=offline, options=OPTIONS)
    assert dump(database, offline.graph) == whole
    delete_graph(database, offline.graph)
    import_graph(tmp_path / "graph.jsonl.gz", settings=offline)
    assert dump(database, offline.graph) == whole
    assert {citation.page for citation in ask("Who directed Rain Road?", settings=offline).citations} == {3}


def test_a_page_that_moves_within_a_pdf_is_cited_where_it_is_now(offline: Settings, paper: str) -> None:
    load([paper], settings=offline, options=OPTIONS)
    Path(paper).write_bytes(pdf(("A new page about the weather in Lisbon.", *PAGES)))
    load([paper], settings=offline, options=replace(OPTIONS, prune=True))
    for question, page in QUESTIONS.items():
        assert {citation.page for citation in ask(question, settings=offline).citations} == {page + 1}
