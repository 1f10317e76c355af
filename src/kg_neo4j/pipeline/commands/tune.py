"""Tune: entity types, relationship types and a worked example for a text, written as a schema file (the length study).

With a model the types are asked for, checked against what may become a type, and asked for once more where something
is wrong; the example is a passage of the text with the model's own rows about it, read and checked as in a load.
Without one both come from what the built-in rules find.

Or aspects for narrative trees of the text, written as a file of aspects: a model proposes them; without one the set
that ships whose cues fit the text best is taken.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, ClassVar

from kg_neo4j import factory
from kg_neo4j._models import tokens
from kg_neo4j._models.door import Door, Job
from kg_neo4j._models.tasks import Request, Task
from kg_neo4j._models.tokens import Tokeniser
from kg_neo4j.acquire.sentences import sentences
from kg_neo4j.errors import BadModelAnswer, UnreadableSource, UsageError
from kg_neo4j.extract import numbering, type_proposals
from kg_neo4j.extract import schema as schemas
from kg_neo4j.extract.context import ChunkTask
from kg_neo4j.extract.engine import ExtractionConfig, extract_chunk
from kg_neo4j.extract.schema import Schema, answer_of, write
from kg_neo4j.extract.type_proposals import ProposeTypes, TypeProposal
from kg_neo4j.organise.tree.aspects import AspectProposal, ProposeAspects, load_aspects, write_aspects
from kg_neo4j.organise.tree.interface import Aspect
from kg_neo4j.pipeline.budget import budget_of, priced
from kg_neo4j.pipeline.options import LoadOptions, check_sources, cut_document, extraction_config
from kg_neo4j.pipeline.tally import Tally
from kg_neo4j.progress import SILENT, Progress
from kg_neo4j.records import Chunk, Document, Extraction, Usage
from kg_neo4j.settings import Settings

Score = tuple[int, int]  # of a passage: the higher, the more there is to show

SAMPLE_TOKENS = 300  # of a chunk
EXAMPLE_TOKENS = 110  # of the passage in the worked example: it is sent with every question
EXAMPLE_ROWS = 8  # relationships, and the nodes that they name
TRIED = 3  # passages, where a model finds no relationship in the first
ANSWER_TOKENS = 400  # of an answer with types, for the estimate
ASPECTS_TOKENS = 1_000  # of an answer with aspects and their cues, likewise
FITS = 0.5  # from here on a set fits: 1 is what is typical of its own kind of text, 0 of other kinds
AHEAD = 0.25  # of the next set, from which the choice is sure
BY_RULES = "the built-in rules propose what they find"
BY_CUES = "the set that ships whose cues fit the text best is taken"
_NAME = re.compile(r"(?<=[\w,;] )[^\W\d_]\w+")


@dataclass(frozen=True, slots=True)
class TuneOptions:
    """How to tune. The defaults are those of the command line."""

    schema: str = "lean"  # whose columns the new one has
    name: str = "tuned"
    domain: str | None = None  # what the text is about; None: not said (the length study's "no domain")
    chunks: int = 16  # of the sample
    budget_usd: float | None = None


@dataclass(frozen=True, slots=True)
class Tuned:
    """A file that is not written yet: a schema, or aspects for narrative trees."""

    text: str  # TOML
    method: str  # "model", "rules" or "cues"
    model: str  # its name; "offline-1" for the rules and cues
    sampled: int  # chunks
    chunks: int  # of all documents
    usage: Usage
    notes: tuple[str, ...]
    node_types: tuple[str, ...] = ()
    relationship_types: tuple[str, ...] = ()
    example_text: str = ""
    aspects: tuple[Aspect, ...] = ()  # none: it is a schema
    chosen: str = ""  # name of the set of aspects that ships; empty: a model proposed them
    fits: Mapping[str, float] = field(default_factory=dict)  # of each set, the best first (`offline.cues.fits`)


@dataclass(frozen=True, slots=True)
class TunePlan:
    """What tuning would ask: estimates. At most two questions for types, and one for each passage that is tried."""

    model: str | None  # None: the built-in rules
    sampled: int
    chunks: int
    usage: Usage


def tune(
    sources: Sequence[str],
    *,
    settings: Settings,
    options: TuneOptions | None = None,
    aspects: bool = False,
    progress: Progress = SILENT,
) -> Tuned:
    """Propose a schema for `sources`, or with `aspects` aspects: of the options `schema` and `name` do not matter then.

    No database is opened, and nothing is written: `write_schema` does. Raises UnreadableSource where there is nothing
    to read, BadModelAnswer where the model proposes nothing of use, or what asking raises.
    """
    options = options or TuneOptions()
    sample = read_sample(sources, settings, options.chunks)
    door = factory.door(settings, budget=budget_of(options.budget_usd))
    return door.do(Propose(settings, options, sample, progress, aspects))


def plan_tune(
    sources: Sequence[str],
    *,
    settings: Settings,
    options: TuneOptions | None = None,
    aspects: bool = False,
    progress: Progress = SILENT,
) -> TunePlan:
    """Estimate what `tune` with the same arguments would ask. No model is called."""
    options = options or TuneOptions()
    sample = read_sample(sources, settings, options.chunks)
    door = factory.door(settings)
    asked: list[Request] = []
    question = Propose(settings, options, sample, progress, aspects).question
    door.counting(asked).ask(question)
    count = sample.tokeniser.count
    read = sum(map(count, question.messages())) if asked else 0
    calls, written = len(asked), (ASPECTS_TOKENS if aspects else ANSWER_TOKENS) * len(asked)
    if not aspects:
        base = schemas.load(options.schema)
        example = count(base.example_answer)
        read += count(base.example_text) + example + 1_100 + EXAMPLE_TOKENS  # the extraction prompt
        calls, written = calls + 1, written + example
    usage = door.planned(priced(door.name, settings, calls, read, written))
    return TunePlan(door.model, len(sample.places), sample.chunks, usage)


def write_schema(tuned: Tuned, target: Path) -> None:
    """Write the file of a proposal next to its place, then move it there; UsageError where that cannot be done."""
    partial = target.with_name(f".{target.name}.part")
    try:
        partial.write_text(tuned.text, encoding="utf-8")
        partial.replace(target)
    except OSError as error:
        raise UsageError(f"cannot write {target}: {error.strerror}", hint="choose another place with --to") from error


@dataclass(slots=True)
class Propose(Job[Tuned]):
    """Proposes a schema, or aspects, for a sample of chunks."""

    kind: ClassVar[str] = "propose"
    settings: Settings
    options: TuneOptions
    sample: Sample
    progress: Progress
    aspects: bool
    usage: Usage = field(default_factory=Usage)
    notes: tuple[str, ...] = ()

    @property
    def question(self) -> Task[Any]:
        """Which aspects, or which types, there are."""
        places = self.sample.places
        text = "\n\n".join(f"{' '.join(document.title.split())}: {chunk.text}" for document, chunk in places)
        languages = sorted({document.language or "an unknown language" for document, _ in places})
        shown = (text, ", ".join(languages), _domain(self.options))
        return ProposeAspects(*shown) if self.aspects else ProposeTypes(*shown, self.settings.temperature)

    def by_model(self, door: Door) -> Tuned:
        """Ask for the aspects; or for the types, then for the rows of a passage."""
        answer = door.ask(self.question)
        self.usage += answer.usage
        if answer.value is None and answer.error is None:
            what, without = ("aspects", BY_CUES) if self.aspects else ("types", BY_RULES)
            why = f"{door.name} proposed no {what}: {answer.problem}"
            raise BadModelAnswer(why, hint=f"another model, or no model: {without}")
        found: TypeProposal | AspectProposal = answer.result()
        self.notes += tuple(f"the model's answer: {problem}" for problem in found.problems)
        if isinstance(found, AspectProposal):
            return self._aspects(found.aspects, "model", door.name, f"by {door.name}")
        schema = _preferring(schemas.load(self.options.schema), found)
        wanted = LoadOptions(schema=self.options.schema)
        config = replace(extraction_config(self.settings, wanted, door, schema=schema), gleanings=0, wave=0)
        passages = _passages(self.sample, _score_by_names(self.sample))
        return self._schema(config, passages, "model", door.name, f"by {door.name}")

    def by_counting(self, door: Door) -> Tuned:
        """Return the types that the rules find, most frequent first, and the passage in which they find most."""
        wanted = LoadOptions(schema=self.options.schema)
        rules = extraction_config(self.settings, wanted, door)
        found = []
        self.progress.start("tune", len(self.sample.places))
        for document, chunk in self.sample.places:
            found.append(extract_chunk(ChunkTask(document, chunk), rules))
            self.progress.advance("tune")
        self.progress.finish("tune")
        types = type_proposals.count(found)
        if not types.is_usable:
            types = TypeProposal((), ())
            self.notes += ("the built-in rules find too little in the sample to name types: any are allowed",)
        config = extraction_config(self.settings, wanted, door, schema=_preferring(rules.schema, types))
        passages = _passages(self.sample, _score_by_rows(found))
        return self._schema(config, passages, "rules", "offline-1", "by the built-in rules, most frequent first")

    def by_fits(self, fits_of: Callable[[Sequence[str]], Mapping[str, float]]) -> Tuned:
        """Take the set that fits best; `fits_of` texts has the best first, 1 where a text is typical of its kind."""
        fits = fits_of([chunk.text for _, chunk in self.sample.places])
        (chosen, fit), (second, next_fit) = list(fits.items())[:2]
        said = f"{chosen} fits {fit:.2f}, the next one, {second}, {next_fit:.2f}"
        languages = {document.language or "en" for document, _ in self.sample.places}
        if languages != {"en"}:
            foreign = ", ".join(sorted(languages - {"en"}))
            self.notes += (f"the choice says nothing of text in {foreign}: the cues of the sets are English",)
        elif fit < FITS or fit - next_fit < AHEAD:
            unsure = f"the choice is not sure ({said}; 1 is typical of its own kind of text): look at the aspects"
            self.notes += (unsure,)
        by = f"by the built-in cues: of the sets that ship, {said}"
        return replace(self._aspects(load_aspects(chosen), "cues", "offline-1", by), chosen=chosen, fits=fits)

    def _example(self, passages: Sequence[tuple[Document, Chunk]], config: ExtractionConfig) -> tuple[str, str]:
        """Return a passage and its rows as CSV; the schema's own where nothing is found in those that are tried."""
        for document, chunk in passages[:TRIED]:
            found = extract_chunk(ChunkTask(document, chunk), config)
            self.usage += found.usage
            if relationships := found.relationships[:EXAMPLE_ROWS]:
                named = {end for row in relationships for end in (row.source_id, row.target_id)}
                nodes = [node for node in found.nodes if node.node_id in named]
                offsets = numbering.number(chunk.text) if config.schema.evidence == "sentences" else ()
                return chunk.text, answer_of(config.schema, nodes, relationships, offsets)
        self.notes += (
            "no relationship was found in the passages tried: the example is the one that ships, with types of its own",
        )
        return config.schema.example_text, config.schema.example_answer

    def _schema(
        self, config: ExtractionConfig, passages: Sequence[tuple[Document, Chunk]], method: str, model: str, by: str
    ) -> Tuned:
        """Write a schema with the types of `config` and an example from one of the passages."""
        base, domain = config.schema, _domain(self.options)
        about = f"domain: {domain}" if domain else "no domain given"
        remarks = (
            f"Proposed {by}, from {len(self.sample.places)} of {self.sample.chunks} chunks; {about}.",
            "Read and edit it before it is used: give each type a meaning, and the types of its ends, PERSON to PLACE.",
            "Other types are allowed; `closed = true` above the tables refuses them: add one then for what fits none.",
            "The example is part of every question to a model, and its text comes from the documents.",
        )
        about = f"The columns of {base.name}, with types and an example for {domain or 'one text'}."
        example, answer = self._example(passages, config)
        draft = replace(base, name=self.options.name, description=about, example_text=example, example_answer=answer)
        text = write(draft, remarks)
        schemas.parse(text, "the proposed schema")
        types = [tuple(name for name, _ in of) for of in (base.preferred_node_types, base.preferred_relationship_types)]
        tuned = self._tuned(text, method, model)
        return replace(tuned, node_types=types[0], relationship_types=types[1], example_text=example)

    def _aspects(self, aspects: tuple[Aspect, ...], method: str, model: str, by: str) -> Tuned:
        remarks = (
            f"Proposed {by}; from {len(self.sample.places)} of {self.sample.chunks} chunks.",
            "Read and edit it, then: kg tree --aspects FILE. prompts/aspects/narrative.toml explains the keys.",
        )
        return replace(self._tuned(write_aspects(aspects, remarks), method, model), aspects=aspects)

    def _tuned(self, text: str, method: str, model: str) -> Tuned:
        notes = (*self.sample.notes, *self.notes)
        return Tuned(text, method, model, len(self.sample.places), self.sample.chunks, self.usage, notes)


def _domain(options: TuneOptions) -> str:
    return " ".join((options.domain or "").split())


def _preferring(base: Schema, types: TypeProposal) -> Schema:
    """Return a schema that prefers these types; others are allowed, so that nothing is lost or bent."""
    known = dict((*base.preferred_node_types, *base.preferred_relationship_types))
    proposed = (types.entity_types, types.relationship_types)
    preferred = [tuple((name, known.get(name, "")) for name in names) for names in proposed]
    return replace(base, preferred_node_types=preferred[0], preferred_relationship_types=preferred[1])


# ---------------------------------------------------------------------------------------------------- the sample


@dataclass(frozen=True, slots=True)
class Sample:
    """Chunks spread evenly over all documents."""

    places: tuple[tuple[Document, Chunk], ...]
    chunks: int  # of all documents
    tokeniser: Tokeniser
    notes: tuple[str, ...]


def read_sample(sources: Sequence[str], settings: Settings, chunks: int) -> Sample:
    """Return `chunks` chunks, fewer where there are not so many; the same ones every time.

    Raises UsageError for less than one, UnreadableSource where there is nothing to read.
    """
    if chunks < 1:
        raise UsageError(f"a sample of {chunks} chunks", hint="one or more")
    tokeniser, tally = tokens.load(), Tally()
    loading = LoadOptions(chunk_tokens=SAMPLE_TOKENS)
    every = [
        (document, chunk)
        for document in check_sources(sources, settings, loading, tally).documents()
        for chunk in cut_document(document, tokeniser, settings, loading)
    ]
    if not every:
        raise UnreadableSource(f"nothing to read in {', '.join(sources)}", hint="`kg load` says why")
    taken = min(chunks, len(every))
    places = [every[place * len(every) // taken] for place in range(taken)]
    skipped = [f"{each.source}: {each.reason}" for each in tally.skipped]
    return Sample(tuple(places), len(every), tokeniser, (*tally.notes, *skipped))


def _passages(sample: Sample, score: Callable[[int, int, int], Score]) -> list[tuple[Document, Chunk]]:
    """Return a passage of each chunk, whole sentences as a chunk of their own; first those with the highest score.

    `score` takes the place of a chunk in the sample, and where the passage starts and ends in the chunk.
    """
    best: list[tuple[Score, Document, Chunk]] = []
    count = sample.tokeniser.count
    for place, (document, chunk) in enumerate(sample.places):
        spans = list(sentences(chunk.text, 0, len(chunk.text), document.language))
        scored: list[tuple[Score, int, int]] = []  # the longest window that fits, from each sentence on
        for first, (start, _) in enumerate(spans):
            fitting = [end for _, end in spans[first:] if count(chunk.text[start:end]) <= EXAMPLE_TOKENS]
            scored += [(score(place, start, fitting[-1]), start, fitting[-1])] if fitting else []
        if scored:
            highest, start, end = max(scored, key=lambda each: each[0])
            text = " ".join(chunk.text[start:end].split())
            own = replace(chunk, text=text, token_count=count(text), start=0, end=len(text))
            best.append((highest, document, own))
    return [(document, own) for _, document, own in sorted(best, key=lambda each: each[0], reverse=True)]


def _score_by_rows(found: Sequence[Extraction]) -> Callable[[int, int, int], Score]:
    """Score a passage by what an extractor found in it: relationships, then nodes."""

    def score(place: int, start: int, end: int) -> Score:
        relationships, nodes = (
            sum(row.span is not None and start <= row.span.start < end for row in rows)
            for rows in (found[place].relationships, found[place].nodes)
        )
        return relationships, nodes

    return score


def _score_by_names(sample: Sample) -> Callable[[int, int, int], Score]:
    """Score a passage by its words that begin with a capital within a sentence, then by its length."""

    def score(place: int, start: int, end: int) -> Score:
        text = sample.places[place][1].text[start:end]
        return len({word for word in _NAME.findall(text) if word[0].isupper()}), end - start

    return score
