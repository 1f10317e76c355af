"""Every command has help, a library function behind it, and errors of one or two lines with an exit code."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from typer.main import get_command
from typer.testing import CliRunner

from fake_llm import FakeLlm
from hidden_package import needs_all
from kg_neo4j._cli import app as command_line
from kg_neo4j.graph import database as databases
from kg_neo4j.graph.constraints import ensure_constraints
from kg_neo4j.graph.database import Database
from kg_runner import Kg, RunKg

CHECKOUT = Path(__file__).resolve().parents[2]
ROOT = get_command(command_line.app)
OPTION = re.compile(r"^  (-.*)$", re.MULTILINE)


def commands(group: Any = ROOT, before: str = "") -> Iterator[str]:
    """Yield the names of all commands, those in groups with the group's name."""
    for name in group.list_commands(None):
        command = group.get_command(None, name)
        inner = hasattr(command, "list_commands")
        yield from commands(command, f"{before}{name} ") if inner else (before + name,)


@pytest.fixture
def kg_alone(run_kg: RunKg, tmp_path: Path) -> Kg:
    """Run the command line in this process, where no server answers."""
    given = {"NEO4J_URI": "bolt://127.0.0.1:1", "NEO4J_PASSWORD": "none", "KG_HOME": str(tmp_path / "home")}
    return lambda *arguments, **changes: run_kg(arguments, {**given, "KG_CACHE": str(tmp_path / "cache"), **changes})


def help_of(command: str) -> str:
    result = CliRunner().invoke(command_line.app, [*command.split(), "--help"], prog_name="kg", env={"COLUMNS": "80"})
    assert result.exit_code == 0, result.output
    return result.output


@needs_all
def test_every_command_has_help_that_says_what_it_does() -> None:
    helps = {command: help_of(command) for command in commands()}
    assert [command for command, text in helps.items() if f"Usage: kg {command}" not in text] == []
    assert [command for command, text in helps.items() if not re.search(r"\n\n  [A-Z][^.]+", text)] == []
    lists = "\n".join(help_of(group) for group in ("", "db", "graphs", "study", "eval"))
    assert [line for line in lists.splitlines() if re.match(r"  \w.*\.\.\.$", line)] == []


@needs_all
def test_every_option_has_help_and_a_name_for_its_value() -> None:
    helps = {command: help_of(command) for command in commands()}
    options = [(command, line) for command, text in helps.items() for line in OPTION.findall(text)]
    assert len(options) > 300
    assert [(command, line) for command, line in options if re.search(r"<[a-z ]+>$", line.split("  ")[0])] == []
    silent = r"  -\S+( \S+)?$(?!\n {10})"
    assert [(command, found[0]) for command, text in helps.items() if (found := re.search(silent, text, re.M))] == []


@needs_all
def test_the_documentation_shows_the_help_as_it_is() -> None:
    page = (CHECKOUT / "docs" / "commands.md").read_text(encoding="utf-8")
    block = re.search(r"<!-- kg --help -->\n```text\n(.*?)```", page, re.DOTALL)
    assert block
    assert block[1].strip() == help_of("").strip()


def test_the_documentation_names_every_setting() -> None:
    from kg_neo4j.settings import Settings

    page = (CHECKOUT / "docs" / "settings.md").read_text(encoding="utf-8")
    names = {field.validation_alias for field in Settings.model_fields.values()}
    assert {name for name in names if f"`{name}`" not in page} == set()


def test_the_readme_is_short_and_its_links_lead_somewhere() -> None:
    readme = (CHECKOUT / "README.md").read_text(encoding="utf-8")
    assert len(readme.splitlines()) <= 180
    links = re.findall(r"\]\(([^)#:]+)\)", readme)
    assert [link for link in links if not (CHECKOUT / link).exists()] == []


def test_the_version_is_said(kg_alone: Kg) -> None:
    assert kg_alone("--version")[:2] == (0, "kg-neo4j 0.1.0\n")


@pytest.mark.parametrize(
    "arguments",
    [
        ["nonsense"],
        ["load"],
        ["load", "x.txt", "--chunk-tokens", "many"],
        ["load", "x.txt", "--schema", "nonsense"],
        ["load", "x.txt", "--evidence", "nonsense"],
        ["load", "x.txt", "--preprocess", "nonsense"],
        ["ask", ""],
        ["ask", "Who?", "--mode", "nonsense"],
        ["report", "nonsense"],
        ["report", "most-connected", "--set", "nonsense=1"],
        ["report", "most-connected", "--set", "limit=many"],
        ["report", "most-connected", "--set", "limit"],
        ["load", "x.txt", "--graph", ""],
    ],
    ids=" ".join,
)
def test_an_argument_that_cannot_be_meant_exits_with_2(kg_alone: Kg, arguments: list[str]) -> None:
    code, out, err = kg_alone(*arguments)
    assert (code, out) == (2, ""), err
    assert err.startswith("error: ")
    assert len(err.strip().splitlines()) <= 3


@pytest.mark.parametrize(
    "arguments", [["report", "most-connected", "--format", "nonsense"], ["plot", "graph.gif"]], ids=" ".join
)
def test_an_argument_that_is_read_after_the_server_answered_exits_with_2(kg: Kg, arguments: list[str]) -> None:
    code, out, err = kg(*arguments)
    assert (code, out) == (2, ""), err
    assert err.startswith("error: ")


def test_a_file_that_is_not_there_is_named(kg_alone: Kg) -> None:
    code, out, err = kg_alone("load", "no-such-file.txt")
    assert (code, out) == (1, "")
    assert "no-such-file.txt" in err


def test_an_empty_text_is_skipped_with_a_reason_and_exit_code_3(kg: Kg, tmp_path: Path) -> None:
    empty = tmp_path / "empty.txt"
    empty.write_text("\n \n", "utf-8")
    code, out, err = kg("load", str(empty), "--json")
    assert code == 3
    shape = json.loads(out)
    assert (shape["documents"], shape["nodes"]) == (0, 0)
    assert "empty.txt" in shape["skipped"][0]["source"]
    assert err == ""


def test_no_server_at_the_address(kg_alone: Kg, unused_port: int) -> None:
    code, out, err = kg_alone("documents", NEO4J_URI=f"bolt://127.0.0.1:{unused_port}")
    assert (code, out) == (4, "")
    assert str(unused_port) in err


def test_a_port_that_speaks_something_else(kg_alone: Kg, monkeypatch: pytest.MonkeyPatch) -> None:
    """Row 38: HTTP where Bolt should be."""
    monkeypatch.setattr(databases, "CONNECT_TIMEOUT_S", 0.5)
    with FakeLlm() as other:
        code, _, err = kg_alone("documents", NEO4J_URI=f"bolt://127.0.0.1:{other.port}")
    assert code == 4
    assert "Bolt" in err


def test_an_address_that_is_none(kg_alone: Kg) -> None:
    code, _, err = kg_alone("documents", NEO4J_URI="localhost:7687")
    assert code == 2
    assert "NEO4J_URI" in err


def test_a_password_in_the_address_is_refused_and_shown_nowhere(kg_alone: Kg) -> None:
    code, out, err = kg_alone("documents", NEO4J_URI="bolt://neo4j:canary-password-78@localhost:7687")
    assert code == 2
    assert "NEO4J_PASSWORD" in err
    assert "canary-password-78" not in out + err


def test_a_wrong_password_is_said_and_shown_nowhere(kg: Kg) -> None:
    code, out, err = kg("documents", "--json", NEO4J_PASSWORD="canary-password-77")
    assert code == 4
    shape = json.loads(out)
    assert shape["error"]["type"] == "AuthenticationFailed"
    assert "NEO4J_PASSWORD" in shape["error"]["hint"]
    assert "canary-password-77" not in out + err


def test_a_refused_key_exits_with_5_and_is_shown_nowhere(kg: Kg, tmp_path: Path) -> None:
    note = tmp_path / "note.txt"
    note.write_text("Anna met Ben.", "utf-8")
    with FakeLlm() as llm:
        llm.fail(401)
        model = {"OPENAI_BASE_URL": llm.url, "OPENAI_API_KEY": "canary-key-31", "KG_MODEL": "scripted"}
        code, out, err = kg("load", str(note), **model)
    assert (code, out) == (5, "")
    assert "canary-key-31" not in err
    assert "401" in err or "key" in err


def test_a_base_url_without_a_model_asks_for_one(kg_alone: Kg, tmp_path: Path) -> None:
    note = tmp_path / "note.txt"
    note.write_text("Anna met Ben.", "utf-8")
    code, _, err = kg_alone("load", str(note), OPENAI_BASE_URL="http://127.0.0.1:9/v1")
    assert code == 2
    assert "KG_MODEL" in err


def test_a_setting_that_cannot_be_meant_is_named(kg_alone: Kg) -> None:
    code, _, err = kg_alone("documents", KG_MODEL_CONCURRENCY="none")
    assert code == 2
    assert "KG_MODEL_CONCURRENCY" in err


def test_a_server_without_gds_is_loaded_without_communities(kg: Kg, tmp_path: Path) -> None:
    note = tmp_path / "note.txt"
    note.write_text("Anna Weber met Karl Braun in Vienna in 1901.", "utf-8")
    code, out, _ = kg("load", str(note), "--no-analytics", "--json")
    assert code == 0
    shape = json.loads(out)
    assert set(shape) >= {
        *("documents", "chunks", "rows", "nodes", "relationships", "communities", "changes"),
        *("calls", "tokens", "usd", "seconds"),
    }
    assert shape["communities"] == 0
    assert shape["rows"]["read"] == shape["rows"]["accepted"] + shape["rows"]["rejected"]


def searched(database: Database) -> set[str]:
    """Return the names of the projections that searches keep."""
    from kg_neo4j.graph.queries import Query

    listed = "CALL gds.graph.list() YIELD graphName AS name WHERE name STARTS WITH 'kg-neo4j/search/' RETURN name"
    return {row["name"] for row in database.read(Query("test", "", "", "read", (), (), "", "", listed))}


def test_the_shapes_that_other_programs_rely_on(kg: Kg, database: Database, tmp_path: Path) -> None:
    note = tmp_path / "note.txt"
    note.write_text("Anna Weber was born in Vienna in 1901. Anna Weber married Karl Braun in Graz.", "utf-8")
    assert kg("load", str(note))[0] == 0
    others = searched(database)
    for name, columns in (
        ("most-connected", {"Node", "Connections"}),
        ("relationships-by-type", {"RelationshipType", "Count"}),
        ("nodes-by-type", {"NodeType", "Count", "WithoutRelationships"}),
    ):
        rows = json.loads(kg("report", name, "--format", "json")[1])
        assert rows
        assert all(set(row) == columns for row in rows)
    answer = json.loads(kg("ask", "Where was Anna Weber born?", "--json")[1])
    assert set(answer) >= {"question", "mode", "answer", "citations", "evidence", "calls", "tokens", "usd", "seconds"}
    assert set(answer["citations"][0]) == {
        "chunk_id",
        "document",
        "start",
        "end",
        "quote",
        "page",
        "line",
        "correction",
    }
    assert set(answer["passages"][0]) == {"citation", "before", "after", "section"}
    target = tmp_path / "graph.jsonl"
    assert kg("export", str(target))[0] == 0
    assert all(json.loads(line) for line in target.read_text("utf-8").splitlines())
    (document,) = json.loads(kg("documents", "--json")[1])
    assert document["done"] == document["chunks"] == 1
    code, out, _ = kg("report", "most-connected", "--browser", "--set", "limit=3")
    assert code == 0
    assert "LIMIT 3" in out
    assert len(searched(database) - others) == 1  # kept for the next question
    assert json.loads(kg("db", "reset", "--yes", "--json")[1])["deleted"] > 0
    assert searched(database) <= others
    code, out, _ = kg("documents", "--json")
    assert (code, json.loads(out)["error"]["type"]) == (2, "NoSuchGraph")


def test_reset_asks_first_and_touches_nothing_foreign(kg: Kg, database: Database) -> None:
    """Row 45: other data under the same labels, without our property."""
    from kg_neo4j.graph.queries import Query

    def foreign(text: str) -> list[Mapping[str, int]]:
        return database.write(Query("test", "", "", "write", (), (), "", "", text))

    ensure_constraints(database)
    foreign("UNWIND range(1, 50) AS i CREATE (:Entity {name: 'foreign', mark: 'kg-test'})")
    try:
        code, _, _ = kg("db", "reset", "--yes")
        assert code == 0
        assert foreign("MATCH (n {mark: 'kg-test'}) RETURN count(*) AS n")[0]["n"] == 50
    finally:
        foreign("MATCH (n {mark: 'kg-test'}) DELETE n RETURN count(*) AS n")


def test_help_imports_nothing_heavy() -> None:
    program = (
        "import sys; sys.argv = ['kg', '--help']\n"
        "from kg_neo4j._cli.app import main\n"
        "try: main()\nexcept SystemExit: pass\n"
        "heavy = {'neo4j', 'openai', 'spacy', 'graphdatascience', 'pandas', 'numpy', 'pydantic', 'httpx'}\n"
        "print(sorted(heavy & set(sys.modules)), file=sys.stderr)"
    )
    ran = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert ran.stderr.strip() == "[]"
