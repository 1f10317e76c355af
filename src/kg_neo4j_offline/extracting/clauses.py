"""What the clauses of a sentence say: who does what to whom, and whether it is denied or only supposed. Pure.

Read off the dependency tree (Universal Dependencies).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from kg_neo4j.retrieve.checking.statement import number_of
from kg_neo4j.words import fold, is_stop_word, same_word, split_words
from kg_neo4j_offline.networks import trained

if TYPE_CHECKING:
    from spacy.tokens import Doc, Token

Words = frozenset[str]

_SUBJECTS = ("nsubj", "nsubj:pass", "csubj")
_INSIDE = ("compound", "flat", "amod", "nummod", "nmod:poss", "nmod", "appos", "conj", "det", "case")
_OWN_CLAUSE = ("advcl", "acl", "acl:relcl", "ccomp", "parataxis", "csubj")
NO = frozenset("not n't never no nobody nothing none neither nor without cannot".split())
_UNREAL = frozenset("would could might may should must shall can if whether unless".split())
REFUSES = frozenset(
    "refuse decline fail hope want wish plan intend deny doubt propose offer forbid reject try attempt expect "
    "consider threaten forget mean lack prevent prohibit".split()
)
_SPOKEN = frozenset("he she it they him her them who which that whom whose i we you".split())
_RELATIVE = frozenset("who which that whom".split())
_NOUNS = ("NOUN", "PROPN")
NEAR = 8  # words after a passive in which "by" is looked for
_BRACKETS = re.compile(r"\s*\([^()]*\)|\s*\[[^\[\]]*\]")
BE = "be"


@dataclass(frozen=True, slots=True)
class Role:
    """A noun phrase with its appositions. Words are folded; both are empty where nothing is said."""

    words: Words = frozenset()
    heads: Words = frozenset()  # the nouns and names themselves, without what describes them
    full: Words = frozenset()  # with what hangs on it: "of Oslo"
    numbers: Words = frozenset()  # that count it
    named: bool = False  # a name leads it
    outside: bool = False  # a pronoun for something that the text does not name before


@dataclass(frozen=True, slots=True)
class Clause:
    """One verb or predicate, and what belongs to it."""

    verb: str  # lemma; "be" where a noun or an adjective is said of something
    agent: Role  # who does it, or is it
    patient: Role  # to whom it is done, or what somebody is
    others: Words  # of everything else
    forms: Words  # of the verb: its lemma, and as it is written
    denied: bool
    unreal: bool  # supposed, hoped for, refused, asked


def parse(text: str) -> Doc:
    """Parse a text without its brackets, which confuse the parser: "Ada (1850–1901) wrote"."""
    return trained.process(_BRACKETS.sub("", text))


def read_clauses(doc: Doc) -> list[Clause]:
    """Return the clauses of a text in the order of their verbs; an apposition is one, too."""
    found = [clause for token in doc if (clause := _clause(token)) is not None]
    for token in doc:
        if token.dep_ == "appos":
            own, other = _role(_core(token.head)), _role(_core(token))
            found.append(Clause(BE, own, other, frozenset(), frozenset(), denied=False, unreal=False))
    return found


def _clause(verb: Token) -> Clause | None:
    copula = next((each for each in verb.children if each.dep_ == "cop"), None)
    if copula is None and (verb.pos_ != "VERB" or verb.dep_ in ("amod", "compound", "case", "aux")):
        return None
    agent, patient = _subject(verb), Role() if copula is None else _role(_phrase(verb))
    others: set[Token] = set()
    passive = _is_passive(verb)
    if passive:
        agent, patient = Role(), agent
    for child in verb.children:
        if child.dep_ in (*_SUBJECTS, *_OWN_CLAUSE, "aux", "cop", "punct", "cc") or _is_joined_clause(child):
            continue
        if child.dep_ == "obj" and not passive:
            patient = _spoken_role(child)
        elif child.dep_ == "obl" and passive and _preposition(child) == "by":
            agent = _role(_phrase(child))
        else:
            others |= set(_hanging(child))
    if passive and not agent.words:  # the parser may hang "by" on a noun before who does it
        near = (each for each in verb.doc[verb.i + 1 : verb.i + NEAR] if each.lower_ == "by" and each.dep_ == "case")
        agent = next((_role(_phrase(each.head)) for each in near if each.head.pos_ in _NOUNS), Role())
    name = BE if copula is not None else fold(verb.lemma_)
    forms = _words([verb]) | {name}
    forms |= {f"{form}_{each.lower_}" for form in forms for each in verb.children if each.dep_ == "compound:prt"}
    arguments = [each for each in verb.children if each.dep_ in ("obj", "obl", *_SUBJECTS)]
    denied = any(token.lower_ in NO for each in (verb, *arguments) for token in each.children)
    return Clause(name, agent, patient, _words(others), forms, denied, _unreal(verb))


def _is_passive(verb: Token) -> bool:
    if any(each.dep_ in ("aux:pass", "nsubj:pass") for each in verb.children):
        return True
    if verb.tag_ != "VBN" or any(each.dep_ in ("aux", *_SUBJECTS) for each in verb.children):
        return False
    return verb.dep_ == "acl" or (verb.dep_ == "conj" and _is_passive(verb.head))


def _subject(verb: Token) -> Role:
    """Return what a verb speaks of, taken from the clause that it hangs on where it has none itself."""
    owned = [each for each in verb.children if each.dep_ in _SUBJECTS]
    if owned:
        own = owned[-1]
        return _spoken_role(own)
    if verb.dep_ in ("acl", "acl:relcl"):
        return _role(_phrase(verb.head))
    if verb.dep_ in ("parataxis", "conj") and verb.head.pos_ in _NOUNS and verb.head.i < verb.i:
        return _role(_phrase(verb.head))
    if verb.dep_ in ("conj", "xcomp", "advcl") and verb.head != verb:
        controlled = next((each for each in verb.head.children if each.dep_ == "obj"), None)
        if verb.dep_ == "xcomp" and controlled is not None:
            return _role(_phrase(controlled))
        return _subject(verb.head)
    for each in verb.lefts:
        if each.pos_ in (*_NOUNS, "ADJ") and each.dep_ in ("obl", "obj", "nmod") and not _preposition(each):
            return _role(_phrase(each))  # a subject that the parser calls otherwise
    return Role()


def _spoken_role(noun: Token) -> Role:
    """Return the role of a phrase; for "who" that of the noun before it, for "he" that of the last subject before."""
    if noun.lower_ in _RELATIVE:
        before = _noun_before(noun)
        if before is None:
            return Role()
        return _role([*_phrase(before), *(_core(before.head) if before.dep_ == "nmod" else [])])
    if noun.lower_ in _SPOKEN:
        for each in reversed(noun.doc[: noun.i]):
            if each.dep_ in _SUBJECTS and each.lower_ not in _SPOKEN and each.pos_ in _NOUNS:
                return _role(_phrase(each))
        return Role(outside=True)
    return _role(_phrase(noun))


def _noun_before(pronoun: Token) -> Token | None:
    """Return the head of the noun phrase that ends before a relative pronoun; what stands in brackets is left out."""
    depth = 0
    for token in reversed(pronoun.doc[pronoun.sent.start : pronoun.i]):
        depth += (token.text == ")") - (token.text == "(")
        if not depth and token.pos_ in _NOUNS:
            noun = token
            while noun.dep_ in ("flat", "compound") and noun.head.i < pronoun.i:
                noun = noun.head
            return noun
    return None


def _phrase(head: Token) -> list[Token]:
    """Return a noun with what describes it, its appositions and what is joined to it; no clause about it."""
    found = [head]
    for child in head.children:
        if child.dep_ in _INSIDE and not _is_joined_clause(child):
            found += _phrase(child)
    if head.dep_ == "appos":
        found += _core(head.head)
    return found


def _core(head: Token) -> list[Token]:
    """Return a noun with the words that are its name, its number and its adjectives."""
    own = [head, *(each for each in head.children if each.dep_ in ("compound", "flat", "amod", "nummod"))]
    if head.pos_ != "PROPN":
        return own
    first, last = head.i, head.i
    while first > head.sent.start and head.doc[first - 1].pos_ == "PROPN":
        first -= 1
    while last + 1 < head.sent.end and head.doc[last + 1].pos_ == "PROPN":
        last += 1
    return list(dict.fromkeys((*own, *head.doc[first : last + 1])))


def _role(tokens: Sequence[Token]) -> Role:
    own = _core(tokens[0])
    for each in tokens:
        if each not in own and each.dep_ in ("conj", "appos", "flat", "compound") and each.head in own:
            own.append(each)
    numbers = [each for each in own if each.pos_ == "NUM"]
    words = _words(each for each in own if each not in numbers)
    named = any(each.pos_ in ("PROPN", "NUM") for each in own)
    full = _words(each for one in (*tokens, *own) for each in (_hanging(one) if one in own else [one]))
    nouns = [each for each in own if each.dep_ not in ("amod", "nummod")]
    heads = _words(  # nouns of their own, and parts of names: not "Tangut" of "a Tangut concubine"
        each
        for each in nouns
        if each in tokens[:1] or each.dep_ in ("conj", "appos") or each.pos_ == each.head.pos_ == "PROPN"
    )
    return Role(words or _words(numbers), heads, full, _counted(numbers), named)


def _hanging(token: Token) -> Iterator[Token]:
    """Yield a word with all that hangs on it but clauses of their own."""
    yield token
    for child in token.children:
        if child.dep_ not in _OWN_CLAUSE:
            yield from _hanging(child)


def _is_joined_clause(token: Token) -> bool:
    has_subject = any(each.dep_ in _SUBJECTS for each in token.children)
    return token.dep_ == "conj" and (token.pos_ == "VERB" or has_subject)


def _preposition(noun: Token) -> str:
    return next((each.lower_ for each in noun.children if each.dep_ == "case"), "")


def _unreal(verb: Token) -> bool:
    helpers = [each for each in verb.children if each.dep_ in ("aux", "mark")]
    subject = next((each for each in verb.children if each.dep_ in _SUBJECTS), None)
    if any(each.lower_ in _UNREAL for each in helpers):
        return True
    if subject is not None and any(each.lower_ in ("had", "were") and each.i < subject.i for each in helpers):
        return True  # "had he come"
    if verb.dep_ in ("xcomp", "ccomp", "acl", "advcl") and refuses(verb.head):
        return True
    return verb.sent[-1].text == "?"


def refuses(token: Token) -> bool:
    """Return whether a verb says that something is not done, or not yet: "declined", "hopes"."""
    return token.pos_ == "VERB" and any(same_word(token.lower_, each) for each in REFUSES)


def _words(tokens: Iterable[Token]) -> Words:
    written = [each.text for each in tokens if each.text[0].isalnum()]
    parts = [part for each in written for part in [each, *(split_words(each) if "-" in each else [])]]
    return frozenset(word for each in parts if not is_stop_word(word := fold(each)))


def _counted(numbers: Iterable[Token]) -> Words:
    """Return numbers in figures: 40 of "forty"."""
    return frozenset(number_of(fold(each.text)) or fold(each.text) for each in numbers)
