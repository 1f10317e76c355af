"""The bearers of names: what is known of those of mention keys, and what tells two of them apart. Pure."""

from __future__ import annotations

import itertools
from array import array
from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Callable, Container, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, fields, replace
from typing import NamedTuple, TypeVar

from kg_neo4j import data_files
from kg_neo4j.graph.identity import namesake_key
from kg_neo4j.graph.resolution.names import FEMALE, MALE, RANKS, NameForm, take_apart

YEARS_APART = 2  # years that differ by more tell people apart: sources often differ by one
GIVEN_ALIKE = 75.0  # rapidfuzz's ratio, 0 to 100: "maria" and "marie" have 80, "pierre" and "marie" 55
ANCIENT, ANCIENT_YEARS_APART = 1000, 12  # before this year, dates are rougher ("c. 570", "571", "about 567")
LIVES_APART = 15  # years between births, or between deaths, that are no slip of one source
_BITS, _INDEX = 32, 2**32 - 1  # of the index of a chunk

K = TypeVar("K")
V = TypeVar("V")

_NONE: frozenset[int] = frozenset()  # one for all keys
_NO_YEARS: Mapping[str, Years] = {}
Years = tuple[frozenset[int], frozenset[int]]  # of birth, of death


class Kind(NamedTuple):
    """A type, the family that it is in, and what it is within the family: 0 general, else the number of a kind."""

    type: str
    family: str
    number: int = 0


@dataclass(frozen=True, slots=True)
class Mentioned:
    """What the evidence says of one mention key."""

    key: str
    name: str  # its most frequent spelling
    type: str
    count: int  # mentions
    births: frozenset[int]
    deaths: frozenset[int]
    documents: Mapping[str, int]  # document id -> index of the first chunk that mentions it
    years: Mapping[str, Years] = field(default_factory=dict)  # document id -> what it says, where it says any
    spellings: Mapping[str, int] = field(default_factory=dict)  # how often each
    keys: frozenset[tuple[str, ...]] = frozenset()  # of rows of tables: a table, and a key in it
    kind: Kind = field(default=Kind("", ""))  # of the type; left out, by the built-in families
    _form: NameForm | None = field(default=None, init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        """Find the kind where none is given."""
        if not self.kind.type:
            object.__setattr__(self, "kind", kind_of(self.type))

    @property
    def form(self) -> NameForm:
        """The name, taken apart once: the rules ask for it twenty times."""
        if (form := self._form) is None:
            object.__setattr__(self, "_form", form := take_apart(self.name))
        return form

    @property
    def shown(self) -> str:
        """Name and type, for people."""
        return f"{self.name} ({self.type})"


@dataclass(slots=True, eq=False, repr=False)
class Places(Mapping[str, int]):
    """Where a key is mentioned: document id -> index of the first chunk. Eight bytes a document; made by `Gathered`."""

    _gathered: Gathered
    _packed: array[int]  # number of the document, then index of the chunk: 32 bits each, ascending

    def __getitem__(self, document: str) -> int:
        wanted = self._gathered.numbers[document] << _BITS
        place = bisect_left(self._packed, wanted)
        if place == len(self._packed) or (index := self._packed[place] - wanted) > _INDEX:
            raise KeyError(document)
        return index

    def __iter__(self) -> Iterator[str]:
        return (self._gathered.ids[each >> _BITS] for each in self._packed)

    def __len__(self) -> int:
        return len(self._packed)


@dataclass(slots=True, eq=False, repr=False)
class Gathered:
    """Makes the keys of a graph from their evidence; what many of them share is kept once."""

    families: Mapping[str, str] = field(default_factory=dict)  # type -> family, of the schema
    ids: list[str] = field(default_factory=list)  # of documents
    numbers: dict[str, int] = field(default_factory=dict)
    _years: dict[Years, Years] = field(default_factory=dict)

    def mentioned(
        self,
        key: str,
        type: str,
        names: Iterable[tuple[str, int]],
        documents: Iterable[tuple[str, int, Iterable[int], Iterable[int]]],
        keys: Iterable[Iterable[str]] = (),
    ) -> Mentioned:
        """Return what the evidence says of one key; each argument may give one name or document several times.

        `names` are spellings and how often each is used, `documents` ids, the index of a chunk, and the years of birth
        and of death that it gives; `keys` are those of rows, as the column `table_key` has them.
        """
        spellings: Counter[str] = Counter()
        for name, count in names:
            spellings[name] += count
        said: dict[str, Years] = {}
        packed: set[int] = set()
        for document, index, births, deaths in documents:
            number = self.numbers.setdefault(document, len(self.ids))
            if number == len(self.ids):
                self.ids.append(document)
            packed.add(number << _BITS | index)
            if births or deaths:
                born, died = said.get(document, (_NONE, _NONE))
                given = (born.union(births), died.union(deaths))
                said[self.ids[number]] = self._years.setdefault(given, given)
        firsts: dict[int, int] = {}
        for each in sorted(packed):
            firsts.setdefault(each >> _BITS, each)
        return Mentioned(
            key=key,
            name=min(spellings, key=lambda name: (-spellings[name], -len(name), name)),
            type=type,
            count=spellings.total(),
            births=_NONE.union(*(born for born, _ in said.values())) if said else _NONE,
            deaths=_NONE.union(*(died for _, died in said.values())) if said else _NONE,
            documents=Places(self, array("Q", firsts.values())),
            years=said or _NO_YEARS,
            spellings=spellings,
            keys=frozenset(tuple(each.split(": ", 1)) for some in keys for each in some),
            kind=kind_of(type, self.families),
        )


def shared(one: Mapping[str, int], other: Mapping[str, int]) -> list[str]:
    """Return the documents that mention both of two; it looks at those of the rarer one."""
    few, many = (one, other) if len(one) <= len(other) else (other, one)
    return [document for document in few if document in many]


def grouped(items: Iterable[V], form: Callable[[V], K]) -> defaultdict[K, list[V]]:
    """Return items by a form of theirs, each group in their order."""
    groups: defaultdict[K, list[V]] = defaultdict(list)
    for each in items:
        groups[form(each)].append(each)
    return groups


@dataclass(frozen=True, slots=True)
class Bearer:
    """What is known of one or several mention keys that are one."""

    kinds: frozenset[Kind]
    births: frozenset[int]
    deaths: frozenset[int]
    qualifiers: frozenset[str]
    generations: frozenset[str]
    numbers: frozenset[str]
    titles: frozenset[str]
    people: frozenset[tuple[str, str]]  # last and first word of each whole name of a person
    keys: frozenset[tuple[str, ...]]  # table and key of rows

    def __add__(self, other: Bearer) -> Bearer:
        """Return what is known of both as one."""
        return Bearer(*(getattr(self, each.name) | getattr(other, each.name) for each in fields(self)))


def bearer(mentioned: Mentioned) -> Bearer:
    """Return what is known of the bearer of one key."""
    form = mentioned.form
    return Bearer(
        frozenset({mentioned.kind}),
        mentioned.births,
        mentioned.deaths,
        frozenset({form.qualifier} if form.qualifier else ()),
        frozenset({form.generation} & {"jr", "sr"}),
        form.numbers | (frozenset({form.generation}) - {"", "jr", "sr"}),
        form.titles,
        frozenset({(form.core[-1], form.core[0])} if mentioned.kind.family == PERSON and len(form.core) > 1 else ()),
        mentioned.keys,
    )


def contradiction(one: Bearer, other: Bearer, *, across: bool = False) -> str | None:
    """Return what tells two bearers apart, for people; None where nothing does. Families do not where `across`."""
    for word, mine, theirs in (("born", one.births, other.births), ("died", one.deaths, other.deaths)):
        if mine and theirs and not any(_same_year(left, right) for left in mine for right in theirs):
            return f"{word} {_years(mine)} and {_years(theirs)}"
    for born, died in ((one.births, other.deaths), (other.births, one.deaths)):
        if born and died and min(born) > max(died) + YEARS_APART:
            return f"born {_years(born)}, after the other died, {_years(died)}"
    for what, marks, others in (
        ("called", one.qualifiers, other.qualifiers),
        ("called", one.generations, other.generations),
        ("numbered", one.numbers, other.numbers),
        ("titled", one.titles & RANKS, other.titles & RANKS),
    ):
        if marks and others and not marks & others:
            return f"{what} {_listed(marks)} and {_listed(others)}"
    for last, first in sorted(one.people):
        for surname, given in sorted(other.people):
            if last == surname and not _same_given(first, given):
                return f"called {first!r} and {given!r}, of one surname"
    for men, women in ((one.titles, other.titles), (other.titles, one.titles)):
        if men & MALE and women & FEMALE:
            return f"titled {_listed(men & MALE)} and {_listed(women & FEMALE)}"
    return _of_two_rows(one, other) or (None if across else _of_two_families(one, other))


def _of_two_rows(one: Bearer, other: Bearer) -> str | None:
    for (table, key), (other_table, other_key) in itertools.product(sorted(one.keys), sorted(other.keys)):
        if table == other_table and key != other_key:
            return f"{key} and {other_key} in {table}"
    return None


def _of_two_families(one: Bearer, other: Bearer) -> str | None:
    pairs = itertools.product(sorted(one.kinds), sorted(other.kinds))
    apart = (pair for pair in pairs if pair[0].family != pair[1].family and not likeness(*pair))
    return next((f"a {left.type} and a {right.type}" for left, right in apart), None)


def same_years(one: Bearer, other: Bearer) -> str:
    """Return the year that both were born in, for people; empty where it is not known or not the same."""
    shared = one.births & other.births
    return f"both born {_years(shared)}" if shared else ""


def _same_year(one: int, other: int) -> bool:
    return abs(one - other) <= (ANCIENT_YEARS_APART if min(one, other) < ANCIENT else YEARS_APART)


def _same_given(one: str, other: str) -> bool:
    """Return True for an initial and its name, and for spellings of one name: "maria" and "marie"."""
    from rapidfuzz import fuzz

    return one[0] == other[0] if 1 in (len(one), len(other)) else fuzz.ratio(one, other) >= GIVEN_ALIKE


def _years(years: Iterable[int]) -> str:
    return "/".join(str(year) if year >= 0 else f"{-year} BC" for year in sorted(years))


def _listed(words: Iterable[str]) -> str:
    return "/".join(repr(word) for word in sorted(words))


# --------------------------------------------------------------------------------------- one name, two bearers


@dataclass(frozen=True, slots=True)
class Namesake:
    """A document that means another bearer of a name than the other documents do."""

    mentioned: Mentioned  # as the other documents mean it
    other: Mentioned  # as this document means it, under its new key
    document: str
    reason: str


def find_namesakes(
    mentioned: Iterable[Mentioned], one_by_decision: Container[str] = ()
) -> tuple[tuple[Mentioned, ...], tuple[Namesake, ...]]:
    """Return the mention keys after names of people with several bearers were separated, and those namesakes.

    Documents that give years which no single life has mean different people. The bearer that most of them mean, or the
    earlier one, keeps the key, and the documents that give no years. `one_by_decision` are keys of namesakes that
    somebody took back: they are not found again.
    """
    keys: list[Mentioned] = []
    found: list[Namesake] = []
    for each in mentioned:
        others = _others(each) if len(each.years) > 1 and each.kind.family == PERSON else {}
        others = {
            document: why for document, why in others.items() if namesake_key(each.key, document) not in one_by_decision
        }
        for document, reason in others.items():
            other = of_documents(each, [document], namesake_key(each.key, document))
            found.append(Namesake(each, other, document, reason))
        kept = [document for document in each.documents if document not in others] if others else ()
        keys.append(of_documents(each, kept, each.key) if others else each)
    keys.extend(each.other for each in found)
    return tuple(sorted(keys, key=lambda each: each.key)), tuple(found)


def _others(mentioned: Mentioned) -> dict[str, str]:
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
    lives.sort(key=lambda life: (-len(life[1]), min(life[0][0] | life[0][1]), life[1]))
    kept = lives[0][0]
    return {each: why for life, documents in lives[1:] if (why := _differ(kept, life)) for each in documents}


def _differ(one: Years, other: Years) -> str | None:
    """Return what says that two lives are not one: all years of birth, or all of death, lie far apart."""
    for word, mine, theirs in (("born", one[0], other[0]), ("died", one[1], other[1])):
        if mine and theirs and min(abs(left - right) for left in mine for right in theirs) >= LIVES_APART:
            return f"{word} {min(mine)} and {min(theirs)}, in different documents"
    return None


def of_documents(mentioned: Mentioned, documents: Iterable[str], key: str) -> Mentioned:
    """Return what some of its documents say of a key."""
    kept = {document: mentioned.documents[document] for document in documents}
    years = {document: mentioned.years[document] for document in kept if document in mentioned.years}
    return replace(
        mentioned,
        key=key,
        count=max(1, mentioned.count * len(kept) // len(mentioned.documents)),
        births=_NONE.union(*(born for born, _ in years.values())),
        deaths=_NONE.union(*(died for _, died in years.values())),
        documents=kept,
        years=years,
    )


# ------------------------------------------------------------------------------------------------------- types

PERSON, TIME, OTHER = "PERSON", "TIME", "OTHER"
_KINDS = {
    name: Kind(name, family, number)
    for family, groups in data_files.beside(__file__).lists("families").items()
    for number, group in enumerate(groups)
    for name in group.split()
}
_OFTEN_MIXED = ({"GROUP", "PLACE"}, *({"WORK", each} for each in ("ARTWORK", "CONCEPT", "FILM", "PRODUCT")))


def kind_of(node_type: str, families: Mapping[str, str] = {}) -> Kind:
    """Return what a type is: by `families` (type -> family), else by the built-in ones, else a family of its own."""
    if node_type in families:
        return Kind(node_type, families[node_type])
    return _KINDS.get(node_type) or Kind(node_type, node_type)


def likeness(one: Kind, other: Kind) -> float:
    """Return 1 for kinds that one thing can be, 0.5 where that is open, 0 where they tell things apart."""
    if one.family == other.family:
        return 1.0 if one.number == other.number or 0 in (one.number, other.number) else 0.0
    families = {one.family, other.family}
    if OTHER in families:
        return 0.0 if TIME in families else 1.0
    is_known = one.type in _KINDS and other.type in _KINDS
    return 0.0 if is_known and families not in _OFTEN_MIXED else 0.5
