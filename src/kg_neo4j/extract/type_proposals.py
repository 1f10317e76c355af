"""Types proposed for a schema: read from a model's answer, or counted in what an extractor found."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, ClassVar

from kg_neo4j._models import prompts
from kg_neo4j._models.answer_text import find_object
from kg_neo4j._models.protocols import Completion
from kg_neo4j._models.tasks import Complaint, Task
from kg_neo4j.extract.values import RESERVED_RELATIONSHIP_TYPES, ValueRefused, clean, normalise_type
from kg_neo4j.records import Extraction

MOST_ENTITY_TYPES = 15
MOST_RELATIONSHIP_TYPES = 30
FEWEST = 2  # of each, from a model

_SECTIONS = (
    ("entity_types", MOST_ENTITY_TYPES, frozenset[str]()),
    ("relationship_types", MOST_RELATIONSHIP_TYPES, RESERVED_RELATIONSHIP_TYPES),
)


@dataclass(frozen=True, slots=True)
class TypeProposal:
    """Types that may become labels and relationship types, and what was wrong with the answer they come from."""

    entity_types: tuple[str, ...]
    relationship_types: tuple[str, ...]
    problems: tuple[str, ...] = ()

    @property
    def is_usable(self) -> bool:
        """Say whether there are types of both kinds."""
        return bool(self.entity_types and self.relationship_types)


def read(answer: str) -> TypeProposal:
    """Return the types in a model's answer that the allow-list lets through; `problems` say what it does not."""
    found = find_object(answer, [name for name, *_ in _SECTIONS])
    if found is None:
        return TypeProposal((), (), ("it is not one JSON object as asked for",))
    problems: list[str] = []
    kept = [_types(found.get(name), name, most, reserved, problems) for name, most, reserved in _SECTIONS]
    return TypeProposal(kept[0], kept[1], tuple(problems))


@dataclass(frozen=True, slots=True)
class ProposeTypes(Task[TypeProposal]):
    """The question which types a sample of a text has."""

    kind: ClassVar[str] = "tune"
    rounds: ClassVar[int] = 2
    sample: str
    language: str
    domain: str  # what the text is about; empty: that is for the model to see
    temperature: float = 0.0

    def messages(self, complaint: str = "") -> tuple[str, str]:
        """Return both messages; a complaint stands behind the question."""
        system, user = prompts.load("tune").render(
            entity_types=str(MOST_ENTITY_TYPES),
            relationship_types=str(MOST_RELATIONSHIP_TYPES),
            language=self.language,
            domain=f"they are about {self.domain}" if self.domain else "what they are about is for you to see",
            sample=self.sample,
        )
        if complaint:
            user += f"\n\nYour last answer could not be used as it is: {complaint}. Keep to the rules."
        return system, user

    def accept(self, said: Completion) -> TypeProposal | Complaint[TypeProposal]:
        """Return the types, or what is wrong with some of them."""
        found = read(said.text)
        if not found.problems:
            return found
        usable = found if found.is_usable else None
        return Complaint("; ".join(found.problems), usable, len(found.problems), keeps=found.is_usable)


def count(extractions: Iterable[Extraction]) -> TypeProposal:
    """Return the types that extractions have, most frequent first, equal ones in alphabetical order."""
    entities: Counter[str] = Counter()
    relationships: Counter[str] = Counter()
    for extraction in extractions:
        entities.update(node.type for node in extraction.nodes)
        relationships.update(row.type for row in extraction.relationships)
    return TypeProposal(_ranked(entities)[:MOST_ENTITY_TYPES], _ranked(relationships)[:MOST_RELATIONSHIP_TYPES])


def _ranked(counts: Counter[str]) -> tuple[str, ...]:
    return tuple(sorted(counts, key=lambda kind: (-counts[kind], kind)))


def _types(value: Any, name: str, most: int, reserved: frozenset[str], problems: list[str]) -> tuple[str, ...]:
    if not isinstance(value, list):
        problems.append(f"{name} is missing, or is no list")
        return ()
    kept: dict[str, None] = {}
    refused = []
    for each in value:
        try:
            kept[normalise_type(clean(each), reserved)] = None
        except (ValueRefused, TypeError, AttributeError):
            refused.append(str(each)[:40])
    if refused:
        problems.append(f"{name} that cannot be types: {', '.join(map(repr, refused[:5]))}")
    if len(kept) > most:
        problems.append(f"{len(kept)} {name}, at most {most}")
    if len(kept) < FEWEST:
        problems.append(f"{len(kept)} {name}, at least {FEWEST}")
    return tuple(kept)[:most]
