"""The cells of the notebooks on a real server: each gives the output that the notebook stores."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from kg_neo4j.graph.constraints import delete_graph
from kg_neo4j.graph.database import Database

CHECKOUT = Path(__file__).resolve().parents[2]
NOTEBOOKS = sorted((CHECKOUT / "docs" / "notebooks").glob("*.ipynb"))


def stored(cell: Mapping[str, Any]) -> str:
    """Return what a cell printed, and the text of its value."""
    found = ["".join(output.get("text") or output["data"]["text/plain"]) for output in cell["outputs"]]
    return " ".join("".join(found).split())


@pytest.fixture
def emptied(path: Path, database: Database) -> Iterator[None]:
    """Empty the graphs of a notebook. They keep their names: ids decide between equals."""
    names = re.findall(r'KnowledgeGraph\(\\"(notebook-\w+)', path.read_text("utf-8"))
    assert names
    for name in names:
        delete_graph(database, name)
    yield
    for name in names:
        delete_graph(database, name)


@pytest.mark.usefixtures("emptied")
@pytest.mark.needs("kg_neo4j_offline", "kg_neo4j_readers")
@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_gives_its_stored_outputs(
    path: Path,
    environment: Mapping[str, str],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(CHECKOUT)
    for name in [each for each in environment if each.startswith(("NEO4J_", "KG_"))]:
        monkeypatch.setenv(name, environment[name])
    monkeypatch.setenv("KG_JUDGE", "true")
    cells = [cell for cell in json.loads(path.read_text("utf-8"))["cells"] if cell["cell_type"] == "code"]
    names: dict[str, Any] = {}
    different = []
    for cell in cells:
        text = "".join(cell["source"])
        *body, last = ast.parse(text).body
        value = ast.Expression(last.value) if isinstance(last, ast.Expr) else None
        exec(compile(ast.Module([*body, *([] if value else [last])], []), path.name, "exec"), names)
        said = eval(compile(value, path.name, "eval"), names) if value else None
        printed = capsys.readouterr().out + ("" if said is None else repr(said))
        if " ".join(printed.split()) != stored(cell):
            different.append((text, printed))
    assert different == []
    assert len(cells) > 5
