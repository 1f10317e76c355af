"""The schema of a graph as a person draws it: families of types, and what relates them."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

from kg_neo4j.graph.database import Database
from kg_neo4j.graph.report_format import CONTROL, Report
from kg_neo4j.graph.resolution.bearers import kind_of
from kg_neo4j.pipeline.commands.resolve import graph_schema

DRAWN = 30  # relationships in a diagram, the most frequent ones
_QUOTED = str.maketrans({'"': "'", "<": "(", ">": ")", "|": "/"})


def by_family(database: Database, graph: str, report: Report) -> Report:
    """Return the report `schema` with families in place of types, added up; the first example stays."""
    if not report.rows:
        return report
    families = dict(graph_schema(database, graph).families)
    counts: Counter[tuple[str, str, str]] = Counter()
    examples: dict[tuple[str, str, str], object] = {}
    for source, relationship, target, count, example in report.rows:
        key = (kind_of(str(source), families).family, str(relationship), kind_of(str(target), families).family)
        counts[key] += count if isinstance(count, int) else 0
        examples.setdefault(key, example)
    ordered = sorted(counts, key=lambda key: (-counts[key], key))
    return replace(report, rows=tuple((*key, counts[key], str(examples[key])) for key in ordered))


def mermaid(report: Report) -> str:
    """Return the report `schema` as a Mermaid diagram; of many relationships, the most frequent ones."""
    shown = [[_plain(cell) for cell in row[:4]] for row in report.rows[:DRAWN]]
    names = sorted({row[end] for row in shown for end in (0, 2)})
    ids = {name: f"n{number}" for number, name in enumerate(names)}
    lines = ["flowchart LR", *(f'  {ids[name]}["{name}"]' for name in names)]
    lines += [
        f'  {ids[source]} -->|"{relationship} {count}"| {ids[target]}' for source, relationship, target, count in shown
    ]
    return "\n".join(lines)


def _plain(cell: object) -> str:
    return CONTROL.sub(" ", str(cell)).translate(_QUOTED)
