"""A row of a table as cells: its columns, its marks, and what a row that could not be read becomes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from kg_neo4j_serve.pages.documents import MarkedBlock, _cells, _marked

ROW = "id: P1 | name: Ann Lee | born: 1980-05-01 | firm_id: Northwind Shipping [F1]"


def marked(text: str, meant: Any = None, mentions: Sequence[tuple[str, str, str, int, int]] = ()) -> dict[str, Any]:
    """Return a row as the page of its document gets it."""
    fact = [0, len(text), "f", "WORKED_FOR", "a", "Ann Lee", "n", "Northwind Shipping"]
    row = {"id": "c", "index": 4, "start": 90, "line": 6, "section": "", "text": text}
    return _marked(
        row, {"mentions": mentions, "statements": [fact], "corrected": []}, None, "c" if meant else "other", meant
    )


def texts(cells: dict[str, MarkedBlock], meant: bool | None = None) -> dict[str, str]:
    """Return the words of each cell; of those alone that are marked, or are not."""
    words = {
        name: "".join(part.text for part in cell.parts if meant is None or part.meant == meant)
        for name, cell in cells.items()
    }
    return {name: each for name, each in words.items() if each}


def test_a_row_is_a_cell_for_each_column_that_it_has() -> None:
    row = marked(ROW)
    assert (row["line"], row["index"], row["blocks"], row["is_here"]) == (6, 4, (), False)
    assert texts(row["cells"]) == {
        "id": "P1",
        "name": "Ann Lee",
        "born": "1980-05-01",
        "firm_id": "Northwind Shipping [F1]",
    }
    assert texts(row["cells"], meant=True) == {}
    assert [fact.type for each in row["statements"] for fact in each.facts] == ["WORKED_FOR"]
    assert not any(part.statements for cell in row["cells"].values() for part in cell.parts)


def test_the_cells_of_the_span_are_marked_and_no_others() -> None:
    start = ROW.index("name: ")
    row = marked(ROW, (start, ROW.index(" | firm_id")))
    assert texts(row["cells"], meant=True) == {"name": "Ann Lee", "born": "1980-05-01"}
    here = [name for name, cell in row["cells"].items() for part in cell.parts if part.is_here]
    assert (row["is_meant"], row["is_here"], here) == (True, False, ["name"])
    whole = marked(ROW, (0, len(ROW)))
    assert texts(whole["cells"], meant=True) == texts(whole["cells"])


def test_a_name_leads_to_its_entity_from_each_cell_and_never_from_the_name_of_a_column() -> None:
    text = "firm: Firm | city: Bergen | ports: Oslo, Bergen"
    mentions = [("f", "Firm", "Firm", 0, 25), ("b", "Bergen", "Bergen", 13, len(text)), ("x", "Ports", "", 0, 47)]
    cells = marked(text, None, mentions)["cells"]
    linked = [(name, part.text, part.entity_id) for name, cell in cells.items() for part in cell.parts]
    assert [each for each in linked if each[2]] == [
        ("firm", "Firm", "f"),
        ("city", "Bergen", "b"),
        ("ports", "Bergen", "b"),
    ]
    assert ("ports", "Oslo, ", "") in linked


@pytest.mark.parametrize("text", ["P1 | Ann Lee", "id: P1 | Ann Lee", "id: P1 | id: P2", "", "Ann"])
def test_a_row_that_could_not_be_read_is_one_cell(text: str) -> None:
    assert _cells(text) == [("", 0, len(text))]


def test_values_may_have_colons_and_marks_of_headings() -> None:
    text = "note: # 1: one | time: 10:30: late"
    assert texts(marked(text)["cells"]) == {"note": "# 1: one", "time": "10:30: late"}
