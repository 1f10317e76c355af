"""Follows relations from a thing to a thing: by the facts of the graph, and where it has none by what passages say."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from kg_neo4j.graph.identity import normalise
from kg_neo4j.records import Citation
from kg_neo4j.retrieve.sentences import split_sentences, unwrap
from kg_neo4j_offline.short.passage_reading import OF_GENDER, read_inverse, read_relation
from kg_neo4j_offline.short.things import Thing, ThingFact, ThingPassage, Things
from kg_neo4j_offline.short.wanted import FACTS, AskedThing

READ_FIRST = frozenset({"nationality", "cause of death", "award"})  # said in more ways than a type of fact tells
PLACES = frozenset({"born in", "died in", "buried in"})  # given as the text writes them: "Oslo, Norway"
DATES = frozenset({"born on", "died on", "made on"})
WAYS = 3  # values of one relation that are followed further
_TITLE = re.compile(
    r"^(?:(?:Sir|Dame|Lord|Lady|Count|Countess|Duke|King|Queen|Prince|Princess|Dr\.?|Sheikh|Emperor) )+"
)
_COMMA = re.compile(r"(?:, [^\W\d_a-z][\w’'-]+(?: [^\W\d_a-z][\w’'-]+)*(?![\w.]\w))+")


@dataclass(frozen=True, slots=True)
class StatedStep:
    """One step of a path, with the words that it rests on."""

    source: str
    relation: str
    target: str
    place: Citation
    source_id: str | None = None
    target_id: str | None = None
    fact_id: str | None = None


@dataclass(frozen=True, slots=True)
class ReachedValue:
    """A value, and the steps that lead to it: a short answer, where there is one."""

    value: str
    steps: tuple[StatedStep, ...] = ()
    stated: bool = True  # of this very thing; False where it is read at the end of several steps


def follow(wanted: AskedThing, things: Things) -> list[ReachedValue]:
    """Return what the relations of `wanted` lead to, the likeliest first; empty where the way is broken."""
    reached = [ReachedValue(wanted.name)]
    for place, relation in enumerate(wanted.relations):
        following: list[ReachedValue] = []
        for each in reached[:WAYS]:
            following += [ReachedValue(step.target, (*each.steps, step)) for step in _steps(each, relation, things)]
            if following and place == len(wanted.relations) - 1:
                break
        reached = following
    return reached


def _steps(reached: ReachedValue, relation: str, things: Things) -> list[StatedStep]:
    """Return the steps by `relation` from what was reached, under the first of its names that has any.

    These are the name, then without a title and what follows a comma: "Sir Ada Lind, 2nd Baronet".
    """
    entity = (reached.steps[-1].target_id or "") if reached.steps else ""
    plain = _TITLE.sub("", reached.value)
    for name in dict.fromkeys((reached.value, plain, plain.split(", ")[0])):
        thing = things.find(name, entity, nearly_so=bool(reached.steps))
        if thing and (steps := steps_from(thing, relation)):
            return steps
    return []


def steps_from(thing: Thing, relation: str) -> list[StatedStep]:
    """Return the steps from `thing` by `relation`: what passages of its own say, facts, then what others say of it."""
    read = [
        StatedStep(thing.title, relation, said.value, _around(passage, said.start, said.end))
        for passage in thing.passages
        if passage.own
        for said in read_relation(unwrap(passage.text), relation)
    ]
    types = FACTS.get(relation, ())
    order = {name[1:]: rank for rank, name in reversed(list(enumerate(types)))}
    ranked = sorted(thing.facts, key=lambda fact: order.get(fact.type, len(order)))
    facts = [step for fact in ranked if (step := _fact_step(thing, relation, fact))]
    inverse = [
        StatedStep(thing.title, relation, passage.title, _around(passage, said.start(), said.end()))
        for passage in thing.passages
        if not passage.own and (said := read_inverse(unwrap(passage.text), relation, thing.title))
    ]
    if relation in READ_FIRST:
        found = [*read, *facts, *inverse]
    elif facts:
        if relation in DATES:
            facts.sort(key=lambda step: -len(step.target))  # exact dates before years
        elif relation in PLACES:
            facts.sort(key=lambda step: -step.target.count(","))  # as the words write them: "Paris, France"
        found = [*facts, *read]
    else:
        found = [*read, *inverse]
    first: dict[str, StatedStep] = {}
    for step in found:
        first.setdefault(normalise(step.target), step)
    return _of_gender(list(first.values()), relation)


def _fact_step(thing: Thing, relation: str, fact: ThingFact) -> StatedStep | None:
    types = FACTS.get(relation, ())
    forward = f">{fact.type}" in types and fact.source_id in thing.entities
    back = f"<{fact.type}" in types and fact.target_id in thing.entities
    if not (forward or back):
        return None
    ends = ((fact.source, fact.source_id), (fact.target, fact.target_id))
    (source, source_id), (target, target_id) = ends if forward else ends[::-1]
    place = fact.place
    if relation in PLACES:
        target, place = _written_out(source, target, fact)
    shown = fact.type if forward else f"{fact.type} (back)"
    return StatedStep(source, shown, target, place, source_id, target_id, fact.id)


def _written_out(source: str, target: str, fact: ThingFact) -> tuple[str, Citation]:
    """Return a place with what the text puts after it, and the words up to there."""
    place = fact.place
    text = (place.quote + fact.after).replace("\n", " ")
    at = text.find(target, 0, len(place.quote))
    more = _COMMA.match(text, at + len(target)) if at >= 0 else None
    if more is None:
        return target, place
    own = set(normalise(source).split())
    parts = [part for part in more[0].split(", ")[1:] if not own & set(normalise(part).split())]
    whole = ", ".join([target, *parts[:2]])
    end = max(place.end, place.start + at + len(whole))
    return whole, replace(place, end=end, quote=(place.quote + fact.after)[: end - place.start])


def _around(passage: ThingPassage, start: int, end: int) -> Citation:
    """Return the sentence around some words; these alone where they are not in one."""
    for sentence in split_sentences(passage.text):
        if sentence.start <= start and end <= sentence.end:
            return passage.cite(sentence.start, sentence.end)
    return passage.cite(start, end)


def _of_gender(steps: list[StatedStep], relation: str) -> list[StatedStep]:
    """Return of parents the men or the women, as far as first names tell, then those of whom these tell nothing."""
    from kg_neo4j_offline.extractor.word_vectors import guess_gender

    if relation not in OF_GENDER:
        return steps
    wanted, other = "mf" if relation == "father" else "fm"
    genders = {step.target: guess_gender(step.target.split(" ")[0].lower()) for step in steps}
    likely = [step for step in steps if genders[step.target] == wanted]
    return [*likely, *(step for step in steps if genders[step.target] not in (wanted, other))]
