"""What each dependency of the default install costs on disk.

    python -m venv ENV; ENV/bin/pip install kg-neo4j; ENV/bin/python benchmarks/dependencies.py

Own: MB of the package. With all: what it needs counted too. Alone: what would go if kg-neo4j did not name it. Compiled
Python files are counted where pip wrote them.
"""

from __future__ import annotations

import re
from importlib.metadata import Distribution, PackageNotFoundError, distribution, distributions

from packaging.requirements import Requirement

PACKAGE = "kg-neo4j"


def main() -> None:
    """Print a table, the dearest first, and the whole."""
    direct = needs(PACKAGE)
    whole = closure(direct)
    sizes = {name: size_mb(distribution(name)) for name in whole}
    rows = []
    for name in direct:
        without = closure([each for each in direct if each != name])
        alone = sum(sizes[each] for each in whole - without)
        rows.append((name, sizes[name], sum(sizes[each] for each in closure([name])), alone))
    print(f"{'':22}{'own':>8}{'with all':>10}{'alone':>8}   MB")
    for name, own, all_, alone in sorted(rows, key=lambda row: -row[3]):
        print(f"{name:22}{own:8.1f}{all_:10.1f}{alone:8.1f}")
    own = size_mb(distribution(PACKAGE))
    print(f"{len(whole)} packages, {sum(sizes.values()):,.0f} MB; {PACKAGE} itself {own:.0f} MB")
    everything = sum(map(size_mb, distributions()))
    print(f"all that is installed here: {everything:,.0f} MB")


def needs(name: str) -> list[str]:
    """Return the packages that one requires here, without extras."""
    found = []
    for line in distribution(name).requires or ():
        required = Requirement(line)
        if required.marker is None or required.marker.evaluate({"extra": ""}):
            found.append(normal(required.name))
    return found


def closure(names: list[str]) -> set[str]:
    """Return packages with all that they need."""
    found: set[str] = set()
    waiting = [*names]
    while waiting:
        name = waiting.pop()
        if name in found:
            continue
        try:
            distribution(name)
        except PackageNotFoundError:  # for another platform or version of Python
            continue
        found.add(name)
        waiting += needs(name)
    return found


def size_mb(package: Distribution) -> float:
    """Return the MB of a package's files."""
    paths = (package.locate_file(file) for file in package.files or ())
    return sum(path.stat().st_size for path in paths if path.is_file()) / 1e6  # type: ignore[attr-defined]


def normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


if __name__ == "__main__":
    main()
