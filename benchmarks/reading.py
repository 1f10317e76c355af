"""Documents read per second from a folder of 400 one-paragraph files, and the time that one file takes.

    python benchmarks/reading.py                        this checkout
    python benchmarks/reading.py /tmp/before/src src    two source trees, in turns

Every run is an interpreter of its own, with the tree on its path; imports are not counted. Figures are medians.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

FILES = 400
ROUNDS = 7
SUFFIXES = (".txt", ".md", ".html")
PARAGRAPH = (
    "Leon Wzorek kept the light at Skarnes from 1920. He wrote in the log book every evening what ships he had seen, "
    "and where they were bound. In 1939 he left the island with his daughter Ada, who became a teacher in Łódź."
)
READ = """
import sys, time
from kg_neo4j.acquire import files
from kg_neo4j.records import Document
start = time.perf_counter()
count = sum(isinstance(each, Document) for each in files.read([sys.argv[1]], graph="benchmark"))
print(count, time.perf_counter() - start)
"""


def main() -> None:
    trees = sys.argv[1:] or [str(Path(__file__).parents[1] / "src")]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for number in range(FILES):
            path = folder / f"{number:03}{SUFFIXES[number % len(SUFFIXES)]}"
            path.write_text(f"{number}. {PARAGRAPH}\n", encoding="utf-8")
        whole: dict[str, list[float]] = {tree: [] for tree in trees}
        single: dict[str, list[float]] = {tree: [] for tree in trees}
        for _ in range(ROUNDS):
            for tree in trees:
                whole[tree].append(seconds(tree, folder, FILES))
                single[tree].append(seconds(tree, folder / "000.txt", 1))
    print(f"{FILES} files, {ROUNDS} rounds in turns, {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}")
    for tree in trees:
        rates = sorted(FILES / each for each in whole[tree])
        print(
            f"{tree}: {statistics.median(rates):,.0f} documents/s ({rates[0]:,.0f} to {rates[-1]:,.0f}); "
            f"one file alone {statistics.median(single[tree]) * 1_000:.0f} ms"
        )


def seconds(tree: str, source: Path, expected: int) -> float:
    """Return how long reading `source` takes with the source tree `tree`."""
    environment = {**os.environ, "PYTHONPATH": str(Path(tree).resolve())}
    done = subprocess.run(
        [sys.executable, "-c", READ, str(source)], env=environment, capture_output=True, text=True, check=True
    )
    count, taken = done.stdout.split()
    assert int(count) == expected, f"{tree}: {count} documents of {expected}"
    return float(taken)


if __name__ == "__main__":
    main()
