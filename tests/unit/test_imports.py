"""What is not run is not imported: a command pays for its own modules alone."""

from __future__ import annotations

import ast
import inspect
import rlcompleter
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path

import pytest

import kg_neo4j
from kg_neo4j import plugins

HEAVY = ("spacy", "numpy", "openai", "lxml", "pandas", "pyarrow", "sklearn", "matplotlib", "tiktoken", "neo4j", "rich")
HEAVY += ("opentelemetry",)  # a program that traces has imported it


def imported(code: str) -> set[str]:
    """Return the modules that a new process has after `code`."""
    program = f"{code}\nimport sys\nprint('modules', *sys.modules)"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    return set(done.stdout.rpartition("modules ")[2].split())


def ours(modules: Iterable[str]) -> set[str]:
    return {name for name in modules if name.startswith("kg_neo4j")}


@pytest.mark.needs("kg_neo4j_offline")
def test_public_functions_take_the_settings_of_the_environment() -> None:
    functions = [getattr(kg_neo4j, name) for name in kg_neo4j.__all__ if name.islower()]
    assert len(functions) == 8
    assert [each for each in functions if inspect.signature(each).parameters["settings"].default is not None] == []
    assert len(kg_neo4j.embed(["a vector of the built-in model"])) == 1


def test_the_package_is_imported_name_by_name() -> None:
    found = imported("import kg_neo4j")
    assert ours(found) == {"kg_neo4j"}
    assert not found & {*HEAVY, "pydantic"}


def test_public_names_come_from_the_modules_that_define_them() -> None:
    homes = {name: f"kg_neo4j.{home}" for home, names in kg_neo4j._HOMES.items() for name in names.split()}
    assert set(homes) == set(kg_neo4j.__all__)
    there = [name for name, home in homes.items() if plugins.is_installed(home.rpartition(".")[0])]  # a room may not be
    assert "KnowledgeGraph" in there
    for name in there:
        assert getattr(kg_neo4j, name).__module__ == homes[name], name
    modules = {path.stem for path in Path(kg_neo4j.__file__).parent.iterdir()}
    assert not modules & set(kg_neo4j.__all__)  # an imported module would hide the function of its name
    with pytest.raises(AttributeError, match="no attribute 'lode'"):
        kg_neo4j.lode  # noqa: B018


def test_dir_has_the_public_names_and_nothing_that_was_only_imported() -> None:
    shown = [name for name in dir(kg_neo4j) if not name.startswith("__")]
    assert shown == kg_neo4j.__all__
    assert "__version__" in dir(kg_neo4j)
    completed = rlcompleter.Completer({"kg_neo4j": kg_neo4j}).attr_matches("kg_neo4j.Knowl")
    assert [each.rstrip("(") for each in completed] == ["kg_neo4j.KnowledgeGraph"]


def test_type_checkers_read_the_names_and_homes_that_python_finds() -> None:
    stub = ast.parse(Path(kg_neo4j.__file__).with_suffix(".pyi").read_text("utf-8"))
    homes = {alias.name: node.module for node in stub.body if isinstance(node, ast.ImportFrom) for alias in node.names}
    assert homes == {name: f"kg_neo4j.{home}" for home, names in kg_neo4j._HOMES.items() for name in names.split()}
    (listed,) = (node.value for node in stub.body if isinstance(node, ast.Assign))
    assert ast.literal_eval(listed) == kg_neo4j.__all__


@pytest.mark.parametrize(
    ("arguments", "most"),
    [(["ask", "--help"], 19), (["load", "--help"], 19), (["--version"], 16), (["db", "--help"], 18)],
)
def test_help_imports_nothing_heavy(arguments: list[str], most: int) -> None:
    run = f"import sys, contextlib\nsys.argv = ['kg', *{arguments}]\nfrom kg_neo4j._cli.app import main"
    found = imported(f"{run}\nwith contextlib.suppress(SystemExit):\n    main()")
    assert "typer" in found
    assert not found & set(HEAVY)
    assert len(ours(found)) <= most, sorted(ours(found))


def test_a_load_imports_no_retrieval_and_a_question_no_extraction_of_models() -> None:
    assert not {name for name in imported("from kg_neo4j import load") if name.startswith("kg_neo4j.retrieve")}
    asked = imported("from kg_neo4j import ask")
    assert not asked & {"spacy", "openai", "lxml", "pandas", "tiktoken", "neo4j"}


def test_the_command_line_takes_the_driver_without_pandas() -> None:
    found = imported("from kg_neo4j._cli.process import prepare\nprepare()\nimport neo4j")
    assert not found & {"pandas", "pyarrow"}
    assert "numpy" in found  # numbers of numpy may be parameters


def test_a_driver_that_is_there_already_stays_as_it_is() -> None:
    code = "import neo4j\nfrom kg_neo4j._cli.process import prepare\nprepare()\nfrom neo4j import _optional_deps"
    assert "pandas" in imported(f"{code}\nassert _optional_deps.pd")


def test_the_server_starts_without_what_only_answers_need() -> None:
    code = "from kg_neo4j_serve import app, rendering, service\nrendering.routes()\nimport uvicorn"
    found = imported(f"{code}\nfrom kg_neo4j.settings import Settings\nservice.Service(Settings())")
    assert not found & {*HEAVY, "scipy", "mcp", "mcp_types"}
