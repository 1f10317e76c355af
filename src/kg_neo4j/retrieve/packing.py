"""What goes to the model within a budget of tokens: whole units only, and never one whose support was left out. Pure.

A unit is a chunk, the sentence of a chunk that a fact rests on, an entity or a fact. A fact needs both its entities and
the words that state it; an entity needs words that mention it. A unit that does not fit with all it needs is left out,
and smaller ones after it may still fit.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
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
        chunk = found.chunk(place.chunk_id)
        if chunk is not None:
            text = chunk.text[place.start : place.end]
            tokens = tokeniser.count(text) + (0 if parts else OVERHEAD)
            where = (chunk.id, chunk.document, place.start, place.end, tokens)
            parts.append(Evidence("chunk", chunk.id, text, node.score, *where))
    keys = [f"words {each.chunk_id} {each.start} {each.end}" for each in parts]
    others = [(*keys[:at][::-1], *keys[at + 1 :]) for at in range(len(keys))]
    units = [ContextUnit(key, each, needs) for key, each, needs in zip(keys, parts, others, strict=True)]
    return units[::-1]  # the last one brings the others before it: they are in reading order


def _chunk_units(found: Found, tokeniser: Tokeniser) -> list[ContextUnit]:
    support = _support(found)
    ranked = sorted(found.chunks, key=lambda chunk: (-(chunk.score + support.get(chunk.id, 0.0)), chunk.id))
    return [
        ContextUnit(
            f"chunk {chunk.id}",
            Evidence(
                kind="chunk",
                id=chunk.id,
                text=chunk.text,
                score=chunk.score + support.get(chunk.id, 0.0),
                chunk_id=chunk.id,
                document=chunk.document,
                start=0,
                end=len(chunk.text),
                token_count=tokeniser.count(chunk.text) + OVERHEAD,
            ),
        )
        for chunk in ranked
    ]


def _support(found: Found) -> dict[str, float]:
    """Return, for each chunk, a part of the score of the entities and facts that rest on it."""
    support: dict[str, float] = {}
    items: list[FoundEntity | FoundFact] = [*found.entities, *found.facts]
    for item in items:
        places = item.mentions if isinstance(item, FoundEntity) else item.statements
        for chunk_id in {place.chunk_id for place in places}:
            support[chunk_id] = support.get(chunk_id, 0.0) + 0.1 * item.score
    return support


def _graph_units(
    found: Found, tokeniser: Tokeniser, held: frozenset[str], known: dict[str, ContextUnit]
) -> list[ContextUnit]:
    """Return entity and fact units, best first, and put them and all that they need into `known`."""
    texts = _Texts(found, tokeniser)
    units: list[ContextUnit] = []
    items: list[FoundEntity | FoundFact] = [*found.entities, *found.facts]
    for item in sorted(items, key=lambda item: (-item.score, item.id)):
        support = texts.support(item, held, known)
        if support is None:
            continue
        known.setdefault(support.key, support)
        if isinstance(item, FoundEntity):
            unit = _entity_unit(item, support, tokeniser)
        else:
            unit = _fact_unit(item, support, tokeniser)
        known[unit.key] = unit
        units.append(unit)
    for fact in found.facts:
        if f"fact {fact.id}" in known:
            _add_ends(fact, known, tokeniser)
    return units


def _add_ends(fact: FoundFact, known: dict[str, ContextUnit], tokeniser: Tokeniser) -> None:
    """Add a unit for each end of a fact that is not an entity found: its name, resting on the fact's own words."""
    support = known[known[f"fact {fact.id}"].needs[-1]]
    for entity_id, name in ((fact.source_id, fact.source), (fact.target_id, fact.target)):
        unit = ContextUnit(
            f"entity {entity_id}",
            _evidence("entity", entity_id, name, 0.0, support.evidence, tokeniser),
            (support.key,),
        )
        known.setdefault(unit.key, unit)


class _Texts:
    """The chunks found and their sentences, split once."""

    def __init__(self, found: Found, tokeniser: Tokeniser) -> None:
        self._chunks = {chunk.id: chunk for chunk in found.chunks}
        self._sentences: dict[str, list[Sentence]] = {}
        self._tokeniser = tokeniser

    def support(
        self, item: FoundEntity | FoundFact, held: frozenset[str], known: Mapping[str, ContextUnit]
    ) -> ContextUnit | None:
        """Return what `item` rests on: a chunk already held, else the sentences around its words; None: neither."""
        places = item.mentions if isinstance(item, FoundEntity) else item.statements
        for place in places:
            if f"chunk {place.chunk_id}" in held:
                return known[f"chunk {place.chunk_id}"]
        return next((unit for place in places if (unit := self._around(place)) is not None), None)

    def _around(self, place: Place) -> ContextUnit | None:
        chunk = self._chunks.get(place.chunk_id)
        if chunk is None or place.start is None or place.end is None:
            return None
        if chunk.id not in self._sentences:
            self._sentences[chunk.id] = split_sentences(chunk.text)
        around = [each for each in self._sentences[chunk.id] if each.start < place.end and place.start < each.end]
        return _sentence_unit(chunk, around[0].start, around[-1].end, self._tokeniser) if around else None


def _sentence_unit(chunk: FoundChunk, start: int, end: int, tokeniser: Tokeniser) -> ContextUnit:
    text = chunk.text[start:end]
    evidence = Evidence(
        "chunk", chunk.id, text, chunk.score, chunk.id, chunk.document, start, end, tokeniser.count(text) + OVERHEAD
    )
    return ContextUnit(f"words {chunk.id} {start}", evidence)


def _entity_unit(entity: FoundEntity, support: ContextUnit, tokeniser: Tokeniser) -> ContextUnit:
    also = f", also {', '.join(entity.aliases[:4])}" if entity.aliases else ""
    words = entity.description or entity.role
    text = f"{entity.name} ({entity.type}{also})" + (f": {words}" if words else "")
    evidence = _evidence("entity", entity.id, text, entity.score, support.evidence, tokeniser)
    return ContextUnit(f"entity {entity.id}", evidence, (support.key,))


def _fact_unit(fact: FoundFact, support: ContextUnit, tokeniser: Tokeniser) -> ContextUnit:
    when = f" ({fact.start_date})" if fact.start_date else ""
    said = f": {fact.description}" if fact.description else ""
    text = f"{fact.source} {fact.type} {fact.target}{when}{said}"
    evidence = _evidence("fact", fact.id, text, fact.score, support.evidence, tokeniser)
    return ContextUnit(
        f"fact {fact.id}", evidence, (f"entity {fact.source_id}", f"entity {fact.target_id}", support.key)
    )


def _evidence(kind: str, item_id: str, text: str, score: float, place: Evidence, tokeniser: Tokeniser) -> Evidence:
    return Evidence(
        kind=kind,
        id=item_id,
        text=text,
        score=score,
        chunk_id=place.chunk_id,
        document=place.document,
        start=place.start,
        end=place.end,
        token_count=tokeniser.count(text) + OVERHEAD,
    )
