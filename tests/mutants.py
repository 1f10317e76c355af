"""Draws small faults of the code, and tells which tests notice them. Run by hand, in this order:

    pytest -n 2 --dist loadfile -m 'not long' --cov src --cov-context test --cov-report= --junitxml times.xml
    python tests/mutants.py draw --seed 42 --count 40 > mutants.json
    python tests/mutants.py run mutants.json --checkout COPY --coverage .coverage --times times.xml --to table.jsonl

Coverage says which tests run the changed line. They run in order of their duration and stop at the first failure. A
line that only an import runs gets the tests of its whole file. COPY is a clone of its own, because its files change.
NEO4J_URI names a server for all runs, which saves a start for each fault.
"""

from __future__ import annotations

import argparse
import ast
import json
import os
import random
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from xml.etree import ElementTree

from coverage import CoverageData

KINDS = ("comparison", "constant", "return", "call")
SWAPS = {
    ast.Eq: "!=", ast.NotEq: "==", ast.Lt: "<=", ast.LtE: "<", ast.Gt: ">=", ast.GtE: ">",
    ast.In: "not in", ast.NotIn: "in", ast.Is: "is not", ast.IsNot: "is",
}  # fmt: skip
LONGEST_S = 120  # of one test; a mutant that loops counts as caught


@dataclass(frozen=True)
class Mutant:
    """One fault: the characters from `start` to `end` of a file become `text`."""

    path: str  # below the checkout
    line: int
    kind: str
    start: int
    end: int
    before: str
    text: str

    def apply(self, source: str) -> str:
        """Return the file with the fault. Raises ValueError where the file is not the one that was drawn from."""
        if source[self.start : self.end] != self.before:
            raise ValueError(f"{self.path}:{self.line} does not say {self.before!r}")
        return source[: self.start] + self.text + source[self.end :]


# --------------------------------------------------------------------------------------------------------- drawing


def mutants_of(path: str, source: str) -> Iterator[Mutant]:
    """Yield every fault that can be made in a file; not in docstrings, decorators and what only types need."""
    tree = ast.parse(source)
    starts = [0]
    for line in source.splitlines(keepends=True):
        starts.append(starts[-1] + len(line.encode()))
    raw, left_out = source.encode(), set(_left_out(tree))

    def made(kind: str, node: ast.expr | ast.stmt, text: str) -> Mutant:
        first = starts[node.lineno - 1] + node.col_offset
        last = starts[(node.end_lineno or 0) - 1] + (node.end_col_offset or 0)
        start, before = len(raw[:first].decode()), raw[first:last].decode()
        return Mutant(path, node.lineno, kind, start, start + len(before), before, text)

    for node in ast.walk(tree):
        if node in left_out:
            continue
        if isinstance(node, ast.Compare) and len(node.ops) == 1:
            left, right = ast.get_source_segment(source, node.left), ast.get_source_segment(source, node.comparators[0])
            yield made("comparison", node, f"({left}) {SWAPS[type(node.ops[0])]} ({right})")
        elif isinstance(node, ast.Constant) and isinstance(node.value, int | float):
            yield made("constant", node, repr(not node.value if isinstance(node.value, bool) else node.value + 1))
        elif isinstance(node, ast.Return) and node.value and ast.unparse(node.value) != "None":
            yield made("return", node, "return None")
        elif isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
            yield made("call", node, "pass")


def _left_out(tree: ast.Module) -> Iterator[ast.AST]:
    for node in ast.walk(tree):
        roots: list[ast.AST | None] = []
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            roots += node.decorator_list
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            roots += [node.returns, *(each.annotation for each in ast.walk(node.args) if isinstance(each, ast.arg))]
        if isinstance(node, ast.AnnAssign):
            roots.append(node.annotation)
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
            roots.append(node)
        if isinstance(node, ast.JoinedStr):  # a fault within would need the quotes of the string
            roots.append(node)
        yield from (each for root in roots if root is not None for each in ast.walk(root))


def draw(checkout: Path, seed: int, count: int) -> list[Mutant]:
    """Return `count` faults, as many of each kind, drawn from all files of src/."""
    found: dict[str, list[Mutant]] = {kind: [] for kind in KINDS}
    for path in sorted((checkout / "src").rglob("*.py")):
        for each in mutants_of(path.relative_to(checkout).as_posix(), path.read_text("utf-8")):
            found[each.kind].append(each)
    chance = random.Random(seed)
    drawn = [each for kind in KINDS for each in chance.sample(found[kind], count // len(KINDS))]
    return sorted(drawn, key=lambda each: (each.path, each.start))


# --------------------------------------------------------------------------------------------------------- running


@dataclass
class Suites:
    """Which tests run which line, and how long each takes."""

    lines: dict[str, dict[int, set[str]]]  # path -> line -> tests
    seconds: dict[str, float]

    @classmethod
    def read(cls, coverage: Path, times: Path | None) -> Suites:
        """Read the data of coverage, and a report in JUnit's form."""
        data = CoverageData(str(coverage))
        data.read()
        lines = {}
        for file in data.measured_files():
            path = file[file.rindex("/src/") + 1 :]
            by_line = data.contexts_by_lineno(file)
            lines[path] = {
                line: {name.rpartition("|")[0] for name in names if "|" in name} for line, names in by_line.items()
            }
        seconds: dict[str, float] = {}
        for case in ElementTree.parse(times).iter("testcase") if times else ():
            name = f"{case.get('classname', '').replace('.', '/')}.py::{case.get('name')}"
            seconds[name] = float(case.get("time", 0))
        return cls(lines, seconds)

    def tests_of(self, mutant: Mutant) -> list[str]:
        """Return the tests that run the line of a fault, those first that take least."""
        of_file = self.lines.get(mutant.path, {})
        last = mutant.line + mutant.before.count("\n")
        names = {name for line in range(mutant.line, last + 1) for name in of_file.get(line, ())}
        names = names or {name for tests in of_file.values() for name in tests}
        return sorted(names, key=lambda name: (self.seconds.get(name, 1.0), name))


def run(mutant: Mutant, tests: Sequence[str], checkout: Path) -> tuple[str, float]:
    """Return the first test that fails with the fault alone, or "" where none does, and the seconds that it took."""
    path, begun, left = checkout / mutant.path, time.monotonic(), list(tests)
    source = path.read_text("utf-8")
    while left:
        try:
            path.write_text(mutant.apply(source), "utf-8")
            failed = first_failure(left, checkout)
        finally:
            path.write_text(source, "utf-8")
        test = failed.partition(" - ")[0]
        if test not in left or not first_failure([test], checkout):  # without the fault it passes
            return failed, time.monotonic() - begun
        left = left[left.index(test) + 1 :]
    return "", time.monotonic() - begun


def first_failure(tests: Sequence[str], checkout: Path) -> str:
    """Run tests until one fails, and return its line; "" where all pass."""
    listed = checkout / ".mutant-tests"
    listed.write_text("\n".join(tests), "utf-8")
    command = [sys.executable, "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider", f"--timeout={LONGEST_S}"]
    environment = {**os.environ, "PYTHONPATH": str(checkout / "src"), "PYTHONDONTWRITEBYTECODE": "1"}
    done = subprocess.run(
        [*command, f"@{listed}"], cwd=checkout, env=environment, capture_output=True, text=True, check=False
    )
    listed.unlink()
    failed = [line for line in done.stdout.splitlines() if line.startswith(("FAILED ", "ERROR "))]
    if done.returncode and not failed:
        failed = [f"exit code {done.returncode}: {(done.stderr or done.stdout).strip()[-200:]!r}"]
    return failed[0].removeprefix("FAILED ").removeprefix("ERROR ") if failed else ""


def main() -> None:
    """Draw, or run and write a line of JSON for each fault as soon as it is known."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    drawing, running = commands.add_parser("draw"), commands.add_parser("run")
    drawing.add_argument("--seed", type=int, default=1)
    drawing.add_argument("--count", type=int, default=40)
    running.add_argument("mutants", type=Path)
    running.add_argument("--coverage", type=Path, required=True)
    running.add_argument("--times", type=Path)
    running.add_argument("--to", type=Path, required=True, help="continued where it ended")
    running.add_argument("--only", default="", help="tests whose path begins like this; several with commas between")
    for each in (drawing, running):
        each.add_argument("--checkout", type=Path, default=Path.cwd())
    given = parser.parse_args()
    if given.command == "draw":
        drawn = draw(given.checkout, given.seed, given.count)
        sys.stdout.write(json.dumps([asdict(each) for each in drawn], indent=1) + "\n")
        return
    suites, only = Suites.read(given.coverage, given.times), tuple(given.only.split(","))
    known = (
        {json.loads(line)["number"] for line in given.to.read_text("utf-8").splitlines()} if given.to.exists() else ()
    )
    for number, each in enumerate(json.loads(given.mutants.read_text("utf-8"))):
        if number in known:
            continue
        mutant = Mutant(**each)
        tests = [name for name in suites.tests_of(mutant) if name.startswith(only)]
        caught, seconds = run(mutant, tests, given.checkout) if tests else ("", 0.0)
        shown = {"number": number, "place": f"{mutant.path}:{mutant.line}", "kind": mutant.kind}
        shown |= {"before": mutant.before[:80], "tests": len(tests), "caught": caught[:200], "seconds": round(seconds)}
        with given.to.open("a", encoding="utf-8") as file:
            file.write(json.dumps(shown) + "\n")


if __name__ == "__main__":
    main()
