"""What a study of the chunks' length varies, the shape of the graph that each variant gave, and tables of them."""

from __future__ import annotations

import itertools
import statistics
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from kg_neo4j.errors import UsageError
from kg_neo4j.graph import queries
from kg_neo4j.graph.database import Database
from kg_neo4j.graph.report_format import Cell as TableCell
from kg_neo4j.graph.report_format import Report
from kg_neo4j.organise.entity_pairs import read_entities, read_pairs
from kg_neo4j.records import Usage
from kg_neo4j_lab.context import component_sizes

Pair = tuple[int, int, int]  # two entities, and how many rows say something of both
DIMENSIONS = {"model": "Model", "prompts": "Prompts", "preprocess": "Preprocess", "tokens": "Tokens"}  # what varies
UNTUNED, NO_DOMAIN = "none", "nd"  # prompts as they ship; tuned on the text, with no domain given


@dataclass(frozen=True, slots=True)
class Variant:
    """One way to build the graph."""

    model: str | None  # None: as the settings say
    prompts: str  # "none", "nd" (tuned by this model), "nd:MODEL" (by another one) or a schema file
    preprocess: str  # "none" (the Wikipedia report's A2) or "stopwords" (A1)
    tokens: int | None  # of a chunk; None: as many as the model's window allows


@dataclass(frozen=True, slots=True)
class Grid:
    """What is varied: every combination is one variant. The length study's two lengths are the default."""

    tokens: tuple[int | None, ...] = (1200, 300)
    models: tuple[str | None, ...] = (None,)
    prompts: tuple[str, ...] = (UNTUNED,)
    preprocess: tuple[str, ...] = ("none",)
    repeats: int = 1

    def variants(self) -> tuple[Variant, ...]:
        """Return the combinations, the lengths of one kind next to each other, the longest first.

        Raises UsageError where something stands twice, or there are no repeats.
        """
        for name, values in (("length", self.tokens), ("model", self.models), ("prompt", self.prompts)):
            if len(set(values)) != len(values) or not values:
                raise UsageError(f"a study needs each {name} once: {', '.join(map(str, values)) or 'none is given'}")
        if self.repeats < 1 or len(set(self.preprocess)) != len(self.preprocess):
            raise UsageError("a study needs one repeat or more, and each kind of preprocessing once")
        lengths = sorted(self.tokens, key=lambda each: each or float("inf"), reverse=True)
        combined = itertools.product(self.models, self.prompts, self.preprocess, lengths)
        return tuple(Variant(*each) for each in combined)


@dataclass(frozen=True, slots=True)
class GraphShape:
    """What a study compares. Pairs are related entities, whatever the types and directions; none with itself."""

    nodes: int
    relationships: int
    pairs: int
    density: float  # pairs out of all that there could be, 0 to 1
    components: int
    largest: float  # share of the nodes in the largest component, 0 to 1
    communities: int  # of the coarsest level, with two or more members
    modularity: float | None  # of the coarsest level, weighted; None without communities or pairs


@dataclass(frozen=True, slots=True)
class VariantRun:
    """One graph that was built."""

    variant: Variant
    repeat: int  # from 1
    graph: str  # its name in the database
    chunks: int
    failed_chunks: int
    shape: GraphShape
    usage: Usage  # what its answers took, in this run, in one that was stopped, or before
    cached: int  # answers from the cache: paid for before, or by a run that was killed
    unknown: int = 0  # of these, answers of which it is not known what they took: not counted in `usage`


@dataclass(frozen=True, slots=True)
class Cell:
    """A variant and its repeats."""

    variant: Variant
    runs: tuple[VariantRun, ...]

    @property
    def nodes(self) -> float:
        """Mean over the repeats."""
        return statistics.fmean(run.shape.nodes for run in self.runs)

    @property
    def relationships(self) -> float:
        """Mean over the repeats."""
        return statistics.fmean(run.shape.relationships for run in self.runs)

    @property
    def spread(self) -> tuple[float, float]:
        """Sample standard deviations of nodes and relationships; 0 for one run."""
        if len(self.runs) < 2:
            return 0.0, 0.0
        shapes = [run.shape for run in self.runs]
        return statistics.stdev(each.nodes for each in shapes), statistics.stdev(each.relationships for each in shapes)


@dataclass(frozen=True, slots=True)
class Ratio:
    """Two variants that differ in one thing. The factors are None where the first has nothing to compare with."""

    varied: str  # "tokens", "preprocess", "prompts" or "model"
    first: Variant
    second: Variant
    nodes: float | None  # of the second / of the first
    relationships: float | None


@dataclass(frozen=True, slots=True)
class ChunkLengthStudy:
    """The variants, side by side."""

    model: str  # that the settings name; "offline-1" for the rules
    cells: tuple[Cell, ...]
    ratios: tuple[Ratio, ...]
    tuning: Usage  # of prompts tuned for this study
    kept: tuple[str, ...]  # graphs that are still in the database
    notes: tuple[str, ...]


def cells(runs: Iterable[VariantRun]) -> tuple[Cell, ...]:
    """Return the runs by variant, in the order in which the variants first came."""
    grouped: dict[Variant, list[VariantRun]] = {}
    for run in runs:
        grouped.setdefault(run.variant, []).append(run)
    return tuple(Cell(variant, tuple(group)) for variant, group in grouped.items())


def ratios(found: Sequence[Cell]) -> tuple[Ratio, ...]:
    """Return how each variant compares with the first one that differs from it in one thing alone; lengths first."""
    compared = []
    for varied in reversed(DIMENSIONS):
        bases: dict[tuple[object, ...], Cell] = {}
        for cell in found:
            base = bases.setdefault(tuple(getattr(cell.variant, name) for name in DIMENSIONS if name != varied), cell)
            if base is not cell:
                nodes = cell.nodes / base.nodes if base.nodes else None
                relationships = cell.relationships / base.relationships if base.relationships else None
                compared.append(Ratio(varied, base.variant, cell.variant, nodes, relationships))
    return tuple(compared)


def read_shape(database: Database, graph: str) -> GraphShape:
    """Return the shape of a graph that is loaded and analysed."""
    entities = read_entities(database, graph)
    size = database.read(queries.get("write/count_graph"), graph=graph)[0]
    places = {
        num: values[0] if values else None for num, values in zip(entities.nums.tolist(), entities.values, strict=True)
    }
    return measure(places, read_pairs(database, graph, entities).rows(), size["relationships"])


def measure(places: Mapping[int, int | None], pairs: Iterable[Pair], relationships: int) -> GraphShape:
    """Return the shape of entities with their community (None: not analysed) and of the pairs between them."""
    pairs = list(pairs)
    count = len(places)
    sizes = component_sizes(map(str, places), ((str(one), str(other)) for one, other, _ in pairs))
    members = Counter(place for place in places.values() if place is not None)
    return GraphShape(
        nodes=count,
        relationships=relationships,
        pairs=len(pairs),
        density=len(pairs) / (count * (count - 1) / 2) if count > 1 else 0.0,
        components=len(sizes),
        largest=max(sizes, default=0) / max(count, 1),
        communities=sum(size > 1 for size in members.values()),
        modularity=modularity(places, pairs),
    )


def modularity(places: Mapping[int, int | None], pairs: Iterable[Pair]) -> float | None:
    """Return Newman's modularity of a partition, -0.5 to 1; None where there are no pairs or nodes without a place."""
    inside: Counter[int] = Counter()
    ends: Counter[int] = Counter()
    total = 0
    for one, other, weight in pairs:
        first, second = places[one], places[other]
        if first is None or second is None:
            return None
        total += weight
        ends[first] += weight
        ends[second] += weight
        inside[first] += weight * (first == second)
    if not total:
        return None
    return sum(inside[place] / total - (ends[place] / (2 * total)) ** 2 for place in ends)


def variants_table(study: ChunkLengthStudy) -> Report:
    """Return one row a variant; where there are repeats their means, and the deviation of nodes and edges."""
    named = _varied(study)
    repeated = any(len(cell.runs) > 1 for cell in study.cells)
    columns = [*named.values(), "Chunks", "Nodes", "Edges", *(["Nodes sd", "Edges sd"] if repeated else [])]
    columns += ["Density", "Components", "Modularity", "Calls", "Input", "Output", "USD"]
    rows = []
    for cell in study.cells:
        shapes = [run.shape for run in cell.runs]
        usage = sum((run.usage for run in cell.runs), Usage())
        modularities = [shape.modularity for shape in shapes if shape.modularity is not None]
        row: list[TableCell] = [_value(cell.variant, each) for each in named]
        row += [cell.runs[0].chunks, _mean(cell.nodes), _mean(cell.relationships)]
        row += [round(value, 2) for value in cell.spread] if repeated else []
        row += [
            round(sum(shape.density for shape in shapes) / len(shapes), 5),
            _mean(sum(shape.components for shape in shapes) / len(shapes)),
            round(sum(modularities) / len(modularities), 3) if modularities else None,
            *(usage.calls, usage.input_tokens, usage.output_tokens),
            0.0 if not usage.calls else None if usage.usd is None else round(usage.usd, 4),
        ]
        rows.append(tuple(row))
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
    columns = (*named.values(), "Compared", "Nodes", "Edges")
    return Report("ratios", "How many times as many nodes and edges", columns, tuple(rows))


def _varied(study: ChunkLengthStudy) -> dict[str, str]:
    """Return what differs between the variants, and its column; the length is always shown."""
    different = {each for each in DIMENSIONS if len({getattr(cell.variant, each) for cell in study.cells}) > 1}
    return {each: column for each, column in DIMENSIONS.items() if each == "tokens" or each in different}


def _mean(value: float) -> float | int:
    return int(value) if value == int(value) else round(value, 2)


def _value(variant: Variant, name: str) -> TableCell:
    value = getattr(variant, name)
    if name == "tokens":
        return value or "max"
    return prompts_name(value) if name == "prompts" else value or "default"


def is_tuned(prompts: str) -> bool:
    """Say whether prompts are tuned for the study: "nd" or "nd:MODEL"."""
    return prompts == NO_DOMAIN or (prompts.startswith(f"{NO_DOMAIN}:") and len(prompts) > len(NO_DOMAIN) + 1)


def prompts_name(prompts: str) -> str:
    """Return what a table and a picture call prompts: a file by its name."""
    return prompts if is_tuned(prompts) else Path(prompts).name
