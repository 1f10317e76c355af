"""What a study of narrative trees compares: systems, and what is varied of the tree. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from kg_neo4j.errors import UsageError
from kg_neo4j.organise.tree.aspects import GENERAL
from kg_neo4j.organise.tree.interface import DETAILS, LEAF_TOKENS, MOST_DETAILS, NAME, SUMMARY_TOKENS, TreeBuildOptions
from kg_neo4j.organise.tree.upkeep import RAPTOR
from kg_neo4j.records import Filters
from kg_neo4j.retrieve.interface import AskOptions
from kg_neo4j.retrieve.tree.choice import CHUNK, SUMMARY, TreeChoice
from kg_neo4j.retrieve.tree.choice import MODE as TREE
from kg_neo4j_lab.answers.systems import CONTEXT_TOKENS, MANY, System, systems
from kg_neo4j_lab.answers.systems import SYSTEMS as SYSTEMS_BY_NAME

SYSTEMS = ("naive-cosine", "raptor-cosine", "tree-cosine", "naive", RAPTOR, TREE, "tree-walk", "local", "global")
TOP_KS, CONTEXT, SINGLE, WITHOUT = "top-k", "context", "single-aspect", "all-but-one"
DETAIL_NODES, CHUNK_LENGTH, SUMMARY_LENGTH, LENGTH = "details", "chunk-length", "summary-length", "length"
ABLATIONS = (TOP_KS, CONTEXT, SINGLE, WITHOUT, DETAIL_NODES, CHUNK_LENGTH, SUMMARY_LENGTH, LENGTH)
WIDE = 3_000  # tokens of context where the number of nodes is varied: the ten longest fit
ALL, NONE = "all", "none"  # of the aspects: what single ones, and all but one, are compared with


@dataclass(frozen=True, slots=True)
class Grids:
    """The values of each ablation; the thesis on narrative text names the ranges that worked, not the grids."""

    top_k: tuple[int, ...] = (1, 2, 3, 4, 5, 6, 7, 8, 9, 10)
    context: tuple[int, ...] = (200, 500, 1_000, 1_500, 2_000, 2_500, 3_000)
    details: tuple[int, ...] = (0, 1, 2, 3)
    chunk_length: tuple[int, ...] = (100, 200, 400, 600, 900, 1_200)
    summary_length: tuple[int, ...] = (100, 200, 400, 600, 900, 1_200)
    length: tuple[int, ...] = (100, 200, 400, 600, 900, 1_200)  # of chunks and of summaries, together

    def __post_init__(self) -> None:
        lengths = (self.chunk_length, self.summary_length, self.length)
        for values in (self.top_k, self.context, self.details, *lengths):
            if not values or len(set(values)) != len(values) or min(values) < 0:
                raise UsageError("each value of a grid occurs once, and is 0 or more")
        if max(self.details) > MOST_DETAILS:
            raise UsageError(f"a leaf has {MOST_DETAILS} details at most, not {max(self.details)}")


@dataclass(frozen=True, slots=True)
class Way(System):
    """One way of asking: a mode, and what of a tree is read."""

    choice: TreeChoice | None = None
    tokens: int = CONTEXT_TOKENS  # of evidence
    ablation: str = ""  # that it belongs to; empty: one of the systems
    value: str = ""  # what is varied has
    chunk_tokens: int = LEAF_TOKENS  # of the chunks that it reads

    def options(self, filters: Filters, context_tokens: int) -> AskOptions:
        """Return how a question is asked."""
        del context_tokens
        found = System.options(self, filters, self.tokens)
        return found if self.choice is None else replace(found, tree=self.choice)


@dataclass(frozen=True, slots=True)
class StudyScope:
    """What a study is to compare."""

    systems: tuple[str, ...] = SYSTEMS
    ablations: tuple[str, ...] = ABLATIONS
    grids: Grids = field(default_factory=Grids)
    context_tokens: int = CONTEXT_TOKENS

    def __post_init__(self) -> None:
        systems(self.systems or (TREE,))
        if unknown := sorted(set(self.ablations) - set(ABLATIONS)):
            raise UsageError(f"there is no ablation {unknown[0]!r}", hint=f"one of {', '.join(ABLATIONS)}")
        if not self.systems and not self.ablations:
            raise UsageError("there is nothing to compare", hint="name systems or ablations")
        if self.context_tokens < 1:
            raise UsageError(f"a context has at least one token, not {self.context_tokens}")

    def ways(self, aspects: Sequence[str]) -> tuple[Way, ...]:
        """Return the ways of asking, the systems first. `aspects` are those that the tree has summaries of."""
        found, tokens = list[Way](), self.context_tokens
        for each in systems(self.systems) if self.systems else ():
            choice = replace(each.options(Filters(), tokens).tree, details=DETAILS) if each.tree else None
            found.append(Way(each.name, each.mode, each.tree, each.is_cosine, each.traversal, choice, tokens))
        for ablation in dict.fromkeys(self.ablations):
            found += self._varied(ablation, aspects)
        return tuple(found)

    def trees(self) -> tuple[TreeBuildOptions, ...]:
        """Return the trees that the ways read, the narrative one first: with every detail that one of them reads."""
        grids = self.grids
        own = TreeBuildOptions(name=NAME, leaf_tokens=LEAF_TOKENS, summary_tokens=SUMMARY_TOKENS, details=DETAILS)
        details = max(grids.details) if DETAIL_NODES in self.ablations else DETAILS
        found = [replace(own, details=max(details, DETAILS))]
        if any(SYSTEMS_BY_NAME[each].tree == RAPTOR for each in self.systems):
            found.append(replace(own, name=RAPTOR, details=0, aspects=(GENERAL,)))
        if SUMMARY_LENGTH in self.ablations:
            others = [each for each in grids.summary_length if each != SUMMARY_TOKENS]
            found += [replace(own, name=_of_summaries(each), summary_tokens=each) for each in others]
        if CHUNK_LENGTH in self.ablations:
            found += [replace(own, leaf_tokens=each) for each in grids.chunk_length if each != LEAF_TOKENS]
        if LENGTH in self.ablations:
            lengths = [each for each in grids.length if each != LEAF_TOKENS]
            found += [replace(own, name=_of_both(each), leaf_tokens=each, summary_tokens=each) for each in lengths]
        return tuple(found)

    def _varied(self, ablation: str, aspects: Sequence[str]) -> list[Way]:
        grids, own, tokens = self.grids, TreeChoice(details=DETAILS), self.context_tokens
        if ablation == TOP_KS:
            return [_way(ablation, each, replace(own, top_k=each)) for each in grids.top_k]
        if ablation == CONTEXT:
            return [_way(ablation, each, replace(own, top_k=MANY), each) for each in grids.context]
        if ablation == SINGLE:
            return _of_aspects(ablation, ALL, {each: (each,) for each in aspects}, tokens)
        if ablation == WITHOUT:
            others = {each: tuple(other for other in aspects if other != each) for each in aspects}
            return _of_aspects(ablation, NONE, others, tokens)
        if ablation == DETAIL_NODES:
            return [_way(ablation, each, replace(own, details=each), tokens) for each in grids.details]
        if ablation == SUMMARY_LENGTH:
            return [_way(ablation, each, replace(own, name=_of_summaries(each))) for each in grids.summary_length]
        if ablation == LENGTH:
            return [_way(ablation, each, replace(own, name=_of_both(each)), length=each) for each in grids.length]
        return [_way(ablation, each, own, length=each) for each in grids.chunk_length]


def _of_aspects(ablation: str, whole: str, chosen: Mapping[str, tuple[str, ...]], tokens: int) -> list[Way]:
    """Return the way that reads the summaries of all aspects, called `whole`, and those that read the chosen ones."""
    own = TreeChoice(details=DETAILS, kinds=(CHUNK, SUMMARY))
    some = [_way(ablation, each, replace(own, aspects=read), tokens) for each, read in chosen.items() if read]
    return [_way(ablation, whole, own, tokens), *some]


def _way(ablation: str, value: object, choice: TreeChoice, tokens: int = WIDE, length: int = LEAF_TOKENS) -> Way:
    asked = Way(f"{TREE} {ablation} {value}", TREE, choice.name, choice=choice, tokens=tokens)
    return replace(asked, ablation=ablation, value=str(value), chunk_tokens=length)


def _of_summaries(tokens: int) -> str:
    return NAME if tokens == SUMMARY_TOKENS else f"study-summaries-{tokens}"


def _of_both(tokens: int) -> str:
    return NAME if tokens == LEAF_TOKENS else f"study-length-{tokens}"
