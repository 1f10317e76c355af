"""The last ranking of chunks: what a walk reached and what flat search found, seen once more together.

A chunk stands high where the walk from the names in the question passes often, where it is near to what the question
asks beside these names, and where it shares rare entities with the best of the others: a second walk, among the
candidates alone, that begins at these. That is what finds the passage of a second hop, which has none of the names.
The weights were learned by cross-validation over five sets of questions (docs/decisions/0054-last-ranking.md).
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from kg_neo4j.graph import queries
from kg_neo4j.graph.database import Reader
from kg_neo4j.retrieve.interface import Search

FLAT_SHARE = 0.1  # of the walk's best score, for the best find of flat search; the second has half of it, and so on
STARTS = 4  # candidates that the second walk begins at
STEPS = 6  # of the second walk: to entities and back
DAMPING = 0.85
REST_FIRST = 3.0  # weight of nearness beside 1 for the logarithm of the first walk, where the second walk begins
FIRST, REST, SECOND = 0.73, 1.32, 0.34  # weights of the first walk, of nearness, and of the second walk
_LEAST = 1e-3  # share of the best score that counts as none


def rank(
    reader: Reader, search: Search, walked: Sequence[tuple[str, float]], flat: Sequence[str]
) -> list[tuple[str, float]]:
    """Return the chunks of `walked` (id, share of the best one's score) and `flat` (ids), each with its score.

    Best first; the best has 1, and none has 0. One round trip. Without vectors nearness counts for nothing.
    """
    first = dict(walked)
    for place, each in enumerate(flat):
        first[each] = first.get(each, 0.0) + FLAT_SHARE / (place + 1)
    if not first:
        return []
    ids = sorted(first, key=lambda each: (-first[each], each))
    rest = list(search.rest) if search.rest is not None and search.chunk_index is not None else None
    row = reader.read(queries.get("retrieve/candidates"), ids=ids, rest=rest)[0]
    walk = [math.log(first[each] + _LEAST) for each in ids]
    near = _spread_out(row["near"])
    begin = [left + REST_FIRST * right for left, right in zip(walk, near, strict=True)]
    again = _walk(_starts(begin), row["entities"], row["chunks"])
    best = max(again)
    scores = [
        FIRST * one + REST * two + SECOND * math.log(three / best + _LEAST)
        for one, two, three in zip(walk, near, again, strict=True)
    ]
    most = max(scores)
    found = [(each, math.exp(score - most)) for each, score in zip(ids, scores, strict=True)]
    return sorted(found, key=lambda each: (-each[1], each[0]))


def _spread_out(near: Sequence[float | None]) -> list[float]:
    """Return cosines brought to 0 for the least and 1 for the greatest, so that any model's count for as much."""
    known = [each for each in near if each is not None]
    if not known or max(known) == min(known):
        return [0.0] * len(near)
    least, width = min(known), max(known) - min(known)
    return [0.0 if each is None else (each - least) / width for each in near]


def _starts(scores: Sequence[float]) -> list[float]:
    """Return how much of the second walk begins at each candidate: at the best few alone, all together 1."""
    best = sorted(range(len(scores)), key=lambda place: (-scores[place], place))[:STARTS]
    shares = {place: math.exp(scores[place] - scores[best[0]]) for place in best}
    total = sum(shares.values())
    return [shares.get(place, 0.0) / total for place in range(len(scores))]


def _walk(starts: Sequence[float], entities: Sequence[Mapping[str, Any]], chunks: int) -> list[float]:
    """Return how often a walk from `starts` over the `entities` of the candidates passes each of them.

    A chunk leads to its entities, the rarer the more; an entity to all that mention it alike, candidates or not.
    """
    rarity = [math.log(1 + chunks / each["mentions"]) for each in entities]
    out = [0.0] * len(starts)
    for each, rare in zip(entities, rarity, strict=True):
        for place in each["places"]:
            out[place] += rare
    shared = [(each, rare) for each, rare in zip(entities, rarity, strict=True) if len(each["places"]) > 1]
    moving = list(starts)
    passed = list(starts)
    for _ in range(STEPS):
        gained = [0.0] * len(starts)
        for each, rare in shared:
            brought = sum(moving[place] / out[place] for place in each["places"]) * rare
            for place in each["places"]:
                gained[place] += DAMPING**2 * brought / each["mentions"]
        moving = gained
        passed = [one + two for one, two in zip(passed, gained, strict=True)]
    return passed
