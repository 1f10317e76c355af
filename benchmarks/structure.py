"""Sizes and habits of a Python package, counted from its syntax trees: to compare ours with others.

    python benchmarks/structure.py [FOLDER ...]      default: src/kg_neo4j

Lines of code have neither blank lines, comments nor docstrings. Public is what has no underscore at its beginning, in
files without one. An except is broad where it names Exception or BaseException, or nothing.
"""

from __future__ import annotations

import ast
import re
import statistics
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

Function = ast.FunctionDef | ast.AsyncFunctionDef
CHECKOUT = Path(__file__).resolve().parents[1]


def main() -> None:
    for folder in sys.argv[1:] or [str(CHECKOUT / "src" / "kg_neo4j")]:
        texts = {path: path.read_text("utf-8") for path in sorted(Path(folder).rglob("*.py"))}
        print(f"{folder}")
        for name, value in figures(texts):
            print(f"  {name:<42}{value}")


def figures(texts: dict[Path, str]) -> Iterator[tuple[str, str]]:
    """Yield the name of each figure and its value."""
    trees = {path: ast.parse(text) for path, text in texts.items()}
    nodes = [node for tree in trees.values() for node in ast.walk(tree)]
    functions = [node for node in nodes if isinstance(node, Function)]
    classes = [node for node in nodes if isinstance(node, ast.ClassDef)]
    lines = [len(text.splitlines()) for text in texts.values()]
    code = sum(len(code_lines(texts[path], tree)) for path, tree in trees.items())
    yield "files, lines, lines of code", f"{len(texts)}, {sum(lines):,}, {code:,}"
    yield "lines of a file: median, p90, most", spread(lines)
    lengths = [(node.end_lineno or 0) - node.lineno + 1 for node in functions]
    yield "lines of a function: median, p90, most", spread(lengths)
    yield "functions over 50 and 65 lines", ", ".join(str(sum(each > most for each in lengths)) for most in (50, 65))
    public = [node for path, tree in trees.items() if is_public(path) for node in named(tree.body)]
    yield "public things with a docstring", share([bool(ast.get_docstring(node)) for node in public])
    yield "modules with a docstring", share([bool(ast.get_docstring(tree)) for tree in trees.values()])
    yield "functions with a return type", share([node.returns is not None for node in functions])
    handlers = [node for node in nodes if isinstance(node, ast.ExceptHandler)]
    yield "broad excepts", str(sum(is_broad(node) for node in handlers))
    environment = re.compile(r"os\.environ|os\.getenv|getenv\(")
    yield "files that read the environment", str(sum(bool(environment.search(text)) for text in texts.values()))
    records = [
        decorator for node in classes for decorator in node.decorator_list if "dataclass" in ast.unparse(decorator)
    ]
    yield (
        "dataclasses, of them frozen",
        f"{len(records)}, {sum('frozen=True' in ast.unparse(each) for each in records)}",
    )
    names = Counter(node.name for node in classes)
    yield "classes, of them with a name used twice", f"{len(classes)}, {sum(n for n in names.values() if n > 1)}"


def named(body: Sequence[ast.stmt]) -> Iterator[ast.ClassDef | Function]:
    """Yield public classes, their public methods, and public functions."""
    for node in body:
        if isinstance(node, ast.ClassDef | Function) and not node.name.startswith("_"):
            yield node
            yield from named(node.body) if isinstance(node, ast.ClassDef) else ()


def is_public(path: Path) -> bool:
    return not any(part.startswith("_") and part != "__init__.py" for part in path.parts[-3:])


def is_broad(handler: ast.ExceptHandler) -> bool:
    return handler.type is None or re.search(r"\b(Base)?Exception\b", ast.unparse(handler.type)) is not None


def code_lines(text: str, tree: ast.Module) -> set[int]:
    """Return the numbers of the lines that have code."""
    owners = [node for node in ast.walk(tree) if isinstance(node, ast.Module | ast.ClassDef | Function)]
    texts = [node.body[0] for node in owners if ast.get_docstring(node, clean=False) is not None]
    left_out = {number for each in texts for number in range(each.lineno, (each.end_lineno or 0) + 1)}
    written = enumerate(text.splitlines(), 1)
    return {number for number, line in written if line.strip() and not line.strip().startswith("#")} - left_out


def spread(values: Sequence[int]) -> str:
    """Return the median, the ninth decile and the largest of some values."""
    return f"{statistics.median(values):g}, {sorted(values)[int(0.9 * len(values))]}, {max(values)}"


def share(values: Sequence[bool]) -> str:
    return f"{sum(values)} of {len(values)} ({sum(values) / max(1, len(values)):.1%})"


if __name__ == "__main__":
    main()
