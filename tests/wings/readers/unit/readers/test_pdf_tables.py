"""Tables of PDF files are rows of cells; headers and footnotes are out of the sentences that go on."""

from __future__ import annotations

import importlib.util
import json
import sys
from pathlib import Path
from types import ModuleType

import pytest

from kg_neo4j.acquire.interface import ParsedText
from kg_neo4j.acquire.readers import kinds
from kg_neo4j.acquire.sandbox import Sandbox
from made_files import placed_pdf

ROOT = Path(__file__).parents[5]
SETS = ROOT / "tests" / "data" / "pdf"
FIGURES = {  # rows, cells, paragraphs, footnotes and headings that are kept, of how many; false rows
    "seen": ((184, 185), (848, 849), (98, 101), (16, 16), (42, 45), 4),
    "unseen": ((161, 163), (684, 688), (90, 95), (18, 18), (37, 47), 1),
}
Placed = list[tuple[float, float, str]]


@pytest.fixture(scope="module")
def benchmark() -> ModuleType:
    spec = importlib.util.spec_from_file_location("pdf_tables", ROOT / "benchmarks" / "pdf_tables.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def parse(*pages: Placed) -> ParsedText:
    with Sandbox() as sandbox:
        return sandbox.parse(kinds()[".pdf"], placed_pdf(pages))


def table(rows: list[tuple[str, ...]], columns: tuple[float, ...], top: float, step: float = 14) -> Placed:
    return [
        (x, top - step * number, cell)
        for number, row in enumerate(rows)
        for x, cell in zip(columns, row, strict=True)
        if cell
    ]


@pytest.mark.parametrize("half", FIGURES)
def test_files_of_twenty_makers_keep_their_tables_paragraphs_and_footnotes(benchmark: ModuleType, half: str) -> None:
    totals = [0] * 12
    with Sandbox() as sandbox:
        for path in sorted((SETS / half).glob("*.pdf")):
            truth = json.loads(path.with_suffix(".json").read_text(encoding="utf-8"))
            text = sandbox.parse(kinds()[".pdf"], path.read_bytes()).text
            found = benchmark.measured(text, truth, show=False)
            totals = [one + other for one, other in zip(totals, found, strict=True)]
    rows, of_rows, cells, of_cells, false, paragraphs, of_paragraphs, notes, of_notes, heads, of_heads, _ = totals
    kept = (rows, of_rows), (cells, of_cells), (paragraphs, of_paragraphs), (notes, of_notes), (heads, of_heads), false
    assert kept == FIGURES[half]


def test_rows_without_rules_are_lines_of_cells() -> None:
    rows = [("Mill", "Owner", "Rent"), ("North", "Ada Marsh", "12"), ("South", "", "7"), ("East", "Ivo Brandt", "30")]
    text = parse([(72, 740, "The mills of the town."), *table(rows, (72, 200, 330), 700)]).text
    assert text == (
        "The mills of the town.\n\nMill | Owner | Rent\nNorth | Ada Marsh | 12\nSouth |  | 7\nEast | Ivo Brandt | 30"
    )


def test_a_line_that_goes_on_with_a_cell_is_of_its_row() -> None:
    rows = [("Mill", "Owner"), ("North", "Ada Marsh")]
    wrapped = [*table(rows, (72, 200), 700, 24), (200, 663, "and her sons"), *table([("South", "Bo")], (72, 200), 639)]
    assert parse(wrapped).text.splitlines() == ["Mill | Owner", "North | Ada Marsh and her sons", "South | Bo"]


def test_a_head_over_two_columns_is_in_both() -> None:
    rows = [("Stop", "1988", "2018"), ("Quay", "640", "410"), ("Bridge", "455", "701"), ("Mole", "12", "15")]
    text = parse([(215, 714, "Passengers"), (72, 714, "Line 4"), *table(rows, (72, 200, 260), 700)]).text
    assert text.splitlines()[:2] == ["Line 4 | Passengers | Passengers", "Stop | 1988 | 2018"]


@pytest.mark.parametrize(
    "rows",
    [
        [("1.", "The mill is sold."), ("2.", "The rent is paid."), ("3.", "The wheel is new.")],
        [("The mill . . . . . . . .", "3"), ("The wheel . . . . . . . .", "5"), ("The rent . . . . . . .", "9")],
        [("of the old", "mill in the"), ("town by the", "river where"), ("they keep", "the wheel")],
    ],
)
def test_lists_contents_and_words_that_happen_to_be_in_columns_are_no_tables(rows: list[tuple[str, ...]]) -> None:
    assert "|" not in parse(table(rows, (72, 230), 700)).text
