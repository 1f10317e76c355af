"""A study of the chunks' length as tables: one row a variant, and one row a ratio. Pure."""

from __future__ import annotations

from pathlib import Path

from kg_neo4j.eval.chunk_length import ChunkLengthStudy
from kg_neo4j.eval.variants import DIMENSIONS, Cell, Variant
from kg_neo4j.graph.report_format import Cell as TableCell
from kg_neo4j.graph.report_format import Report
from kg_neo4j.records import Usage

_NAMES = {"model": "Model", "prompts": "Prompts", "preprocess": "Preprocess", "tokens": "Tokens"}


def variants_table(study: ChunkLengthStudy) -> Report:
    """Return one row a variant; where there are repeats their means, and the deviation of nodes and edges."""
    named = _varied(study)
    repeated = any(len(cell.runs) > 1 for cell in study.cells)
    columns = [*(_NAMES[each] for each in named), "Chunks", "Nodes", "Edges"]
    columns += ["Nodes sd", "Edges sd"] if repeated else []
    columns += ["Density", "Components", "Modularity", "Calls", "Input", "Output", "USD"]
    rows = [tuple(_row(cell, named, repeated)) for cell in study.cells]
    return Report("chunk-length", "What the length of chunks does to the graph", tuple(columns), tuple(rows))


def ratios_table(study: ChunkLengthStudy) -> Report:
    """Return one row for two variants that differ in one thing."""
    named = _varied(study)
    rows = [
        (
            *(None if each == ratio.varied else _value(ratio.second, each) for each in named),
            f"{_value(ratio.second, ratio.varied)} / {_value(ratio.first, ratio.varied)}",
            *(None if factor is None else round(factor, 3) for factor in (ratio.nodes, ratio.relationships)),
        )
        for ratio in study.ratios
    ]
    columns = (*(_NAMES[each] for each in named), "Compared", "Nodes", "Edges")
    return Report("ratios", "How many times as many nodes and edges", columns, tuple(rows))


def _varied(study: ChunkLengthStudy) -> list[str]:
    """Return what differs between the variants; the length is always shown."""
    variants = [cell.variant for cell in study.cells]
    return [
        each for each in DIMENSIONS if each == "tokens" or len({getattr(variant, each) for variant in variants}) > 1
    ]


def _row(cell: Cell, named: list[str], repeated: bool) -> list[TableCell]:
    shapes = [run.shape for run in cell.runs]
    count = len(shapes)
    usage = sum((run.usage for run in cell.runs), Usage())
    modularities = [shape.modularity for shape in shapes if shape.modularity is not None]
    row: list[TableCell] = [_value(cell.variant, each) for each in named]
    row += [cell.runs[0].chunks, _mean(cell.nodes), _mean(cell.relationships)]
    row += [round(value, 2) for value in cell.spread] if repeated else []
    row += [
        round(sum(shape.density for shape in shapes) / count, 5),
        _mean(sum(shape.components for shape in shapes) / count),
        round(sum(modularities) / len(modularities), 3) if modularities else None,
        usage.calls,
        usage.input_tokens,
        usage.output_tokens,
        0.0 if not usage.calls else None if usage.usd is None else round(usage.usd, 4),
    ]
    return row


def _mean(value: float) -> float | int:
    return int(value) if value == int(value) else round(value, 2)


def _value(variant: Variant, name: str) -> TableCell:
    value = getattr(variant, name)
    if name == "tokens":
        return value or "max"
    return Path(value).name if name == "prompts" and value else value or "default"
