"""The layout of docs: imports go left only, no cycles, one reader of the environment, files of readable size."""

from __future__ import annotations

import ast
import re
from collections.abc import Collection, Iterator
from functools import cache
from pathlib import Path

import kg_neo4j

ROOT = Path(kg_neo4j.__file__).resolve().parent
SOURCE = ROOT.parent
CHECKOUT = SOURCE.parent
# Each package beside kg_neo4j: which of our packages it imports, and which modules of kg_neo4j import it.
BESIDE: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "kg_neo4j_lab": (("kg_neo4j", "kg_neo4j_offline"), ()),
    "kg_neo4j_offline": (("kg_neo4j",), ("extract/engine", "factory")),
    "kg_neo4j_readers": (("kg_neo4j",), ()),
    "kg_neo4j_scale": (("kg_neo4j",), ()),
    "kg_neo4j_serve": (("kg_neo4j",), ()),
    "neo4j_local": ((), ("local_server",)),
}
BESIDE = {name: borders for name, borders in BESIDE.items() if (SOURCE / name).is_dir()}
PACKAGES = ("kg_neo4j", *BESIDE)
LAYERS = (
    (
        "errors",
        "records",
        "settings",
        "resources",
        "data_files",
        "display",
        "words",
        "owners",
        "plugins",
        "progress",
        "interrupts",
        "tracing",
    ),
    ("jsonl_log",),
    ("_models", "local_server"),
    ("acquire",),
    ("extract",),
    ("graph",),
    ("organise",),
    ("retrieve",),
    ("factory",),
    ("pipeline",),
    ("knowledge_graph",),
    ("_cli",),
    ("rooms",),
    ("__init__", "__main__", "langchain"),
)
RANK = {name: rank for rank, names in enumerate(LAYERS) for name in names}
PURE = (
    "acquire/chunking",
    *("extract/schema", "extract/rows", "extract/validation", "extract/evidence", "extract/values"),
    *("graph/fold", "graph/identity", "graph/resolution/decisions", "graph/resolution/names"),
    *("graph/resolution/bearers", "graph/resolution/proposals", "graph/resolution/candidates"),
    *("graph/resolution/rules", "graph/resolution/parts"),
    *(
        "retrieve/packing",
        "retrieve/checking/citations",
        "retrieve/checking/support",
        "retrieve/checking/values",
        "retrieve/checking/claim_list",
        "retrieve/cypher/guard",
        "retrieve/cypher/parser",
    ),
)
READ_AS_A_WHOLE = ("records", "retrieve/cypher/parser")  # records alone; the one parser that guards the database
STAND_INS_OF_ROOMS = tuple(
    f"kg_neo4j_offline/{name}" for name in ("stand_ins", "follow_ups", "spoken_of")
)  # found by the kind of a job
BUILT_ON = {"adopt": {"tables", "ontology"}}  # room -> those that it builds on: it refuses to work without them
SHARED = {  # class name -> why two modules have it; at most five
    "Progress": "neo4j_local has a protocol of its own, which ours fits",
    "Silent": "and what receives nothing",
}
MODULES = sorted(SOURCE.rglob("*.py"))
OURS = sorted(ROOT.rglob("*.py"))


def place(path: Path) -> str:
    """Return "graph/fold" for a module of kg_neo4j, "neo4j_local/state" for one of a package beside it."""
    return path.relative_to(ROOT if path.is_relative_to(ROOT) else SOURCE).with_suffix("").as_posix()


@cache
def text_of(path: Path) -> str:
    return path.read_text(encoding="utf-8")


@cache
def tree_of(path: Path) -> ast.Module:
    return ast.parse(text_of(path))


def is_for_typing(test: ast.expr) -> bool:
    return "TYPE_CHECKING" in (getattr(test, "id", ""), getattr(test, "attr", ""))


@cache
def imports(path: Path, *, typing_too: bool = False) -> tuple[str, ...]:
    """Return every module that a file imports, at the top or within a function, and `typing_too` for types alone."""
    nodes = list(ast.walk(tree_of(path)))
    guarded = [node for node in nodes if isinstance(node, ast.If) and is_for_typing(node.test) and not typing_too]
    typing = [each for node in guarded for each in node.body]
    left_out = {id(inner) for each in typing for inner in ast.walk(each)}
    found: list[str] = []
    for node in nodes:
        if isinstance(node, ast.Import) and id(node) not in left_out:
            found += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module and id(node) not in left_out:
            found += [node.module, *(f"{node.module}.{alias.name}" for alias in node.names)]
    return tuple(found)


def ours(path: Path) -> set[str]:
    return {name.split(".")[1] for name in imports(path) if name.startswith("kg_neo4j.") and name.split(".")[1] in RANK}


def test_imports_go_left_only() -> None:
    offenders = [
        f"{place(path)} imports {name}"
        for path in OURS
        for name in sorted(ours(path))
        if RANK[name] > RANK[place(path).split("/")[0]] and (name != "rooms" or place(path) not in STAND_INS_OF_ROOMS)
    ]
    assert offenders == []


def test_layers_name_every_folder() -> None:
    assert {place(path).split("/")[0] for path in OURS} <= set(RANK)


def test_packages_import_each_other_only_as_listed() -> None:
    assert {path.relative_to(SOURCE).parts[0] for path in MODULES} == set(PACKAGES)
    allowed = {(package, other) for package, (others, _) in BESIDE.items() for other in (package, *others)}
    bridges = {(module, package) for package, (_, modules) in BESIDE.items() for module in modules}
    crossing = {
        (place(path) if path in OURS else place(path).split("/")[0], other)
        for path in MODULES
        for other in {name.split(".")[0] for name in imports(path, typing_too=True)} & set(PACKAGES)
        if path not in OURS or other != "kg_neo4j"
    }
    assert crossing <= allowed | bridges
    assert bridges <= crossing


def test_only_tables_name_a_room() -> None:
    """The trunk does not import a room, and no room imports another one. `kg_neo4j.rooms` lists the tables."""
    found = {
        (place(path), name)
        for path in MODULES
        for name in imports(path, typing_too=True)
        if name.startswith("kg_neo4j.rooms.") and place(path).split("/")[:2] != name.split(".")[1:3]
    }
    built = {
        (path, name)
        for room, others in BUILT_ON.items()
        for path, name in found
        if path.split("/")[:2] == ["rooms", room] and name.split(".")[2] in others
    }
    found -= built
    assert [f"{path} imports {name}" for path, name in sorted(found) if path not in STAND_INS_OF_ROOMS] == []
    assert {path for path, _ in found} == set(STAND_INS_OF_ROOMS)
    assert {path.split("/")[1] for path, _ in built} == set(BUILT_ON)


def test_there_are_no_import_cycles() -> None:
    """Imports for types alone count: they show what a reader has to know."""
    modules = {path.relative_to(SOURCE).with_suffix("").as_posix(): path for path in MODULES}
    edges = {
        module: {name.replace(".", "/") for name in imports(path, typing_too=True)} & modules.keys() - {module}
        for module, path in modules.items()
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


def test_pure_modules_touch_neither_database_nor_model() -> None:
    offenders = [
        f"{name} imports {module}"
        for name in PURE
        for module in imports(ROOT / f"{name}.py")
        if module.split(".")[0] in ("neo4j", "openai", "graphdatascience")
    ]
    assert offenders == []


def test_only_settings_reads_the_environment() -> None:
    pattern = re.compile(r"os\.environ|os\.getenv|getenv\(")
    readers = [place(path) for path in MODULES if pattern.search(text_of(path))]
    assert readers == ["rooms/guesses/values", "settings"]  # a shell that completes says there which one it is


def test_typer_and_rich_stay_in_the_command_line() -> None:
    """A room has its commands in command.py."""
    offenders = [
        f"{place(path)} imports {name}"
        for path in MODULES
        for name in imports(path)
        if name.split(".")[0] in ("typer", "rich") and not re.search(r"\b_cli/|^rooms/\w+/command$", place(path))
    ]
    assert offenders == []


def test_only_the_door_asks_a_model_or_reads_the_cache() -> None:
    """Callers have a door; the other one is a layer of a door that a study puts together."""
    layers = ("kg_neo4j_lab/answers/recalling",)
    behind = re.compile(
        r"openai$|kg_neo4j\._models\.(?:cache|budgeted|openai_(?:chat|client)|protocols\.\w*ChatModel)\b"
    )
    offenders = [
        f"{place(path)}: {name}"
        for path in MODULES
        if not place(path).startswith("_models/") and place(path) not in ("factory", *layers)
        for name in (*filter(behind.match, imports(path)), *methods_called(path))
        if behind.match(name) or name == "complete"
    ]
    assert offenders == []


def test_only_the_factory_imports_what_stands_in_for_a_model() -> None:
    offenders = [
        f"{place(path)}: {name}"
        for path in MODULES
        if not place(path).startswith(("kg_neo4j_offline/", "kg_neo4j_lab/"))
        and place(path) not in BESIDE["kg_neo4j_offline"][1]
        for name in imports(path)
        if name.startswith("kg_neo4j_offline")
    ]
    assert offenders == []


def test_only_the_factory_knows_whether_a_model_is_set() -> None:
    """Everyone has a door. Where no model is set it leads to the stand-ins, and nobody asks which of the two it is.

    A user may give `KnowledgeGraph` a model, or none.
    """
    offenders = [
        f"{place(path)}, line {line}: {why}"
        for path in MODULES
        if not place(path).startswith("kg_neo4j_offline/")
        and place(path) not in ("factory", "settings", "knowledge_graph")
        for line, why in choices(path)
    ]
    assert offenders == []


STAND_INS = frozenset("StandInDoor Unasked Asked OfflineExtractor StaticEmbedding HashedEmbedding".split())
DOOR = re.compile(r"(?:.*_)?(?:door|chat_model)$")


def choices(path: Path) -> Iterator[tuple[int, str]]:
    """Yield where a file tests whether a model is set: by None, by truth, by name, by type, or by the settings."""
    opened = {
        target.id
        for node in ast.walk(tree_of(path))
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Call) and is_door(node.value)
        for target in node.targets
        if isinstance(target, ast.Name)
    }
    for node in ast.walk(tree_of(path)):
        if isinstance(node, ast.Attribute) and node.attr == "offline" and getattr(node.value, "id", "") != "kg_neo4j":
            yield node.lineno, "reads settings.offline"
        elif isinstance(node, ast.Compare):
            sides = (node.left, *node.comparators)
            if any(is_door(side, opened) for side in sides) and any(is_nothing(side) for side in sides):
                yield node.lineno, "compares a door with nothing"
        elif isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitOr) and is_nothing(node.right):
            if getattr(node.left, "id", "") in ("Door", "ChatModel"):
                yield node.lineno, "a door that may be missing"
        elif isinstance(node, ast.Call) and getattr(node.func, "id", "") == "isinstance":
            kinds = {getattr(each, "id", getattr(each, "attr", "")) for each in ast.walk(node.args[1])}
            if kinds & STAND_INS:
                yield node.lineno, f"tests for {', '.join(sorted(kinds & STAND_INS))}"
        for tested in truths_of(node):
            if is_door(tested, opened):
                yield tested.lineno, "tests a door for truth"


def truths_of(node: ast.AST) -> Iterator[ast.expr]:
    """Yield the expressions whose truth a node tests."""
    if isinstance(node, ast.If | ast.IfExp | ast.While | ast.Assert):
        yield node.test
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        yield node.operand
    elif isinstance(node, ast.BoolOp):
        yield from node.values if isinstance(node.op, ast.And) else node.values[:-1]
    elif isinstance(node, ast.comprehension):
        yield from node.ifs


def is_door(node: ast.expr, opened: Collection[str] = ()) -> bool:
    """Return whether an expression is called a door, is one of those `opened`, opens one, or names its model."""
    if isinstance(node, ast.Call):
        return is_door(node.func)
    if isinstance(node, ast.NamedExpr):
        return is_door(node.value, opened)
    if isinstance(node, ast.Attribute) and node.attr in ("name", "model"):
        return is_door(node.value, opened)
    name = getattr(node, "id", getattr(node, "attr", ""))
    return name in opened or bool(DOOR.match(name))


def is_nothing(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value in (None, "")


def methods_called(path: Path) -> Iterator[str]:
    """Yield the names of the methods that a file calls."""
    for node in ast.walk(tree_of(path)):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            yield node.func.attr


def test_nothing_is_unpickled_and_no_code_is_loaded_from_data() -> None:
    """Row 72."""
    offenders = [
        f"{place(path)}: {name}"
        for path in MODULES
        for name in (*imports(path), *called(path))
        if name.split(".")[0] in ("pickle", "joblib", "torch", "yaml", "marshal")
        or name in ("eval", "exec", "compile", "__import__")
    ]
    assert offenders == []


def called(path: Path) -> Iterator[str]:
    """Yield the plain names that a file calls."""
    for node in ast.walk(tree_of(path)):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            yield node.func.id


def test_files_are_of_readable_size() -> None:
    """graph/database.py is one class and the errors that it translates."""
    lines = {place(path): len(text_of(path).splitlines()) for path in MODULES if place(path) not in READ_AS_A_WHOLE}
    assert {name: number for name, number in lines.items() if number > 450} == {}


def test_functions_are_of_readable_size() -> None:
    offenders = [
        f"{place(path)}: {node.name}"
        for path in MODULES
        if "_cli/" not in place(path)
        for node in ast.walk(tree_of(path))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and (node.end_lineno or 0) - node.lineno > 65
    ]
    assert offenders == []


def test_a_class_name_occurs_once() -> None:
    """A reader who finds a name finds its class; a name that must be shared is listed in SHARED, with the reason.

    An error of neo4j_local has the name of ours, which takes its place: test_local_server.py.
    """
    homes: dict[str, list[str]] = {}
    for path in MODULES:
        if place(path) == "neo4j_local/errors":
            continue
        for node in ast.walk(tree_of(path)):
            if isinstance(node, ast.ClassDef):
                homes.setdefault(node.name, []).append(place(path))
    assert {name: places for name, places in homes.items() if len(places) > 1 and name not in SHARED} == {}
    assert len(SHARED) <= 5
    assert [name for name in SHARED if len(homes.get(name, ())) < 2] == []


def test_no_cypher_stands_in_a_formatted_string() -> None:
    """Queries are files; what varies in them are parameters and allow-listed types."""
    words = re.compile(r"\b(MATCH \(|MERGE \(|UNWIND |DETACH DELETE|CREATE \()")
    offenders = [
        f"{place(path)}, line {node.lineno}"
        for path in MODULES
        for node in ast.walk(tree_of(path))
        if isinstance(node, ast.JoinedStr)
        and words.search("".join(str(part.value) for part in node.values if isinstance(part, ast.Constant)))
    ]
    assert offenders == []


def test_public_names_are_sorted_and_exist() -> None:
    assert kg_neo4j.__all__ == sorted(kg_neo4j.__all__)
    for name in kg_neo4j.__all__:
        assert getattr(kg_neo4j, name).__doc__, f"{name} has no docstring"


def test_each_error_says_what_it_means_and_each_family_its_exit_code() -> None:
    from kg_neo4j import errors

    defined = {name: value for name, value in vars(errors).items() if isinstance(value, type)}
    raised = {name: value for name, value in defined.items() if issubclass(value, errors.KgError)}
    assert [name for name, value in raised.items() if not value.__doc__] == []
    drawn = dict(re.findall(r"^ +(\w+) +exit (\d)", errors.__doc__ or "", re.MULTILINE))
    families = {"KgError", *(name for name, value in raised.items() if value.__bases__ == (errors.KgError,))}
    assert families - {"FolderFull", "WorkerLost"} == set(drawn)
    assert {name: str(raised[name].exit_code) for name in drawn} == drawn


def test_the_repository_names_no_package_host_and_no_machine() -> None:
    pattern = re.compile(
        r"https?://[\w.-]*(pypi|pythonhosted|maven|npmjs|crates)[\w.-]*|/(root|home)/\w+", re.IGNORECASE
    )
    for folder in ("src", "cypher", "prompts", "scripts", "docs", "examples", "benchmarks"):
        for path in (CHECKOUT / folder).rglob("*"):
            if path.is_file() and path.suffix in (".py", ".md", ".cypher", ".toml", ".sh", ".txt", ".lock"):
                assert not pattern.search(path.read_text(encoding="utf-8")), path
