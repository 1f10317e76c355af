"""Rules that look at parts of names: initials, acronyms, a surname alone, a place without its kind. Pure.

A part of a name stands for the whole only within a document that has both, and only where it fits nobody else there.
"""

from __future__ import annotations

import heapq
import itertools
import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace

from kg_neo4j.graph.resolution.bearers import PERSON, Mentioned, grouped, likeness, same_years, shared
from kg_neo4j.graph.resolution.candidates import LIKELY, OPEN, Groups, MentionKeyIndex, MergeCandidate, Pair
from kg_neo4j.graph.resolution.names import PATRONYMS, SEVERAL, SHARED_TITLES, acronyms, fits_initials, is_acronym

OFTEN = 3  # mentions of both names, where it matters no more which came first
FAR = 3  # chunks between two mentions that have little to do with each other
MOST = 200  # keys of one last word and first letter; those beyond are left out
FITS = 12  # longer names looked at for one shorter name
# a given name with the father's: "Ali ibn Abi Talib", not "Muhammad ibn Isa at-Tirmidhi", which names a town, too
_WITH_FATHER = re.compile(rf"\w+(?: (?:{'|'.join(sorted(PATRONYMS))}) (?:(?:ab[du]|abi|umm) )?(?:a[a-z]{{1,2}} )?\w+)+")
_PLACE_WORDS = frozenset("river lake mount mountain mt island of".split())


def _shortened(block: MentionKeyIndex) -> Iterator[Pair]:
    whole = (each for each in _people(block) if len(each.form.core) > 1)
    for alike in grouped(whole, lambda each: (each.form.core[-1], each.form.core[0][0])).values():
        some = alike[:MOST] if len(alike) > 1 else ()
        for first, shorts in grouped(some, _first).items():  # whole names have one first name
            for short, long in itertools.product(shorts, some if len(first) == 1 else shorts):
                if _is_shorter(short, long) and fits_initials(short.form, long.form):
                    yield short, long


def _acronyms(block: MentionKeyIndex) -> Iterator[Pair]:
    others = [each for each in block.named if each.kind.family != PERSON]
    shorts = grouped((each for each in others if is_acronym(each.name)), lambda each: each.form.squashed)
    for long in others:
        for short in (each for found in sorted(acronyms(long.form.words)) for each in shorts.get(found, ())):
            if short.key != long.key and likeness(short.kind, long.kind):
                yield short, long


def _patronymics(block: MentionKeyIndex) -> Iterator[Pair]:
    people = _people(block)
    longer = grouped((each for each in people if _WITH_FATHER.fullmatch(" ".join(each.form.core))), _first)
    for short in people if longer else ():
        if len(short.form.core) == 1 and short.form.core[0] in longer and not _is_title(block, short):
            yield from ((short, long) for long in longer[short.form.core[0]])


def _place_kinds(block: MentionKeyIndex) -> Iterator[Pair]:
    by_rest: defaultdict[str, list[Mentioned]] = defaultdict(list)
    places = [each for each in block.named if each.kind.family == "PLACE"]
    for each in places:
        rest = [word for word in each.form.core if word not in _PLACE_WORDS]
        if 0 < len(rest) < len(each.form.core):
            by_rest[" ".join(rest)].append(each)
    for short in places:
        for long in by_rest.get(" ".join(short.form.core), ()):
            if likeness(short.kind, long.kind) == 1:
                yield short, long


@dataclass(frozen=True, slots=True)
class _PairRule:
    """The rule that names are one which `find` yields, as far as documents have both; `words` are its reason."""

    find: Callable[[MentionKeyIndex], Iterator[Pair]]
    name: str
    words: str

    def __call__(self, block: MentionKeyIndex, groups: Groups) -> Iterator[MergeCandidate]:
        for short, long in block.once(self.find):
            yield _within(groups, short, long, self.name, self.words.format(short=short.name, long=long.name))


def shortened(block: MentionKeyIndex, groups: Groups) -> Iterator[MergeCandidate]:
    """Given names as initials, or middle names left out: "M. Curie", "George Bush"."""
    for short, long in block.once(_shortened):
        initial = any(short.form.initials)
        reason = f"{short.name!r} {'has initials of' if initial else 'leaves out names of'} {long.name!r}"
        yield _within(groups, short, long, "initials" if initial else "middle-name", reason)


# "WHO", where a document has it in full; "Khadija" for "Khadija bint Khuwaylid"; "Hira" for "Mount Hira"
acronym = _PairRule(_acronyms, "acronym", "{short!r} is an acronym of {long!r}")
patronymic = _PairRule(_patronymics, "patronymic", "{short!r} is {long!r} without the father's name")
place_kind = _PairRule(_place_kinds, "place-kind", "{short!r} is {long!r} without the word for what it is")


def surname(block: MentionKeyIndex, groups: Groups) -> Iterator[MergeCandidate]:
    """Take the last words of a name alone, titled or not, after the whole name was given: "Dr. Watson".

    It is likely where the whole name comes first and no page of the wiki fits better.
    """
    for short, long in block.once(_surnames):
        reason = f"{short.name!r} ends {long.name!r}"
        found = _within(groups, short, long, "surname", reason)
        core, where = short.form.core, groups.documents(long.key)
        others = [
            words
            for words, pages in block.linked.get(core[-1], {}).items()
            if words != long.form.core
            and words[-len(core) :] == core
            and any(page in short.documents for page in pages)
        ]
        introduced = min(short.count, long.count) >= OFTEN or any(
            short.documents[document] >= where[document] for document in shared(short.documents, where)
        )
        doubt = ""
        if titled := (short.form.titles ^ long.form.titles) & SHARED_TITLES:
            doubt = f"others of the name are titled {min(titled)!r}"
        elif not introduced:
            doubt = "it comes before the whole name"
        elif others:
            doubt = f"the page links to {' '.join(min(others)).title()!r}"
        score = min(found.score, OPEN)
        yield replace(found, score=score, reason=f"{reason}; {doubt}") if doubt else found


def _surnames(block: MentionKeyIndex) -> Iterator[Pair]:
    for alike in grouped(_people(block), lambda each: each.form.core[-1]).values():
        by_end: defaultdict[tuple[str, ...], list[Mentioned]] = defaultdict(list)
        for long in alike if len(alike) > 1 else ():
            words = long.form.core
            for start in range(min(1, len(words) - 1), len(words)):  # a single word may lack no more than a title
                by_end[words[start:]].append(long)
        for short in alike:
            fits = _nearest(block, short, (long for long in by_end.get(short.form.core, ()) if _is_end_of(short, long)))
            yield from ((short, long) for long in fits if not block.are_related(short, long))


def given_name(block: MentionKeyIndex, groups: Groups) -> Iterator[MergeCandidate]:
    """Take the first word of a name alone: "Marie". Never sure: a person or a model decides."""
    for short, long in block.once(_given_names):
        reason = f"{short.name!r} is the beginning of {long.name!r} alone"
        yield MergeCandidate(short.key, long.key, "given-name", OPEN - 0.05, reason, unique=True)


def _given_names(block: MentionKeyIndex) -> Iterator[Pair]:
    people = _people(block)
    by_first = grouped((each for each in people if len(each.form.core) > 1), _first)
    for short in people:
        form = short.form
        if form.titles or len(form.core) > 1 or form.core[0] not in by_first or _is_title(block, short):
            continue
        for long in _nearest(block, short, by_first[form.core[0]]):
            if long.form.words[: len(form.words)] == form.words and not block.are_related(short, long):
                yield short, long


def _nearest(block: MentionKeyIndex, short: Mentioned, longs: Iterable[Mentioned]) -> list[Mentioned]:
    """Return those of `longs` that a document has beside `short`: the first ones, by the first such document."""
    found = ((min(where), long.key) for long in longs if (where := shared(short.documents, long.documents)))
    return [block.keys[key] for _, key in heapq.nsmallest(FITS, found)]


def _people(block: MentionKeyIndex) -> list[Mentioned]:
    """Return the keys of single people by name: without a qualifier, and without "and" within."""
    return [
        each
        for each in block.named
        if each.kind.family == PERSON and not each.form.qualifier and not SEVERAL & set(each.form.core)
    ]


def _first(each: Mentioned) -> str:
    return each.form.core[0]


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


def _within(groups: Groups, short: Mentioned, long: Mentioned, rule: str, reason: str) -> MergeCandidate:
    """Score by documents: likely where every document that has the short name has the whole one."""
    mine, theirs = groups.documents(short.key), groups.documents(long.key)
    both = shared(mine, theirs)
    is_once = short.count == long.count == 1
    if years := same_years(groups.bearer(short.key), groups.bearer(long.key)):
        score, more = LIKELY + 0.05, f"; {years}"
    elif both and is_once and all(abs(mine[document] - theirs[document]) > FAR for document in both):
        score, more = OPEN, "; both are mentioned once, far from each other"
    elif both and len(both) == len(mine):
        score, more = LIKELY, ", in one document"
    elif both:
        score, more = OPEN, "; some documents have only the short one"
    else:
        score, more = OPEN - 0.1, "; no document has both"
    return MergeCandidate(short.key, long.key, rule, score, reason + more, unique=True)


def _is_title(block: MentionKeyIndex, short: Mentioned) -> bool:
    """Return True where the short name is a page of its own, or a title that a page links to."""
    words = short.form.core
    titles = block.linked.get(words[-1])
    return titles is not None and any(page in short.documents for page in titles.get(words, ()))
