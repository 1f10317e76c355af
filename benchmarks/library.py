"""The graph that retrieval is timed on: 20,000 chunks that name 60,000 things, some of them everywhere.

Names are drawn by a power law, so that there are hubs: the commonest stands in one of twenty chunks.
"""

from __future__ import annotations

import csv
import io
import random
import re
from collections.abc import Iterator
from itertools import accumulate

from kg_neo4j.acquire.identity import document_id, text_hash
from kg_neo4j.extract.context import ChunkTask
from kg_neo4j.extract.interface import FollowUp
from kg_neo4j.extract.schema import ColumnKind, Schema
from kg_neo4j.records import Document, ModelAnswer

NAMES, NAMED, STATED = 60_000, 10, 5  # in all; in a chunk; relationships of a chunk
SHARE = 0.05  # of the chunks that the commonest name stands in
VERBS = ("met", "paid", "taught", "left", "praised", "followed", "wrote to", "worked for")
_NAME = re.compile(r"[A-Z][a-z]+ [A-Z][a-z]+son")
_SAID = re.compile(rf"({_NAME.pattern}) ({'|'.join(VERBS)}) ({_NAME.pattern}) in \d{{4}}")
_SYLLABLES = [a + b for a in "bdfgklmnprstv" for b in ("a", "e", "i", "o", "u", "an", "er", "il", "or", "us")]


def name(number: int) -> str:
    """Return a name of two words that no other number has."""
    draw = random.Random(number)
    first = "".join(draw.choice(_SYLLABLES) for _ in range(2)).capitalize()
    return f"{first} {''.join(_SYLLABLES[number // 130**power % 130] for power in (1, 0)).capitalize()}son"


def passages(count: int, seed: int = 1) -> Iterator[str]:
    """Yield passages of some 60 words."""
    draw = random.Random(seed)
    weights = [1 / (rank + 1) ** 0.8 for rank in range(NAMES)]
    scale = SHARE * 1.0 / (NAMED * weights[0] / sum(weights))
    common = list(accumulate(weight * min(1.0, scale) if rank < 50 else weight for rank, weight in enumerate(weights)))
    for number in range(count):
        rare = number * 3 % NAMES  # so that every name is somewhere
        drawn = [
            *draw.choices(range(NAMES), cum_weights=common, k=NAMED - 3),
            rare,
            (rare + 1) % NAMES,
            (rare + 2) % NAMES,
        ]
        names = [name(each) for each in dict.fromkeys(drawn)]
        said = []
        for _ in range(STATED):
            source, target = draw.sample(names, 2)
            said.append((source, draw.choice(VERBS), target))
        year = 1800 + number % 200
        told = [f"{source} {verb} {target} in {year}." for source, verb, target in said]
        yield " ".join([*told, f"Others who were there: {', '.join(names)}."])


def questions(count: int, seed: int = 2) -> list[str]:
    """Return questions, every second one about a hub."""
    draw = random.Random(seed)
    asked = []
    for number in range(count):
        one = name(draw.randrange(20) if number % 2 else draw.randrange(1_000, NAMES))
        asked.append(f"Whom had {one} met before {name(draw.randrange(NAMES))} {draw.choice(VERBS)} somebody?")
    return asked


def documents(graph: str, found: list[str]) -> Iterator[Document]:
    """Yield documents of 100 passages, a paragraph each."""
    for first in range(0, len(found), 100):
        text = "\n\n".join(found[first : first + 100])
        key = f"note {first // 100}"
        identity = document_id(graph, "file", key)
        yield Document(identity, graph, "file", key, key, key, text, text_hash(text), language="en")


class Reader:
    """An extractor for these passages: every chunk gives the names and the sentences that stand in it."""

    def __init__(self, schema: Schema) -> None:
        self._schema = schema

    name = "bench"
    config_hash = "bench"
    converses = False
    notes: tuple[str, ...] = ()

    def answer(self, task: ChunkTask, shown_text: str) -> ModelAnswer:
        """Return them as CSV."""
        ids = {each: f"n{number}" for number, each in enumerate(dict.fromkeys(_NAME.findall(shown_text)))}
        buffer = io.StringIO()
        writer = csv.writer(buffer, lineterminator="\n")
        writer.writerow(self._schema.node_header)
        for each, own in ids.items():
            cells = {ColumnKind.ID: own, ColumnKind.TYPE: "PERSON", ColumnKind.NAME: each, ColumnKind.EVIDENCE: each}
            writer.writerow([cells.get(column.kind, "") for column in self._schema.nodes])
        writer.writerow([])
        writer.writerow(self._schema.relationship_header)
        for number, said in enumerate(_SAID.finditer(shown_text)):
            ends = {ColumnKind.SOURCE: ids[said[1]], ColumnKind.TYPE: said[2], ColumnKind.TARGET: ids[said[3]]}
            cells = {ColumnKind.ID: f"r{number}", ColumnKind.EVIDENCE: said[0], **ends}
            columns = self._schema.relationships
            writer.writerow([cells.get(each.kind, said[0] if each.name == "description" else "") for each in columns])
        return ModelAnswer(buffer.getvalue(), self.name, "bench", "stop")

    def follow_up(self, task: ChunkTask, shown_text: str, question: FollowUp) -> ModelAnswer:
        """Never called."""
        return self.answer(task, shown_text)

    def keep(self, answer: ModelAnswer) -> None:
        """Nothing to do."""
