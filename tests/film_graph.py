"""A small graph of films and who made them, and ways to ask it."""

from __future__ import annotations

from typing import Any

from fake_llm import FakeLlm
from kg_neo4j._models import tokens
from kg_neo4j._models.openai_chat import OpenAIChat
from kg_neo4j._models.openai_endpoint import Endpoint
from kg_neo4j._models.prices import Price
from kg_neo4j.factory import door_to, without_model
from kg_neo4j.graph.database import Database
from kg_neo4j.organise import vectors
from kg_neo4j.records import Answer, Filters
from kg_neo4j.retrieve.ask import ask
from kg_neo4j.retrieve.ask_context import AskContext
from kg_neo4j.retrieve.interface import AskOptions
from kg_neo4j.retrieve.question import read
from kg_neo4j_offline.embedder.hashed_embedding import HashedEmbedding
from small_graph import load

TOKENISER = tokens.load("approximate-1")
MODEL = HashedEmbedding()
DOCUMENTS: dict[str, tuple[str, list[tuple[str, str, str, str]]]] = {
    "Rain Road (film)": (
        "Rain Road is a 1931 drama film directed by Ada Lind in Bergen.",
        [("Rain Road", "DIRECTOR", "Ada Lind", "Rain Road is a 1931 drama film directed by Ada Lind")],
    ),
    "Ada Lind": (
        "Ada Lind (4 May 1890 – 3 June 1950) was a Norwegian film director. She was born in Oslo, Norway. Her father "
        "was Hugo Lind.",
        [("Ada Lind", "BORN_IN", "Oslo", "She was born in Oslo")],
    ),
    "Hugo Lind": ("Hugo Lind (1860 – 1921) was a Norwegian engineer. He died in Bergen.", []),
    "Salt (film)": ("Salt is a 1940 comedy film directed by Tom Berg.", []),
    "Tom Berg": ("Tom Berg (born 1 March 1902) was a Danish film director. Hald Castle has 45 rooms.", []),
    "Hald Castle": ("Hald Castle is a museum in Denmark. It was visited by 12,500 people in 2019.", []),
}


def load_films(database: Database, graph: str) -> None:
    """Load them, with vectors."""
    for title, (text, facts) in DOCUMENTS.items():
        load(database, graph, title, [text], [facts])
    vectors.prepare(database, MODEL)
    vectors.embed(database, graph, MODEL, TOKENISER)


def answer(
    database: Database, graph: str, question: str, mode: str = "auto", filters: Filters | None = None, **how: Any
) -> Answer:
    """Answer a question, without a model; `how` are options, or fields of `AskContext`."""
    options = {name: how.pop(name) for name in [*how] if name in AskOptions.__dataclass_fields__}
    models = {"embedder": MODEL, "tokeniser": TOKENISER, "door": without_model()}
    context = AskContext(**models | how)
    return ask(database, read(question), graph, context, AskOptions(mode, filters=filters or Filters(), **options))


def by_model(database: Database, graph: str, llm: FakeLlm, question: str, **how: object) -> Answer:
    model = OpenAIChat("fake", Endpoint(llm.url, retries=0), window=8_000, price=Price(1.0, 2.0))
    return answer(database, graph, question, door=door_to(model), **how)  # type: ignore[arg-type]


def mark(user: str, words: str) -> str:
    """Return the number of the sentence of a prompt that has `words`."""
    return next(line.partition(" ")[0] for line in user.splitlines() if words in line and line[0].isdigit())
