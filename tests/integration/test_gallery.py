"""The pages of the gallery are what recorded answers give now, on a real Neo4j."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

import make_gallery
from kg_neo4j.graph.constraints import delete_graph
from kg_neo4j.graph.database import Database
from kg_neo4j.settings import Settings
from recorded_answers import RecordedAnswers

DRAWN = re.compile(r'<script type="application/json" id="kg-graph">(.*?)</script>', re.DOTALL)
MARK = re.compile(r" ?\[\d+\]")
LARGEST = 400_000  # bytes of a page that is kept


def drawn(page: Path) -> tuple[list[tuple[str, str, int]], int]:
    """Return the nodes in a page of `kg plot`, each with type and number of relationships, and the number of lines."""
    found = DRAWN.search(page.read_text(encoding="utf-8"))
    assert found, page
    data = json.loads(found[1])
    return sorted((node["name"], node["type"], node["degree"]) for node in data["nodes"]), len(data["edges"])


def said(page: str) -> list[list[str]]:
    """Return the lines of each section of a page without the numbers of citations, whose order other graphs shape."""
    return [sorted(MARK.sub("", part).splitlines()) for part in page.split("\n## ")]


@pytest.mark.needs("kg_neo4j_offline", "kg_neo4j_readers")
@pytest.mark.parametrize("given", make_gallery.graphs(), ids=lambda given: given["name"])
def test_a_page_is_what_recorded_answers_give(
    given: Mapping[str, Any], settings: Settings, database: Database, tmp_path: Path
) -> None:
    delete_graph(database, given["graph"])  # by this name, since ids decide between equals
    kept = make_gallery.GALLERY / f"{given['name']}.html"
    shown = make_gallery.show(given, settings, RecordedAnswers(), tmp_path)
    assert said(make_gallery.page(shown)) == said(kept.with_suffix(".md").read_text(encoding="utf-8"))
    assert drawn(tmp_path / kept.name) == drawn(kept)
    assert kept.stat().st_size < LARGEST
    assert len(shown.answers) == len({answer.question for answer in shown.answers}) == 10
    delete_graph(database, given["graph"])


def test_the_first_answer_of_the_readme_is_one_of_the_gallery() -> None:
    readme = (make_gallery.CHECKOUT / "README.md").read_text(encoding="utf-8").splitlines()
    page = (make_gallery.GALLERY / "museum.md").read_text(encoding="utf-8")
    [asked] = [line.strip("*") for line in readme if line.startswith("**") and line.endswith("?**")]
    answer = page.partition(f". {asked}\n")[2].partition("\n## ")[0]
    quoted = [line for line in readme if line.startswith("> ")]
    assert quoted == [line for line in answer.splitlines() if line.startswith("> ")]
    assert make_gallery.MADE in "\n".join(readme)


def test_the_figures_of_the_contents_are_those_of_the_pages() -> None:
    contents = (make_gallery.GALLERY / "index.md").read_text(encoding="utf-8")
    asked = [each for given in make_gallery.graphs() for each in given["questions"]]
    wrong = [each for each in asked if each.get("remark", "").lstrip().startswith("wrong")]
    assert (len(asked), len(wrong)) == (30, 1)
    assert f"{len(asked) - len(wrong)} of the thirty answers are right" in contents
    assert all(f"({given['name']}.md)" in contents for given in make_gallery.graphs())
