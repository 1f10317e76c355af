"""Rules that look at parts of names: initials, acronyms, a surname alone, a place without its kind. Pure.

A part of a name stands for the whole only within a document that has both, and only where it fits nobody else there.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from kg_neo4j.graph.resolution.bearers import Mentioned, family, likeness, same_years
from kg_neo4j.graph.resolution.candidates import LIKELY, OPEN, Block, Candidate, Groups
from kg_neo4j.graph.resolution.names import PATRONYMS, SHARED_TITLES, acronyms, fits_initials, is_acronym

OFTEN = 3  # mentions of both names, where it matters no more which came first
FAR = 3  # chunks between two mentions that have little to do with each other
MOST = 200  # keys of one last word and first letter; those beyond are left out
FITS = 12  # longer names looked at for one shorter name
_SEVERAL = frozenset("and et und y e i oraz & of".split())  # "Pierre-et-Marie-Curie", "House of Curie"
_PLACE_WORDS = frozenset("river lake mount mountain mt island of".split())


def shortened(block: Block, groups: Groups) -> Iterator[Candidate]:
    """Given names as initials, or middle names left out: "M. Curie", "George Bush"."""
    by_name: defaultdict[tuple[str, str], list[Mentioned]] = defaultdict(list)  # last word, first letter
    for each in _people(block):
        if each.form.given:
            by_name[each.form.core[-1], each.form.core[0][0]].append(each)
    for _, alike in sorted(by_name.items()):
        for short in alike[:MOST]:
            for long in alike[:MOST]:
                if _is_shorter(short, long) and fits_initials(short.form, long.form):
                    initial = any(short.form.initials)
                    words = "has initials of" if initial else "leaves out names of"
                    reason = f"{short.name!r} {words} {long.name!r}"
                    yield _within(groups, short, long, "initials" if initial else "middle-name", reason)


def acronym(block: Block, groups: Groups) -> Iterator[Candidate]:
    """Acronyms of names that a document has in full: "WHO"."""
    shorts: defaultdict[str, list[Mentioned]] = defaultdict(list)
    for each in block.named:
        if is_acronym(each.name) and family(each.type) != "PERSON":
            shorts[each.form.squashed].append(each)
    for long in block.named:
        if family(long.type) == "PERSON":
            continue
        for short in (each for found in sorted(acronyms(long.name)) for each in shorts.get(found, ())):
            if short.key != long.key and likeness(short.type, long.type):
                reason = f"{short.name!r} is an acronym of {long.name!r}"
                yield _within(groups, short, long, "acronym", reason)


def patronymic(block: Block, groups: Groups) -> Iterator[Candidate]:
    """Leave the father's name out: "Khadija" for "Khadija bint Khuwaylid"."""
    longer: defaultdict[str, list[Mentioned]] = defaultdict(list)
    for each in _people(block):
        words = each.form.core
        if len(words) > 2 and words[1] in PATRONYMS:
            longer[words[0]].append(each)
    for short in _people(block):
        if len(short.form.core) == 1 and not _is_title(block, short):
            for long in longer.get(short.form.core[0], ()):
                reason = f"{short.name!r} is {long.name!r} without the father's name"
                yield _within(groups, short, long, "patronymic", reason)


def place_kind(block: Block, groups: Groups) -> Iterator[Candidate]:
    """Leave out the word for what a place is: "Hira" for "Mount Hira"."""
    by_rest: defaultdict[str, list[Mentioned]] = defaultdict(list)
    places = [each for each in block.named if family(each.type) == "PLACE"]
    for each in places:
        rest = " ".join(word for word in each.form.core if word not in _PLACE_WORDS)
        if rest and len(rest.split()) < len(each.form.core):
            by_rest[rest].append(each)
    for short in places:
        for long in by_rest.get(" ".join(short.form.core), ()):
            if likeness(short.type, long.type) == 1:
                reason = f"{short.name!r} is {long.name!r} without the word for what it is"
                yield _within(groups, short, long, "place-kind", reason)


def surname(block: Block, groups: Groups) -> Iterator[Candidate]:
    """Take the last words of a name alone, titled or not, after the whole name was given: "Dr. Watson"."""
    by_last: defaultdict[tuple[str, str], list[Mentioned]] = defaultdict(list)  # document, last word
    for each in _people(block):
        for document in each.documents:
            by_last[document, each.form.core[-1]].append(each)
    for short in _people(block):
        fits: dict[str, Mentioned] = {}
        for document in sorted(short.documents):
            for long in by_last[document, short.form.core[-1]]:
                if _is_end_of(short, long) and len(fits) < FITS:
                    fits[long.key] = long
        for long in fits.values():
            if block.are_related(short, long):
                continue
            yield _surname(block, groups, short, long)


def given_name(block: Block, groups: Groups) -> Iterator[Candidate]:
    """Take the first word of a name alone: "Marie". Never sure: a person or a model decides."""
    by_first: defaultdict[tuple[str, str], list[Mentioned]] = defaultdict(list)  # document, first word
    for each in _people(block):
        if len(each.form.core) > 1:
            for document in each.documents:
                by_first[document, each.form.core[0]].append(each)
    for short in _people(block):
        form = short.form
        if form.titles or len(form.core) > 1 or _is_title(block, short):
            continue
        found = {each.key: each for document in sorted(short.documents) for each in by_first[document, form.core[0]]}
        for long in list(found.values())[:FITS]:
            if long.form.words[: len(form.words)] == form.words and not block.are_related(short, long):
                reason = f"{short.name!r} is the beginning of {long.name!r} alone"
                yield Candidate(short.key, long.key, "given-name", OPEN - 0.05, reason, unique=True)


def _people(block: Block) -> list[Mentioned]:
    """Return the keys of single people by name: without a qualifier, and without "and" within."""
    return [
        each
        for each in block.named
        if family(each.type) == "PERSON" and not each.form.qualifier and not _SEVERAL & set(each.form.core)
    ]


def _is_shorter(short: Mentioned, long: Mentioned) -> bool:
    """Return True where `short` says less: fewer names or more initials; and they may be of one generation."""
    mine, theirs = short.form, long.form
    if short.key == long.key or mine.core == theirs.core or mine.generation != theirs.generation:
        return False
    return len(mine.core) < len(theirs.core) or sum(mine.initials) > sum(theirs.initials)


def _is_end_of(short: Mentioned, long: Mentioned) -> bool:
    mine, theirs = short.form, long.form
    size = len(mine.core)
    if short.key == long.key or mine.generation != theirs.generation or any(mine.initials):
        return False
    if mine.core == theirs.core:  # a title is all that differs; the one without it, or with fewer, is the shorter
        return size == 1 and (len(mine.titles), short.key) < (len(theirs.titles), long.key)
    return len(theirs.core) > size and theirs.core[-size:] == mine.core and theirs.core[-size - 1] not in PATRONYMS


def _surname(block: Block, groups: Groups, short: Mentioned, long: Mentioned) -> Candidate:
    """Score a name that ends another: likely where the whole name comes first and no page of the wiki fits better."""
    reason = f"{short.name!r} ends {long.name!r}"
    found = _within(groups, short, long, "surname", reason)
    where = groups.documents(long.key)
    last = short.form.core[-1]
    others = {
        words
        for document in short.documents
        for words in block.linked(document, last)
        if words != long.form.core and words[-len(short.form.core) :] == short.form.core
    }
    introduced = min(short.count, long.count) >= OFTEN or any(
        index >= where.get(document, index + 1) for document, index in short.documents.items()
    )
    titled = (short.form.titles ^ long.form.titles) & SHARED_TITLES
    doubts = [
        *([f"others of the name are titled {min(titled)!r}"] if titled else []),
        *([] if introduced else ["it comes before the whole name"]),
        *([f"the page links to {' '.join(min(others)).title()!r}"] if others else []),
    ]
    if not doubts:
        return found
    return Candidate(short.key, long.key, "surname", min(found.score, OPEN), f"{reason}; {doubts[0]}", unique=True)


def _within(groups: Groups, short: Mentioned, long: Mentioned, rule: str, reason: str) -> Candidate:
    """Score by documents: likely where every document that has the short name has the whole one."""
    mine, theirs = groups.documents(short.key), groups.documents(long.key)
    years = same_years(groups.bearer(short.key), groups.bearer(long.key))
    shared = mine.keys() & theirs.keys()
    if years:
        return Candidate(short.key, long.key, rule, LIKELY + 0.05, f"{reason}; {years}", unique=True)
    far = all(abs(mine[document] - theirs[document]) > FAR for document in shared)
    if shared and far and short.count == long.count == 1:
        doubt = "both are mentioned once, far from each other"
        return Candidate(short.key, long.key, rule, OPEN, f"{reason}; {doubt}", unique=True)
    if shared and mine.keys() <= theirs.keys():
        return Candidate(short.key, long.key, rule, LIKELY, f"{reason}, in one document", unique=True)
    where = "some documents have only the short one" if shared else "no document has both"
    return Candidate(short.key, long.key, rule, OPEN if shared else OPEN - 0.1, f"{reason}; {where}", unique=True)


def _is_title(block: Block, short: Mentioned) -> bool:
    """Return True where the short name is a page of its own, or a title that a page links to."""
    words = short.form.core
    return any(words in block.linked(document, words[-1]) for document in short.documents)
