"""The layout of docs: imports go left only, no cycles, one reader of the environment, files of readable size."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import kg_neo4j

ROOT = Path(kg_neo4j.__file__).resolve().parent
CHECKOUT = ROOT.parent.parent
LAYERS = (
    ("errors", "extraction_records", "records", "settings", "resources", "data_files", "progress"),
    ("_models", "_localdb"),
    ("acquire",),
    ("extract",),
    ("offline",),
    ("graph",),
    ("organise",),
    ("retrieve",),
    ("factory",),
    ("pipeline",),
    ("eval",),
    ("_cli",),
    ("__init__", "__main__"),
)
RANK = {name: rank for rank, names in enumerate(LAYERS) for name in names}
PURE = (
    *("acquire/chunking", "acquire/preprocess"),
    *("extract/schema", "extract/rows", "extract/validation", "extract/evidence", "extract/values"),
    *("graph/fold", "graph/identity", "graph/resolution/decisions", "graph/resolution/names"),
    *("graph/resolution/bearers", "graph/resolution/proposals", "graph/resolution/candidates"),
    *("graph/resolution/rules", "graph/resolution/parts"),
    *("retrieve/packing", "retrieve/checking/citations", "retrieve/checking/support", "retrieve/cypher/guard"),
)
MODULES = sorted(ROOT.rglob("*.py"))


def place(path: Path) -> str:
    return path.relative_to(ROOT).with_suffix("").as_posix()


def imports(path: Path) -> Iterator[str]:
    """Yield every module that a file imports, at the top or within a function, typing-only ones left out."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    for node in ast.walk(tree):
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
            node.body = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def ours(path: Path) -> set[str]:
    return {name.split(".")[1] for name in imports(path) if name.startswith("kg_neo4j.") and name.split(".")[1] in RANK}


@pytest.mark.parametrize("path", MODULES, ids=place)
def test_imports_go_left_only(path: Path) -> None:
    layer = RANK[place(path).split("/")[0]]
    assert [name for name in ours(path) if RANK[name] > layer] == []


def test_layers_name_every_room() -> None:
    assert {place(path).split("/")[0] for path in MODULES} <= set(RANK)


def test_there_are_no_import_cycles() -> None:
    edges = {
        place(path): {
            target
            for name in imports(path)
            if name.startswith("kg_neo4j.")
            for target in [name.removeprefix("kg_neo4j.").replace(".", "/")]
            if (ROOT / f"{target}.py").is_file() and target != place(path)
        }
        for path in MODULES
    }
    state: dict[str, str] = {}

    def visit(module: str, trail: tuple[str, ...]) -> None:
        assert state.get(module) != "open", f"cycle: {' -> '.join((*trail, module))}"
        if module in state:
            return
        state[module] = "open"
        for target in sorted(edges[module]):
            visit(target, (*trail, module))
        state[module] = "done"

    for module in sorted(edges):
        visit(module, ())


@pytest.mark.parametrize("name", PURE)
def test_pure_modules_touch_neither_database_nor_model(name: str) -> None:
    found = set(imports(ROOT / f"{name}.py"))
    assert not {module for module in found if module.split(".")[0] in ("neo4j", "openai", "graphdatascience")}


@pytest.mark.parametrize("path", MODULES, ids=place)
def test_only_settings_reads_the_environment(path: Path) -> None:
    source = path.read_text(encoding="utf-8")
    if place(path) != "settings":
        assert not re.search(r"os\.environ|os\.getenv|getenv\(", source)


@pytest.mark.parametrize("path", MODULES, ids=place)
def test_typer_and_rich_stay_in_the_command_line(path: Path) -> None:
    if not place(path).startswith("_cli/"):
        assert not {name for name in imports(path) if name.split(".")[0] in ("typer", "rich")}


@pytest.mark.parametrize("path", MODULES, ids=place)
def test_nothing_is_unpickled_and_no_code_is_loaded_from_data(path: Path) -> None:
    """Row 72."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    assert not {
        name for name in imports(path) if name.split(".")[0] in ("pickle", "joblib", "torch", "yaml", "marshal")
    }
    called = {node.func.id for node in ast.walk(tree) if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)}
    assert not called & {"eval", "exec", "compile", "__import__"}


@pytest.mark.parametrize("path", MODULES, ids=place)
def test_files_and_functions_are_of_readable_size(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert len(text.splitlines()) <= 450  # graph/database.py is one class and the errors it translates
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and not place(path).startswith("_cli/"):
            assert (node.end_lineno or 0) - node.lineno <= 65, f"{node.name} is too long"


@pytest.mark.parametrize("path", MODULES, ids=place)
def test_no_cypher_stands_in_a_formatted_string(path: Path) -> None:
    """Queries are files; what varies in them are parameters and allow-listed types."""
    words = re.compile(r"\b(MATCH \(|MERGE \(|UNWIND |DETACH DELETE|CREATE \()")
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.JoinedStr):
            text = "".join(str(part.value) for part in node.values if isinstance(part, ast.Constant))
            assert not words.search(text), f"line {node.lineno}"


def test_public_names_are_sorted_and_exist() -> None:
    assert kg_neo4j.__all__ == sorted(kg_neo4j.__all__)
    for name in kg_neo4j.__all__:
        assert getattr(kg_neo4j, name).__doc__, f"{name} has no docstring"


def test_the_error_tree_in_the_docstring_is_the_tree() -> None:
    from kg_neo4j import errors

    drawn = set(re.findall(r"^\s*[│├└─\s]*([A-Z]\w+)", errors.__doc__ or "", re.MULTILINE)) - {"Every", "Each"}
    defined = {name for name, value in vars(errors).items() if isinstance(value, type) and issubclass(value, Exception)}
    assert drawn == defined


def test_the_repository_names_no_package_host_and_no_machine() -> None:
    pattern = re.compile(
        r"https?://[\w.-]*(pypi|pythonhosted|maven|npmjs|crates)[\w.-]*|/(root|home)/\w+", re.IGNORECASE
    )
    for folder in ("src", "cypher", "prompts", "scripts", "docs", "examples", "benchmarks"):
        for path in (CHECKOUT / folder).rglob("*"):
            if path.is_file() and path.suffix in (".py", ".md", ".cypher", ".toml", ".sh", ".txt", ".lock"):
                assert not pattern.search(path.read_text(encoding="utf-8")), path
