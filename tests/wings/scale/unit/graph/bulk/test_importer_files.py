"""The importer's files: one type a column, nothing lost between the ranges of keys."""

from __future__ import annotations

import csv
import io
from pathlib import Path

import pytest

from kg_neo4j_scale.bulk.folding import tasks
from kg_neo4j_scale.bulk.importer_files import SEPARATOR, Rows, arguments

COLUMNS = {"weight": "n", "sizes": "d", "names": "l", "year": "i", "sure": "b"}


def written(folder: Path, rows: list[dict[str, object]]) -> list[list[list[str]]]:
    (folder / "task").mkdir()
    with Rows(folder / "task", "entities", ("id:ID(Entity)",), COLUMNS) as out:
        for number, values in enumerate(rows):
            out.write([f"e{number}"], values)
    files = sorted((folder / "task").iterdir())
    return [list(csv.reader(io.StringIO(path.read_bytes().decode(), newline=""))) for path in files]


def test_whole_numbers_and_others_are_columns_of_different_types(tmp_path: Path) -> None:
    whole, broken, mixed = written(tmp_path, [{"weight": 5}, {"weight": 2.5}, {"weight": 7, "sizes": [1, 2.5]}, {}])
    assert whole[0] == ["id:ID(Entity)", "weight:long", "sizes:long[]", "names:string[]", "year:long", "sure:boolean"]
    assert [row[:2] for row in whole[1:]] == [["e0", "5"], ["e3", ""]]
    assert (broken[0][1], broken[1][:2]) == ("weight:double", ["e1", "2.5"])
    assert (mixed[0][1:3], mixed[1][1:3]) == (["weight:long", "sizes:double[]"], ["7", f"1{SEPARATOR}2.5"])


@pytest.mark.parametrize("text", ['a "quoted" word', "two\nlines\r\n", "a,b;c", "back\\slash", " spaces "])
def test_a_text_comes_back_as_it_was(tmp_path: Path, text: str) -> None:
    ((_, row),) = written(tmp_path, [{"names": [text, "x"], "sure": False}])
    assert row == ["e0", "", "", f"{text}{SEPARATOR}x", "", "false"]


def test_each_file_is_named_with_its_labels_or_its_type(tmp_path: Path) -> None:
    written(tmp_path, [{}])
    (tmp_path / "task" / "in_document.csv").write_text("")
    assert arguments(tmp_path)[-2:] == [
        f"--nodes=KgEntity:Entity={tmp_path / 'task' / 'entities-0.csv'}",
        f"--relationships=IN_DOCUMENT={tmp_path / 'task' / 'in_document.csv'}",
    ]


@pytest.mark.parametrize(("rows", "workers"), [(0, 1), (10, 3), (7_500_000, 2)])
def test_the_tasks_of_one_kind_have_every_key_once(rows: int, workers: int) -> None:
    spans = [(task.first, task.end) for task in tasks(rows, rows, workers) if task.kind == "entities"]
    assert len(spans) >= workers
    for key in ("0" * 32, "7fff", "8000", "aaaa", "f" * 32, *(first for first, _ in spans)):
        assert sum(first <= key < end for first, end in spans) == 1
