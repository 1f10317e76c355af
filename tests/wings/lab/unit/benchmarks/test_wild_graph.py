"""WildGraphBench: pages and their addresses, questions and the pages that they need."""

from __future__ import annotations

import json
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from kg_neo4j.errors import SourceNotFound, UnreadableSource

CHECKOUT = Path(__file__).resolve().parents[5]


@pytest.fixture
def wild_graph(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(str(CHECKOUT / "benchmarks"))
    import wild_graph

    return wild_graph


def written(folder: Path, references: dict[str, str], pages: dict[str, str], *questions: dict[str, Any]) -> Path:
    article = folder / "corpus" / "tides" / "Tide"
    (article / "reference_pages").mkdir(parents=True)
    rows = [{"title": title, "url": url} for title, url in references.items()]
    (article / "references.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows), "utf-8")
    for name, text in pages.items():
        (article / "reference_pages" / f"{name}.txt").write_text(text, "utf-8")
    (folder / "QA" / "tides").mkdir(parents=True)
    lines = "".join(f"{json.dumps(row)}\n" for row in questions)
    (folder / "QA" / "tides" / "questions.jsonl").write_text(lines, "utf-8")
    return folder


def question(*urls: str) -> dict[str, Any]:
    return {"question": "When is high water?", "question_type": ["multi_fact"], "answer": "At six.", "ref_urls": urls}


def test_a_question_needs_the_pages_of_its_addresses(wild_graph: ModuleType, tmp_path: Path) -> None:
    long = "A " + "very " * 20 + "long title"
    references = {"Schöne Tide: 2nd_ed.": "u1", long: "u2", "Not kept": "u3"}
    pages = {"Schne Tide 2nd ed": "High water\r\nat six.", wild_graph._bare(long): "Low water at noon."}
    found, asked = wild_graph.read(written(tmp_path, references, pages, question("u2", "u1", "u1")))
    assert {page["text"] for page in found} == {"High water\nat six.", "Low water at noon."}
    assert [(each["id"], each["gold"], each["type"]) for each in asked] == [("tides/1", [0, 1], "multi-fact")]


def test_a_page_that_is_missing_stops_the_run(wild_graph: ModuleType, tmp_path: Path) -> None:
    with pytest.raises(SourceNotFound, match="no pages"):
        wild_graph.read(tmp_path)
    folder = written(tmp_path, {"Tide": "u1", "Not kept": "u3"}, {"Tide": "At six."}, question("u1"), question("u3"))
    with pytest.raises(UnreadableSource, match="question 2: no page of u3"):
        wild_graph.read(folder)
