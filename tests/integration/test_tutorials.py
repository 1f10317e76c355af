"""The console blocks of the first tutorial and of the README's first answers, on a real server."""

from __future__ import annotations

import re
import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from console_blocks import Step, absent, run, steps_of
from kg_neo4j.settings import Settings
from kg_runner import Kg

CHECKOUT = Path(__file__).resolve().parents[2]
TUTORIAL = CHECKOUT / "docs" / "tutorials" / "first-graph.md"


def wrong(steps: list[Step], kg: Kg, folder: Path, graph: str, name: str = "main") -> list[tuple[str, list[str]]]:
    """Return each command whose page shows lines that it did not print, with these lines; `name` is the page's."""
    steps = [replace(step, command=step.command.replace(f"--graph {name}", f"--graph {graph}")) for step in steps]
    found = [(step.command, absent(step, run(step, kg, folder).replace(graph, name))) for step in steps]
    return [(command, missing) for command, missing in found if missing]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current folder, with the examples of the clone."""
    shutil.copytree(CHECKOUT / "examples", tmp_path / "examples")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_the_first_tutorial_prints_what_it_shows(
    kg: Kg, folder: Path, offline: Settings, capsys: pytest.CaptureFixture[str]
) -> None:
    text = TUTORIAL.read_text("utf-8")
    *steps, last = steps_of(text)
    assert len(steps) == len(re.findall(r"^\$ ", text, re.MULTILINE)) - 1 == 10
    assert wrong(steps, kg, folder, offline.graph) == []
    program = re.search(r"```python\n(.*?)```", text, re.DOTALL)
    assert program
    capsys.readouterr()
    exec(program[1].replace("KnowledgeGraph()", "KnowledgeGraph(settings=given)"), {"given": offline})
    assert "1858 [1]" in capsys.readouterr().out
    assert wrong([last], kg, folder, offline.graph) == []  # it removes the article


def test_the_tutorial_on_a_novel_prints_what_it_shows(kg: Kg, folder: Path, offline: Settings) -> None:
    """Up to the part on a novel of the reader's own."""
    text = (CHECKOUT / "docs" / "tutorials" / "a-novel.md").read_text("utf-8").partition("## Your own novel")[0]
    steps = steps_of(text)
    assert [step.command.split()[1] for step in steps] == ["load", "tree", "tree", "tree", "ask"]
    assert wrong(steps, kg, folder, offline.graph, "bell") == []
    assert (folder / "tree.html").is_file()


def test_the_readme_shows_the_answers_that_its_examples_give(kg: Kg, folder: Path, offline: Settings) -> None:
    text = (CHECKOUT / "README.md").read_text("utf-8")
    steps = [step for step in steps_of(text) if step.shown]
    assert [step.command.split()[1] for step in steps] == ["ask", "ask"]
    assert kg("load", "examples/")[0] == 0
    assert wrong(steps, kg, folder, offline.graph) == []
