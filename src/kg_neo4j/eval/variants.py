"""What a study of the chunks' length varies, what each variant gave, and how variants compare. Pure."""

from __future__ import annotations

import itertools
import statistics
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields

from kg_neo4j.errors import UsageError
from kg_neo4j.eval.graph_shape import GraphShape
from kg_neo4j.records import Usage

UNTUNED, NO_DOMAIN = "none", "nd"  # prompts as they ship; tuned on the text, with no domain given


@dataclass(frozen=True, slots=True)
class Variant:
    """One way to build the graph."""

    model: str | None  # None: as the settings say
    prompts: str  # "none", "nd" or a schema file
    preprocess: str  # "none" (W1's A2) or "stopwords" (A1)
    tokens: int | None  # of a chunk; None: as many as the model's window allows


DIMENSIONS = tuple(field.name for field in fields(Variant))


@dataclass(frozen=True, slots=True)
class Grid:
    """What is varied: every combination is one variant. W2's two lengths are the default."""

    tokens: tuple[int | None, ...] = (1200, 300)
    models: tuple[str | None, ...] = (None,)
    prompts: tuple[str, ...] = (UNTUNED,)
    preprocess: tuple[str, ...] = ("none",)
    repeats: int = 1

    def variants(self) -> tuple[Variant, ...]:
        """Return the combinations, the lengths of one kind beside each other, the longest first.

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
            others = tuple(getattr(cell.variant, name) for name in DIMENSIONS if name != varied)
            base = bases.setdefault(others, cell)
            if base is not cell:
                compared.append(_ratio(varied, base, cell))
    return tuple(compared)


def _ratio(varied: str, first: Cell, second: Cell) -> Ratio:
    return Ratio(
        varied,
        first.variant,
        second.variant,
        second.nodes / first.nodes if first.nodes else None,
        second.relationships / first.relationships if first.relationships else None,
    )
