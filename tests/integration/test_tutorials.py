"""The first tutorial on a real server: its commands, its program, and the program of the page on agents."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from console_blocks import Step, absent, run, steps_of
from kg_neo4j.settings import Settings
from kg_runner import Kg

CHECKOUT = Path(__file__).resolve().parents[2]
TUTORIAL = CHECKOUT / "docs" / "tutorials" / "first-graph.md"
INSTALLING = ("python -m venv", "pip install", "kg db start")
AGENTS = CHECKOUT / "docs" / "how-to" / "agents.md"


def wrong(steps: list[Step], kg: Kg, folder: Path, graph: str, name: str = "main") -> list[tuple[str, list[str]]]:
    """Return each command whose page shows lines that it did not print, with these lines; `name` is the page's."""
    steps = [replace(step, command=step.command.replace(f"--graph {name}", f"--graph {graph}")) for step in steps]
    found = [(step.command, absent(step, run(step, kg, folder).replace(graph, name))) for step in steps]
    return [(command, missing) for command, missing in found if missing]


def first_block(language: str, page: Path) -> str:
    found = re.search(rf"```{language}\n(.*?)```", page.read_text("utf-8"), re.DOTALL)
    assert found
    return found[1]


def asked_by_agent(environment: Mapping[str, str], graph: str) -> str:
    """Return what the program of the page on agents prints; `kg mcp` gets the database of the test."""
    child = {**environment, "PATH": f"{Path(sys.executable).parent}:{environment['PATH']}"}  # where `kg` is
    given = f'env={child!r}, args=["mcp", "--graph", "{graph}"]'
    program = first_block("python", AGENTS).replace('args=["mcp", "--graph", "main"]', given)
    ran = subprocess.run([sys.executable, "-c", program], env=child, check=True, stdout=subprocess.PIPE, text=True)
    return ran.stdout


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current folder, with the examples of the clone."""
    shutil.copytree(CHECKOUT / "examples", tmp_path / "examples")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.slow  # `make test` runs the commands of the README
def test_the_first_tutorial_prints_what_it_shows(
    kg: Kg,
    folder: Path,
    offline: Settings,
    environment: Mapping[str, str],
    capsys: pytest.CaptureFixture[str],
) -> None:
    text = TUTORIAL.read_text("utf-8")
    *steps, last = (step for step in steps_of(text) if not step.command.startswith(INSTALLING))
    assert len(steps) == 10
    assert wrong(steps, kg, folder, offline.graph) == []
    program = first_block("python", TUTORIAL)
    capsys.readouterr()
    exec(program.replace("KnowledgeGraph()", "KnowledgeGraph(settings=given)"), {"given": offline})
    assert "1858 [1]" in capsys.readouterr().out
    assert asked_by_agent(environment, offline.graph) == first_block("text", AGENTS)
    assert wrong([last], kg, folder, offline.graph) == []  # it removes the article
