"""What the documents of a graph are about, in a few words, found from a sample of chunks."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import ClassVar

from kg_neo4j._models import prompts
from kg_neo4j._models.answer_text import without_thoughts
from kg_neo4j._models.door import Door, Job
from kg_neo4j._models.protocols import Completion
from kg_neo4j._models.tasks import Complaint, Task, TaskAnswer
from kg_neo4j._models.tokens import Tokeniser
from kg_neo4j.acquire.sentences import cut_at_word
from kg_neo4j.graph import queries
from kg_neo4j.graph.database import Database
from kg_neo4j.records import Usage

CHUNKS = 10
CHUNK_TOKENS = 150
LONGEST = 100  # characters of a domain


@dataclass(frozen=True, slots=True)
class NameDomain(Task[str]):
    """Asks for the field of a sample of texts."""

    kind: ClassVar[str] = "domain"
    sample: str
    max_tokens: int | None = 100

    def messages(self, complaint: str = "") -> tuple[str, str]:
        """Return the messages; the mark hashes the sample, so it cannot contain its own end."""
        boundary = hashlib.sha256(self.sample.encode("utf-8", "surrogatepass")).hexdigest()[:12]
        return prompts.load("domain").render(sample=self.sample, boundary=boundary)

    def accept(self, said: Completion) -> str | Complaint[str]:
        """Return the one short line that was said."""
        lines = [line.strip() for line in without_thoughts(said.text).splitlines() if line.strip()]
        line = lines[0].strip("\"'*`. ") if len(lines) == 1 else ""
        if line and line.isprintable() and len(line) <= LONGEST:
            return line
        return Complaint("the model named no field in one short line")


def find_domain(database: Database, graph: str, door: Door, tokeniser: Tokeniser) -> TaskAnswer[str]:
    """Ask what a sample of the chunks of `graph` is about; the same sample every time. No error is raised."""
    rows = database.read(queries.get("analytics/sample_chunks"), graph=graph, limit=CHUNKS)
    sample = "\n\n".join(f"{row['title']}: {cut_at_word(row['text'], tokeniser, CHUNK_TOKENS)}" for row in rows)
    [answer] = door.ask_all([NameDomain(sample)])
    return answer


@dataclass(frozen=True, slots=True)
class Domain:
    """The domain that the prompt names: `value` is empty for none, None for that of the reports so far.

    `note` says how it was found.
    """

    value: str | None
    usage: Usage = field(default_factory=Usage)
    note: str = ""


@dataclass(frozen=True, slots=True)
class ChooseDomain(Job[Domain]):
    """Decides which topic of the documents a model is given."""

    kind: ClassVar[str] = "choose_domain"
    database: Database
    graph: str
    tokeniser: Tokeniser
    given: str | None  # by the user
    stored: Callable[[], str]  # the domain of the reports so far
    finds: bool  # where no report has a domain, the model is asked for it

    def by_model(self, door: Door) -> Domain:
        """Take what is given, or what the reports have; else ask."""
        if not self.finds:
            return Domain(self.given)
        if stored := self.stored():
            return Domain(stored, note=f"domain, as in the reports so far: {stored}")
        found = find_domain(self.database, self.graph, door, self.tokeniser)
        note = f"domain: {found.value}" if found.value else f"no domain was found: {found.problem}"
        return Domain(found.value or "", found.usage, note)
