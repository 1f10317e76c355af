"""The last ranking of chunks: what a walk reached and what flat search found, seen once more together.

A chunk stands high where the walk from the names in the question passes often, where it is near to what the question
asks beside these names, where it is among the first by the words of the question, and where it shares rare entities
with the best of the others: a second walk, among the candidates alone, that begins at these. That is what finds the
passage of a second hop, which has none of the names. Where the best candidates name the title of a document, its first
chunk is a candidate, too: a film is often no entity.
The weights were learned by cross-validation over five sets of questions (docs/decisions/0054-last-ranking.md); that of
words was chosen on six (docs/decisions/0088-words-in-ranking.md).
"""

from __future__ import annotations

import math
import operator
import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from kg_neo4j.graph import queries
from kg_neo4j.graph.database import Reader
from kg_neo4j.retrieve.filtered import read_left
from kg_neo4j.retrieve.interface import Search
from kg_neo4j.retrieve.linking import exact_query
from kg_neo4j.retrieve.naive import rest_of
from kg_neo4j.retrieve.name_fits import without_brackets
from kg_neo4j.words import split_words

FLAT_SHARE = 0.1  # of the walk's best score, for the best find of flat search; the second has half of it, and so on
STARTS = 4  # candidates that the second walk begins at
STEPS = 6  # of the second walk: to entities and back
DAMPING = 0.85
READ, WORDS, TITLES = 6, 60, 50  # candidates that are read for titles, words of each, documents compared for each
TITLED = 0.3  # of a candidate's share, for all together whose titles it has (docs/decisions/0061-without-a-key.md)
_LEAST = 1e-3  # share of the best score that counts as none


@dataclass(frozen=True, slots=True)
class Weights:
    """How much each sign counts. Where the second walk begins, the first walk counts for 1."""

    begin: float = 3.0  # nearness, where the second walk begins
    walk: float = 0.64  # logarithm of the first walk's score
    near: float = 1.01  # nearness to the rest of the question, 0 to 1
    again: float = 0.34  # logarithm of the second walk's score
    words: float = 2.0  # place among the finds by words: 1, 1/2, 1/3, ...


@dataclass(frozen=True, slots=True)
class Candidates:
    """Chunks and what is known of each, in one order: that of the first walk and flat search together."""

    ids: tuple[str, ...]
    walk: tuple[float, ...]  # logarithms of shares of the best score
    near: tuple[float, ...]  # 0 for the least near of them, 1 for the nearest
    entities: Sequence[Mapping[str, Any]]  # places: which candidates mention it; mentions: in the whole database
    chunks: int  # in the whole database


WEIGHTS = Weights()


def rank(
    reader: Reader, search: Search, walked: Sequence[tuple[str, float]], flat: Sequence[str], worded: Sequence[str] = ()
) -> list[tuple[str, float]]:
    """Return the chunks of `walked` (id, share of the best one's score) and `flat` (ids), each with its score.

    `worded` are the best finds by words. The best has 1, and none has 0. One round trip. Without vectors none is near.
    """
    candidates = compare(reader, search, walked, flat)
    scores = weigh(candidates, worded)
    most = max(scores, default=0.0)
    found = [(each, math.exp(score - most)) for each, score in zip(candidates.ids, scores, strict=True)]
    return sorted(found, key=lambda each: (-each[1], each[0]))


def compare(reader: Reader, search: Search, walked: Sequence[tuple[str, float]], flat: Sequence[str]) -> Candidates:
    """Return the candidates, compared with the rest of the question and with each other."""
    first = dict(walked)
    for place, each in enumerate(flat):
        first[each] = first.get(each, 0.0) + FLAT_SHARE / (place + 1)
    if not first:
        return Candidates((), (), (), (), 0)
    for each, share in _titled(reader, search, first).items():
        first[each] = max(first.get(each, 0.0), share)
    ids = tuple(sorted(first, key=lambda each: (-first[each], each)))
    row = reader.read(queries.get("retrieve/candidates"), ids=list(ids), rest=rest_of(search))[0]
    walk = tuple(math.log(first[each] + _LEAST) for each in ids)
    known = [each for each in row["near"] if each is not None]
    least, greatest = min(known, default=0.0), max(known, default=0.0)
    near = (0.0,) * len(ids)
    if greatest > least:  # cosines are spread out, so that those of any model count for as much
        near = tuple(0.0 if each is None else (each - least) / (greatest - least) for each in row["near"])
    return Candidates(ids, walk, near, row["entities"], row["chunks"])


def _titled(reader: Reader, search: Search, first: Mapping[str, float]) -> dict[str, float]:
    """Return the first chunks of documents whose titles stand in the best of `first`, with parts of their shares."""
    best = sorted(first, key=lambda each: (-first[each], each))[:READ]
    rows = reader.read(queries.get("retrieve/cited_chunks"), graph=search.graph, ids=best)
    texts = {row["id"]: row["text"] for row in rows}
    words = {each: [word for word in split_words(text) if not word[0].islower()] for each, text in texts.items()}
    asked = [[each, " OR ".join(sorted(set(map(exact_query, some[:WORDS]))))] for each, some in words.items() if some]
    titled = defaultdict(set)
    for row in read_left(reader, search.scope, "retrieve/titled", graph=search.graph, chunks=asked, first=TITLES):
        titles = [re.escape(title) for title in map(without_brackets, row["names"]) if len(title) > 2]
        if titles and re.search(rf"(?<!\w)(?:{'|'.join(titles)})(?!\w)", texts[row["chunk"]]):
            titled[row["chunk"]].add(row["titled"])
    gains: dict[str, float] = defaultdict(float)
    for each, found in titled.items():
        for chunk in found:
            gains[chunk] = max(gains[chunk], TITLED * first[each] / len(found))
    return gains


def weigh(candidates: Candidates, worded: Sequence[str] = (), weights: Weights = WEIGHTS) -> list[float]:
    """Return the score of each candidate, a logarithm."""
    signs = zip(*signs_of(candidates, worded, weights.begin), strict=True)
    counts = (weights.walk, weights.near, weights.again, weights.words)
    return [sum(map(operator.mul, counts, each)) for each in signs]


def signs_of(candidates: Candidates, worded: Sequence[str], begin: float) -> Sequence[Sequence[float]]:
    """Return walk, nearness, second walk and place by words, each for all candidates."""
    by_words = [1 / (1 + worded.index(each)) if each in worded else 0.0 for each in candidates.ids]
    return candidates.walk, candidates.near, walk_again(candidates, begin), by_words


def walk_again(candidates: Candidates, begin: float) -> list[float]:
    """Return the logarithm of the second walk's score for each candidate; `begin` as in `Weights`.

    A chunk leads to its entities, the rarer the more; an entity to all that mention it alike, candidates or not.
    """
    scores = [one + begin * two for one, two in zip(candidates.walk, candidates.near, strict=True)]
    first = sorted(range(len(scores)), key=lambda place: (-scores[place], place))[:STARTS]
    shares = {place: math.exp(scores[place] - scores[first[0]]) for place in first}
    total = sum(shares.values())
    passed = moving = [shares.get(place, 0.0) / total for place in range(len(scores))]  # all together 1
    rarity = [math.log(1 + candidates.chunks / each["mentions"]) for each in candidates.entities]
    ways = list(zip(candidates.entities, rarity, strict=True))
    out = [0.0] * len(moving)
    for each, rare in ways:
        for place in each["places"]:
            out[place] += rare
    shared = [(each, rare) for each, rare in ways if len(each["places"]) > 1]
    for _ in range(STEPS):
        gained = [0.0] * len(moving)
        for each, rare in shared:
            brought = sum(moving[place] / out[place] for place in each["places"]) * rare
            for place in each["places"]:
                gained[place] += DAMPING**2 * brought / each["mentions"]
        moving = gained
        passed = [one + two for one, two in zip(passed, gained, strict=True)]
    best = max(passed, default=1.0)
    return [math.log(each / best + _LEAST) for each in passed]
