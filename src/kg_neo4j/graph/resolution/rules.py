"""Rules that look at whole names: the same name, other spellings, redirects, what the text says. Pure."""

from __future__ import annotations

import itertools
import sys
from collections.abc import Callable, Iterable, Iterator

from kg_neo4j.graph.identity import normalise
from kg_neo4j.graph.resolution.bearers import OTHER, PERSON, TIME, Mentioned, likeness, shared
from kg_neo4j.graph.resolution.candidates import (
    LIKELY,
    OPEN,
    SURE,
    Fact,
    Groups,
    MentionKeyIndex,
    MergeCandidate,
    Pair,
    rarer_first,
    together,
)
from kg_neo4j.graph.resolution.names import consonants, sounds

ALIAS_TYPES = frozenset(
    "ALSO_KNOWN_AS ALSO_CALLED KNOWN_AS ALIAS_OF ALIAS SAME_AS NICKNAME_OF PSEUDONYM_OF PEN_NAME_OF".split()
)
SHORTEST = 4  # letters of a name whose accents may be left out: "De" is not "Dē"
FUZZY = 85.0  # rapidfuzz's ratio, 0 to 100, from which two names may be spellings of one
SAME_NAME, SAME_FAMILY = "same-name", 0.98  # a rule, and its score within a family of types
NEAR = 0.9  # cosine from which two entities may be one


def same_name(block: MentionKeyIndex, _: Groups) -> Iterator[MergeCandidate]:
    """One name under types of one family is one thing; under OTHER it is the one of another family that bears it.

    Under types of two families it is a question.
    """
    for one, other in block.once(_same_named):
        short, long = (one, other) if one.kind.family == OTHER else (other, one)
        families = {short.kind.family, long.kind.family}
        if len(families) > 1 and TIME in families:
            continue
        is_other = len(families) > 1 and OTHER in families
        score = SAME_FAMILY if len(families) == 1 else LIKELY if is_other else OPEN
        types = f"as {short.type} and as {long.type}" if short.type != long.type else f"both {short.type}"
        yield MergeCandidate(short.key, long.key, SAME_NAME, score, f"one name, {types}", unique=is_other)


def _same_named(block: MentionKeyIndex) -> Iterator[Pair]:
    for keys in together(block.keys.values(), lambda each: normalise(each.name)):
        yield from itertools.combinations(keys, 2)


def spelling(block: MentionKeyIndex, groups: Groups) -> Iterator[MergeCandidate]:
    """Names that differ in accents, spaces, hyphens, titles, an article or the kind of a company."""
    seen: set[tuple[str, str]] = set()
    forms: tuple[tuple[str, float, str, Callable[[Mentioned], str]], ...] = (
        ("accents", SURE, "differ in accents, spaces or hyphens alone", _squashed),
        ("title", 0.92, "differ in a title or an article alone", _without_title),
        ("sounds", LIKELY, "are transliterations of one name", _sounds),
    )
    for rule, score, words, form in forms:
        for short, long in block.alike(form):
            if (short.key, long.key) in seen or normalise(short.name) == normalise(long.name):
                continue
            seen.add((short.key, long.key))
            if short.form.qualifier != long.form.qualifier or short.form.generation != long.form.generation:
                continue
            # two spellings of one word in one document are often two names: Smith and Smyth
            is_word = rule == "sounds" and len(short.form.core) == len(long.form.core) == 1
            risky = is_word and shared(groups.documents(short.key), groups.documents(long.key))
            reason = f"{short.name!r} and {long.name!r} {words}"
            yield MergeCandidate(short.key, long.key, rule, OPEN if risky else score, reason)


def _squashed(each: Mentioned) -> str:
    return each.form.squashed if len(each.form.squashed) >= SHORTEST else ""


def _without_title(each: Mentioned) -> str:
    """Return the words without a title; a person's single word is left to the rule that looks at the document."""
    core = each.form.core
    alone = len(core) == 1 and each.kind.family == PERSON
    return "" if alone or len("".join(core)) < SHORTEST else " ".join(core)


def _sounds(each: Mentioned) -> str:
    found = sounds(each.form.words)
    return found if len(found) >= 5 and each.kind.family in (PERSON, "PLACE", "GROUP") else ""


def redirects(block: MentionKeyIndex, _: Groups) -> Iterator[MergeCandidate]:
    """Titles that lead to a loaded page, and its title."""
    for page in block.sources.pages:
        named = block.by_title[normalise(page.title)]
        for title in sorted(set(page.redirects)):
            for short, long in itertools.product(block.by_title[normalise(title)], named):
                alike = likeness(short.kind, long.kind)
                if alike and short.key != long.key:
                    reason = f"the title {title!r} leads to the page {page.title!r}"
                    yield MergeCandidate(short.key, long.key, "redirect", SURE if alike == 1 else OPEN, reason)


def stated(block: MentionKeyIndex, _: Groups) -> Iterator[MergeCandidate]:
    """Facts that state it: one name ALSO_KNOWN_AS the other."""
    stating = [(sorted(pair), types & ALIAS_TYPES) for pair, types in block.sources.related.items()]
    for pair, said in sorted(each for each in stating if each[1]):
        if len(pair) == 2 and block.keys.keys() >= set(pair):
            short, long = rarer_first(*(block.keys[key] for key in pair))
            if alike := likeness(short.kind, long.kind):
                reason = f"the text says that one is {min(said)} the other: {short.name!r}, {long.name!r}"
                yield MergeCandidate(short.key, long.key, "stated", LIKELY if alike == 1 else OPEN, reason)


def asked_facts(mentioned: Iterable[Mentioned], facts: Iterable[Fact]) -> Iterator[Fact]:
    """Yield the facts that sure rules look at; `mentioned` are all keys.

    They stand between two people of one last name, or say that two names are one. `kg resolve` looks at all facts.
    """
    ends = {each.key: sys.intern(" ".join(each.form.core[-1:])) for each in mentioned if each.kind.family == PERSON}
    for source, target, types in facts:
        if not ALIAS_TYPES.isdisjoint(types) or (source in ends and ends[source] == ends.get(target)):
            yield source, target, types


def misspelling(block: MentionKeyIndex, _: Groups) -> Iterator[MergeCandidate]:
    """Names that nearly agree, letter by letter: never sure, a person or a model decides."""
    from rapidfuzz import fuzz

    for short, long in block.alike(_consonants):
        one, other = " ".join(short.form.core), " ".join(long.form.core)
        if one == other or len(one) < 6 or short.form.generation != long.form.generation:
            continue
        if not block.are_related(short, long) and (ratio := fuzz.ratio(one, other)) >= FUZZY:
            score = round(OPEN + (ratio - FUZZY) / 200, 3)
            yield MergeCandidate(short.key, long.key, "misspelling", score, f"{ratio:.0f} % of the letters agree")


def _consonants(each: Mentioned) -> str:
    return consonants(each.form.core)


def neighbours(block: MentionKeyIndex, _: Groups) -> Iterator[MergeCandidate]:
    """Take entities whose vectors are close: never sure either."""
    from rapidfuzz import fuzz

    for key, near in sorted(block.sources.neighbours.items()):
        for other_key, cosine in near:
            one, other = block.keys.get(key), block.keys.get(other_key)
            if one is None or other is None or cosine < NEAR or likeness(one.kind, other.kind) < 1:
                continue
            if block.are_related(one, other) or one.form.generation != other.form.generation:
                continue
            mine, theirs = set(one.form.words), set(other.form.words)
            if mine - theirs and theirs - mine:  # each has words of its own: siblings, tribes, provinces
                apart = fuzz.ratio(" ".join(sorted(mine - theirs)), " ".join(sorted(theirs - mine)))
                if mine & theirs and apart < FUZZY:
                    continue
            short, long = rarer_first(one, other)
            reason = f"what is said of them is close in meaning (cosine {cosine:.2f})"
            yield MergeCandidate(short.key, long.key, "meaning", round(OPEN - 0.15 + cosine / 10, 3), reason)
