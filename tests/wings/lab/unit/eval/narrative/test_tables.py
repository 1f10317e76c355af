"""Tables and pictures of a study of narrative trees."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from kg_neo4j.errors import UsageError
from kg_neo4j.records import Usage
from kg_neo4j_lab.answers.scores import SystemScore
from kg_neo4j_lab.narrative.grid import SYSTEMS, StudyScope
from kg_neo4j_lab.narrative.study import NarrativeStudy, WayScore
from kg_neo4j_lab.narrative.tables import draw, tables, write

SCORE = SystemScore(
    *("naive", 4, 0, 0.52, (0.4, 0.6), 0.61, (0.5, 0.7), 0.0, 0.1, 0.75, 1.0, 812.4, 10.0, Usage(), Usage())
)
ASPECTS = ("plot", "theme")


def study() -> NarrativeStudy:
    ways = StudyScope().ways(ASPECTS)
    results = tuple(
        WayScore(way, replace(SCORE, system=way.name, correctness=0.3 + 0.01 * place), {"detail": SCORE}, 0.5, 0.6)
        for place, way in enumerate(ways)
    )
    return NarrativeStudy(4, "g", None, "words", True, "static", results, {}, Usage(), 0, (), (), ())


def test_two_tables_of_results_and_one_for_each_ablation() -> None:
    made = {table.name: table for table in tables(study())}
    assert list(made) == [
        *("correctness", "similarity", "top-k", "context", "single-aspect", "all-but-one", "details"),
        *("chunk-length", "summary-length", "length"),
    ]
    assert "lexical proxy" in made["correctness"].title
    assert [row[0] for row in made["correctness"].rows] == list(SYSTEMS)
    assert made["correctness"].rows[0][:4] == ("naive-cosine", 30.0, 40.0, 60.0)
    assert made["similarity"].rows[0][:4] == ("naive-cosine", 61.0, 50.0, 70.0)
    assert made["correctness"].columns[4:] == ("detail", "Found", "Evidence", "Beneath", "Tokens read")
    assert [row[0] for row in made["top-k"].rows] == list(range(1, 11))
    assert [row[0] for row in made["single-aspect"].rows] == ["all", "plot", "theme"]
    judged = tables(replace(study(), is_proxy=False, judge="gpt"))
    assert judged[0].title == "Answer correctness by system, % (judged by gpt)"
    assert judged[2].columns[1] == "Correctness"


def test_a_gap_is_a_gap() -> None:
    bare = replace(study().results[0], score=replace(SCORE, correctness=None, correctness_interval=None), evidence=None)
    made = tables(replace(study(), results=(bare,)))
    assert made[0].rows == (("naive-cosine", None, None, None, 52.0, 75.0, None, 60.0, 812),)
    assert draw(made[0]).startswith(b"\x89PNG")


def test_every_table_is_written_with_its_picture(tmp_path: Path) -> None:
    made = tables(study())
    written = write(tmp_path, made)
    assert len(written) == 4 * len(made) == len(list(tmp_path.iterdir()))
    for table in made:
        assert (tmp_path / f"{table.name}.png").read_bytes().startswith(b"\x89PNG")
        rows = json.loads((tmp_path / f"{table.name}.json").read_text("utf-8"))
        assert [tuple(row.values()) for row in rows] == list(table.rows)
        assert (tmp_path / f"{table.name}.md").read_text("utf-8").count("\n") == 2 + len(table.rows)


def test_equal_tables_give_equal_pictures() -> None:
    assert draw(tables(study())[2]) == draw(tables(study())[2])


def test_a_folder_is_made_where_it_can_be(tmp_path: Path) -> None:
    assert write(tmp_path / "new", tables(study())[:1])[0].parent == tmp_path / "new"
    with pytest.raises(UsageError, match=r"no folder .*nowhere\n"):
        write(tmp_path / "nowhere" / "new", tables(study()))
    (tmp_path / "file").touch()
    with pytest.raises(UsageError, match="file is no folder"):
        write(tmp_path / "file", tables(study()))
