"""What goes to the model within a budget of tokens: the best passages, then facts whose sentences are not shown. Pure.

A source is shown as a whole or not at all; one that does not fit is left out, and smaller ones after it may still fit.
Its cost is that of the lines that are shown.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

from kg_neo4j._models.tokens import Tokeniser
from kg_neo4j.acquire.passages import Spans, cut, section_at
from kg_neo4j.acquire.sentences import table_head
from kg_neo4j.extract.numbering import PRONOUN
from kg_neo4j.graph.documents import heading_of
from kg_neo4j.records import Evidence
from kg_neo4j.retrieve.checking.citations import ShownSource
from kg_neo4j.retrieve.interface import Found, FoundChunk, FoundEntity, FoundFact, FoundNode, Place
from kg_neo4j.retrieve.question import Question
from kg_neo4j.retrieve.sentences import readable, split_sentences
from kg_neo4j.retrieve.wording import beginnings, plain, repeats, shared, weigh

GRAPH_SHARE = 0.1  # of the budget, kept for lines from the graph; what they leave is filled with passages
ROWS_SHARE = 0.3  # likewise for rows of another graph: they are short, and have few words of a question
FOUND = 0.1  # of a passage's score: its chunk's; its words, its chunk's words and its nearness count for 1 each
KEPT = 4  # documents whose best passage comes first: a second step of a question often has none of its words
KEPT_FROM = 0.1  # of the best chunk's score, that their best chunk has at least: others only take room
LONGEST_TOKEN = 12  # characters, on average over a passage
_OPENING = 40  # characters of a sentence in which a pronoun may mean somebody of the sentence before
Key = TypeVar("Key")
_GRAPH = "From the graph, each from another sentence:"
_CORRECTED = "Corrections by people:"


@dataclass(frozen=True, slots=True)
class PackedContext:
    """What fits, in the order in which it is shown."""

    sources: tuple[ShownSource, ...] = ()
    evidence: tuple[Evidence, ...] = ()  # one for each source
    tokens: int = 0
    left_out: int = 0  # passages and facts that were found and do not fit


def pack_found(found: Found, question: Question, tokeniser: Tokeniser, budget: int) -> PackedContext:
    """Choose from what was found, the best first: of a tree its nodes, else passages and lines from the graph."""
    if found.nodes:
        return _pack_nodes(found, tokeniser, budget)
    ranked = list(_passages(found, question, tokeniser))
    items = _worded(question, (*found.facts, *found.entities))
    kept = int(GRAPH_SHARE * budget) if items else 0
    rows, unused = _fitting(
        [each for each in ranked if each[1].chunk.row is not None], tokeniser, int(ROWS_SHARE * budget)
    )
    first, left = _fitting(ranked, tokeniser, budget - kept - int(ROWS_SHARE * budget) + unused, rows)
    chosen = [*rows, *first]
    lines, left = _lines(items, found, chosen, tokeniser, kept + left)
    more, left = _fitting(ranked, tokeniser, left, chosen)
    shown = _in_order([*chosen, *more])
    sources = [replace(each, mark=str(place)) for place, (_, each) in enumerate(shown, 1)]
    evidence = [_evidence(each, score, tokeniser) for (score, _), each in zip(shown, sources, strict=True)]
    for place, (item, source) in enumerate(lines, 1):
        sources.append(replace(source, mark=f"F{place}"))
        kind = "fact" if isinstance(item, FoundFact) else "entity"
        evidence.append(replace(_evidence(sources[-1], item.score, tokeniser), kind=kind, id=item.id, text=source.line))
    return PackedContext(
        tuple(sources), tuple(evidence), budget - left, len(ranked) + len(items) - len(shown) - len(lines)
    )


def render(sources: Sequence[ShownSource]) -> str:
    """Return the evidence as the model sees it: numbered sentences of passages, lines from the graph, corrections."""
    blocks = [_shown(each) for each in sources if not each.line]
    lines = [_shown(each) for each in sources if each.line]
    said = dict.fromkeys(
        text
        for each in sources
        for start, end, text in each.chunk.corrections
        if any(first < end and start < last for first, last in each.sentences)
    )
    corrected = [f"C{place} {text}" for place, text in enumerate(said, 1)]
    blocks += ["\n".join((head, *each)) for head, each in ((_GRAPH, lines), (_CORRECTED, corrected)) if each]
    return "\n\n".join(blocks)


def _shown(source: ShownSource) -> str:
    mark = source.mark or "10"
    if source.line:
        return f"{mark} {source.line}"
    heading = heading_of(source.chunk.document, source.chunk.section)
    told = (readable(source.chunk.text[start:end]) for start, end in source.sentences)
    numbered = (f"{mark}.{place} {text}" for place, text in enumerate(told, 1))
    return "\n".join((f"[{mark}] {heading}", *numbered))


# ------------------------------------------------------------------------------------------------------- passages


def _passages(found: Found, question: Question, tokeniser: Tokeniser) -> Iterator[tuple[float, ShownSource]]:
    """Yield the passages of all chunks, each with its score: first one of each of the best documents, then all."""
    cut_up = [
        (replace(chunk, section=section_at(chunk.text, spans[0][1], chunk.section)), spans)  # of the passage
        for chunk in found.chunks
        for spans in cut(chunk.text, tokeniser.count)
    ]
    told: dict[int, list[str]] = {}
    wholes = {chunk.id: beginnings(f"{chunk.document} {chunk.section}") for chunk in found.chunks}
    for place, (chunk, spans) in enumerate(cut_up):
        body = beginnings(chunk.text[spans[0][0] : spans[-1][1]])
        told[place] = beginnings(f"{chunk.document} {chunk.section}") + body
        wholes[chunk.id] += body
    words, around = _shares(weigh(question.terms, told)), _shares(weigh(question.terms, wholes))
    near = _nearness(found)
    most = max((chunk.score for chunk in found.chunks), default=0) or 1
    ranked = []
    for place, (chunk, spans) in enumerate(cut_up):
        nearness = near.get((chunk.id, spans[0][0]), 0)
        score = words[place] + around[chunk.id] + nearness + FOUND * chunk.score / most + 2 * (chunk.row or 0)
        ranked.append((score, _source(chunk, spans)))
    ranked.sort(key=lambda each: (-each[0], each[1].start, each[1].chunk.id))
    by_chunk: dict[str, list[tuple[float, ShownSource]]] = {}
    for each in ranked:
        by_chunk.setdefault(each[1].chunk.id, []).append(each)
    begin = [min(by_chunk[id], key=lambda each: each[1].start) for id in found.beginnings if id in by_chunk]
    best: dict[str, tuple[float, ShownSource]] = {}  # of each document, in its best chunk
    for chunk in sorted(found.chunks, key=lambda each: -each.score):
        if chunk.id in by_chunk and chunk.score >= KEPT_FROM * most:
            best.setdefault(chunk.document, by_chunk[chunk.id][0])
    yield from dict.fromkeys((*begin, *list(best.values())[:KEPT], *ranked))


def _shares(weights: Mapping[Key, float]) -> dict[Key, float]:
    """Return weights as shares of the greatest one."""
    most = max(weights.values(), default=0) or 1
    return {key: weight / most for key, weight in weights.items()}


def _nearness(found: Found) -> dict[tuple[str, int], float]:
    """Return how near passages (chunk id, start) are to the question: 1 the nearest, 0 the least near."""
    near = {(chunk.id, start): value for chunk in found.chunks for start, value in chunk.near}
    least, most = min(near.values(), default=0), max(near.values(), default=0)
    return {key: (value - least) / (most - least) for key, value in near.items()} if most > least else {}


def _source(chunk: FoundChunk, spans: Spans) -> ShownSource:
    """Return a passage as it is shown: after the sentence that says whom its "he" means, or the names of its columns.

    These are a part of it, and can be cited.
    """
    start = spans[0][0]
    head = table_head(chunk.text, start)
    if head:
        spans = (head, *spans)
    elif PRONOUN.search(chunk.text, start, min(start + _OPENING, spans[0][1])):
        spans = (*[(each.start, each.end) for each in split_sentences(chunk.text) if each.end <= start][-1:], *spans)
    return ShownSource("", chunk, start, spans[-1][1], spans)


def _fitting(
    ranked: Iterable[tuple[float, ShownSource]],
    tokeniser: Tokeniser,
    budget: int,
    before: Sequence[tuple[float, ShownSource]] = (),
) -> tuple[list[tuple[float, ShownSource]], int]:
    """Return the best passages that fit and say something new, and how many tokens are left."""
    said = "".join(f" {plain(each.text)} " for _, each in before)
    chosen = []
    for score, source in ranked:
        if len(source.text) > LONGEST_TOKEN * budget:  # as most are in the end: they need not be counted
            continue
        cost = tokeniser.count(_shown(source)) + 1
        if cost <= budget and not repeats(source.text, said):
            chosen.append((score, source))
            budget -= cost
            said += f" {plain(source.text)} "
    return chosen, budget


def _in_order(chosen: Sequence[tuple[float, ShownSource]]) -> list[tuple[float, ShownSource]]:
    """Return passages, those of the chunk with the best one first, in the order of their text.

    One that goes on where another one ends does not repeat its last sentence.
    """
    best: dict[str, float] = {}
    for score, each in chosen:
        best[each.chunk.id] = max(best.get(each.chunk.id, 0), score)
    shown: list[tuple[float, ShownSource]] = []
    for score, source in sorted(chosen, key=lambda each: (-best[each[1].chunk.id], each[1].chunk.id, each[1].start)):
        known = {span for _, each in shown for span in each.sentences if each.chunk.id == source.chunk.id}
        own = tuple(span for span in source.sentences if span[0] >= source.start or span not in known)
        shown.append((score, replace(source, sentences=own)))
    return shown


# ------------------------------------------------------------------------------------------- lines from the graph


def _lines(
    items: Iterable[FoundEntity | FoundFact],
    found: Found,
    passages: Sequence[tuple[float, ShownSource]],
    tokeniser: Tokeniser,
    budget: int,
) -> tuple[list[tuple[FoundEntity | FoundFact, ShownSource]], int]:
    """Return facts, and entities of which something is told, each with its own words where no passage shows these."""
    chunks = {chunk.id: chunk for chunk in found.chunks}
    lines: list[tuple[FoundEntity | FoundFact, ShownSource]] = []
    for item in items:
        line, said = _told(item), _first_sentence(item)
        places = sorted(_places(item), key=lambda each: said not in plain(each.quote or ""))  # first where that is said
        source = next((each for place in places if (each := _words(place, chunks, line))), None)
        if source is None or not line:
            continue
        if any(each.chunk.id == source.chunk.id and {*source.sentences} <= {*each.sentences} for _, each in passages):
            continue
        cost = tokeniser.count(_shown(source)) + 1 + (0 if lines else tokeniser.count(_GRAPH) + 2)
        if cost <= budget:
            lines.append((item, source))
            budget -= cost
    return lines, budget


def _worded(question: Question, items: Sequence[FoundEntity | FoundFact]) -> list[FoundEntity | FoundFact]:
    """Return what has two words of the question, or its only one, the best first."""
    fewest = min(2, len(question.terms))
    worded = [item for item in items if shared(question.terms, _told(item)) >= fewest]
    return sorted(worded, key=lambda item: (-item.score, item.id))


def _told(item: FoundEntity | FoundFact) -> str:
    """Return what the graph tells of an entity or a fact in one line; empty for an entity that is only a name."""
    said = _first_sentence(item)
    if isinstance(item, FoundFact):
        when = f" ({item.start_date})" if item.start_date else ""
        return f"{item.source} {item.type} {item.target}{when}" + (f": {said}" if said else "")
    also = f", also {', '.join(item.aliases[:4])}" if item.aliases else ""
    return f"{item.name} ({item.type}{also}): {said or item.role}" if said or item.role else ""


def _first_sentence(item: FoundEntity | FoundFact) -> str:
    """Return the first sentence of a description; those after it may be from other places."""
    return next((plain(each.text) for each in split_sentences(item.description)), "")


def _places(item: FoundEntity | FoundFact) -> Sequence[Place]:
    return item.mentions if isinstance(item, FoundEntity) else item.statements


def _words(place: Place, chunks: Mapping[str, FoundChunk], line: str) -> ShownSource | None:
    """Return the sentences around the words of a place; None where its words are not known."""
    chunk = chunks.get(place.chunk_id)
    if chunk is None or place.start is None or place.end is None:
        return None
    around = [each for each in split_sentences(chunk.text) if each.start < place.end and place.start < each.end]
    spans = tuple((each.start, each.end) for each in around)
    return ShownSource("", chunk, spans[0][0], spans[-1][1], spans, line=line) if spans else None


# ------------------------------------------------------------------------------------------------ nodes of trees


def _pack_nodes(found: Found, tokeniser: Tokeniser, budget: int) -> PackedContext:
    """Return the nodes of a tree that fit, in their order; a leaf that reaches over several chunks as its parts."""
    sources: list[ShownSource] = []
    evidence: list[Evidence] = []
    left = budget
    left_out = 0
    for node in found.nodes:
        parts = _parts(node, found)
        cost = sum(tokeniser.count(_shown(each)) + 1 for each in parts)
        if not parts or cost > left:
            left_out += 1
            continue
        left -= cost
        for each in parts:
            sources.append(replace(each, mark=str(len(sources) + 1)))
            made = _evidence(sources[-1], node.score, tokeniser)
            if node.kind != "chunk":
                made = replace(made, kind=node.kind, id=node.id, aspect=node.aspect, level=node.level)
                made = replace(made, chunk_id=None, start=None, end=None)
            evidence.append(made)
    return PackedContext(tuple(sources), tuple(evidence), budget - left, left_out)


def _parts(node: FoundNode, found: Found) -> list[ShownSource]:
    """Return what is shown of a node: of a leaf its words in chunks; else its text, and what lies beneath is cited."""
    known = [(place, chunk) for place in node.places if (chunk := found.chunk(place.chunk_id)) is not None]
    if node.kind == "chunk":
        return [_part(chunk, place.start, place.end, found) for place, chunk in known]
    aspect = node.aspect.replace("_", " ")
    what = f"a summary of its {aspect}" if node.kind == "summary" else f"in short{f', of its {aspect}' * bool(aspect)}"
    shown = FoundChunk(node.id, node.text, 0, what, node.document, node.score)
    beneath = tuple(ShownSource("", chunk, place.start, place.end, steps=place.steps) for place, chunk in known)
    spans = tuple((each.start, each.end) for each in split_sentences(node.text))
    return [ShownSource("", shown, 0, len(node.text), spans, beneath=beneath)]


def _part(chunk: FoundChunk, start: int, end: int, found: Found) -> ShownSource:
    spans = tuple((each.start, each.end) for each in split_sentences(chunk.text[start:end]))
    spans = tuple((start + first, start + last) for first, last in spans)
    return ShownSource("", chunk, start, end, spans, found.tree_path(chunk.id, start, end))


def _evidence(source: ShownSource, score: float, tokeniser: Tokeniser) -> Evidence:
    chunk, tokens = source.chunk, tokeniser.count(_shown(source)) + 1
    return Evidence("chunk", chunk.id, source.text, score, chunk.id, chunk.document, source.start, source.end, tokens)
