"""A million documents that no model has read: made by a seed, with what an extractor says of each.

Document k depends on the seed and on k alone, so that the first 100,000 are the same in any set, and two processes can
write two halves. A document is one chunk of about 80 words with six mentions and three facts between them.

Entities. There are 300,000: half are people, a fifth places, a fifth organisations, a tenth works. Six of them are
hubs, each in a tenth of all documents. The others are drawn with a skew: at a million documents most have 5 to 20
mentions. Of four people one has a surname of his own; the others share 3,000 surnames, and all share 80 given names.
A seventh has a middle name, a ninth of the surnames has an accent, half of the people have a year of birth, and every
1,000th has a namesake who was born 40 years later.

Names. One document in 16 has a second name for somebody it names in full: the surname alone, initials, the name
without accents or without the middle name; an organisation's acronym.

Facts. A quarter of them are what several documents state of one pair, each in its own words.
"""

from __future__ import annotations

import os
import random
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path
from typing import Any

from kg_neo4j import LoadOptions, Settings
from kg_neo4j._models import tokens
from kg_neo4j.acquire.identity import chunk_id, document_id, text_hash
from kg_neo4j.extract import exchange
from kg_neo4j.extract.context import DocumentJob
from kg_neo4j.extract.engine import ExtractionConfig, extract_all
from kg_neo4j.pipeline.options import cut_document, extraction_config, load_configuration
from kg_neo4j.records import Chunk, ChunkOutcome, Document, Extraction, ModelAnswer, NodeRow, RelationshipRow, Span

try:
    from kg_neo4j import factory

    DOOR = (factory.without_model(),)
except ImportError:  # an older commit, whose configuration takes no model
    DOOR = ()

GRAPH = "size"
OPTIONS = LoadOptions(analytics=False, vectors=False)
SHARDS = hasattr(exchange, "summary")  # a file of extractions has several documents
IN_A_FILE = 250
SEED = 20
ENTITIES, HUBS = 300_000, 6
PERSON, PLACE, ORGANISATION, WORK = "PERSON", "LOCATION", "ORGANIZATION", "WORK"
KINDS = (PERSON, PLACE, ORGANISATION, PERSON, WORK, PLACE, ORGANISATION, PERSON, PERSON, PERSON)
COMMON = 3_000  # surnames that several people have

GIVEN = """Ada Bruno Clara Dario Edith Felix Greta Hugo Irma Jonas Karla Lucas Mira Nils Olga Pavel Rosa Stefan Tilda
Ulrich Vera Walter Xenia Zoltan Agnes Boris Celia Dagmar Emil Fabian Gloria Henrik Ingrid Jakob Kirsten Leonard Magda
Norbert Odette Patrick Renata Samuel Teresa Urban Viktor Wanda Zelda Arthur Beatrix Conrad Dorothea Ernst Flora Gustav
Harriet Ivan Josefa Klaus Lydia Martin Natalia Oskar Petra Robert Sabine Tobias Ursula Valentin Wilma Adrian Birgit
Cedric Daphne Elias Frieda Gregor Hedwig Ignatz Judith Konstantin""".split()
ONSETS = "b d f g k l m n p r s t v br dr gr kl kr st tr".split()
MIDDLES = "b d f g k l m n p r t v".split()
ENDINGS = "l n r s t nd lt rn sk ns rt lm".split()
VOWELS = "aeiou"
ACCENTS = str.maketrans("aeiou", "áéíöü")
PLAIN = str.maketrans("áéíöü", "aeiou")
TOWNS = "burg dorf feld ford ham holm mont port stad ton vale wick".split()
TRADES = "Trade Marine Civic Royal Garden Postal Textile Forest".split()
BODIES = "Union Society Bank League Office Academy Institute Company Council Museum".split()
FIELDS = "Letters Science Grain Energy Health Industry Justice Kinship Labour Navigation Printing Roads".split()
MOODS = "Silent Bright Broken Distant Early Golden Hidden Late Narrow Open".split()
THINGS = "Garden Harbour Bridge Letter Mirror Orchard River Tower Window Winter".split()
ROLES = {
    PERSON: "painter surveyor teacher printer physician merchant engineer composer".split(),
    PLACE: "town port village city".split(),
    ORGANISATION: "society bank office school".split(),
    WORK: "novel treatise poem map".split(),
}
VERBS = {
    (PERSON, PERSON): (("MET", "met"), ("TAUGHT", "taught"), ("WROTE_TO", "wrote to"), ("MARRIED", "married")),
    (PERSON, PLACE): (("LIVED_IN", "lived in"), ("VISITED", "visited")),
    (PERSON, ORGANISATION): (("WORKED_FOR", "worked for"), ("JOINED", "joined")),
    (PERSON, WORK): (("WROTE", "wrote"), ("READ", "read")),
    (PLACE, PERSON): (("HONOURED", "honoured"),),
    (PLACE, PLACE): (("TRADED_WITH", "traded with"),),
    (PLACE, ORGANISATION): (("HOSTED", "hosted"),),
    (PLACE, WORK): (("KEPT", "kept"),),
    (ORGANISATION, PERSON): (("EMPLOYED", "employed"), ("ELECTED", "elected")),
    (ORGANISATION, PLACE): (("SETTLED_IN", "settled in"),),
    (ORGANISATION, ORGANISATION): (("BOUGHT", "bought"), ("SUED", "sued")),
    (ORGANISATION, WORK): (("PUBLISHED", "published"),),
    (WORK, PERSON): (("DESCRIBED", "described"),),
    (WORK, PLACE): (("WAS_SET_IN", "was set in"),),
    (WORK, ORGANISATION): (("PRAISED", "praised"),),
    (WORK, WORK): (("QUOTED", "quoted"),),
}
SAID = (
    "as a short note in the paper says",
    "as two letters of that summer say",
    "as the register of the parish shows",
    "to the surprise of the whole street",
    "which the chronicle calls a great day",
    "although the weather was against it",
    "and the council thanked them for it",
    "as an old friend wrote years later",
)
FILLED = "It rained for {} days, the {} rose, and the market was held all the same."


# ---------------------------------------------------------------------------------------------------- the entities


@dataclass(frozen=True, slots=True)
class Entity:
    """One of the 300,000."""

    kind: str
    name: str
    shorts: tuple[str, ...] = ()  # other names that a document may use which has this one
    born: int | None = None
    role: str = ""


@cache
def entity(number: int) -> Entity:
    """Return an entity by its number: 0 to 5 are the hubs."""
    kind = KINDS[number % 10]
    place = number // 10 * KINDS.count(kind) + KINDS[: number % 10].count(kind)  # among those of its kind
    role = ROLES[kind][place % len(ROLES[kind])]
    if kind == PERSON:
        return person(place, role)
    if kind == PLACE:
        return Entity(kind, word(place // len(TOWNS)) + TOWNS[place % len(TOWNS)], role=role)
    if kind == WORK:
        return Entity(kind, f"The {MOODS[place % 10]} {THINGS[place // 10 % 10]} of {word(place)}", role=role)
    second = (word(place + 11),) if place % 4 else ()
    field = FIELDS[place // 80 % 12]
    name = " ".join((word(place), *second, TRADES[place % 8], BODIES[place // 8 % 10], "of", field))
    return Entity(kind, name, ("".join(part[0] for part in name.translate(PLAIN).split() if part != "of"),), role=role)


def person(place: int, role: str) -> Entity:
    """Return one of the people; a namesake has the name of one who was born earlier."""
    twin = place - 1_000 if place % 1_000 == 7 and place > 1_000 else place
    if twin % 4:
        pair = twin * 7_919 % (COMMON * len(GIVEN))
        given, last = GIVEN[pair % len(GIVEN)], word(pair // len(GIVEN))
    else:
        given, last = GIVEN[twin // 4 * 7 % len(GIVEN)], word(COMMON + twin // 4)
    middle = GIVEN[(twin * 13 + 5) % len(GIVEN)] if twin % 7 == 0 else ""
    name = f"{given} {middle} {last}" if middle else f"{given} {last}"
    shorts = [last, f"{given[0]}. {last}"]
    shorts += [name.translate(PLAIN)] if name != name.translate(PLAIN) else []
    shorts += [f"{given} {last}"] if middle else []
    born = 1700 + twin * 37 % 200 + (40 if twin != place else 0)
    return Entity(PERSON, name, tuple(shorts), born if place % 2 or twin != place else None, role)


@cache
def word(number: int) -> str:
    """Return the name that has this number below 72,000; no two differ in accents or doubled letters alone."""
    rest, found = number * 7_919 % 72_000, ""
    for parts in (ONSETS, VOWELS, MIDDLES, VOWELS, ENDINGS):
        rest, part = divmod(rest, len(parts))
        found += parts[part]
    return (found.translate(ACCENTS) if number % 9 == 4 else found).title()


def drawn(share: float) -> int:
    """Return the number of an entity that is no hub; the share, 0 to 1, is skewed."""
    return HUBS + int((ENTITIES - HUBS) * share**3)


# --------------------------------------------------------------------------------------------------- the documents


@dataclass(frozen=True, slots=True)
class Mention:
    """A name in a document, the words that it rests on, and what they say."""

    shown: Entity
    name: str
    born: int | None
    description: str
    evidence: str


@dataclass(frozen=True, slots=True)
class Fact:
    """Two mentions by their places, and what is said of them."""

    type: str
    year: int
    description: str
    strength: int
    evidence: str


@dataclass(frozen=True, slots=True)
class Told:
    """A document's text and what it states: fact n is between the mentions 2n and 2n + 1."""

    text: str
    mentions: tuple[Mention, ...]
    facts: tuple[Fact, ...]


def told(number: int) -> Told:
    """Return document `number`."""
    draw = random.Random(SEED * 10**12 + number)
    chance, below = draw.random, lambda count: int(draw.random() * count)
    chosen: list[int] = []
    slots: list[int | None] = []  # of a fact that several documents state: which one of its first end
    while len(chosen) < 6:
        slot = below(3) if len(chosen) % 2 and chance() < 0.25 else None
        if slot is not None:
            each = drawn((chosen[-1] * 2_654_435_761 + slot * 97_531_117) % 2**32 / 2**32)
        else:
            each = below(HUBS) if chance() < 0.12 else drawn(chance())
        if each not in chosen:
            chosen.append(each)
            slots += [slot] if len(chosen) % 2 == 0 else []
    shown = [entity(each) for each in chosen]
    names = [each.name for each in shown]
    full = next((each for each in shown[:4:2] if each.shorts), None) if chance() < 1 / 16 else None
    if full:
        shown[4], names[4], slots[2] = full, full.shorts[below(len(full.shorts))], None
    sentences = [FILLED.format(2 + below(88), "river")]
    mentions: list[Mention] = []
    facts: list[Fact] = []
    for place in (0, 2, 4):
        slot, first, second = slots[place // 2], shown[place], names[place + 1]
        verbs = VERBS[first.kind, shown[place + 1].kind]
        fixed = chosen[place] + (slot or 0)
        kind, phrase = verbs[(below(len(verbs)) if slot is None else fixed) % len(verbs)]
        year = 1800 + (below(150) if slot is None else fixed % 150)
        said = SAID[below(len(SAID))]
        ends = []
        for end in (place, place + 1):
            is_short = end == 4 and full is not None
            born = shown[end].born if not is_short and chance() < 0.5 else None
            words = f"{names[end]}, born in {born}" if born else f"{names[end]} {phrase}" if is_short else names[end]
            ends.append(f"{names[end]}, born in {born}," if born else names[end])
            description = f"{names[end]} is a {shown[end].role} in a note of {year}."
            mentions.append(Mention(shown[end], names[end], born, description, words))
        stated = f"{ends[0]} {phrase} {ends[1]} in {year}"
        description = f"{names[place]} {phrase} {second}, {said}."
        facts.append(Fact(kind, year, description, 1 + below(10), stated))
        sentences.append(f"{stated}, {said}.")
    sentences.append(FILLED.format(2 + below(88), "lake"))
    return Told(" ".join(sentences), tuple(mentions), tuple(facts))


def document(number: int, text: str) -> Document:
    """Return a document as `kg extract` reads it from a file."""
    key = f"texts/{number:07}.txt"
    return Document(
        id=document_id(GRAPH, "file", key),
        graph=GRAPH,
        kind="file",
        key=key,
        title=f"{number:07}",
        source=key,
        text=text,
        sha256=text_hash(text),
        language="en",
        origin=f"/{key}",
    )


NODES = "node_id,node_type,name,birth_year,death_year,role,location,description,evidence"
RELATIONSHIPS = "relationship_id,node_id_1,relationship_type,node_id_2,start_date,description,strength,evidence"


def answer(found: Told) -> ModelAnswer:
    """Return the CSV that an extractor gives for a document."""
    lines = [NODES]
    for place, each in enumerate(found.mentions, 1):
        cells = (each.shown.kind, each.name, each.born or "", "", each.shown.role, "", each.description)
        lines.append(f'n{place},{",".join(map(str, cells))},"{each.evidence}"')
    lines += ["", RELATIONSHIPS]
    for place, fact in enumerate(found.facts, 1):
        ends = f"n{2 * place - 1},{fact.type},n{2 * place}"
        lines.append(f'r{place},{ends},{fact.year},"{fact.description}",{fact.strength},"{fact.evidence}"')
    return ModelAnswer("\n".join(lines) + "\n", "benchmark", "p0", "stop")


# ------------------------------------------------------------------------------------------------- the extractions


class Reader:
    """An extractor without a model, which knows what the texts state."""

    name = config_hash = "benchmark"
    converses = False
    notes = ()

    def __init__(self, known: Iterable[Told] = ()) -> None:
        self._answers = {each.text: answer(each) for each in known}

    def answer(self, task: Any, shown_text: str) -> ModelAnswer:
        """Return the CSV of what the text states."""
        del task
        return self._answers[shown_text]

    def follow_up(self, task: Any, shown_text: str, question: Any) -> ModelAnswer:
        """Never asked."""
        raise NotImplementedError

    def keep(self, answer: ModelAnswer) -> None:
        """Nothing to keep."""


class Shards:
    """Makes the extractions of documents, and files of them."""

    def __init__(self) -> None:
        settings = self._settings = Settings().model_copy(update={"graph": GRAPH})
        self._tokeniser = tokens.load()
        self._tokens = cache(self._tokeniser.count)
        self._config = self._reading(Reader())
        self._hash = self._config.config_hash
        self._configuration = asdict(load_configuration(settings, OPTIONS, self._config, self._tokeniser))

    def write(self, folder: Path, first: int, count: int) -> None:
        """Write the extractions as `kg extract` does, without waiting for the disk after each file."""
        os.fsync = lambda fd: None
        for start in range(first, first + count, IN_A_FILE):
            numbers = range(start, min(start + IN_A_FILE, first + count))
            found = (self._told(number, told(number)) for number in numbers)
            if SHARDS:
                exchange.write(folder, f"{start:08}", found)
                continue
            for header, extractions in found:
                exchange.write(folder, header, extractions)  # type: ignore[call-arg, arg-type]

    def check(self, numbers: Iterable[int]) -> None:
        """Raise SystemExit where an extraction is not what the product reads in the answer about its document."""
        for number in numbers:
            known = told(number)
            header, made = self._told(number, known)
            chunks = cut_document(header.document, self._tokeniser, self._settings, OPTIONS)
            job = DocumentJob(header.document, chunks, chunks)
            read = [each for _, each in extract_all([job], self._reading(Reader([known])))]
            if read != made:
                raise SystemExit(f"document {number} is read as\n{read}\nand made as\n{made}")

    def _count(self, text: str) -> int:
        """Return the tokens of a text, as the sum over its words; letters beyond ASCII may count by their share."""
        if 50 * (len(text.encode()) - len(text)) >= len(text) / 2:
            return self._tokeniser.count(text)
        first, *words = text.split(" ")
        return self._tokens(first) + sum(self._tokens(f" {word}") for word in words)

    def _reading(self, extractor: Reader) -> ExtractionConfig:
        return extraction_config(self._settings, OPTIONS, *DOOR, extractor=extractor)

    def _told(self, number: int, known: Told) -> tuple[exchange.ExtractedDocument, list[Extraction]]:
        """Return a document and its one extraction, made from what is known, without a parser: that takes 20 times as
        long.
        """
        text, shown = known.text, document(number, known.text)
        chunk = Chunk(
            id=chunk_id(shown.id, shown.sha256, 0),
            document_id=shown.id,
            graph=GRAPH,
            index=0,
            text=text,
            token_count=self._count(text),
            start=0,
            end=len(text),
        )
        nodes = []
        for place, each in enumerate(known.mentions, 1):
            values: dict[str, str | int | float] = {"birth_year": each.born} if each.born else {}
            values |= {"role": each.shown.role, "description": each.description}
            kind = each.shown.kind
            span = _span(text, each.evidence)
            nodes.append(NodeRow(place + 1, f"n{place}", kind, kind, each.name, values, each.evidence, span))
        relationships = []
        for place, fact in enumerate(known.facts, 1):
            values = {"start_date": str(fact.year), "description": fact.description, "strength": fact.strength}
            ends = f"n{2 * place - 1}", fact.type, fact.type, f"n{2 * place}"
            span = _span(text, fact.evidence)
            line = len(nodes) + 3 + place
            relationships.append(RelationshipRow(line, f"r{place}", *ends, values, fact.evidence, span))
        rows = tuple(nodes), tuple(relationships), ()
        count = len(nodes) + len(relationships)
        made = Extraction(chunk, (answer(known),), *rows, count, ChunkOutcome.DONE, self._hash)
        return exchange.ExtractedDocument(shown, self._configuration, 1), [made]


def _span(text: str, words: str) -> Span:
    start = text.index(words)
    return Span(start, start + len(words), "exact")
