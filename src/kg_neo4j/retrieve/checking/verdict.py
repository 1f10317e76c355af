"""What one passage says of a claim: it states it, it contradicts it, or neither. Pure.

A passage states a claim if the check of claims supports it with one sentence, if that names what the claim names, or
begins with a pronoun for a name just before, denies what the claim denies, and no other number fits as well. A passage
contradicts a claim if it states a counterpart of the claim (`counterparts.py`). In all other cases the claim is not
found there. The rules were chosen on half of the claims that benchmarks/verdicts.py measures.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

from kg_neo4j import data_files
from kg_neo4j.retrieve.checking.claims import Contradicts
from kg_neo4j.retrieve.checking.counterparts import Counterpart, counterparts, name_spans, with_other_numbers
from kg_neo4j.retrieve.checking.polarity import DENIALS, denied_words
from kg_neo4j.retrieve.checking.statement import Statement, read, ungrouped
from kg_neo4j.retrieve.checking.support import CitedPassage, has_word, supports, words_of_lives
from kg_neo4j.retrieve.sentences import split_sentences
from kg_neo4j.words import fold, same_word, split_words

STATED, CONTRADICTED, NOT_FOUND = "stated", "contradicted", "not found"
SHARE = 0.66  # of the claim's words besides names that a statement has
NEAR = 0.5  # of them: a statement with fewer is not looked at
ALL_OF = 3  # words besides names: of so few none may be missing
LOOKED_AT = 6  # places of a passage, those with most of the claim's words
FIRST_WORDS = 2  # of a statement, in which a pronoun ties it to the one before
SHORTEST_QUOTE = 4  # words that are a claim word for word

_DATA = data_files.beside(__file__)
_WEIGHTY = _DATA.word_set("weighty")
_SUPPOSED = _DATA.word_set("supposed")
_PRONOUNS = _DATA.word_set("pronouns")
_OWNED = re.compile(r"(?:\b(?:whose|his|her|hers|its|their|our|my)|['’]s?)\s+(?:\w+\s+)?(\w+)", re.IGNORECASE)
_BREAK = re.compile(r"[;:] |\s—\s")  # between two statements of a sentence


@dataclass(frozen=True, slots=True)
class Verdict:
    """What is known of a claim, and where in the passage's text the words are that tell it."""

    verdict: str = NOT_FOUND
    reason: str = ""
    start: int = 0
    end: int = 0


def judge_claim(claim: str, passage: CitedPassage, contradicts: Contradicts) -> Verdict:
    """Return what an English `passage` says of `claim`."""
    parts = [each for each in itertools.islice(_parts(claim, passage), LOOKED_AT) if _is_direct(claim, each[2].text)]
    for start, end, part in parts:
        if _states(claim, part, contradicts):
            return Verdict(STATED, "", start, end)
    for start, end, part in parts:
        if _fits(claim, part, contradicts):
            continue
        for each in counterparts(claim, part.text):
            said = replace(part, text=each.text)
            if _is_opposed(claim, each, part, contradicts) and _states(each.claim, said, contradicts):
                return Verdict(CONTRADICTED, each.reason, start, end)
    return Verdict()


def _is_direct(claim: str, text: str) -> bool:
    """Return whether words tell who is what of whom.

    They do not where the claim relates two names by a word that the text has as somebody's: "whose director was Otto",
    "her father, Nils". Then neither side is certain, unless the claim has the same words as somebody's, too.
    """
    if len(name_spans(claim)) < 2:
        return True
    owned = _owned(text) - _owned(claim)
    return not any(same_word(word, each) for word in read(claim).content for each in owned)


def _owned(text: str) -> frozenset[str]:
    """Return the words of a text that are somebody's: "director" in "whose director", "her first director"."""
    return frozenset(fold(word) for match in _OWNED.finditer(text) for word in match[0].split()[1:])


def find_quote(claim: str, text: str) -> Verdict:
    """Return "stated" where a text, in any language, has the claim word for word in one sentence."""
    said = _folded(claim)
    if len(said) >= SHORTEST_QUOTE:
        for sentence in split_sentences(text):
            told = _folded(sentence.text)
            if said in (told[first : first + len(said)] for first in range(len(told) - len(said) + 1)):
                return Verdict(STATED, "", sentence.start, sentence.end)
    return Verdict()


def _parts(claim: str, passage: CitedPassage) -> Iterator[tuple[int, int, CitedPassage]]:
    """Yield the statements that have enough of the claim's words, those that have most first, with what is before."""
    said = read(claim)
    enough = []
    for start, end, before in _statements(passage.text):
        share = _share(said, passage.text[start:end])
        if share >= NEAR:
            enough.append((-share, end - start, start, end, before))
    for *_, start, end, before in sorted(enough):
        # pronouns stand for names that were said just before
        yield start, end, replace(passage, text=passage.text[start:end], around=passage.text[before:end])


def _statements(text: str) -> Iterator[tuple[int, int, int]]:
    """Yield the places of sentences, and of the parts of one, each with where the sentence before begins."""
    before = 0
    for sentence in split_sentences(text):
        breaks = [match.span() for match in _BREAK.finditer(sentence.text)]
        starts, ends = [0, *(end for _, end in breaks)], [*(start for start, _ in breaks), len(sentence.text)]
        for start, end in zip(starts, ends, strict=True):
            yield sentence.start + start, sentence.start + end, before
        before = sentence.start


def _is_opposed(claim: str, counterpart: Counterpart, part: CitedPassage, contradicts: Contradicts) -> bool:
    """Return whether a statement has all words of a counterpart; and where names are exchanged, names and clauses."""
    if _share(read(counterpart.claim), counterpart.text) < 1:
        return False
    if not counterpart.is_exchange:
        return True
    if not all(_is_named(each, part) for each in _names(claim)):
        return False
    return _is_said_otherwise(claim, part, contradicts) or not supports(claim, [part]).supported


def _states(claim: str, part: CitedPassage, contradicts: Contradicts) -> bool:
    """Return whether a statement has the claim, and has no other number that fits in it as well."""
    return _fits(claim, part, contradicts) and not any(
        _fits(each.claim, part, contradicts) for each in with_other_numbers(claim, part.text)
    )


def _fits(claim: str, part: CitedPassage, contradicts: Contradicts) -> bool:
    """Return whether a statement has the claim, by its words and by its clauses."""
    claim = _as_called(claim, part)
    said, told = read(claim), read(part.text)
    return (
        _share(said, part.text) >= (1 if len(_wanted(said)) <= ALL_OF else SHARE)
        and _denies_alike(said, told)
        and _WEIGHTY & said.words <= told.words
        and _SUPPOSED & told.words <= said.words
        and _has_names(claim, told, part)
        and supports(claim, [part]).supported
        and not _is_said_otherwise(claim, part, contradicts)
    )


def _denies_alike(said: Statement, told: Statement) -> bool:
    """Return whether both deny nothing, or the text denies the words that the claim denies."""
    if DENIALS.isdisjoint(said.words) or DENIALS.isdisjoint(told.words):
        return DENIALS.isdisjoint(said.words) == DENIALS.isdisjoint(told.words)
    theirs = denied_words(told)
    return all(any(same_word(word, each) for each in theirs) for word in denied_words(said))


def _is_said_otherwise(claim: str, part: CitedPassage, contradicts: Contradicts) -> bool:
    """Return whether the clauses of a statement say the claim of something else, or the other way round."""
    return contradicts(ungrouped(claim), ungrouped(" ".join(part.text.split())))


def _share(said: Statement, text: str) -> float:
    """Return the share of a claim's content words, without names, that a text has itself."""
    told, lives, wanted = read(text), words_of_lives(text), _wanted(said)
    found = sum(word in lives or has_word(told, word) for word in wanted)
    return found / len(wanted) if wanted else float(bool(said.numbers))


def _wanted(said: Statement) -> frozenset[str]:
    return said.content - frozenset(said.names) or said.content


def _as_called(claim: str, part: CitedPassage) -> str:
    """Return the claim with another name of an entity, which the statement has, in place of its own."""
    there = _names(part.text)
    for start, end in reversed(name_spans(claim)):
        name = _as_set(claim[start:end])
        if any(name & other for other in there):
            continue
        others = (each for group in part.names if name in map(_as_set, group) for each in group)
        called = next((each for each in others if _as_set(each) in there), None)
        claim = claim if called is None else claim[:start] + called + claim[end:]
    return claim


def _as_set(name: str) -> frozenset[str]:
    return frozenset(_folded(name))


def _has_names(claim: str, told: Statement, part: CitedPassage) -> bool:
    """Return whether a statement has all names of the claim; one may be outside where a pronoun begins it."""
    outside = [name for name in _names(claim) if not _is_named(name, part)]
    if any(name & other for name in outside for other in _names(part.text)):
        return False  # "Tom Berg" where the text has "Ada Berg"
    return not outside or (len(outside) == 1 and not _PRONOUNS.isdisjoint(told.order[:FIRST_WORDS]))


def _is_named(name: frozenset[str], part: CitedPassage) -> bool:
    """Return whether a statement has a name, a part of it, or another name of the same entity."""
    groups = [[name], *([_as_set(each) for each in group] for group in part.names)]
    called = [each for group in groups if name in group for each in group]
    return any(each <= other or other <= each for each in called for other in _names(part.text))


def _names(text: str) -> list[frozenset[str]]:
    return [_as_set(text[start:end]) for start, end in name_spans(text)]


def _folded(text: str) -> list[str]:
    return [fold(word) for word in split_words(text)]
