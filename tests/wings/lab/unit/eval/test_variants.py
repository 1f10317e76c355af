"""What a study varies, and how variants compare."""

from __future__ import annotations

import json

import pytest

from kg_neo4j.errors import UsageError
from kg_neo4j.graph.report_format import render
from kg_neo4j.records import Usage
from kg_neo4j_lab.variants import (
    ChunkLengthStudy,
    GraphShape,
    Grid,
    Variant,
    VariantRun,
    cells,
    ratios,
    ratios_table,
    variants_table,
)


def run(tokens: int | None, nodes: int, relationships: int, repeat: int = 1, preprocess: str = "none") -> VariantRun:
    shape = GraphShape(nodes, relationships, relationships, 0.01, 3, 0.5, 2, 0.4)
    return VariantRun(
        Variant(None, "none", preprocess, tokens), repeat, f"study-{tokens}", 4, 0, shape, Usage(4, 400, 80), 0
    )


def study(*runs: VariantRun) -> ChunkLengthStudy:
    found = cells(runs)
    return ChunkLengthStudy("scripted", found, ratios(found), Usage(), (), ())


def test_every_combination_is_a_variant_the_longest_first() -> None:
    grid = Grid(tokens=(300, None, 1200), preprocess=("none", "stopwords"))
    assert [(each.preprocess, each.tokens) for each in grid.variants()] == [
        *(("none", None), ("none", 1200), ("none", 300)),
        *(("stopwords", None), ("stopwords", 1200), ("stopwords", 300)),
    ]


@pytest.mark.parametrize(
    "grid",
    [
        Grid(tokens=(300, 300)),
        Grid(tokens=()),
        Grid(repeats=0),
        Grid(models=("a", "a")),
        Grid(preprocess=("none",) * 2),
    ],
)
def test_a_grid_that_cannot_be_meant_is_refused(grid: Grid) -> None:
    with pytest.raises(UsageError):
        grid.variants()


def test_shorter_chunks_are_compared_with_the_longest() -> None:
    found = ratios(cells([run(1200, 25, 20), run(600, 50, 40), run(300, 106, 120)]))
    assert [(each.second.tokens, each.nodes, each.relationships) for each in found] == [
        (600, 2.0, 2.0),
        (300, 106 / 25, 6.0),
    ]


def test_preprocessing_is_compared_length_by_length() -> None:
    """W1: A1 against A2."""
    runs = [run(t, n, n, preprocess=p) for p, t, n in (("none", 1200, 40), ("stopwords", 1200, 30))]
    (found,) = ratios(cells(runs))
    assert (found.varied, found.nodes) == ("preprocess", 0.75)
    assert ratios_table(study(*runs)).rows == ((None, 1200, "stopwords / none", 0.75, 0.75),)


def test_an_empty_graph_has_no_ratio() -> None:
    (found,) = ratios(cells([run(1200, 0, 0), run(300, 5, 5)]))
    assert (found.nodes, found.relationships) == (None, None)


def test_repeats_give_means_and_deviations() -> None:
    (cell,) = cells([run(300, 10, 8, 1), run(300, 14, 8, 2)])
    assert (cell.nodes, cell.relationships) == (12, 8)
    assert cell.spread == (pytest.approx(8**0.5), 0)
    table = variants_table(study(*cell.runs))
    row = dict(zip(table.columns, table.rows[0], strict=True))
    assert (row["Nodes"], row["Nodes sd"], row["Calls"], row["Input"]) == (12, 2.83, 8, 800)


def test_tables_are_written_in_every_format() -> None:
    found = study(run(None, 30, 20), run(1200, 25, 20))
    assert json.loads(render(variants_table(found), "json"))[0]["Tokens"] == "max"
    assert render(variants_table(found), "csv").splitlines()[0].startswith("Tokens,Chunks,Nodes,Edges,Density")
    assert "|  | 1200 / max | 0.833 | 1 |" in render(ratios_table(found), "markdown")
