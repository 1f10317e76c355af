"""What a shell completes, by the protocol that it speaks with kg: each test runs kg in a process as bash does."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

Complete = Callable[..., list[str]]


@pytest.fixture
def complete(tmp_path: Path) -> Complete:
    """Return the completions of the last word of a line; nothing may be on standard error."""

    def completed(line: str, shell: str = "bash", **changes: str) -> list[str]:
        words = {"COMP_WORDS": line, "COMP_CWORD": str(line.count(" ")), "_TYPER_COMPLETE_ARGS": line}
        environment = {name: text for name, text in os.environ.items() if not name.startswith(("KG_", "NEO4J_"))}
        asked = {"_KG_COMPLETE": f"complete_{shell}", "KG_HOME": str(tmp_path / "home"), **words, **changes}
        command = [sys.executable, "-m", "kg_neo4j"]
        ran = subprocess.run(command, env={**environment, **asked}, capture_output=True, text=True, check=False)
        assert ran.stderr == ""
        assert not (tmp_path / "home").exists()  # no server was started, and none was prepared
        return ran.stdout.split("\n")[:-1]

    return completed


@pytest.mark.parametrize(
    ("line", "values"),
    [
        ("kg ask x --mode ", ["auto", "local", "global", "tree", "naive", "cypher"]),
        ("kg ask x --mode=na", ["naive"]),
        ("kg load x --chunk-tokens ", ["max"]),
        ("kg load x --schema w", ["wikipedia"]),
        ("kg report most", ["most-connected"]),
        ("kg report documents --format m", ["markdown", "mermaid"]),
        ("kg communities --domain ", ["auto", "none"]),
        ("kg load --dry", ["--dry-run"]),
        ("kg ask x --graph ", []),
        ("kg -g x rep", ["report"]),
        ("kg load ", []),  # files: the shell completes them itself
        ("kg ask x --top-k ", []),
        ("kg load --nonsense --graph ", []),
        ("kg nonsense gr", ["graphs"]),
    ],
)
def test_a_value_is_completed(complete: Complete, line: str, values: list[str]) -> None:
    assert [each for each in complete(line) if each] == values


def test_nothing_is_printed_where_the_database_does_not_answer(complete: Complete, unused_port: int) -> None:
    down = {"NEO4J_URI": f"bolt://127.0.0.1:{unused_port}", "NEO4J_PASSWORD": "none"}
    assert complete("kg ask x --graph ", **down) == [""]
    assert complete("kg graphs delete ", **down) == [""]


def test_nothing_is_printed_where_settings_are_wrong(complete: Complete) -> None:
    assert complete("kg ask x --graph ", KG_MODEL_CONCURRENCY="many") == [""]
    assert complete("kg ask x --graph ", NEO4J_URI="localhost") == [""]


def test_other_shells_are_served(complete: Complete) -> None:
    fish = {"_TYPER_COMPLETE_FISH_ACTION": "get-args"}
    assert complete("kg ask x --mode lo", shell="fish", **fish) == ["local"]
    assert "local" in complete("kg ask x --mode lo", shell="zsh")[0]


def test_an_error_while_a_shell_completes_is_silent(complete: Complete, tmp_path: Path) -> None:
    broken = tmp_path / "kg_toy-1.0.dist-info"
    broken.mkdir()
    (broken / "METADATA").write_text("Name: kg-toy\nVersion: 1.0\n", "utf-8")
    (broken / "entry_points.txt").write_text("[kg_neo4j.reports]\nbroken = kg_toy:none\n", "utf-8")
    path = os.pathsep.join(filter(None, (str(tmp_path), os.environ.get("PYTHONPATH"))))
    assert complete("kg report ", PYTHONPATH=path) == []
