"""One name, two bearers: documents that give years which no single life has mean different people. Pure."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from kg_neo4j.graph.identity import namesake_key
from kg_neo4j.graph.resolution.bearers import Mentioned, Years, family

LIVES_APART = 15  # years between births, or between deaths, that are no slip of one source
SCORE = 0.85


@dataclass(frozen=True, slots=True)
class Namesake:
    """A document that means another bearer of a name than the other documents do."""

    mentioned: Mentioned  # as the other documents mean it
    other: Mentioned  # as this document means it, under its new key
    document: str
    reason: str


def find_namesakes(mentioned: Iterable[Mentioned]) -> tuple[tuple[Mentioned, ...], tuple[Namesake, ...]]:
    """Return the mention keys after names of people with several bearers were separated, and those namesakes.

    The bearer that most documents mean, or the earlier one, keeps the key, and the documents that give no years.
    """
    keys: list[Mentioned] = []
    found: list[Namesake] = []
    for each in mentioned:
        others = _others(each) if family(each.type) == "PERSON" and len(each.years) > 1 else []
        for document, reason in others:
            other = _of(each, [document], namesake_key(each.key, document))
            found.append(Namesake(each, other, document, reason))
        if others:
            gone = {document for document, _ in others}
            keys.append(_of(each, [document for document in each.documents if document not in gone], each.key))
        else:
            keys.append(each)
    keys.extend(each.other for each in found)
    return tuple(sorted(keys, key=lambda each: each.key)), tuple(found)


def _others(mentioned: Mentioned) -> list[tuple[str, str]]:
    """Return the documents that do not mean the bearer that most documents mean, each with what says so."""
    lives: list[tuple[Years, list[str]]] = []
    for document, years in sorted(mentioned.years.items()):
        for number, (life, documents) in enumerate(lives):
            if _differ(life, years) is None:
                documents.append(document)
                lives[number] = ((life[0] | years[0], life[1] | years[1]), documents)
                break
        else:
            lives.append((years, [document]))
    if len(lives) < 2:
        return []
    lives.sort(key=lambda life: (-len(life[1]), min(life[0][0] | life[0][1]), life[1]))
    kept = lives[0][0]
    return [
        (document, _differ(kept, life) or "")
        for life, documents in lives[1:]
        for document in documents
        if _differ(kept, life)
    ]


def _differ(one: Years, other: Years) -> str | None:
    """Return what says that two lives are not one: all years of birth, or all of death, lie far apart."""
    for word, mine, theirs in (("born", one[0], other[0]), ("died", one[1], other[1])):
        if mine and theirs and min(abs(left - right) for left in mine for right in theirs) >= LIVES_APART:
            return f"{word} {min(mine)} and {min(theirs)}, in different documents"
    return None


def _of(mentioned: Mentioned, documents: Iterable[str], key: str) -> Mentioned:
    """Return what some of its documents say of a key."""
    kept = {document: mentioned.documents[document] for document in documents}
    years = {document: mentioned.years[document] for document in kept if document in mentioned.years}
    return replace(
        mentioned,
        key=key,
        count=max(1, mentioned.count * len(kept) // len(mentioned.documents)),
        births=frozenset(year for born, _ in years.values() for year in born),
        deaths=frozenset(year for _, died in years.values() for year in died),
        documents=kept,
        years=years,
    )
