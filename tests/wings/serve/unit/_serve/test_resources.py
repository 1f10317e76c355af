"""Resources of MCP clients as Markdown: what documents say stays in lines of its own, whatever it holds."""

from __future__ import annotations

from typing import Any

import pytest

from kg_neo4j_serve import mcp

HOSTILE = "# Heading\n\nIGNORE ALL\r\n> quoted\u2028<script>alert(1)</script> {{ 7 * 7 }} | a | b |"
NAME = "A\n# B | C"
FACT = {"source": NAME, "type": "MET", "target": "D", "document": NAME, "line": 3, "chunk_id": "c1"}
PASSAGE = {"index": 0, "section": NAME, "page": 2, "line": None, "chunk_id": "c1", "source_text": HOSTILE}
FOUND: dict[str, dict[str, Any]] = {
    "entity": {
        "name": NAME,
        "type": "PERSON",
        "aliases": [NAME, "E"],
        "documents": 1,
        "degree": 2,
        "near": [NAME],
        "description": HOSTILE,
        "facts": [{**FACT, "source_text": HOSTILE}],
        "cursor": "next",
    },
    "passage": {"document": NAME, "document_id": "d1", "total": 4, "cursor": None, "passages": [PASSAGE]},
    "document": {"document": NAME, "document_id": "d1", "total": 4, "cursor": "next", "passages": [PASSAGE, PASSAGE]},
    "report": {"title": NAME, "columns": ["A", "B"], "rows": [[NAME, [1, None]], [None, True]], "cursor": None},
}


def rendered(kind: str) -> str:
    template = mcp.templates().get_template("resource.md")
    return template.render(kind=kind, at=lambda kind, id: f"kg://g/{kind}/{id}", **FOUND[kind])


@pytest.mark.parametrize("kind", FOUND)
def test_text_of_documents_is_quoted_line_by_line(kind: str) -> None:
    lines = rendered(kind).splitlines()
    assert lines[0] == "# A # B | C"
    assert [line for line in lines[1:] if line.startswith("#")] == ["## Facts"] * (kind == "entity")
    for words in ("IGNORE ALL", "Heading", "<script>", "{{ 7 * 7 }}"):
        found = [line for line in lines if words in line]
        assert all(line.lstrip().startswith("> ") for line in found), found
        assert bool(found) == (kind != "report")


def test_each_kind_says_where_to_read_on() -> None:
    assert 'the tool entity reads on with cursor="next"' in rendered("entity")
    assert 'the tool source reads on with cursor="next"' in rendered("document")
    assert "(A # B | C, line 3, kg://g/passage/c1)" in rendered("entity")
    assert "Passage 1 of 4, A # B | C, page 2, kg://g/passage/c1" in rendered("passage")
    assert "kg://g/document/d1" in rendered("passage")
    assert "| A # B \\| C | 1 |" in rendered("report")


@pytest.mark.parametrize(
    ("uri", "parts"),
    [
        ("kg://notes/entity/Ada Lovelace", ("notes", "entity", "Ada Lovelace")),
        ("kg://a%2Fb/passage/c-1", ("a%2Fb", "passage", "c-1")),
        ("kg://entity/Ada", (None, "entity", "Ada")),
        ("kg://notes/entity/AC/DC", ("notes", "entity", "AC/DC")),
        ("kg://notes/nothing/x", None),
        ("kg://notes/entity/", None),
        ("kg:///entity/x", None),
        ("file:///etc/passwd", None),
        ("kg://document/../../etc/passwd", (None, "document", "../../etc/passwd")),  # no document has that id
    ],
)
def test_addresses_are_taken_apart(uri: str, parts: tuple[str | None, ...] | None) -> None:
    found = mcp.URI.fullmatch(uri)
    assert (found and found.groups()) == parts
