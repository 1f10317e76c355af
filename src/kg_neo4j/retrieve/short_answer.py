"""The short answer to a question, read off a path: a name, a date, yes or no, and the steps that lead there."""

from __future__ import annotations

from dataclasses import dataclass

from kg_neo4j.records import Citation, Claim, PathStep
from kg_neo4j.retrieve.claims import SUPPORTED
from kg_neo4j.retrieve.comparing import compare
from kg_neo4j.retrieve.comparison import read_comparison
from kg_neo4j.retrieve.following import Place, Step, follow
from kg_neo4j.retrieve.sentences import readable
from kg_neo4j.retrieve.things import Things
from kg_neo4j.retrieve.wanted import read_wanted


@dataclass(frozen=True, slots=True)
class Short:
    """A short answer and the steps that it rests on, one at least."""

    value: str
    steps: tuple[Step, ...]


@dataclass(frozen=True, slots=True)
class Told:
    """A short answer as it is told: first itself, then the words that it rests on, each with its citation."""

    text: str
    citations: tuple[Citation, ...]
    claims: tuple[Claim, ...]
    path: tuple[PathStep, ...]


def find_short(question: str, things: Things) -> Short | None:
    """Return the short answer to `question`; None where it asks for nothing of the kind, or the way to it is broken."""
    comparison = read_comparison(question)
    if comparison is not None:
        compared = compare(comparison, things)
        return Short(compared.value, compared.steps) if compared and compared.steps else None
    wanted = read_wanted(question)
    if wanted is None:
        return None
    reached = follow(wanted, things)
    return Short(reached[0].value, reached[0].steps) if reached and reached[0].steps else None


def tell(short: Short) -> Told:
    """Return a short answer for people."""
    places = list(dict.fromkeys(step.place for step in short.steps))
    citations = tuple(_citation(place) for place in places)
    number = {place: count for count, place in enumerate(places, 1)}
    path = tuple(
        PathStep(
            source=step.source,
            relation=step.relation,
            target=step.target,
            citation=number[step.place],
            source_id=step.source_id,
            target_id=step.target_id,
            fact_id=step.fact_id,
        )
        for step in short.steps
    )
    said = short.value[:1].upper() + short.value[1:]
    marks = "".join(f" [{count}]" for count in number.values())
    sentences = [f"{readable(place.quote)} [{count}]" for place, count in number.items()]
    claims = (
        Claim(said, tuple(number.values()), SUPPORTED, judged_by="path"),
        *(Claim(readable(place.quote), (count,), SUPPORTED) for place, count in number.items()),
    )
    return Told("\n".join([f"{said}{marks}", *sentences]), citations, claims, path)


def _citation(place: Place) -> Citation:
    return Citation(place.chunk_id, place.document, place.start, place.end, place.quote)
