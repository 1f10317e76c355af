"""The section `growth` of size.py: time and memory over the number of documents, and what ten million would take.

Slopes are those of log(value) over log(documents), by least squares over all runs, with intervals of 95 % (Student's
t). A slope of 1 is in proportion to the documents. Figures for larger graphs are read off the line, with the interval
of a single further run; they were not measured.
"""

from __future__ import annotations

import argparse
import json
import math
import statistics
import sys
import tempfile
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from scipy import stats
from size_build import ASK, GRAPH, LOAD, Home, Taken, Watch, build, new_home, shards

MORE = 250  # documents that are loaded into the finished graph
LARGEST = 10_000_000  # documents that the lines are drawn to
TIMES = {  # measured -> its name in the picture, its colour
    "build": ("build in bulk", "#1d4ed8"),
    "communities": ("of it communities", "#7c3aed"),
    "load": (f"load {MORE} more", "#b45309"),
    "first question": ("first question", "#64748b"),
    "question": ("question", "#047857"),
}
MEMORY = {
    "our memory": ("our processes", "#1d4ed8"),
    "server memory": ("server", "#047857"),
    "store": ("store on disk", "#b45309"),
}


@dataclass(frozen=True)
class Line:
    """log(value) = at + slope * log(documents)."""

    slope: float
    half: float  # of its interval of 95 %
    at: float
    spread: float  # standard error of the residuals
    documents: tuple[float, ...]  # log of each run's

    def value(self, documents: float) -> tuple[float, float, float]:
        """Return what the line says, and the interval of 95 % of one more run."""
        x, runs = math.log(documents), len(self.documents)
        mean = statistics.fmean(self.documents)
        around = sum((each - mean) ** 2 for each in self.documents)
        error = self.spread * math.sqrt(1 + 1 / runs + (x - mean) ** 2 / around)
        half = float(stats.t.ppf(0.975, runs - 2)) * error
        middle = self.at + self.slope * x
        return math.exp(middle), math.exp(middle - half), math.exp(middle + half)


def fitted(points: Sequence[tuple[float, float]]) -> Line:
    """Return the line through (documents, value), of three or more runs."""
    x, y = (np.log([each[place] for each in points]) for place in (0, 1))
    found = stats.linregress(x, y)
    left = y - (found.intercept + found.slope * x)
    spread = math.sqrt(float(left @ left) / (len(points) - 2))
    half = float(stats.t.ppf(0.975, len(points) - 2)) * float(found.stderr)
    return Line(float(found.slope), half, float(found.intercept), spread, tuple(map(float, x)))


def measure(options: argparse.Namespace) -> None:
    """Measure what is not in the file yet, then print the slopes and draw the picture."""
    import documents

    runs: list[dict[str, Any]] = json.loads(options.json.read_text()) if options.json.is_file() else []
    with tempfile.TemporaryDirectory(prefix="size-") as name:
        for count, rounds in zip(options.documents, options.rounds, strict=True):
            missing = rounds - sum(each["documents"] == count for each in runs)
            if missing <= 0:
                continue
            folder = shards(Path(name) / str(count), count, None)
            documents.Shards().write(more := Path(name) / f"more-{count}", count, MORE)
            for _ in range(missing):
                with new_home() as home:
                    runs.append(_run(home, folder, more, count))
                options.json.write_text(json.dumps(runs, indent=1))
                print(runs[-1], file=sys.stderr, flush=True)
    points = gathered(runs)
    print("\n".join(table(points)))
    if options.picture:
        draw(points, options.picture)


def _run(home: Home, folder: Path, more: Path, count: int) -> dict[str, Any]:
    """Build, ask, load more into the graph, and ask again."""
    import documents

    taken = build(home, folder, count, "--vectors", "chunks")
    found = {
        "build": sum(taken.seconds.values()),
        "communities": taken.seconds["communities"],
        "our memory": taken.peak_mb["ours"],
        "store": taken.peak_mb["store"],
    }
    served = Taken(count)
    questions = [f"Whom did {documents.entity(number).name} teach?" for number in (0, 13, 29, 41, 57, 71, 83)]
    with Watch(home, more, served):
        home.kg("db", "start")
        seconds = [each for each, _ in json.loads(home.run("-c", ASK, GRAPH, *questions)[0])]
        _, loading = home.run("-c", LOAD, GRAPH, more)
    found |= {"first question": seconds[0], "question": statistics.median(seconds[2:]), "load": loading}
    return {"documents": count, **found, "server memory": served.peak_mb["server"]}


def gathered(runs: Sequence[Mapping[str, Any]]) -> dict[str, list[tuple[float, float]]]:
    """Return (documents, value) of each run by what is measured."""
    points: defaultdict[str, list[tuple[float, float]]] = defaultdict(list)
    for run in runs:
        for name in (*TIMES, *MEMORY):
            points[name].append((run["documents"], run[name]))
    return dict(points)


def table(points: Mapping[str, Sequence[tuple[float, float]]]) -> Iterator[str]:
    """Yield a line for each measure: medians by size, the slope, and what the line says of ten million."""
    sizes = sorted({count for count, _ in points["build"]})
    heads = "".join(f"{f'{int(each):,}':>12}" for each in sizes)
    yield f"{'seconds, or MB':18}{heads}{'slope':>18}{f'{LARGEST:,}':>14}   of one run"
    for name, each in points.items():
        line = fitted(each)
        cells = "".join(f"{statistics.median(v for c, v in each if c == size):12,.1f}" for size in sizes)
        middle, low, high = line.value(LARGEST)
        yield f"{name:18}{cells}{f'{line.slope:.2f} +- {line.half:.2f}':>18}{middle:14,.0f}   {low:,.0f} to {high:,.0f}"


def draw(points: Mapping[str, Sequence[tuple[float, float]]], target: Path) -> None:
    """Draw seconds and MB over documents, both logarithmic, with each run, the line, and its interval beyond them."""
    import matplotlib as mpl
    from matplotlib.figure import Figure

    mpl.rcParams.update(
        {"svg.fonttype": "none", "svg.hashsalt": "growth", "font.family": "sans-serif", "font.size": 10}
    )
    figure = Figure(figsize=(9, 4), layout="constrained")
    for axes, named, unit in zip(figure.subplots(1, 2), (TIMES, MEMORY), ("seconds", "MB"), strict=True):
        for name, (title, colour) in named.items():
            line = fitted(points[name])
            last = max(count for count, _ in points[name])
            axes.plot(*zip(*points[name], strict=True), "o", color=colour, markersize=4)
            inside = np.geomspace(min(count for count, _ in points[name]), last, 20)
            beyond = np.geomspace(last, LARGEST, 20)
            axes.plot(inside, [line.value(each)[0] for each in inside], color=colour, label=title)
            middle, low, high = zip(*(line.value(each) for each in beyond), strict=True)
            axes.plot(beyond, middle, "--", color=colour, linewidth=1)
            axes.fill_between(beyond, low, high, color=colour, alpha=0.12, linewidth=0)
        axes.set(xscale="log", yscale="log", xlabel="documents", ylabel=unit)
        axes.grid(visible=True, color="#e5e7eb", linewidth=0.6)
        axes.legend(frameon=False, fontsize=8)
    figure.savefig(target, format="svg", metadata={"Date": None})
