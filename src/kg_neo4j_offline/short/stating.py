"""Whether a sentence states an answer: has it as the subject, the object, or in the clause of the verb. Pure.

"When was Izabela born?" is not answered by the year in which a clause says that somebody else was born.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from kg_neo4j.retrieve.checking.statement import number_of
from kg_neo4j.words import fold, is_stop_word, same_word, split_words
from kg_neo4j_offline.extracting.clauses import BE, NO, Clause, Role, Words, read_clauses, refuses
from kg_neo4j_offline.extracting.verbs import agents_of, says_the_same, with_particle
from kg_neo4j_offline.extractor.lexicon import HEADS, PARTICLES

if TYPE_CHECKING:
    from spacy.tokens import Doc, Token

FIRST = 1  # place up to which the word that asks stands: "In what year"
_LEAD = re.compile(r"^\W*\w+")
_NAMES = re.compile(r"[^\W\d_a-z][\w’'-]*(?: [^\W\d_a-z][\w’'-]*)*")
_NOT = re.compile(r"\b(?:not|never|no)\b|n[’']t\b", re.IGNORECASE)
_BE = frozenset("is was are were been be".split())
_HELP = frozenset("did does do has have had can could will would".split())
_KINDS = frozenset("year date day month century country city town place village region state county province".split())
_DETERMINERS = frozenset("the a an this that his her its their".split())
_WH = frozenset("who whom what which when where how whose why".split())


@dataclass(frozen=True, slots=True)
class _Asked:
    """A question with one of its words taken as the verb."""

    verb: str
    subject: tuple[str, ...]  # words before the verb; none where the subject is asked for
    object: tuple[str, ...]  # words after it
    role: str  # what is asked for: "agent", "patient", or "any"
    described: tuple[str, ...]  # what stands before the verb: "president of Peru" of "which president of Peru"
    passive: bool


def states(question: str, value: str, source: Doc, known: Words = frozenset()) -> bool:
    """Return whether a clause of `source` states the answer.

    `known` are words of what the source speaks of without naming it, as its title.
    """
    if asks_what_is_not(question) or not names_all(question, source, known):
        return False
    parts = [part.strip(".,") for part in value.split()]
    written = [word for part in parts for word in ([part] if part[:1].isdigit() else split_words(part))]
    words = frozenset(map(fold, written)) - _WH
    content = frozenset(word for word in words if not is_stop_word(word)) or words
    there = known | {fold(form) for token in source for form in (token.text, token.lemma_, *split_words(token.text))}
    asked = [each for each in _readings(question) if _holds_all(each.described, there)]
    clauses = read_clauses(source)
    same = [each for each in clauses if each.verb == BE and not each.denied]
    return any(_is_verb(each, one) and _fits(each, content, one, known, same) for each in asked for one in clauses)


def names_all(question: str, source: Doc, known: Words) -> bool:
    """Return whether all names of a question are in a source, or known to be what it speaks of.

    "Babbage" is enough for "Charles Babbage", "Ada Babbage" is not.
    """
    said = known | {fold(word) for token in source for word in (token.text, *split_words(token.text))}
    surnames = known | {fold(token.text) for token in source if _is_surname(token)}
    for run in _NAMES.findall(_LEAD.sub("", question)):
        words = [fold(word) for word in split_words(run)]
        if not words:
            continue
        ends = [token for token in source if fold(token.text) == words[-1]]
        if ends and words[-1] not in known and not any(map(_is_whole, ends)):
            return False
        here = {fold(token.text) for token in source}
        if len(words) > 1 and here.isdisjoint(words[:-1]) and _first_name(source, words):
            return False
        if _holds_all(words, said):
            continue
        another = any(each.endswith(f" {words[-1]}") for each in known)  # "ida lind", where Ada Lind is asked about
        if words[-1] not in surnames or another or _first_name(source, words):
            return False
    return True


def _is_whole(token: Token) -> bool:
    """Return whether a name ends with a word: not "Torvanne" of "the Torvanne Glassworks"; a person has more names."""
    following = token.doc[token.i + 1] if token.i + 1 < len(token.doc) else None
    if following is None or following.pos_ != "PROPN":
        return True
    return token.ent_type_ == "PER" and following.lower_ not in HEADS


def _is_surname(token: Token) -> bool:
    """Return whether a word may be all that is written of a name: not the "Treaty" of some treaty."""
    after = token.doc[token.i + 1].lower_ if token.i + 1 < len(token.doc) else ""
    return token.text[0].isupper() and token.ent_type_ != "ORG" and after != "of"


def _first_name(source: Doc, name: Sequence[str]) -> bool:
    """Return whether a source gives the last word of a name another first one."""
    if len(name) < 2:
        return True
    for token in source:
        before = token.i - 1
        while before > 0 and source[before].lower_ in PARTICLES:
            before -= 1
        if (
            fold(token.text) == name[-1]
            and before >= 0
            and source[before].text[0].isupper()
            and not token.is_sent_start
        ):
            return True
    return False


def denies(question: str, source: Doc) -> bool:
    """Return whether every clause of `source` with a verb of the question is denied, or only supposed.

    Where some of them have the question's object, these alone count.
    """
    same = [(asked, each) for each in read_clauses(source) for asked in _readings(question) if _is_verb(asked, each)]
    same = [pair for pair in same if pair[0].object and _holds_all(pair[0].object, _said(pair[1]))] or same
    return bool(same) and all(each.denied or each.unreal for _, each in same)


def asks_what_is_not(question: str) -> bool:
    """Return whether a question is about what is not so."""
    return _NOT.search(question) is not None


def says_no(source: Doc) -> bool:
    """Return whether anything in a text is denied, refused, or said to be missing."""
    return any(
        token.lower_ in NO or refuses(token) or (token.pos_ == "ADJ" and token.lower_.startswith("un"))
        for token in source
    )


def _readings(question: str) -> Iterator[_Asked]:
    words = question.replace("?", " ").split()
    lower = [word.lower().strip(",.") for word in words]
    begin = next((place for place, word in enumerate(lower[: FIRST + 1]) if word in _WH), None)
    if begin is None:
        return

    def verb_at(place: int) -> str:
        return with_particle(lower[place], lower[place + 1] if place + 1 < len(lower) else "")

    helper = next((place for place in range(begin + 1, len(lower)) if lower[place] in _HELP | _BE), None)
    if helper != begin + 1:  # "Who taught Felix?"
        for place in range(begin + 1, min(len(lower), begin + 4, helper or len(lower))):
            yield _Asked(verb_at(place), (), tuple(words[place + 1 :]), "agent", (), passive=False)
    if helper is None or (lower[begin] == "who" and helper > begin + 1):
        return
    be = lower[helper] in _BE
    described = tuple(word for word in words[begin + 1 : helper] if word.lower() not in _KINDS)
    if be:
        yield _Asked(BE, (), tuple(words[helper + 1 :]), "agent", described, passive=False)
    for place in range(helper + 1, len(lower)):
        if is_stop_word(fold(lower[place])) or not words[place][0].islower():
            continue
        before, after = tuple(words[helper + 1 : place]), tuple(words[place + 1 :])
        if not before:
            role = "patient" if be else "agent"
        else:
            role = "any" if be or lower[begin] in ("when", "where", "how", "why") else "patient"
        yield _Asked(verb_at(place), before, after, role, described, passive=be)


def _is_verb(asked: _Asked, clause: Clause) -> bool:
    if asked.verb == BE:
        return clause.verb == BE and _holds_all(asked.object, clause.patient.full | clause.agent.full)
    if clause.verb == BE:
        return asked.role == "agent" and _does(asked, clause) is not None
    return says_the_same(asked.verb, clause.forms)


def _does(asked: _Asked, clause: Clause) -> Role | None:
    """Return who does it by a noun that a clause has: "X, the founder of the press"; None where no one does."""
    agents = agents_of(asked.verb)
    for who, what in ((clause.agent, clause.patient), (clause.patient, clause.agent)):
        if agents & what.heads and not agents & who.heads and asked.object and _holds_all(asked.object, what.full):
            return who
    return None


def _fits(asked: _Asked, value: Words, clause: Clause, known: Words, same: Sequence[Clause]) -> bool:
    if clause.denied or clause.unreal:
        return False
    if asked.verb == BE:
        return any(value <= each.full and value & each.heads for each in (clause.agent, clause.patient))
    if clause.verb == BE:
        does = _does(asked, clause)
        return does is not None and value <= does.full and bool(value & does.heads)
    if all(is_stop_word(fold(word)) for word in (*asked.subject, *asked.object)):
        return False  # "Who directed?"
    if asked.subject and not _is_same(asked.subject, clause.patient if asked.passive else clause.agent, known):
        return False
    whole = _said(clause)
    if asked.role == "agent" and not _is_object(asked.object, clause, same):
        return False
    if asked.role == "any":
        is_there = value <= whole
    elif asked.role == "agent":
        is_there = _holds(clause.agent, value)
    else:  # the object may also stand behind a preposition
        is_there = _holds(clause.patient, value) or _holds(Role(heads=clause.others, full=clause.others), value)
    meant = known if clause.agent.outside or clause.patient.outside else frozenset()
    return is_there and _holds_all(asked.object, whole | meant)


def _is_object(asked: Sequence[str], clause: Clause, same: Sequence[Clause]) -> bool:
    """Return whether something is done to what is asked about, or to what is the same: "Rain Road is a film by"."""
    head = _head(asked)
    if not head or clause.patient.outside or (is_stop_word(first := fold(asked[0])) and first not in _DETERMINERS):
        return True
    heads = clause.patient.heads or clause.others
    for each in same:
        heads |= each.agent.heads if each.patient.heads & clause.patient.heads else frozenset()
    return any(head == each or same_word(head, each) for each in heads)


def _holds(role: Role, value: Words) -> bool:
    """Return whether a role has a value as one of its nouns; numbers may stand anywhere in it."""
    counts = all(word[0].isdigit() or number_of(word) for word in value)
    return value <= role.full and (counts or bool(value & role.heads))


def _said(clause: Clause) -> Words:
    return clause.agent.full | clause.patient.full | clause.others


def _is_same(asked: Sequence[str], role: Role, known: Words) -> bool:
    """Return whether a role is what the question's words name: the head of them is among its own words."""
    head = _head(asked)
    if not head:
        return True
    if role.outside or not role.words:
        return role.outside and _holds_all(asked, known)
    names = [fold(word) for each in asked if each[0].isupper() for word in split_words(each)]
    if len(names) > 1 and head != names[-1] and not set(names) <= role.full | known:
        return False
    if len(names) > 1 and set(names[:-1]).isdisjoint(role.words) and role.words - {head}:
        return False  # another first name
    return any(head == each or same_word(head, each) for each in role.words)


def _head(words: Sequence[str]) -> str:
    """Return the last word of a name or noun before "of", without whose it is."""
    kept: list[str] = []
    for word in words:
        if word.lower() in ("of", "in", "at", "from", "who", "that") and kept:
            break
        kept = [] if word.endswith(("'s", "’s")) and word != words[-1] else [*kept, word]
    content = [fold(word) for word in split_words(" ".join(kept))]
    return next((word for word in reversed(content) if not is_stop_word(word)), "")


def _holds_all(words: Sequence[str], said: Words) -> bool:
    content = [word for each in split_words(" ".join(words)) if not is_stop_word(word := fold(each))]
    return all(word in said or any(same_word(word, each) for each in said) for word in content)
