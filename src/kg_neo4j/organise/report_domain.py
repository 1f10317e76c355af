"""What the documents of a graph are about, in a few words, found from a sample of chunks."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

from kg_neo4j._models import prompts
from kg_neo4j._models.answer_text import without_thoughts
from kg_neo4j._models.cache import AnswerCache
from kg_neo4j._models.protocols import ChatModel, Completion
from kg_neo4j._models.tokens import Tokeniser
from kg_neo4j.graph import queries
from kg_neo4j.graph.database import Database
from kg_neo4j.organise.description_extracts import cut_at_word
from kg_neo4j.organise.inquiry import Inquiry
from kg_neo4j.records import Usage

CHUNKS = 10
CHUNK_TOKENS = 150
LONGEST = 100  # characters of a domain


@dataclass(frozen=True, slots=True)
class FoundDomain:
    """A domain, empty where none was found, and what finding it cost. `why` says why there is none."""

    domain: str
    usage: Usage
    why: str = ""


@dataclass(frozen=True, slots=True)
class _Question:
    messages: tuple[str, str]


def find_domain(
    database: Database, graph: str, model: ChatModel, tokeniser: Tokeniser, cache: AnswerCache | None
) -> FoundDomain:
    """Ask `model` what a sample of the chunks of `graph` is about; the same sample every time.

    A model that fails gives no domain.
    """
    rows = database.read(queries.get("analytics/sample_chunks"), graph=graph, limit=CHUNKS)
    sample = "\n\n".join(f"{row['title']}: {cut_at_word(row['text'], tokeniser, CHUNK_TOKENS)}" for row in rows)
    boundary = hashlib.sha256(sample.encode("utf-8", "surrogatepass")).hexdigest()[:12]
    question = _Question(prompts.load("domain").render(sample=sample, boundary=boundary))
    inquiry: Inquiry[_Question] = Inquiry(model, cache, 1, lambda _, said: bool(_read(said)), max_tokens=100)
    [(_, reply)] = inquiry.ask([question])
    if not isinstance(reply, Completion):
        return FoundDomain("", Usage(), str(reply))
    domain = _read(reply)
    return FoundDomain(domain, reply.usage, "" if domain else "the model named no field in one short line")


def _read(said: Completion) -> str:
    lines = [line.strip() for line in without_thoughts(said.text).splitlines() if line.strip()]
    line = lines[0].strip("\"'*`. ") if len(lines) == 1 else ""
    return line if line.isprintable() and len(line) <= LONGEST else ""
