"""Follows relations from a thing to a thing: by the facts of the graph, and where it has none by what passages say."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from kg_neo4j.graph.identity import normalise
from kg_neo4j.offline.short.passage_reading import Said, read_inverse, read_relation
from kg_neo4j.offline.short.relations import RELATIONS
from kg_neo4j.offline.short.things import Thing, ThingFact, ThingPassage, Things
from kg_neo4j.offline.short.wanted import AskedThing
from kg_neo4j.retrieve.sentences import split_sentences

READ_FIRST = frozenset({"nationality", "cause of death", "award"})  # said in more ways than a type of fact tells
PLACES = frozenset({"born in", "died in", "buried in"})  # given as the text writes them: "Oslo, Norway"
WAYS = 3  # values of one relation that are followed further
_TITLE = re.compile(
    r"^(?:(?:Sir|Dame|Lord|Lady|Count|Countess|Duke|King|Queen|Prince|Princess|Dr\.?|Sheikh|Emperor) )+"
)
_COMMA = re.compile(r"(?:, [^\W\d_a-z][\w’'-]+(?: [^\W\d_a-z][\w’'-]+)*(?![\w.]\w))+")


@dataclass(frozen=True, slots=True)
class WordPlace:
    """Words of a chunk."""

    chunk_id: str
    document: str
    start: int
    end: int
    quote: str


@dataclass(frozen=True, slots=True)
class StatedStep:
    """One step of a path, with the words that it rests on."""

    source: str
    relation: str
    target: str
    place: WordPlace
    source_id: str | None = None
    target_id: str | None = None
    fact_id: str | None = None


@dataclass(frozen=True, slots=True)
class ReachedValue:
    """A value, and the steps that lead to it."""

    value: str
    steps: tuple[StatedStep, ...] = ()

    @property
    def entity_id(self) -> str:
        """The entity at the end; empty where the value was read in a passage."""
        return (self.steps[-1].target_id or "") if self.steps else ""


def follow(wanted: AskedThing, things: Things) -> list[ReachedValue]:
    """Return what the relations of `wanted` lead to, the likeliest first; empty where the way is broken."""
    reached = [ReachedValue(wanted.name)]
    for place, relation in enumerate(wanted.relations):
        following: list[ReachedValue] = []
        for each in reached[:WAYS]:
            for step in _steps(each, relation, things):
                following.append(ReachedValue(step.target, (*each.steps, step)))
            if following and place == len(wanted.relations) - 1:
                break
        reached = following
    return [each for each in reached if each.steps or not wanted.relations]


def _steps(reached: ReachedValue, relation: str, things: Things) -> list[StatedStep]:
    """Return the steps by `relation` from what was reached, under the first of its names that has any."""
    for name in variants(reached.value):
        thing = things.find(name, reached.entity_id, nearly_so=bool(reached.steps))
        steps = steps_from(thing, relation) if thing else []
        if steps:
            return steps
    return []


def variants(name: str) -> list[str]:
    """Return a name, then without what follows a comma and without a title: "Sir Ada Lind, 2nd Baronet"."""
    plain = _TITLE.sub("", name)
    return list(dict.fromkeys((name, plain, plain.split(", ")[0])))


def steps_from(thing: Thing, relation: str) -> list[StatedStep]:
    """Return the steps from `thing` by `relation`: what passages of its own say, facts, then what others say of it."""
    own = [each for each in thing.passages if each.own]
    read = [
        _read_step(thing, relation, said, passage) for passage in own for said in read_relation(passage.text, relation)
    ]
    facts = [step for fact in _ranked(thing, relation) if (step := _fact_step(thing, relation, fact))]
    inverse = [step for passage in thing.passages if (step := _inverse_step(thing, relation, passage))]
    if relation in READ_FIRST:
        steps = _merged([*read, *facts, *inverse])
    else:
        steps = _merged([*_sorted(relation, facts), *read] if facts else [*read, *inverse])
    if relation in ("father", "mother"):
        steps = _of_gender(steps, relation)
    return steps


def _sorted(relation: str, facts: list[StatedStep]) -> list[StatedStep]:
    """Return the facts, exact dates before years, and places as the words write them: "Paris, France", not "Paris"."""
    if RELATIONS[relation].gives == "date":
        return sorted(facts, key=lambda step: -len(step.target))
    if relation in PLACES:
        return sorted(facts, key=lambda step: -step.target.count(","))
    return facts


def _written_out(source: str, target: str, fact: ThingFact) -> tuple[str, WordPlace]:
    """Return a place with what the text puts after it, and the words up to there."""
    place = WordPlace(fact.chunk_id, fact.document, fact.start, fact.end, fact.quote)
    text = fact.quote + fact.after
    at = fact.quote.find(target)
    more = _COMMA.match(text, at + len(target)) if at >= 0 else None
    if more is None:
        return target, place
    own = set(normalise(source).split())
    parts = [part for part in more[0].split(", ")[1:] if not own & set(normalise(part).split())]
    whole = ", ".join([target, *parts[:2]])
    end = max(fact.end, fact.start + at + len(whole))
    return whole, replace(place, end=end, quote=text[: end - fact.start])


def _ranked(thing: Thing, relation: str) -> list[ThingFact]:
    """Return the thing's facts, those of the relation's first types first."""
    order = {name[1:]: rank for rank, name in reversed(list(enumerate(RELATIONS[relation].facts)))}
    return sorted(thing.facts, key=lambda fact: order.get(fact.type, len(order)))


def _merged(steps: list[StatedStep]) -> list[StatedStep]:
    """Return the steps without repeats."""
    kept: list[StatedStep] = []
    for step in steps:
        if not any(normalise(step.target) == normalise(other.target) for other in kept):
            kept.append(step)
    return kept


def _fact_step(thing: Thing, relation: str, fact: ThingFact) -> StatedStep | None:
    types = RELATIONS[relation].facts
    forward = f">{fact.type}" in types and fact.source_id in thing.entities
    back = f"<{fact.type}" in types and fact.target_id in thing.entities
    if not (forward or back):
        return None
    place = WordPlace(fact.chunk_id, fact.document, fact.start, fact.end, fact.quote)
    ends = ((fact.source, fact.source_id), (fact.target, fact.target_id))
    (source, source_id), (target, target_id) = ends if forward else ends[::-1]
    if relation in PLACES:
        target, place = _written_out(source, target, fact)
    shown = fact.type if forward else f"{fact.type} (back)"
    return StatedStep(source, shown, target, place, source_id, target_id, fact.id)


def _read_step(thing: Thing, relation: str, said: Said, passage: ThingPassage) -> StatedStep:
    return StatedStep(thing.title, relation, said.value, _around(passage, said.start, said.end))


def _inverse_step(thing: Thing, relation: str, passage: ThingPassage) -> StatedStep | None:
    if passage.own:
        return None
    said = read_inverse(passage.text, relation, thing.title)
    if said is None:
        return None
    title = re.sub(r"\s*\([^()]*\)\s*$", "", passage.document)
    return StatedStep(thing.title, relation, title, _around(passage, said.start, said.end))


def place_of(passage: ThingPassage, start: int, end: int) -> WordPlace:
    """Return some words of a passage."""
    return WordPlace(passage.chunk_id, passage.document, start, end, passage.text[start:end])


def _around(passage: ThingPassage, start: int, end: int) -> WordPlace:
    """Return the sentence around some words."""
    for sentence in split_sentences(passage.text):
        if sentence.start <= start and end <= sentence.end:
            return place_of(passage, sentence.start, sentence.end)
    return place_of(passage, start, end)


def _of_gender(steps: list[StatedStep], relation: str) -> list[StatedStep]:
    """Return the steps to men or to women first, as far as first names tell."""
    from kg_neo4j.offline.extractor.word_vectors import guess_gender

    wanted = "m" if relation == "father" else "f"
    other = "f" if relation == "father" else "m"
    genders = {step.target: guess_gender(step.target.split(" ")[0].lower()) for step in steps}
    likely = [step for step in steps if genders[step.target] == wanted]
    unknown = [step for step in steps if genders[step.target] not in (wanted, other)]
    return [*likely, *unknown]
