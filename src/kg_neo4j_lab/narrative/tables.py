"""A study of narrative trees as tables: correctness and similarity by system, and one table for each ablation.

Their pictures have bars where names are compared, lines where a number is varied.
"""

from __future__ import annotations

import importlib.util
import io
import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from kg_neo4j.errors import UsageError
from kg_neo4j.graph.report_format import Report, render
from kg_neo4j_lab.narrative import grid
from kg_neo4j_lab.narrative.study import NarrativeStudy, WayScore

TITLES = {
    grid.TOP_KS: ("top_k", "Nodes that are read"),
    grid.CONTEXT: ("Tokens of context", "Tokens of context"),
    grid.SINGLE: ("Aspect", "Summaries of one aspect alone, with the leaves"),
    grid.WITHOUT: ("Without", "All aspects but one"),
    grid.DETAIL_NODES: ("Details", "Detail nodes of each leaf"),
    grid.CHUNK_LENGTH: ("Tokens of a chunk", "Length of chunks"),
    grid.SUMMARY_LENGTH: ("Tokens of a summary", "Length of summaries"),
    grid.LENGTH: ("Tokens of each", "Length of chunks and summaries together"),
}
CORRECTNESS, SIMILARITY = "correctness", "similarity"
_INCHES = (8.0, 4.6)
_DPI = 150
_COLOURS = ("#2f6db3", "#d9822b", "#3f8f5b", "#8a5fb0", "#b04a4a", "#7a8699", "#2aa3a3", "#c46aa0")
_LINE = "#d5dae1"
_ENDINGS = {"csv": "csv", "json": "json", "markdown": "md"}
_LEFT_OUT = ("95 % from", "to", "Tokens read")  # columns that are no line of their own


def tables(study: NarrativeStudy) -> tuple[Report, ...]:
    """Return two tables of systems, then one for each ablation, in the order in which they were asked for."""
    systems = [each for each in study.results if not each.way.ablation]
    how = "lexical proxy" if study.is_proxy else f"judged by {study.judge}"
    titles = {CORRECTNESS: f"Answer correctness by system, % ({how})", SIMILARITY: "Answer similarity by system, %"}
    found = [_results(systems, measure, title) for measure, title in titles.items()] if systems else []
    for ablation in dict.fromkeys(each.way.ablation for each in study.results if each.way.ablation):
        found.append(_ablation(study, ablation))
    return tuple(found)


def _results(systems: Sequence[WayScore], measure: str, title: str) -> Report:
    kinds = sorted({kind for each in systems for kind in each.types})
    columns = ("System", "All", "95 % from", "to", *kinds, "Found", "Evidence", "Beneath", "Tokens read")
    rows = []
    for each in systems:
        score = each.score
        interval = score.correctness_interval if measure == CORRECTNESS else score.similarity_interval
        shares = [getattr(score, measure), *(interval or (None, None))]
        shares += [getattr(each.types[kind], measure) if kind in each.types else None for kind in kinds]
        shares += [score.found, each.evidence, each.beneath]
        rows.append((each.way.name, *map(_percent, shares), round(score.context_tokens)))
    return Report(measure, title, columns, tuple(rows))


def _ablation(study: NarrativeStudy, ablation: str) -> Report:
    column, title = TITLES[ablation]
    correctness = "Correctness (proxy)" if study.is_proxy else "Correctness"
    rows = []
    for each in study.results:
        if each.way.ablation == ablation:
            value, score = each.way.value, each.score
            shares = (score.correctness, score.similarity, each.evidence, each.beneath, score.found)
            varied = int(value) if value.isdigit() else value.replace("_", " ")
            rows.append((varied, *map(_percent, shares), round(score.context_tokens)))
    columns = (column, correctness, "Similarity", "Evidence", "Beneath", "Found", "Tokens read")
    return Report(ablation, f"{title}: the tree, %", columns, tuple(rows))


def _percent(value: float | None) -> float | None:
    return None if value is None else round(100 * value, 1)


def check(folder: Path) -> None:
    """Raise UsageError for a folder that is not there and cannot be made, and where matplotlib is missing."""
    if folder.exists() and not folder.is_dir():
        raise UsageError(f"{folder} is no folder", hint="choose another place")
    if not folder.parent.is_dir():
        raise UsageError(f"there is no folder {folder.parent}", hint="create it first")
    if importlib.util.find_spec("matplotlib") is None:
        raise UsageError("pictures need matplotlib, which is not installed", hint="pip install 'kg-neo4j[lab]'")


def write(folder: Path, tables: tuple[Report, ...]) -> tuple[Path, ...]:
    """Write each table as Markdown, CSV, JSON and a picture (.png) into `folder`, which is made; return the files.

    Raises UsageError as `check` does, and where a file cannot be written.
    """
    check(folder)
    written: list[Path] = []
    try:
        folder.mkdir(exist_ok=True)
        for table in tables:
            for output, ending in _ENDINGS.items():
                written.append(folder / f"{table.name}.{ending}")
                written[-1].write_text(render(table, output) + "\n", encoding="utf-8")
            written.append(folder / f"{table.name}.png")
            written[-1].write_bytes(draw(table))
    except OSError as error:
        raise UsageError(f"cannot write {error.filename}: {error.strerror}", hint="choose another place") from error
    return tuple(written)


def draw(table: Report) -> bytes:
    """Return a table as a PNG. Equal tables give equal pictures with the same versions on one platform."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=_INCHES, dpi=_DPI, facecolor="white", layout="constrained")
    FigureCanvasAgg(figure)
    axes = figure.add_subplot()
    axes.set_title(table.title, fontsize=11, fontweight="bold", loc="left", parse_math=False)
    axes.grid(axis="y", color=_LINE, linewidth=0.8)
    axes.set_axisbelow(True)
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
    if table.name not in (CORRECTNESS, SIMILARITY) and all(isinstance(row[0], int) for row in table.rows):
        _lines(axes, table)
    else:
        _bars(axes, table)
    axes.set_ylim(0, 100)
    axes.set_ylabel("%")
    axes.legend(fontsize=8, frameon=False, ncols=4, loc="upper right")
    buffer = io.BytesIO()
    figure.savefig(buffer, format="png", dpi=_DPI, metadata={"Software": "kg-neo4j"})
    return buffer.getvalue()


def _series(table: Report) -> list[tuple[str, list[float]]]:
    """Return the columns of numbers that are shown; a gap is not a number."""
    found = []
    for place, name in enumerate(table.columns[1:], 1):
        values = [row[place] for row in table.rows]
        if name not in _LEFT_OUT and any(isinstance(value, int | float) for value in values):
            found.append((name, [float(each) if isinstance(each, int | float) else float("nan") for each in values]))
    return found


def _lines(axes: Any, table: Report) -> None:
    at = [row[0] for row in table.rows]
    for (name, values), colour in zip(_series(table), _COLOURS, strict=False):
        axes.plot(at, values, marker="o", markersize=4, linewidth=1.6, label=name, color=colour)
    axes.set_xlabel(table.columns[0])
    axes.set_xticks(at)
    axes.tick_params(axis="x", labelsize=8)


def _bars(axes: Any, table: Report) -> None:
    series = _series(table)
    width = 0.8 / max(1, len(series))
    for place, (name, values) in enumerate(series):
        at = [row + (place - (len(series) - 1) / 2) * width for row in range(len(table.rows))]
        heights = [0.0 if math.isnan(value) else value for value in values]
        axes.bar(at, heights, width=width * 0.92, label=name, color=_COLOURS[place % len(_COLOURS)])
    axes.set_xticks(range(len(table.rows)))
    axes.set_xticklabels([str(row[0]) for row in table.rows], fontsize=8, rotation=20 if len(table.rows) > 5 else 0)
