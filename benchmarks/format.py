"""What does the form of an answer cost? Output tokens of our CSV beside the forms that peers ask for, same graphs.

    python benchmarks/format.py [--json]

The graphs. The texts in examples/, read chunk by chunk by the built-in rules; and, where ../shared/data/openie is
present, what a large model extracted from 1,890 Wikipedia passages (names and relationships alone; its relationship
phrases become types). One answer a chunk or passage: header rows and closing marks are paid for each time.

What is said. "names": types and names. "descriptions": a description of every node and relationship, and a strength.
"everything": all properties that the graph has, the words of evidence included. Every form says the same; two cannot
say all of it in their own words: the tuples of graphrag and LightRAG have no place for properties besides the
description, so these follow it as words, and graphrag's have none for a relationship's type.

The forms stand in forms.py. "CSV" has the columns that the set needs; "CSV, default columns" has all columns of the
default schema, whether anything fills them or not, which is what kg-neo4j asks for by default. JSON is counted as
models write it, on one line with spaces; neo4j-graphrag's also indented. Tokens are o200k_base's where tiktoken has
that encoding (TIKTOKEN_CACHE_DIR, its own cache, or an environment that benchmarks/pipeline.py made), else the counted
approximation, and the output says which. A ratio above 1 means that the form costs more than CSV.

Where CSV loses: it repeats two header rows in every answer, so an answer that finds nothing is the dearest of all; and
kg-neo4j asks for more than others do, the words of evidence above all, so that its whole answer can be longer than a
form that says less. Both are printed last.
"""

from __future__ import annotations

import argparse
import gzip
import json
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "src")]

from forms import FORMS, Graph, Node, Relationship, Value, as_csv  # noqa: E402 - after the path is set

from kg_neo4j import LoadOptions, Settings  # noqa: E402
from kg_neo4j._models import tokens  # noqa: E402
from kg_neo4j.extract import schema as schemas  # noqa: E402
from kg_neo4j.extract.context import DocumentJob  # noqa: E402
from kg_neo4j.extract.engine import ExtractionConfig, extract_all  # noqa: E402
from kg_neo4j.extract.values import ValueRefused, normalise_type  # noqa: E402
from kg_neo4j.pipeline.options import check_sources, cut_document  # noqa: E402
from kg_neo4j.pipeline.tally import Tally  # noqa: E402
from kg_neo4j_offline.extractor.extractor import OfflineExtractor  # noqa: E402

EXAMPLES = HERE.parent / "examples"
OPENIE = HERE.parents[1] / "shared" / "data" / "openie"
ENCODINGS = "nano-graphrag-*/[Ll]ib/**/litellm/litellm_core_utils/tokenizers"
SETS: dict[str, tuple[str, ...] | None] = {
    "names": (),
    "descriptions": ("description", "strength"),
    "everything": None,
}
CSV, DEFAULT = "CSV", "CSV, default columns"


@dataclass(frozen=True)
class Count:
    """One form of one set of one group of graphs."""

    graphs: str
    said: str  # a name of SETS
    form: str
    answers: int
    rows: int  # nodes and relationships
    tokens: int
    ratio: float  # to CSV


def main(arguments: Sequence[str] | None = None) -> None:
    """Count, and print the table or JSON."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--cache", type=Path, default=HERE.parent / "out" / "bench", help="environments with encodings")
    parser.add_argument("--json", action="store_true", help="print one JSON object instead of the table")
    options = parser.parse_args(arguments)
    found = sorted(options.cache.absolute().glob(ENCODINGS))
    if found:
        os.environ.setdefault("TIKTOKEN_CACHE_DIR", str(found[0]))
    tokeniser = tokens.load()
    counts = [each for name, graphs in _groups().items() for each in _count(name, graphs, tokeniser.count)]
    if options.json:
        print(json.dumps({"tokeniser": tokeniser.name, "counts": [asdict(each) for each in counts]}, indent=2))
    else:
        print(_table(counts, tokeniser.name))
        print(_empty(tokeniser.count))


def _groups() -> dict[str, list[Graph]]:
    """Return the graphs, by where they come from."""
    groups = {path.name: _extracted(path) for path in sorted(EXAMPLES.glob("*.md")) if path.name != "README.md"}
    for path in sorted(OPENIE.glob("*.json.gz")):
        groups[f"openie: {path.name.partition('.')[0]}"] = list(_openie(path))
    return groups


def _extracted(path: Path) -> list[Graph]:
    """Return what the built-in rules find, one graph a chunk."""
    settings, options = Settings(), LoadOptions()
    config = ExtractionConfig(schemas.load("described"), OfflineExtractor(schemas.load("described")))
    graphs = []
    for document in check_sources([str(path)], settings, options, Tally()).documents():
        chunks = cut_document(document, tokens.load(), settings, options)
        for _, extraction in extract_all([DocumentJob(document, chunks, chunks)], config):
            places = {node.node_id: place for place, node in enumerate(extraction.nodes)}
            nodes = [Node(each.name, each.type, _properties(each)) for each in extraction.nodes]
            relationships = [
                Relationship(places[each.source_id], each.type, places[each.target_id], _properties(each))
                for each in extraction.relationships
            ]
            graphs.append(Graph(nodes, relationships))
    return graphs


def _properties(row: object) -> dict[str, Value]:
    properties, evidence = row.properties, row.evidence  # type: ignore[attr-defined]
    whole = {name: int(value) if value == int(value) else value for name, value in _numbers(properties)}
    return {**properties, **whole, **({"evidence": evidence} if evidence else {})}


def _numbers(properties: dict[str, Value]) -> Iterator[tuple[str, float]]:
    return ((name, value) for name, value in properties.items() if isinstance(value, float))


def _openie(path: Path) -> Iterator[Graph]:
    """Yield one graph a passage: entities, and triples with both ends; an end that is no entity becomes one."""
    for passage in json.loads(gzip.decompress(path.read_bytes()))["docs"]:
        found = (triple for triple in passage["extracted_triples"] if len(triple) == 3)
        triples = [triple for triple in found if all(part.strip() for part in triple) and triple[1].isascii()]
        names = [*passage["extracted_entities"], *(end for triple in triples for end in (triple[0], triple[2]))]
        places = {name: place for place, name in enumerate(dict.fromkeys(names))}
        relationships = [Relationship(places[source], _type(kind), places[target]) for source, kind, target in triples]
        yield Graph([Node(name, "ENTITY") for name in places], relationships)


def _type(phrase: str) -> str:
    """Return a relationship phrase as a type, as a model that is asked for types would shorten it."""
    try:
        return normalise_type(phrase[:60], frozenset())
    except ValueRefused:
        return "RELATED_TO"


def _count(name: str, graphs: Sequence[Graph], count: Callable[[str], int]) -> Iterator[Count]:
    """Yield the counts of all sets and forms; a set that says no more than the one before is left out."""
    rows = sum(len(graph.nodes) + len(graph.relationships) for graph in graphs)
    schema = schemas.load("described")
    columns = [column.name for column in schema.nodes[3:]], [column.name for column in schema.relationships[4:]]
    before: list[Graph] = []
    for said, kept in SETS.items():
        shown = [_only(graph, kept) for graph in graphs]
        if shown == before:
            continue
        before = shown
        used = (
            _used((graph.nodes for graph in shown), columns[0]),
            _used((graph.relationships for graph in shown), columns[1]),
        )
        totals = {
            CSV: sum(count(as_csv(graph, *used)) for graph in shown),
            DEFAULT: sum(count(as_csv(graph, *columns)) for graph in shown),
            **{form: sum(count(write(graph)) for graph in shown) for form, write in FORMS.items()},
        }
        for form, total in totals.items():
            yield Count(name, said, form, len(graphs), rows, total, total / totals[CSV])


def _only(graph: Graph, kept: Sequence[str] | None) -> Graph:
    if kept is None:
        return graph

    def some(properties: object) -> dict[str, Value]:
        return {name: value for name, value in dict(properties).items() if name in kept}  # type: ignore[call-overload]

    return Graph(
        [Node(each.name, each.type, some(each.properties)) for each in graph.nodes],
        [Relationship(each.source, each.type, each.target, some(each.properties)) for each in graph.relationships],
    )


def _used(rows: Iterator[Sequence[Node] | Sequence[Relationship]], columns: Sequence[str]) -> list[str]:
    """Return the columns that some row fills, in the schema's order."""
    filled = {name for some in rows for row in some for name in row.properties}
    return [name for name in columns if name in filled]


def _table(counts: Sequence[Count], tokeniser: str) -> str:
    lines = [f"tokens counted with {tokeniser}", f"{'':<32} {'tokens':>9} {'a row':>6} {'/ CSV':>6}"]
    last = ("", "")
    for each in counts:
        if (each.graphs, each.said) != last:
            last = (each.graphs, each.said)
            lines += ["", f"{each.graphs}, {each.said}: {each.rows:,} rows in {each.answers:,} answers"]
        lines.append(f"  {each.form:<30} {each.tokens:>9,} {each.tokens / each.rows:>6.1f} {each.ratio:>6.2f}")
    others = [each for each in counts if each.form not in (CSV, DEFAULT)]
    cheaper = [each for each in others if each.ratio < 1]
    lines += ["", "cheaper than CSV:" if cheaper else "no form is cheaper than CSV with the columns that are needed"]
    lines += [f"  {each.form}: {each.ratio:.2f} ({each.graphs}, {each.said})" for each in cheaper]
    lines += ["", "as each program asks by default: kg-neo4j for everything, the others for descriptions", ""]
    ours = {each.graphs: each.tokens for each in counts if (each.said, each.form) == ("everything", DEFAULT)}
    for each in others:
        if each.said == "descriptions" and each.graphs in ours:
            lines.append(f"  {each.form:<30} {each.tokens / ours[each.graphs]:>6.2f} of kg-neo4j's  {each.graphs}")
    return "\n".join(lines)


def _empty(count: Callable[[str], int]) -> str:
    """Say what an answer without any row costs: a gleaning round that finds nothing more is one."""
    nothing = Graph([], [])
    schema = schemas.load("described")
    columns = [column.name for column in schema.nodes[3:]], [column.name for column in schema.relationships[4:]]
    forms = {DEFAULT: as_csv(nothing, *columns), **{form: write(nothing) for form, write in FORMS.items()}}
    return "\nan answer that finds nothing: " + ", ".join(f"{form} {count(text)}" for form, text in forms.items())


if __name__ == "__main__":
    main()
