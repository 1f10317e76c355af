"""Offices and trades that texts put next to a name: "Josef Marek, our foreman", "the zoologist Feliks Jarocki". Pure.

English. A role is an answer only where its owner stands with it, or the sentence or the document is about that owner:
"Tuohy, the hospital's head of pathology".
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from kg_neo4j import data_files
from kg_neo4j.words import fold, is_stop_word, split_words
from kg_neo4j_offline.extractor.lexicon import ROLE_NOUNS
from kg_neo4j_offline.short.lives import KIN, StatedValue
from kg_neo4j_offline.short.mentions import SentenceName, bearers

QUALIFIERS = 3  # words before the noun of a role

_DATA = data_files.beside(__file__)
_NOT_NOW = _DATA.word_set("not_now")
_DETERMINERS = _DATA.word_set("determiners")
_KIN = _DATA.word_set("kin")
_NOUNS = ROLE_NOUNS | _DATA.word_set("nouns") | _KIN
_P = {name: re.compile(each) for name, each in _DATA.table("patterns").items()}
_LINK = re.compile(r"\b(?:of|at|for|in|to|who|with|from|and|on)\b")
_OF = re.compile(r"\bof(?: the| an?| his| her)? ?$")  # "the son of X, a painter"
_Words = tuple[str, ...]


def asks_for_role(question: str) -> bool:
    """Return whether a question asks for a trade, or for who holds an office."""
    return bool(_P["trade"].match(question) or _asked_roles(question))


def find_roles(question: str, named: Sequence[SentenceName]) -> list[StatedValue]:
    """Return who has the role that a question asks for, or which trade somebody has; empty where that is unclear."""
    trade = _P["trade"].match(question)
    if trade:
        who = bearers(KIN.sub("", trade["np"] or trade["held"] or trade["does"] or trade["did"]), named)
        own = (role for each in named if who.has(each) for role in roles_of(each))
        return [role for role in own if is_trade(role)][:1]
    match = _P["who_is"].match(question)
    year = int(match["year"]) if match and match["year"] else None
    for role, owner in _asked_roles(question):
        found = [each for each in named if _holds(each, role, owner, year, named)]
        names = {bearers(each.name, named).name or each.name for each in found}
        if len(names) == 1:
            return [StatedValue(names.pop(), " ".join(role), found[0])]
    return []


def is_trade(role: StatedValue) -> bool:
    """Return whether a role is an office or a trade that somebody has now: neither "aunt" nor "former head"."""
    return not _KIN & set(_head(role.value)) and _is_of_today(role.value)


def roles_of(mention: SentenceName) -> Iterator[StatedValue]:
    """Yield what a sentence states next to a name about its bearer: "our foreman", "the zoologist"."""
    phrase = _behind(mention)
    if (head := _head(phrase)) and head[-1] in _NOUNS:
        yield StatedValue(phrase, "is", mention)
    words = _ahead(mention).split()
    ends = [n for n, word in enumerate(words, 1) if fold(word) in _DETERMINERS or _LINK.fullmatch(word)]
    role = words[ends[-1] if ends else 0 :]
    if 0 < len(role) <= QUALIFIERS and fold(role[-1]) in _NOUNS:
        yield StatedValue(" ".join(role), "is", mention)


def _asked_roles(question: str) -> list[tuple[_Words, _Words]]:
    """Return the role and its owner in each way that a question may be read: "head of pathology" of "St Fintan's"."""
    match = _P["who_is"].match(" ".join(question.split()))
    if match is None or _P["circumstance"].search(match["rest"]):
        return []
    rest, found = match["rest"], []
    for form in ("possessive", "parts"):
        split = _P[form].match(rest)
        if split is None or not _is_office(role := _folded(split["role"])):
            continue
        found.append((role, _folded(split["owner"])))
        if form == "parts" and (further := _P[form].match(split["owner"])):
            # "head" of "pathology at X" is "head of pathology" at "X"
            found.append(((*role, *_folded(further["role"])), _folded(further["owner"])))
    if match["year"] and _is_office(_folded(rest)):
        found.append((_folded(rest), ()))
    return found


def _is_office(role: _Words) -> bool:
    return bool(role) and role[-1] in _NOUNS - _KIN and not _NOT_NOW & set(role)


def _is_of_today(phrase: str) -> bool:
    return not _NOT_NOW & {fold(word) for word in split_words(phrase)}


def _folded(text: str) -> _Words:
    return tuple(fold(word) for word in split_words(text) if not is_stop_word(fold(word)))


def _head(phrase: str) -> _Words:
    """Return the words of a phrase up to its noun: of "the 61-year-old author of X" the first three."""
    words = split_words(_LINK.split(phrase)[0])
    return tuple(fold(word) for word in words if fold(word) not in _DETERMINERS)[:5]


def _behind(mention: SentenceName) -> str:
    match = _P["behind"].match(mention.after)
    return match["phrase"].strip(" .") if match and not _OF.search(mention.before) else ""


def _ahead(mention: SentenceName) -> str:
    match = _P["ahead"].search(mention.before)
    return match["phrase"].strip() if match else ""


def _holds(mention: SentenceName, role: _Words, owner: _Words, year: int | None, named: Sequence[SentenceName]) -> bool:
    """Return whether a sentence says of a name that its bearer has a role, now or in a year."""
    if year is not None:
        match = _P["range"].match(mention.after)
        if match is None or not _begins(_folded(match["phrase"]), role):
            return False
        return int(match["from"]) <= year <= int(match["to"]) and _is_owned(match[0], owner, mention, named)
    phrase = _behind(mention)
    head = _folded(_LINK.split(phrase)[0]) if len(role) == 1 else _folded(phrase)
    if _begins(head, role) and _is_of_today(phrase) and _is_owned(phrase, owner, mention, named):
        return True
    phrase = _ahead(mention)
    said = _folded(phrase)
    bare = tuple(word for word in said if word not in owner)
    ends = said[-len(role) :] == role or (bare[-len(role) :] == role and set(owner) <= set(said))
    return ends and _is_of_today(phrase) and _is_owned(phrase, owner, mention, named)


def _begins(said: _Words, role: _Words) -> bool:
    """Return whether a phrase has the role as its noun, behind three words at most that qualify it."""
    if len(role) == 1:
        return said[-1:] == role and len(said) <= QUALIFIERS + 1
    return any(said[index : index + len(role)] == role for index in range(QUALIFIERS + 1))


def _is_owned(phrase: str, owner: _Words, mention: SentenceName, named: Sequence[SentenceName]) -> bool:
    """Return whether a role is the owner's: both stand together, or the text is about the owner and names no other."""
    said = set(_folded(phrase))
    if not owner or set(owner) <= said:
        return True
    other = re.search(r"\b(?:of|at|for|in|to) (?:the |an? )?(?P<of>[^,;]+)$|\b(?P<whose>[\w’'-]+)['’]s? ", phrase)
    whose = set(_folded((other["of"] or other["whose"]) if other else ""))
    if whose and not whose & set(owner):
        return False
    first = next((each for each in named if each.line is mention.line), mention)
    subject = first is not mention and set(owner) <= set(first.words)
    return subject or all(word in mention.line.title for word in owner)
