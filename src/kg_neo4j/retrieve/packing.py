"""What goes to the model within a budget of tokens: whole units only, and never one whose support was left out. Pure.

A unit is a chunk, the sentence of a chunk that a fact rests on, an entity or a fact. A fact needs both its entities and
the words that state it; an entity needs words that mention it. A unit that does not fit with all it needs is left out,
and smaller ones after it may still fit.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from kg_neo4j._models.tokens import Tokeniser
from kg_neo4j.records import Evidence
from kg_neo4j.retrieve.interface import Found, FoundChunk, FoundEntity, FoundFact, FoundNode, Place
from kg_neo4j.retrieve.sentences import Sentence, split_sentences

CHUNK_SHARE = 0.6  # of the budget for whole chunks, so that facts find room; what they leave is filled with chunks
OVERHEAD = 16  # tokens for the mark, the title and the line breaks of a unit
LARGEST_CHUNK = 0.5  # of the budget; a larger chunk is represented by the sentences that facts rest on


@dataclass(frozen=True, slots=True)
class ContextUnit:
    """Something that is in the context as a whole or not at all."""

    key: str
    evidence: Evidence  # its `token_count` is what the unit costs
    needs: tuple[str, ...] = ()  # keys of units without which it means nothing


@dataclass(frozen=True, slots=True)
class PackedContext:
    """What fits, in the order in which it was chosen."""

    units: tuple[ContextUnit, ...]
    tokens: int
    left_out: int

    @property
    def evidence(self) -> tuple[Evidence, ...]:
        """The units' evidence."""
        return tuple(unit.evidence for unit in self.units)


def pack(
    ranked: Iterable[ContextUnit], known: Mapping[str, ContextUnit], budget: int, start: PackedContext | None = None
) -> PackedContext:
    """Add `ranked` units to `start`, best first, each with all that it needs, as far as `budget` tokens go.

    `known` has every unit that another may need. The sum of tokens never exceeds the budget; needs are always met.
    """
    chosen: dict[str, ContextUnit] = {unit.key: unit for unit in start.units} if start else {}
    tokens = start.tokens if start else 0
    left_out = start.left_out if start else 0
    for unit in ranked:
        if unit.key in chosen:
            continue
        wanted = _closure(unit, known, chosen)
        cost = sum(each.evidence.token_count for each in wanted or ())
        if wanted is None or tokens + cost > budget:
            left_out += 1
            continue
        chosen |= {each.key: each for each in wanted}
        tokens += cost
    return PackedContext(tuple(chosen.values()), tokens, left_out)


def _closure(
    unit: ContextUnit, known: Mapping[str, ContextUnit], chosen: Mapping[str, ContextUnit]
) -> list[ContextUnit] | None:
    """Return the unit after all that it needs and that is not chosen yet; None where something needed is unknown."""
    wanted: dict[str, ContextUnit] = {}
    entered: set[str] = set()

    def enter(each: ContextUnit) -> bool:
        entered.add(each.key)
        for key in each.needs:
            if key not in chosen and key not in entered and not (key in known and enter(known[key])):
                return False
        wanted[each.key] = each
        return True

    return list(wanted.values()) if enter(unit) else None


def pack_found(found: Found, tokeniser: Tokeniser, budget: int) -> PackedContext:
    """Choose from what was found: the best chunks, then facts and entities with their words, then further chunks.

    Of a tree the nodes found, in their order.
    """
    if found.nodes:
        units = [unit for node in found.nodes for unit in _node_units(node, found, tokeniser)]
        return pack(units, {unit.key: unit for unit in units}, budget)
    chunks = _chunk_units(found, tokeniser)
    small = [unit for unit in chunks if unit.evidence.token_count <= LARGEST_CHUNK * budget]
    known = {unit.key: unit for unit in chunks}
    first = pack(small, known, int(CHUNK_SHARE * budget))
    held = frozenset(unit.key for unit in first.units)
    graph = _graph_units(found, tokeniser, held, known)
    second = pack(graph, known, budget, replace(first, left_out=0))
    return pack(chunks, known, budget, second)


def _node_units(node: FoundNode, found: Found, tokeniser: Tokeniser) -> list[ContextUnit]:
    """Return the units of a node: one, but for a leaf that reaches over several chunks its part in each."""
    if node.kind != "chunk":
        made = Evidence(
            kind=node.kind,
            id=node.id,
            text=node.text,
            score=node.score,
            document=node.document,
            token_count=tokeniser.count(node.text) + OVERHEAD,
            aspect=node.aspect,
            level=node.level,
        )
        return [ContextUnit(f"{node.kind} {node.id}", made)]
    parts: list[Evidence] = []
    for place in node.places:
        if (chunk := found.chunk(place.chunk_id)) is not None:
            text = chunk.text[place.start : place.end]
            tokens = tokeniser.count(text) + (0 if parts else OVERHEAD)
            where = (chunk.id, chunk.document, place.start, place.end, tokens)
            parts.append(Evidence("chunk", chunk.id, text, node.score, *where))
    keys = [f"words {each.chunk_id} {each.start} {each.end}" for each in parts]
    others = [(*keys[:at][::-1], *keys[at + 1 :]) for at in range(len(keys))]
    units = [ContextUnit(key, each, needs) for key, each, needs in zip(keys, parts, others, strict=True)]
    return units[::-1]  # the last one brings the others before it: they are in reading order


def _chunk_units(found: Found, tokeniser: Tokeniser) -> list[ContextUnit]:
    """Return a unit for each chunk, best first; a part of the score of what rests on a chunk is added to its own."""
    resting: defaultdict[str, float] = defaultdict(float)
    items: list[FoundEntity | FoundFact] = [*found.entities, *found.facts]
    for item in items:
        for chunk_id in {place.chunk_id for place in _places(item)}:
            resting[chunk_id] += 0.1 * item.score
    scored = [(chunk.score + resting[chunk.id], chunk) for chunk in found.chunks]
    units = []
    for score, chunk in sorted(scored, key=lambda each: (-each[0], each[1].id)):
        tokens = tokeniser.count(chunk.text) + OVERHEAD
        where = (chunk.id, chunk.document, 0, len(chunk.text), tokens)
        units.append(ContextUnit(f"chunk {chunk.id}", Evidence("chunk", chunk.id, chunk.text, score, *where)))
    return units


def _graph_units(
    found: Found, tokeniser: Tokeniser, held: frozenset[str], known: dict[str, ContextUnit]
) -> list[ContextUnit]:
    """Return entity and fact units, best first, and put them and all that they need into `known`."""
    chunks = {chunk.id: chunk for chunk in found.chunks}
    sentences: dict[str, list[Sentence]] = {}  # of each chunk, split once
    units: list[ContextUnit] = []
    items: list[FoundEntity | FoundFact] = [*found.entities, *found.facts]
    for item in sorted(items, key=lambda item: (-item.score, item.id)):
        places = _places(item)
        support = next((known[key] for place in places if (key := f"chunk {place.chunk_id}") in held), None)
        if support is None:
            around = (_around(place, chunks, sentences, tokeniser) for place in places)
            support = next((unit for unit in around if unit is not None), None)
        if support is None:
            continue
        known.setdefault(support.key, support)
        if isinstance(item, FoundEntity):
            also = f", also {', '.join(item.aliases[:4])}" if item.aliases else ""
            words = item.role if item.description in support.evidence.text else item.description
            text = f"{item.name} ({item.type}{also})" + (f": {words}" if words else "")
            unit = _unit("entity", item.id, text, item.score, support, tokeniser)
        else:
            when = f" ({item.start_date})" if item.start_date else ""
            said = "" if item.description in support.evidence.text else f": {item.description}"
            text = f"{item.source} {item.type} {item.target}{when}{said}"
            ends = (f"entity {item.source_id}", f"entity {item.target_id}")
            unit = _unit("fact", item.id, text, item.score, support, tokeniser, ends)
        known[unit.key] = unit
        units.append(unit)
    for fact in found.facts:
        if f"fact {fact.id}" in known:  # an end that is no entity found is its name, resting on the fact's own words
            support = known[known[f"fact {fact.id}"].needs[-1]]
            for entity_id, name in ((fact.source_id, fact.source), (fact.target_id, fact.target)):
                if f"entity {entity_id}" not in known:
                    known[f"entity {entity_id}"] = _unit("entity", entity_id, name, 0.0, support, tokeniser)
    return units


def _places(item: FoundEntity | FoundFact) -> Sequence[Place]:
    return item.mentions if isinstance(item, FoundEntity) else item.statements


def _around(
    place: Place, chunks: Mapping[str, FoundChunk], sentences: dict[str, list[Sentence]], tokeniser: Tokeniser
) -> ContextUnit | None:
    """Return the sentences around the words of a place, as one unit."""
    chunk = chunks.get(place.chunk_id)
    if chunk is None or place.start is None or place.end is None:
        return None
    if chunk.id not in sentences:
        sentences[chunk.id] = split_sentences(chunk.text)
    around = [each for each in sentences[chunk.id] if each.start < place.end and place.start < each.end]
    if not around:
        return None
    start, end = around[0].start, around[-1].end
    text = chunk.text[start:end]
    where = (chunk.id, chunk.document, start, end, tokeniser.count(text) + OVERHEAD)
    return ContextUnit(f"words {chunk.id} {start}", Evidence("chunk", chunk.id, text, chunk.score, *where))


def _unit(
    kind: str,
    item_id: str,
    text: str,
    score: float,
    support: ContextUnit,
    tokeniser: Tokeniser,
    needs: tuple[str, ...] = (),
) -> ContextUnit:
    """Return an entity or a fact as a unit that rests on the words of `support`."""
    place, tokens = support.evidence, tokeniser.count(text) + OVERHEAD
    made = Evidence(kind, item_id, text, score, place.chunk_id, place.document, place.start, place.end, tokens)
    return ContextUnit(f"{kind} {item_id}", made, (*needs, support.key))
