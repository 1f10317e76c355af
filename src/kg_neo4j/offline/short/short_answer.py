"""The short answer to a question, derived from a path: a name, a date, yes or no, and the steps that lead there."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from kg_neo4j.offline.short.comparing import compare
from kg_neo4j.offline.short.comparison import read_comparison
from kg_neo4j.offline.short.following import StatedStep, WordPlace, follow
from kg_neo4j.offline.short.reading import find_stated
from kg_neo4j.offline.short.substitution import Reduced, reduce
from kg_neo4j.offline.short.things import Things
from kg_neo4j.offline.short.wanted import read_wanted
from kg_neo4j.records import Citation, Claim, PathStep
from kg_neo4j.retrieve.checking.claims import QUOTED, SUPPORTED
from kg_neo4j.retrieve.interface import Found
from kg_neo4j.retrieve.question import Question, read
from kg_neo4j.retrieve.sentences import readable


@dataclass(frozen=True, slots=True)
class Short:
    """A short answer and the steps that it rests on, one at least."""

    value: str
    steps: tuple[StatedStep, ...]
    stated: bool = True  # of this very thing; False where it is read at the end of several steps


@dataclass(frozen=True, slots=True)
class CitedShortAnswer:
    """A short answer as it is written: first itself, then the words that it rests on, each with its citation."""

    text: str
    citations: tuple[Citation, ...]
    claims: tuple[Claim, ...]
    path: tuple[PathStep, ...]


def find_short(
    question: Question, names: Sequence[str], things: Things, search: Callable[[str], Found]
) -> Short | None:
    """Return the short answer to `question`; None where it asks for nothing of the kind, or the way to it is broken.

    `names` are those of the graph that the question has; `search` finds what a question of fewer steps is answered by.
    """
    comparison = read_comparison(question.text)
    if comparison is not None:
        compared = compare(comparison, things)
        return Short(compared.value, compared.steps) if compared and compared.steps else None
    followed = _follow(question.text, things)
    if followed is not None:
        return followed
    reduced = reduce(question.text, names, things)
    if reduced.steps:
        followed = _follow(reduced.text, things)
        if followed is not None:
            return replace(followed, steps=(*reduced.steps, *followed.steps))
    return _read(reduced, search)


def _follow(question: str, things: Things) -> Short | None:
    wanted = read_wanted(question)
    reached = follow(wanted, things) if wanted else []
    return Short(reached[0].value, reached[0].steps) if reached and reached[0].steps else None


def _read(reduced: Reduced, search: Callable[[str], Found]) -> Short | None:
    """Return what a clause states that answers the last step; None where none does."""
    found = find_stated(read(reduced.text), search(reduced.text))
    if found is None:
        return None
    return Short(found.value, (*reduced.steps, _said(found.citation, found.value)), stated=not reduced.steps)


def _said(citation: Citation, what: str) -> StatedStep:
    place = WordPlace(citation.chunk_id, citation.document, citation.start, citation.end, citation.quote)
    return StatedStep(citation.document, "says", what, place)


def tell(short: Short) -> CitedShortAnswer:
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
    support = SUPPORTED if short.stated else QUOTED
    quoted = (Claim(readable(place.quote), (count,), support) for place, count in number.items())
    claims = (Claim(said, tuple(number.values()), support, judged_by="path"), *quoted)
    return CitedShortAnswer("\n".join([f"{said}{marks}", *sentences]), citations, claims, path)


def _citation(place: WordPlace) -> Citation:
    return Citation(place.chunk_id, place.document, place.start, place.end, place.quote)
